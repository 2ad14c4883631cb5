// The trainer: one network in training mode, its optimizer, schedule and averaged weights.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/random.h"
#include "nn/inference.h"
#include "nn/settings.h"
#include "training/loss_check.h"
#include "training/replay_window.h"
#include "training/settings.h"

namespace baghzero {

// Means over the steps of one call. Losses are per row that has the target, unweighted; `total` is
// the weighted sum that was minimised.
struct TrainingReport {
  int steps = 0;
  std::int64_t samples = 0;
  double total_loss = 0;
  double policy_loss = 0;
  double policy_entropy = 0;  // of the targets: the least that policy_loss could be
  double value_loss = 0;
  double captures_loss = 0;
  double occupancy_loss = 0;
  double plies_left_loss = 0;
  double reply_policy_loss = 0;
  double gradient_norm = 0;  // before clipping
  double learning_rate = 0;  // of the last step
  double seconds = 0;
  // Steps that were not taken because the loss or the gradient was not finite.
  int rejected_steps = 0;
  std::string rejection;  // which rows and what to do, for people; of the last rejected step
};

// All that a trainer needs to go on exactly where it was. Vectors hold every parameter in order.
struct TrainerState {
  std::vector<float> weights;
  std::vector<float> average;
  std::vector<float> first_moment;
  std::vector<float> second_moment;  // empty with Sgd
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  Random::State random{};
  friend bool operator==(const TrainerState&, const TrainerState&) = default;
};

// Used by one thread at a time; on a CPU it has settings.threads threads of its own, which share
// each batch. From the first trainer on, LibTorch has one thread for one operation in the whole
// process (at::set_num_threads): all that uses it here puts whole networks side by side instead.
// Equal seeds, rows and thread counts give equal weights.
class Trainer {
 public:
  // Starts from make_random_network(network, seed)'s weights. Throws std::runtime_error if the
  // device does not exist, std::invalid_argument if a setting makes no sense.
  Trainer(const NetworkSettings& network, const TrainingSettings& settings,
          std::int64_t sample_budget, std::uint64_t seed);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Takes `steps` steps, or fewer once `stop` is true. A step whose loss or gradient is not finite
  // changes nothing and is counted; after kMaxRejectedSteps in a row std::runtime_error is thrown.
  TrainingReport train(const ReplayWindow& window, int steps, const std::atomic<bool>& stop);

  // A frozen copy of the averaged weights. Throws std::runtime_error if they are not finite.
  NetworkPtr averaged_network(int generation) const;
  // Losses of the averaged weights, computed as in training, on the rows that evaluator_loss()
  // draws from the same seed.
  PlayLoss averaged_loss(const ReplayWindow& window, int rows, std::uint64_t seed) const;

  std::int64_t samples() const;
  std::int64_t steps() const;
  int rejected_in_a_row() const;  // steps since the last that was taken
  TrainerState state() const;
  // Throws std::runtime_error if the state belongs to another network or optimizer.
  void restore(const TrainerState& state);

  static constexpr int kMaxRejectedSteps = 10;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace baghzero
