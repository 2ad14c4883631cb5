#include "cli/config_table.h"

#include <algorithm>
#include <array>

#include "cli/agents.h"

namespace baghzero {
namespace {

using Locate = std::function<ConfigField(RunConfig&)>;

// Where a key's value lives: a path of members from the RunConfig.
template <class... Path>
Locate at(Path... path) {
  return [=](RunConfig& config) -> ConfigField { return &(config.*....*path); };
}
template <class T>
Locate rules(T Rules::*member) {
  return at(&RunConfig::rules, member);
}
template <class T>
Locate network(T NetworkSettings::*member) {
  return at(&RunConfig::network, member);
}
template <class T>
Locate inference(T InferenceSettings::*member) {
  return at(&RunConfig::inference, member);
}
template <class T>
Locate search(T SearchSettings::*member) {
  return at(&RunConfig::selfplay, &SelfPlaySettings::search, member);
}
template <class T>
Locate selfplay(T SelfPlaySettings::*member) {
  return at(&RunConfig::selfplay, member);
}
template <class T>
Locate training(T TrainingSettings::*member) {
  return at(&RunConfig::training, member);
}
template <class T>
Locate gate(T GateSettings::*member) {
  return at(&RunConfig::gate, member);
}
template <class T>
Locate evaluation(T EvaluationSettings::*member) {
  return at(&RunConfig::evaluation, member);
}
template <class T>
Locate run(T RunSettings::*member) {
  return at(&RunConfig::run, member);
}

template <class T>
Locate solver(T SolverSettings::*member) {
  return at(&RunConfig::solver, member);
}

// Seeds stop where a double still holds every integer, so that no tool that reads a run's files
// (JSON, for one) can round them.
constexpr ConfigRange kSeeds{0, 9007199254740992.0};
constexpr ConfigRange kNoChoice{};
// Records of games hold visits in sixteen bits.
constexpr ConfigRange kVisits{1, 65535};

constexpr std::string_view kDevicePattern = R"("auto", "cpu", "cuda" or "cuda:N")";
bool accepts_device(std::string_view text) {
  if (text == "auto" || text == "cpu" || text == "cuda") return true;
  constexpr std::string_view kPrefix = "cuda:";
  if (!text.starts_with(kPrefix)) return false;
  text.remove_prefix(kPrefix.size());
  return !text.empty() && text.size() <= 3 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

constexpr std::string_view kAgentsPattern =
    R"(agents with a semicolon between two, as in "greedy;alphabeta:4", or "")";
bool accepts_agents(std::string_view text) {
  return std::ranges::all_of(split_agents(text),
                             [](const std::string& agent) { return check_agent(agent).empty(); });
}

std::vector<ConfigKey> rules_keys() {
  return {
      {"rules",
       "goats",
       rules(&Rules::goats),
       {1, 21},
       "goats",
       "Goats in hand at the start; with four tigers no more than 21 fit on the board.",
       "standard game"},
      {"rules",
       "captures_to_win",
       rules(&Rules::captures_to_win),
       {1, 21},
       "goats",
       "Captures that win the game for the tigers.",
       "standard game"},
      {"rules", "repetition", rules(&Rules::repetition), kNoChoice, "",
       "What repeating a situation means once all goats are placed: an illegal move, a draw at the "
       "third occurrence, or nothing.",
       "encyclopedias of the game"},
      {"rules",
       "no_capture_limit",
       rules(&Rules::no_capture_limit),
       {1, 1'000'000},
       "plies",
       "Plies of the movement phase without a capture after which the game is a draw. Some won "
       "positions need 116.",
       "own solver results"},
      {"rules",
       "max_plies",
       rules(&Rules::max_plies),
       {1, 1'000'000},
       "plies",
       "Length at which a game is a draw.",
       ""},
  };
}

std::vector<ConfigKey> network_keys() {
  return {
      {"network",
       "blocks",
       network(&NetworkSettings::blocks),
       {1, 40},
       "blocks",
       "Residual blocks of the tower, each two 3x3 convolutions.",
       "AlphaGo Zero: 19 or 39"},
      {"network",
       "channels",
       network(&NetworkSettings::channels),
       {8, 512},
       "channels",
       "Width of the tower. Time grows with its square.",
       "AlphaGo Zero: 256"},
      {"network",
       "squeeze_channels",
       network(&NetworkSettings::squeeze_channels),
       {0, 512},
       "channels",
       "Bottleneck of squeeze-and-excitation; 0 switches it off.",
       "lc0: 32 to 64"},
      {"network",
       "value_hidden",
       network(&NetworkSettings::value_hidden),
       {1, 2048},
       "units",
       "Hidden units of the value head.",
       "AlphaGo Zero: 256"},
  };
}

std::vector<ConfigKey> inference_keys() {
  return {
      {"inference", "device", inference(&InferenceSettings::device), kNoChoice, "",
       "Where networks play. \"auto\" is the first CUDA device if there is one, else the CPU; "
       "asking for a device that is missing is an error.",
       "", kDevicePattern, accepts_device},
      {"inference", "precision", inference(&InferenceSettings::precision), kNoChoice, "",
       "Arithmetic of the network in play. \"auto\" takes bf16 where the device gains from it and "
       "its answers agree with fp32.",
       "own measurements"},
      {"inference",
       "max_batch",
       inference(&InferenceSettings::max_batch),
       {1, 65536},
       "positions",
       "Largest batch the network evaluates at once. More slots than this fill it.",
       ""},
      {"inference",
       "cache_entries",
       inference(&InferenceSettings::cache_entries),
       {0, 1'000'000'000},
       "positions",
       "Evaluations kept so that no position is computed twice; 0 switches the cache off.",
       ""},
  };
}

std::vector<ConfigKey> search_keys() {
  return {
      {"search", "root_policy", search(&SearchSettings::root_policy), kNoChoice, "",
       "How the root spreads its visits: PUCT, or Gumbel with sequential halving and completed Q.",
       "AlphaZero 2018; Danihelka et al. 2022"},
      {"search",
       "cpuct",
       search(&SearchSettings::cpuct),
       {0.01, 20},
       "",
       "Exploration constant at the first visit.",
       "KataGo: 1.0 to 1.1"},
      {"search",
       "cpuct_factor",
       search(&SearchSettings::cpuct_factor),
       {0, 20},
       "",
       "How fast the exploration constant grows with the logarithm of the visits.",
       "KataGo: 0.45"},
      {"search",
       "cpuct_base",
       search(&SearchSettings::cpuct_base),
       {1, 1'000'000},
       "visits",
       "Visits at which that growth sets in.",
       "KataGo: 500"},
      {"search",
       "fpu_reduction",
       search(&SearchSettings::fpu_reduction),
       {0, 2},
       "value",
       "How much worse than its parent an unvisited move is taken to be, times the root of the "
       "policy mass visited.",
       "KataGo: 0.2"},
      {"search",
       "root_fpu_reduction",
       search(&SearchSettings::root_fpu_reduction),
       {0, 2},
       "value",
       "The same at the root.",
       "KataGo: 0.1"},
      {"search",
       "noise_weight",
       search(&SearchSettings::noise_weight),
       {0, 1},
       "share",
       "Weight of the Dirichlet noise in the root's priors. Self-play only.",
       "AlphaZero: 0.25"},
      {"search",
       "noise_alpha_total",
       search(&SearchSettings::noise_alpha_total),
       {0.01, 1000},
       "",
       "Sum of the Dirichlet parameters over the legal moves; half is spread evenly, half follows "
       "the priors.",
       "KataGo: 10.83"},
      {"search",
       "root_policy_temperature",
       search(&SearchSettings::root_policy_temperature),
       {0.1, 10},
       "",
       "Temperature of the root's priors in self-play; above 1 flattens them.",
       "KataGo: 1.1"},
      {"search",
       "forced_playouts",
       search(&SearchSettings::forced_playouts),
       {0, 100},
       "",
       "Visits forced onto each root move in self-play: the root of this times prior times visits. "
       "They are pruned from the policy target.",
       "KataGo 2019, 3.2: 2"},
      {"search",
       "gumbel_actions",
       search(&SearchSettings::gumbel_actions),
       {1, 56},
       "moves",
       "Root moves that sequential halving starts from.",
       "Danihelka et al. 2022: 16"},
      {"search",
       "gumbel_c_visit",
       search(&SearchSettings::gumbel_c_visit),
       {0, 10000},
       "visits",
       "Added to the largest visit count in the scale of the values.",
       "Danihelka et al. 2022: 50"},
      {"search",
       "gumbel_c_scale",
       search(&SearchSettings::gumbel_c_scale),
       {0.001, 100},
       "",
       "Scale of the values against the policy's logits.",
       "Danihelka et al. 2022: 1"},
      {"search",
       "max_nodes",
       search(&SearchSettings::max_nodes),
       {1024, 1 << 28},
       "nodes",
       "Most nodes of one tree; a search that reaches it ends early.",
       ""},
      {"search", "solver", search(&SearchSettings::solver), kNoChoice, "",
       "Value leaves of the movement phase exactly, as proofs, by the solved game in solver.db, in "
       "self-play, gate and matches. Draws only if rules.repetition is not \"forbidden\".",
       ""},
  };
}

std::vector<ConfigKey> selfplay_keys() {
  return {
      {"selfplay",
       "workers",
       selfplay(&SelfPlaySettings::workers),
       {0, 1024},
       "threads",
       "Threads that play; 0 is one per core.",
       ""},
      {"selfplay",
       "slots_per_worker",
       selfplay(&SelfPlaySettings::slots_per_worker),
       {1, 65536},
       "games",
       "Games a thread advances side by side; they fill the network's batches.",
       ""},
      {"selfplay", "full_visits", selfplay(&SelfPlaySettings::full_visits), kVisits, "visits",
       "Visits of a full search. Only its moves train the policy.",
       "KataGo 2019: 600; AlphaZero: 800"},
      {"selfplay", "cheap_visits", selfplay(&SelfPlaySettings::cheap_visits), kVisits, "visits",
       "Visits of a cheap search, which only moves the game on.", "KataGo 2019: 100"},
      {"selfplay",
       "full_search_share",
       selfplay(&SelfPlaySettings::full_search_share),
       {0.01, 1},
       "share",
       "Share of moves that get a full search.",
       "KataGo 2019, 3.1: 0.25"},
      {"selfplay",
       "temperature_start",
       selfplay(&SelfPlaySettings::temperature_start),
       {0, 10},
       "",
       "Temperature of the first move played: moves are drawn by visits^(1/temperature).",
       "AlphaZero: 1"},
      {"selfplay",
       "temperature_end",
       selfplay(&SelfPlaySettings::temperature_end),
       {0, 10},
       "",
       "Temperature late in the game.",
       "KataGo: 0.15 to 0.2"},
      {"selfplay",
       "temperature_halflife",
       selfplay(&SelfPlaySettings::temperature_halflife),
       {0.1, 10000},
       "plies",
       "Plies in which the temperature goes half the way to its end.",
       "KataGo: 19 on 19x19"},
      {"selfplay",
       "opening_plies_mean",
       selfplay(&SelfPlaySettings::opening_plies_mean),
       {0, 100},
       "plies",
       "Mean length of the random opening of each game.",
       "KataGo: random openings"},
      {"selfplay",
       "random_opening_share",
       selfplay(&SelfPlaySettings::random_opening_share),
       {0, 1},
       "share",
       "Share of openings drawn uniformly; the others follow the flattened policy.",
       ""},
      {"selfplay",
       "late_start_share",
       selfplay(&SelfPlaySettings::late_start_share),
       {0, 1},
       "share",
       "Share of games that start late in the placement or in the movement phase.",
       ""},
      {"selfplay", "adjudicate", selfplay(&SelfPlaySettings::adjudicate), kNoChoice, "",
       "End a game in the movement phase with its exact result by the solved game in solver.db. "
       "Draws only if rules.repetition is not \"forbidden\".",
       ""},
      {"selfplay", "seed", selfplay(&SelfPlaySettings::seed), kSeeds, "",
       "Seed of the games on top of run.seed.", ""},
  };
}

std::vector<ConfigKey> training_keys() {
  return {
      {"training", "schedule", training(&TrainingSettings::schedule), kNoChoice, "",
       "Self-play and training take turns, or run side by side (for a GPU with many cores).", ""},
      {"training", "device", training(&TrainingSettings::device), kNoChoice, "",
       "Where the network trains, as inference.device.", "", kDevicePattern, accepts_device},
      {"training",
       "batch",
       training(&TrainingSettings::batch),
       {2, 65536},
       "rows",
       "Rows of one optimizer step.",
       "KataGo: 256"},
      {"training", "optimizer", training(&TrainingSettings::optimizer), kNoChoice, "", "Optimizer.",
       ""},
      {"training",
       "learning_rate",
       training(&TrainingSettings::learning_rate),
       {1e-8, 10},
       "",
       "Learning rate after the warm-up.",
       ""},
      {"training",
       "final_learning_rate_factor",
       training(&TrainingSettings::final_learning_rate_factor),
       {1e-6, 1},
       "factor",
       "The learning rate reached when run.sample_budget is spent, as a share of the first.",
       "KataGo: the last drops gave 229 and 260 Elo"},
      {"training",
       "warmup_samples",
       training(&TrainingSettings::warmup_samples),
       {0, 1'000'000'000},
       "samples",
       "Samples over which the learning rate rises from zero.",
       ""},
      {"training",
       "weight_decay",
       training(&TrainingSettings::weight_decay),
       {0, 1},
       "",
       "Decoupled weight decay; never on biases and scales.",
       "AlphaZero: 1e-4"},
      {"training",
       "momentum",
       training(&TrainingSettings::momentum),
       {0, 0.9999},
       "",
       "Momentum of \"sgd\".",
       "AlphaZero: 0.9"},
      {"training",
       "clip_norm",
       training(&TrainingSettings::clip_norm),
       {1e-6, 1e6},
       "",
       "Largest norm of the whole gradient.",
       ""},
      {"training",
       "ema_decay",
       training(&TrainingSettings::ema_decay),
       {0, 0.999999},
       "per step",
       "Decay of the averaged weights, which are gated, played and exported.",
       "KataGo: averaged"},
      {"training",
       "window_min_rows",
       training(&TrainingSettings::window_min_rows),
       {1, 1'000'000'000},
       "rows",
       "Rows awaited before training begins, and the scale of the window's growth.",
       "KataGo 2019: 250,000"},
      {"training",
       "window_max_rows",
       training(&TrainingSettings::window_max_rows),
       {1, 1'000'000'000},
       "rows",
       "Largest replay window.",
       ""},
      {"training",
       "window_alpha",
       training(&TrainingSettings::window_alpha),
       {0.01, 1},
       "",
       "Exponent of the window's growth with the rows generated.",
       "KataGo 2019: 0.75"},
      {"training",
       "window_beta",
       training(&TrainingSettings::window_beta),
       {0, 10},
       "",
       "Slope of that growth where it begins.",
       "KataGo 2019: 0.4"},
      {"training",
       "reuse",
       training(&TrainingSettings::reuse),
       {0.01, 1000},
       "samples per row",
       "Training samples taken for each new row.",
       "KataGo: 4 to 8"},
      {"training",
       "value_search_share",
       training(&TrainingSettings::value_search_share),
       {0, 1},
       "share",
       "Weight of the search's value in the value target; the rest is the outcome.",
       ""},
      {"training",
       "policy_weight",
       training(&TrainingSettings::policy_weight),
       {0, 100},
       "",
       "Weight of the policy loss.",
       "AlphaZero: 1"},
      {"training",
       "value_weight",
       training(&TrainingSettings::value_weight),
       {0, 100},
       "",
       "Weight of the win/draw/loss loss.",
       "AlphaZero: 1"},
      {"training",
       "reply_policy_weight",
       training(&TrainingSettings::reply_policy_weight),
       {0, 100},
       "",
       "Weight of the loss for the opponent's reply.",
       "KataGo 2019: 0.15"},
      {"training",
       "captures_weight",
       training(&TrainingSettings::captures_weight),
       {0, 100},
       "",
       "Weight of the loss for the goats captured at the end.",
       ""},
      {"training",
       "occupancy_weight",
       training(&TrainingSettings::occupancy_weight),
       {0, 100},
       "",
       "Weight of the loss for the final occupancy of the points.",
       "KataGo 2019: ownership"},
      {"training",
       "plies_left_weight",
       training(&TrainingSettings::plies_left_weight),
       {0, 100},
       "",
       "Weight of the loss for the plies left.",
       "lc0: moves left head"},
      {"training",
       "threads",
       training(&TrainingSettings::threads),
       {0, 1024},
       "threads",
       "Threads of a training step on the CPU; 0 is all cores.",
       ""},
  };
}

std::vector<ConfigKey> gate_keys() {
  return {
      {"gate", "mode", gate(&GateSettings::mode), kNoChoice, "",
       "How a candidate becomes the next generation: by a sequential test, by its score over a "
       "fixed number of pairs, or always.",
       "AlphaGo Zero: fixed; KataGo: fixed; AlphaZero: always"},
      {"gate",
       "visits",
       gate(&GateSettings::visits),
       {0, 1'000'000},
       "visits",
       "Visits per move in the gate and in the closing matches; 0 plays the bare policy.",
       ""},
      {"gate",
       "max_pairs",
       gate(&GateSettings::max_pairs),
       {1, 100'000},
       "pairs",
       "Most pairs of games; \"fixed\" plays them all. The two games of a pair share an opening "
       "and swap roles.",
       ""},
      {"gate",
       "elo0",
       gate(&GateSettings::elo0),
       {-999, 999},
       "Elo",
       "Hypothesis of the sequential test that keeps the best generation.",
       "fishtest"},
      {"gate",
       "elo1",
       gate(&GateSettings::elo1),
       {-999, 999},
       "Elo",
       "Hypothesis that promotes the candidate.",
       "fishtest"},
      {"gate",
       "alpha",
       gate(&GateSettings::alpha),
       {0.0001, 0.4999},
       "probability",
       "Chance of promoting a candidate that is only elo0 better.",
       "fishtest: 0.05"},
      {"gate",
       "beta",
       gate(&GateSettings::beta),
       {0.0001, 0.4999},
       "probability",
       "Chance of refusing one that is elo1 better.",
       "fishtest: 0.05"},
      {"gate",
       "threshold",
       gate(&GateSettings::threshold),
       {0, 1},
       "score",
       "Score (wins and half the draws, per game) that promotes under \"fixed\", and under "
       "\"sprt\" when the pairs run out undecided. Few pairs need a high one: at 0.54 after 200 "
       "pairs, or 0.56 after 80, an equal candidate passes in less than one gate of ten.",
       "AlphaGo Zero: 0.55"},
  };
}

std::vector<ConfigKey> evaluation_keys() {
  return {
      {"evaluation",
       "every",
       evaluation(&EvaluationSettings::every),
       {0, 10000},
       "promotions",
       "Promotions between two evaluations, in which the best generation meets other players; 0 "
       "plays none. Their games count in the run's ladder.",
       ""},
      {"evaluation", "opponents", evaluation(&EvaluationSettings::opponents), kNoChoice, "",
       "Fixed opponents: agents as `baghzero match` names them.", "", kAgentsPattern,
       accepts_agents},
      {"evaluation",
       "generations",
       evaluation(&EvaluationSettings::generations),
       {0, 20},
       "opponents",
       "Earlier generations met as well: the previous one, and those 2, 4, 8 and so on before.",
       ""},
      {"evaluation",
       "pairs",
       evaluation(&EvaluationSettings::pairs),
       {1, 10000},
       "pairs",
       "Pairs of games with each opponent.",
       ""},
      {"evaluation",
       "visits",
       evaluation(&EvaluationSettings::visits),
       {0, 1'000'000},
       "visits",
       "Visits per move of networks, also in ladders of the run; 0 plays the bare policy.",
       ""},
      {"evaluation",
       "seconds",
       evaluation(&EvaluationSettings::seconds),
       {0.1, 1'000'000},
       "seconds",
       "Wall time of one evaluation at most, shared out evenly; a match that takes longer counts "
       "with the pairs played.",
       ""},
  };
}

std::vector<ConfigKey> run_keys() {
  return {
      {"run", "seed", run(&RunSettings::seed), kSeeds, "",
       "All randomness of the run comes from it.", ""},
      {"run", "reproducible", run(&RunSettings::reproducible), kNoChoice, "",
       "One worker and games in order: equal seeds give equal games and equal weights.", ""},
      {"run",
       "games_per_iteration",
       run(&RunSettings::games_per_iteration),
       {1, 10'000'000},
       "games",
       "Games between two training phases (schedule \"alternate\").",
       ""},
      {"run",
       "iterations_per_gate",
       run(&RunSettings::iterations_per_gate),
       {1, 10000},
       "iterations",
       "Iterations between two gates.",
       ""},
      {"run",
       "generations",
       run(&RunSettings::generations),
       {0, 1'000'000},
       "promotions",
       "The run ends after this many promotions; 0 is no such limit.",
       ""},
      {"run",
       "minutes",
       run(&RunSettings::minutes),
       {0, 1'000'000},
       "minutes",
       "Wall time of the whole run, resumes and evaluations included; 0 is no such limit. A tenth "
       "of it (10 minutes at most) is kept for the last gate and as much for the closing matches: "
       "training ends before both; a gate that takes longer stops undecided, and a resume with "
       "more minutes goes on with it; a closing match that does counts with the pairs played.",
       ""},
      {"run",
       "sample_budget",
       run(&RunSettings::sample_budget),
       {0, 1e15},
       "samples",
       "The run ends after this many training samples, over which the learning rate falls; 0 is "
       "no such limit.",
       ""},
      {"run",
       "keep_states",
       run(&RunSettings::keep_states),
       {1, 100},
       "states",
       "Trainer states kept on disk; the newest intact one is resumed from.",
       ""},
      {"run",
       "closing_pairs",
       run(&RunSettings::closing_pairs),
       {0, 100'000},
       "pairs",
       "Pairs of each closing match against the random and the greedy player; 0 plays none.",
       ""},
  };
}

bool accepts_path(std::string_view) { return true; }

std::vector<ConfigKey> solver_keys() {
  return {
      {"solver", "db", solver(&SolverSettings::db), kNoChoice, "",
       "Folder of the solved game, as made by `baghzero solve`; its movement phase is enough.", "",
       "a folder, or \"\" for none", accepts_path},
      {"solver", "suite", solver(&SolverSettings::suite), kNoChoice, "",
       "File of solved positions, as made by `baghzero suite make`: every generation is measured "
       "by it, its bare policy, its value and its search with gate.visits.",
       "", "a file, or \"\" for none", accepts_path},
      {"solver",
       "suite_seconds",
       solver(&SolverSettings::suite_seconds),
       {0, 86400},
       "seconds",
       "Most wall time of that per generation, never more than a quarter of what is left of "
       "run.minutes; the search gets what the others leave, and as many positions as it manages.",
       ""},
  };
}

std::vector<ConfigKey> all_keys() {
  std::vector<ConfigKey> all;
  for (auto* section : {rules_keys, network_keys, inference_keys, search_keys, selfplay_keys,
                        training_keys, gate_keys, evaluation_keys, run_keys, solver_keys}) {
    auto keys = section();
    all.insert(all.end(), keys.begin(), keys.end());
  }
  return all;
}

constexpr std::array<ConfigSection, 10> kSections = {{
    {"rules", "the game"},
    {"network", "the architecture of the network"},
    {"inference", "how networks are evaluated in play"},
    {"search", "the tree search of self-play, gate and matches"},
    {"selfplay", "how games are generated"},
    {"training", "how the network learns from them"},
    {"gate", "when a candidate becomes the next generation"},
    {"evaluation", "how a run shows how far it has come"},
    {"run", "the run as a whole"},
    {"solver", "the solved game as a measure and a teacher"},
}};

}  // namespace

std::span<const ConfigKey> config_table() {
  static const std::vector<ConfigKey> table = all_keys();
  return table;
}

std::span<const ConfigSection> config_sections() { return kSections; }

}  // namespace baghzero
