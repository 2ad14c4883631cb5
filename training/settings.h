// Training, gating and the run as a whole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace baghzero {

enum class Schedule : std::uint8_t { Alternate, Overlap };
enum class OptimizerKind : std::uint8_t { AdamW, Sgd };
enum class GateMode : std::uint8_t { Sprt, Fixed, Always };

inline constexpr std::array<std::string_view, 3> kGateModeNames = {"sprt", "fixed", "always"};
constexpr std::string_view to_string(GateMode mode) {
  return kGateModeNames[static_cast<std::size_t>(mode)];
}

struct TrainingSettings {
  Schedule schedule = Schedule::Alternate;
  std::string device = "auto";
  int batch = 256;  // rows of one step
  OptimizerKind optimizer = OptimizerKind::AdamW;
  double learning_rate = 2e-3;
  double final_learning_rate_factor = 0.1;  // reached at the end of the run's sample budget
  std::int64_t warmup_samples = 20'000;
  double weight_decay = 1e-4;  // decoupled; not on biases and scales
  double momentum = 0.9;       // Sgd
  double clip_norm = 5.0;      // of the whole gradient
  double ema_decay = 0.999;    // per step; the averaged weights are gated, played and exported

  // Replay window in rows: window = min_rows * (1 + beta * ((total / min_rows)^alpha - 1) / alpha)
  // (KataGo's growth formula), never above max_rows.
  std::int64_t window_min_rows = 20'000;
  std::int64_t window_max_rows = 1'000'000;
  double window_alpha = 0.75;
  double window_beta = 0.4;
  double reuse = 4;  // training samples per new row

  double value_search_share = 0.3;  // weight of the search's value in the value target
  double policy_weight = 1;
  double value_weight = 1;
  double reply_policy_weight = 0.15;
  double captures_weight = 0.15;
  double occupancy_weight = 0.15;
  double plies_left_weight = 0.1;

  int threads = 0;  // 0: all cores
};

struct GateSettings {
  GateMode mode = GateMode::Sprt;
  int visits = 64;
  int max_pairs = 200;  // Fixed plays all of them
  double elo0 = 0;      // SPRT hypotheses in Elo (logistic), alpha and beta
  double elo1 = 50;
  double alpha = 0.05;
  double beta = 0.10;
  double threshold = 0.54;  // Fixed, and Sprt that ran out of pairs: score needed
};

// Matches of a promoted generation with fixed opponents and earlier generations. They show how far
// a run has come; nothing is learnt from them.
struct EvaluationSettings {
  int every = 1;                                        // promotions between two; 0: none
  std::string opponents = "random;greedy;alphabeta:2";  // fixed ones: agents; empty: none
  int generations = 2;                                  // earlier ones: those 1, 2, 4, … before
  int pairs = 10;                                       // with each opponent
  int visits = 64;                                      // per move of a network
  double seconds = 10;                                  // wall time of one evaluation at most
};

struct RunSettings {
  std::uint64_t seed = 1;
  bool reproducible = false;      // one worker, games in order, equal seeds give equal weights
  int games_per_iteration = 400;  // Alternate: self-play games between training phases
  int iterations_per_gate = 1;
  int generations = 4;             // stop after this many promotions; 0: no such limit
  double minutes = 0;              // wall time of the whole run (TimeLimits); 0: no such limit
  std::int64_t sample_budget = 0;  // learning-rate schedule and stop in samples; 0: no such limit
  int keep_states = 2;
  int closing_pairs = 100;  // of the closing matches against random and greedy; 0: none
};

}  // namespace baghzero
