#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "engine/text.h"
#include "training/run_phases.h"

namespace baghzero {
namespace {

using std::chrono::steady_clock;

// Steps are taken in portions of about this long, for progress and for limits of time.
constexpr double kPortionSeconds = 0.25;
constexpr std::int64_t kMaxPortion = 256;
// Losses as trained and as played may differ by this share and amount before people are warned;
// reduced precision explains differences far below.
constexpr double kGapShare = 0.02;
constexpr double kGapAmount = 0.01;
constexpr int kGapRows = 1'024;

std::string describe(const TrainingReport& report) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%s samples/s, policy %.3f, value %.3f",
                grouped(static_cast<std::int64_t>(static_cast<double>(report.samples) /
                                                  std::max(report.seconds, 1e-3)))
                    .c_str(),
                report.policy_loss, report.value_loss);
  return text.data();
}

bool differ(double a, double b) {
  return std::abs(a - b) > kGapAmount + kGapShare * std::max(std::abs(a), std::abs(b));
}

}  // namespace

void train_backlog(RunContext& run, double seconds) {
  const auto begin = steady_clock::now();
  const std::int64_t goal = run.steps_allowed();
  std::int64_t done = 0;
  std::int64_t portion = 1;
  while (done < goal && !run.stopping() && run.reached_limit() != RunEnd::Minutes) {
    const auto steps = static_cast<int>(std::min(portion, goal - done));
    const TrainingReport report = run.trainer.train(run.window, steps, run.stop);
    const std::int64_t tried = report.steps + report.rejected_steps;
    done += tried;
    // A rejected step uses up its credit: its rows would only be rejected again.
    run.state.sample_credit -= static_cast<double>(tried * run.config.training.batch);
    run.tally.add(report);
    if (report.rejected_steps > 0) run.warning(report.rejection);
    run.progress({RunPhase::Training, static_cast<double>(done), static_cast<double>(goal),
                  describe(run.tally.training)});
    if (run.save_is_due()) run.save();
    const double per_step = report.seconds / static_cast<double>(std::max<std::int64_t>(1, tried));
    portion = std::clamp(static_cast<std::int64_t>(kPortionSeconds / std::max(per_step, 1e-6)),
                         std::int64_t{1}, kMaxPortion);
    const double elapsed = std::chrono::duration<double>(steady_clock::now() - begin).count();
    if (seconds > 0 && elapsed > seconds) return;
  }
}

void report_play_gap(RunContext& run, const NetworkPtr& candidate) {
  if (run.window.size() == 0) return;
  const auto rows = static_cast<int>(std::min<std::int64_t>(kGapRows, run.window.size()));
  const std::uint64_t seed = run.config.run.seed;
  const PlayLoss trained = run.trainer.averaged_loss(run.window, rows, seed);
  std::string inexact;
  const auto evaluator = make_network_evaluator(candidate, run.config.inference, &inexact);
  run.warnings.post(inexact);
  run.relay_warnings();
  const PlayLoss played = evaluator_loss(*evaluator, run.window, rows, seed);
  run.metrics({{"check/policy_as_trained", trained.policy},
               {"check/policy_as_played", played.policy},
               {"check/value_as_trained", trained.value},
               {"check/value_as_played", played.value}});
  if (!differ(trained.policy, played.policy) && !differ(trained.value, played.value)) return;
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(),
                "the network plays otherwise than it trains: policy loss %.4f played, %.4f "
                "trained; value loss %.4f played, %.4f trained; try inference.precision = \"fp32\"",
                played.policy, trained.policy, played.value, trained.value);
  run.warning(text.data());
}

}  // namespace baghzero
