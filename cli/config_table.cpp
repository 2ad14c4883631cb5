#include "cli/config_table.h"

#include <algorithm>
#include <array>

#include "cli/agents.h"

namespace baghzero {
namespace {

// Makes the rows of one section, whose struct lies at the end of a path of members from the
// RunConfig.
template <class... Path>
auto keys_of(std::string_view section, Path... path) {
  return [=](std::string_view name, auto member, ConfigRange range, std::string_view unit,
             std::string_view help, std::string_view source = "", std::string_view pattern = "",
             bool (*accepts)(std::string_view) = nullptr) {
    const auto locate = [=](RunConfig& config) -> ConfigField {
      return &((config.*....*path).*member);
    };
    return ConfigKey{section, name, locate, range, unit, help, source, pattern, accepts};
  };
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
  const auto key = keys_of("rules", &RunConfig::rules);
  return {
      key("goats", &Rules::goats, ConfigRange{1, 21}, "goats",
          "Goats in hand at the start; with four tigers no more than 21 fit on the board.",
          "standard game"),
      key("captures_to_win", &Rules::captures_to_win, ConfigRange{1, 21}, "goats",
          "Captures that win the game for the tigers.", "standard game"),
      key("repetition", &Rules::repetition, kNoChoice, "",
          "What repeating a situation means once all goats are placed: an illegal move, a draw at "
          "the third occurrence, or nothing.",
          "encyclopedias of the game"),
      key("no_capture_limit", &Rules::no_capture_limit, ConfigRange{1, 1'000'000}, "plies",
          "Plies of the movement phase without a capture after which the game is a draw. Some won "
          "positions need 116.",
          "own solver results"),
      key("max_plies", &Rules::max_plies, ConfigRange{1, 1'000'000}, "plies",
          "Length at which a game is a draw."),
  };
}

std::vector<ConfigKey> network_keys() {
  const auto key = keys_of("network", &RunConfig::network);
  return {
      key("blocks", &NetworkSettings::blocks, ConfigRange{1, 40}, "blocks",
          "Residual blocks of the tower, each two 3x3 convolutions.", "AlphaGo Zero: 19 or 39"),
      key("channels", &NetworkSettings::channels, ConfigRange{8, 512}, "channels",
          "Width of the tower. Time grows with its square.", "AlphaGo Zero: 256"),
      key("squeeze_channels", &NetworkSettings::squeeze_channels, ConfigRange{0, 512}, "channels",
          "Bottleneck of squeeze-and-excitation; 0 switches it off.", "lc0: 32 to 64"),
      key("value_hidden", &NetworkSettings::value_hidden, ConfigRange{1, 2048}, "units",
          "Hidden units of the value head.", "AlphaGo Zero: 256"),
  };
}

std::vector<ConfigKey> inference_keys() {
  const auto key = keys_of("inference", &RunConfig::inference);
  return {
      key("device", &InferenceSettings::device, kNoChoice, "",
          "Where networks play. \"auto\" is the first CUDA device if there is one, else the CPU; "
          "asking for a device that is missing is an error.",
          "", kDevicePattern, accepts_device),
      key("precision", &InferenceSettings::precision, kNoChoice, "",
          "Arithmetic of the network in play. \"auto\" takes bf16 where the device gains from it "
          "and its answers agree with fp32.",
          "own measurements"),
      key("max_batch", &InferenceSettings::max_batch, ConfigRange{1, 65536}, "positions",
          "Largest batch the network evaluates at once. More slots than this fill it."),
      key("cache_entries", &InferenceSettings::cache_entries, ConfigRange{0, 1'000'000'000},
          "positions",
          "Evaluations kept so that no position is computed twice; 0 switches the cache off."),
  };
}

std::vector<ConfigKey> search_keys() {
  const auto key = keys_of("search", &RunConfig::selfplay, &SelfPlaySettings::search);
  return {
      key("root_policy", &SearchSettings::root_policy, kNoChoice, "",
          "How the root spreads its visits: PUCT, or Gumbel with sequential halving and completed "
          "Q.",
          "AlphaZero 2018; Danihelka et al. 2022"),
      key("cpuct", &SearchSettings::cpuct, ConfigRange{0.01, 20}, "",
          "Exploration constant at the first visit.", "KataGo: 1.0 to 1.1"),
      key("cpuct_factor", &SearchSettings::cpuct_factor, ConfigRange{0, 20}, "",
          "How fast the exploration constant grows with the logarithm of the visits.",
          "KataGo: 0.45"),
      key("cpuct_base", &SearchSettings::cpuct_base, ConfigRange{1, 1'000'000}, "visits",
          "Visits at which that growth sets in.", "KataGo: 500"),
      key("fpu_reduction", &SearchSettings::fpu_reduction, ConfigRange{0, 2}, "value",
          "How much worse than its parent an unvisited move is taken to be, times the root of the "
          "policy mass visited.",
          "KataGo: 0.2"),
      key("root_fpu_reduction", &SearchSettings::root_fpu_reduction, ConfigRange{0, 2}, "value",
          "The same at the root.", "KataGo: 0.1"),
      key("noise_weight", &SearchSettings::noise_weight, ConfigRange{0, 1}, "share",
          "Weight of the Dirichlet noise in the root's priors. Self-play only.", "AlphaZero: 0.25"),
      key("noise_alpha_total", &SearchSettings::noise_alpha_total, ConfigRange{0.01, 1000}, "",
          "Sum of the Dirichlet parameters over the legal moves; half is spread evenly, half "
          "follows the priors.",
          "KataGo: 10.83"),
      key("root_policy_temperature", &SearchSettings::root_policy_temperature, ConfigRange{0.1, 10},
          "", "Temperature of the root's priors in self-play; above 1 flattens them.",
          "KataGo: 1.1"),
      key("forced_playouts", &SearchSettings::forced_playouts, ConfigRange{0, 100}, "",
          "Visits forced onto each root move in self-play: the root of this times prior times "
          "visits. They are pruned from the policy target.",
          "KataGo 2019, 3.2: 2"),
      key("gumbel_actions", &SearchSettings::gumbel_actions, ConfigRange{1, 56}, "moves",
          "Root moves that sequential halving starts from.", "Danihelka et al. 2022: 16"),
      key("gumbel_c_visit", &SearchSettings::gumbel_c_visit, ConfigRange{0, 10000}, "visits",
          "Added to the largest visit count in the scale of the values.",
          "Danihelka et al. 2022: 50"),
      key("gumbel_c_scale", &SearchSettings::gumbel_c_scale, ConfigRange{0.001, 100}, "",
          "Scale of the values against the policy's logits.", "Danihelka et al. 2022: 1"),
      key("max_nodes", &SearchSettings::max_nodes, ConfigRange{1024, 1 << 28}, "nodes",
          "Most nodes of one tree; a search that reaches it ends early."),
      key("solver", &SearchSettings::solver, kNoChoice, "",
          "Value leaves of the movement phase exactly, as proofs, by the solved game in solver.db, "
          "in self-play, gate and matches. Draws only if rules.repetition is not \"forbidden\"."),
  };
}

std::vector<ConfigKey> selfplay_keys() {
  const auto key = keys_of("selfplay", &RunConfig::selfplay);
  return {
      key("workers", &SelfPlaySettings::workers, ConfigRange{0, 1024}, "threads",
          "Threads that play; 0 is one per core."),
      key("slots_per_worker", &SelfPlaySettings::slots_per_worker, ConfigRange{1, 65536}, "games",
          "Games a thread advances side by side; they fill the network's batches."),
      key("full_visits", &SelfPlaySettings::full_visits, kVisits, "visits",
          "Visits of a full search. Only its moves train the policy.",
          "KataGo 2019: 600; AlphaZero: 800"),
      key("cheap_visits", &SelfPlaySettings::cheap_visits, kVisits, "visits",
          "Visits of a cheap search, which only moves the game on.", "KataGo 2019: 100"),
      key("full_search_share", &SelfPlaySettings::full_search_share, ConfigRange{0.01, 1}, "share",
          "Share of moves that get a full search.", "KataGo 2019, 3.1: 0.25"),
      key("temperature_start", &SelfPlaySettings::temperature_start, ConfigRange{0, 10}, "",
          "Temperature of the first move played: moves are drawn by visits^(1/temperature).",
          "AlphaZero: 1"),
      key("temperature_end", &SelfPlaySettings::temperature_end, ConfigRange{0, 10}, "",
          "Temperature late in the game.", "KataGo: 0.15 to 0.2"),
      key("temperature_halflife", &SelfPlaySettings::temperature_halflife, ConfigRange{0.1, 10000},
          "plies", "Plies in which the temperature goes half the way to its end.",
          "KataGo: 19 on 19x19"),
      key("opening_plies_mean", &SelfPlaySettings::opening_plies_mean, ConfigRange{0, 100}, "plies",
          "Mean length of the random opening of each game.", "KataGo: random openings"),
      key("random_opening_share", &SelfPlaySettings::random_opening_share, ConfigRange{0, 1},
          "share", "Share of openings drawn uniformly; the others follow the flattened policy."),
      key("late_start_share", &SelfPlaySettings::late_start_share, ConfigRange{0, 1}, "share",
          "Share of games that start late in the placement or in the movement phase."),
      key("adjudicate", &SelfPlaySettings::adjudicate, kNoChoice, "",
          "End a game in the movement phase with its exact result by the solved game in solver.db. "
          "Draws only if rules.repetition is not \"forbidden\"."),
      key("seed", &SelfPlaySettings::seed, kSeeds, "", "Seed of the games on top of run.seed."),
  };
}

std::vector<ConfigKey> training_keys() {
  const auto key = keys_of("training", &RunConfig::training);
  return {
      key("schedule", &TrainingSettings::schedule, kNoChoice, "",
          "Self-play and training take turns, or run side by side (for a GPU with many cores)."),
      key("device", &TrainingSettings::device, kNoChoice, "",
          "Where the network trains, as inference.device.", "", kDevicePattern, accepts_device),
      key("batch", &TrainingSettings::batch, ConfigRange{2, 65536}, "rows",
          "Rows of one optimizer step.", "KataGo: 256"),
      key("optimizer", &TrainingSettings::optimizer, kNoChoice, "", "Optimizer."),
      key("learning_rate", &TrainingSettings::learning_rate, ConfigRange{1e-8, 10}, "",
          "Learning rate after the warm-up."),
      key("final_learning_rate_factor", &TrainingSettings::final_learning_rate_factor,
          ConfigRange{1e-6, 1}, "factor",
          "The learning rate reached when run.sample_budget is spent, as a share of the first.",
          "KataGo: the last drops gave 229 and 260 Elo"),
      key("warmup_samples", &TrainingSettings::warmup_samples, ConfigRange{0, 1'000'000'000},
          "samples", "Samples over which the learning rate rises from zero."),
      key("weight_decay", &TrainingSettings::weight_decay, ConfigRange{0, 1}, "",
          "Decoupled weight decay; never on biases and scales.", "AlphaZero: 1e-4"),
      key("momentum", &TrainingSettings::momentum, ConfigRange{0, 0.9999}, "",
          "Momentum of \"sgd\".", "AlphaZero: 0.9"),
      key("clip_norm", &TrainingSettings::clip_norm, ConfigRange{1e-6, 1e6}, "",
          "Largest norm of the whole gradient."),
      key("ema_decay", &TrainingSettings::ema_decay, ConfigRange{0, 0.999999}, "per step",
          "Decay of the averaged weights, which are gated, played and exported.",
          "KataGo: averaged"),
      key("window_min_rows", &TrainingSettings::window_min_rows, ConfigRange{1, 1'000'000'000},
          "rows", "Rows awaited before training begins, and the scale of the window's growth.",
          "KataGo 2019: 250,000"),
      key("window_max_rows", &TrainingSettings::window_max_rows, ConfigRange{1, 1'000'000'000},
          "rows", "Largest replay window."),
      key("window_alpha", &TrainingSettings::window_alpha, ConfigRange{0.01, 1}, "",
          "Exponent of the window's growth with the rows generated.", "KataGo 2019: 0.75"),
      key("window_beta", &TrainingSettings::window_beta, ConfigRange{0, 10}, "",
          "Slope of that growth where it begins.", "KataGo 2019: 0.4"),
      key("reuse", &TrainingSettings::reuse, ConfigRange{0.01, 1000}, "samples per row",
          "Training samples taken for each new row.", "KataGo: 4 to 8"),
      key("value_search_share", &TrainingSettings::value_search_share, ConfigRange{0, 1}, "share",
          "Weight of the search's value in the value target; the rest is the outcome."),
      key("policy_weight", &TrainingSettings::policy_weight, ConfigRange{0, 100}, "",
          "Weight of the policy loss.", "AlphaZero: 1"),
      key("value_weight", &TrainingSettings::value_weight, ConfigRange{0, 100}, "",
          "Weight of the win/draw/loss loss.", "AlphaZero: 1"),
      key("reply_policy_weight", &TrainingSettings::reply_policy_weight, ConfigRange{0, 100}, "",
          "Weight of the loss for the opponent's reply.", "KataGo 2019: 0.15"),
      key("captures_weight", &TrainingSettings::captures_weight, ConfigRange{0, 100}, "",
          "Weight of the loss for the goats captured at the end."),
      key("occupancy_weight", &TrainingSettings::occupancy_weight, ConfigRange{0, 100}, "",
          "Weight of the loss for the final occupancy of the points.", "KataGo 2019: ownership"),
      key("plies_left_weight", &TrainingSettings::plies_left_weight, ConfigRange{0, 100}, "",
          "Weight of the loss for the plies left.", "lc0: moves left head"),
      key("threads", &TrainingSettings::threads, ConfigRange{0, 1024}, "threads",
          "Threads of a training step on the CPU; 0 is all cores."),
  };
}

std::vector<ConfigKey> gate_keys() {
  const auto key = keys_of("gate", &RunConfig::gate);
  return {
      key("mode", &GateSettings::mode, kNoChoice, "",
          "How a candidate becomes the next generation: by a sequential test, by its score over a "
          "fixed number of pairs, or always.",
          "AlphaGo Zero: fixed; KataGo: fixed; AlphaZero: always"),
      key("visits", &GateSettings::visits, ConfigRange{0, 1'000'000}, "visits",
          "Visits per move in the gate and in the closing matches; 0 plays the bare policy."),
      key("max_pairs", &GateSettings::max_pairs, ConfigRange{1, 100'000}, "pairs",
          "Most pairs of games; \"fixed\" plays them all. The two games of a pair share an opening "
          "and swap roles."),
      key("elo0", &GateSettings::elo0, ConfigRange{-999, 999}, "Elo",
          "Hypothesis of the sequential test that keeps the best generation.", "fishtest"),
      key("elo1", &GateSettings::elo1, ConfigRange{-999, 999}, "Elo",
          "Hypothesis that promotes the candidate.", "fishtest"),
      key("alpha", &GateSettings::alpha, ConfigRange{0.0001, 0.4999}, "probability",
          "Chance of promoting a candidate that is only elo0 better.", "fishtest: 0.05"),
      key("beta", &GateSettings::beta, ConfigRange{0.0001, 0.4999}, "probability",
          "Chance of refusing one that is elo1 better.", "fishtest: 0.05"),
      key("threshold", &GateSettings::threshold, ConfigRange{0, 1}, "score",
          "Score (wins and half the draws, per game) that promotes under \"fixed\", and under "
          "\"sprt\" when the pairs run out undecided. Few pairs need a high one: at 0.54 after 200 "
          "pairs, or 0.56 after 80, an equal candidate passes in less than one gate of ten.",
          "AlphaGo Zero: 0.55"),
  };
}

std::vector<ConfigKey> evaluation_keys() {
  const auto key = keys_of("evaluation", &RunConfig::evaluation);
  return {
      key("every", &EvaluationSettings::every, ConfigRange{0, 10000}, "promotions",
          "Promotions between two evaluations, in which the best generation meets other players; 0 "
          "plays none. Their games count in the run's ladder."),
      key("opponents", &EvaluationSettings::opponents, kNoChoice, "",
          "Fixed opponents: agents as `baghzero match` names them.", "", kAgentsPattern,
          accepts_agents),
      key("generations", &EvaluationSettings::generations, ConfigRange{0, 20}, "opponents",
          "Earlier generations met as well: the previous one, and those 2, 4, 8 and so on before."),
      key("pairs", &EvaluationSettings::pairs, ConfigRange{1, 10000}, "pairs",
          "Pairs of games with each opponent."),
      key("visits", &EvaluationSettings::visits, ConfigRange{0, 1'000'000}, "visits",
          "Visits per move of networks, also in ladders of the run; 0 plays the bare policy."),
      key("seconds", &EvaluationSettings::seconds, ConfigRange{0.1, 1'000'000}, "seconds",
          "Wall time of one evaluation at most, shared out evenly; a match that takes longer "
          "counts with the pairs played."),
  };
}

std::vector<ConfigKey> run_keys() {
  const auto key = keys_of("run", &RunConfig::run);
  return {
      key("seed", &RunSettings::seed, kSeeds, "", "All randomness of the run comes from it."),
      key("reproducible", &RunSettings::reproducible, kNoChoice, "",
          "One worker and games in order: equal seeds give equal games and equal weights. A stop "
          "drops the games of an iteration or gate under way; a resume plays them from the first."),
      key("games_per_iteration", &RunSettings::games_per_iteration, ConfigRange{1, 10'000'000},
          "games", "Games between two training phases (schedule \"alternate\")."),
      key("iterations_per_gate", &RunSettings::iterations_per_gate, ConfigRange{1, 10000},
          "iterations", "Iterations between two gates."),
      key("generations", &RunSettings::generations, ConfigRange{0, 1'000'000}, "promotions",
          "The run ends after this many promotions; 0 is no such limit."),
      key("minutes", &RunSettings::minutes, ConfigRange{0, 1'000'000}, "minutes",
          "Wall time of the whole run, resumes and evaluations included; 0 is no such limit. A "
          "tenth of it (10 minutes at most) is kept for the last gate and as much for the closing "
          "matches: training ends before both; a gate that takes longer stops undecided, and a "
          "resume with more minutes goes on with it; a closing match that does counts with the "
          "pairs played."),
      key("sample_budget", &RunSettings::sample_budget, ConfigRange{0, 1e15}, "samples",
          "The run ends after this many training samples, over which the learning rate falls; 0 is "
          "no such limit."),
      key("keep_states", &RunSettings::keep_states, ConfigRange{1, 100}, "states",
          "Trainer states kept on disk; the newest intact one is resumed from."),
      key("closing_pairs", &RunSettings::closing_pairs, ConfigRange{0, 100'000}, "pairs",
          "Pairs of each closing match against the random and the greedy player; 0 plays none."),
  };
}

bool accepts_path(std::string_view) { return true; }

std::vector<ConfigKey> solver_keys() {
  const auto key = keys_of("solver", &RunConfig::solver);
  return {
      key("db", &SolverSettings::db, kNoChoice, "",
          "Folder of the solved game, as made by `baghzero solve`; its movement phase is enough.",
          "", "a folder, or \"\" for none", accepts_path),
      key("suite", &SolverSettings::suite, kNoChoice, "",
          "File of solved positions, as made by `baghzero suite make`: every generation is "
          "measured by it, its bare policy, its value and its search with gate.visits.",
          "", "a file, or \"\" for none", accepts_path),
      key("suite_seconds", &SolverSettings::suite_seconds, ConfigRange{0, 86400}, "seconds",
          "Most wall time of that per generation, never more than a quarter of what is left of "
          "run.minutes; the search gets what the others leave, and as many positions as it "
          "manages."),
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
