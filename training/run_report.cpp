#include <algorithm>
#include <array>
#include <cstdio>

#include "training/memory.h"
#include "training/run_phases.h"

namespace baghzero {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr double kLowBatchFill = 0.5;

using Values = std::map<std::string, double>;

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }
double number(std::uint64_t value) { return static_cast<double>(value); }

void add_training(const RunContext& run, Values& values) {
  const TrainingReport& report = run.tally.training;
  if (report.steps > 0) {
    values["loss/total"] = report.total_loss;
    values["loss/policy"] = report.policy_loss;
    values["loss/policy_excess"] = report.policy_loss - report.policy_entropy;
    values["loss/value"] = report.value_loss;
    values["loss/captures"] = report.captures_loss;
    values["loss/occupancy"] = report.occupancy_loss;
    values["loss/plies_left"] = report.plies_left_loss;
    values["loss/reply_policy"] = report.reply_policy_loss;
    values["training/learning_rate"] = report.learning_rate;
    values["training/gradient_norm"] = report.gradient_norm;
    values["training/samples_per_second"] =
        ratio(static_cast<double>(report.samples), report.seconds);
    values["training/seconds"] = report.seconds;
  }
  values["training/rejected_steps"] = report.rejected_steps;
  values["training/samples"] = static_cast<double>(run.trainer.samples());
  values["training/reuse"] =
      ratio(static_cast<double>(run.trainer.samples()), static_cast<double>(run.window.total()));
  values["training/credit"] = run.state.sample_credit;
  values["window/rows"] = static_cast<double>(run.window.size());
  values["window/total_rows"] = static_cast<double>(run.window.total());
}

void add_self_play(const RunContext& run, Values& values) {
  const RunTally& tally = run.tally;
  const SelfPlayCounters& counters = tally.counters;
  const double seconds = tally.selfplay_seconds;
  const double work = number(counters.search_nanoseconds + counters.evaluation_nanoseconds +
                             counters.queue_nanoseconds);
  values["selfplay/games"] = static_cast<double>(run.state.last_game);
  values["selfplay/games_per_second"] = ratio(number(counters.games), seconds);
  values["selfplay/rows_per_second"] = ratio(number(counters.moves), seconds);
  values["selfplay/evals_per_second"] = ratio(number(counters.rows), seconds);
  values["selfplay/simulations_per_second"] = ratio(number(counters.simulations), seconds);
  values["selfplay/batch_fill"] = counters.batch_fill();
  values["selfplay/cache_hit_share"] = counters.cache_hit_share();
  values["selfplay/full_search_share"] =
      ratio(number(counters.full_searches), number(counters.moves));
  values["selfplay/search_share"] = ratio(number(counters.search_nanoseconds), work);
  values["selfplay/evaluation_share"] = ratio(number(counters.evaluation_nanoseconds), work);
  values["selfplay/queue_share"] = ratio(number(counters.queue_nanoseconds), work);
  values["selfplay/seconds"] = seconds;
  values["selfplay/plies"] =
      ratio(static_cast<double>(tally.plies), static_cast<double>(tally.games));
}

void add_outcomes(const SelfPlayCounters& counters, Values& values) {
  const double games = number(counters.games);
  for (const Outcome outcome : {Outcome::GoatsWin, Outcome::TigersWin, Outcome::Draw})
    values["outcome/" + std::string(to_string(outcome))] =
        ratio(number(counters.games_with(outcome)), games);
  for (const Termination termination :
       {Termination::Captures, Termination::TigersBlocked, Termination::GoatsBlocked,
        Termination::RepetitionExhausted, Termination::Repetition, Termination::NoCaptureLimit,
        Termination::MaxPlies, Termination::Adjudicated})
    values["termination/" + std::string(to_string(termination))] =
        ratio(number(counters.games_with(termination)), games);
}

std::string summary(const RunContext& run, const Values& values) {
  std::array<char, 240> text{};
  std::snprintf(text.data(), text.size(),
                "iteration %d: %s games (tigers %.0f %%, goats %.0f %%, draws %.0f %%; %.0f plies)"
                ", window %s rows, %s samples, policy %.3f, value %.3f",
                run.state.iteration, grouped(run.state.last_game).c_str(),
                100 * values.at("outcome/tigers_win"), 100 * values.at("outcome/goats_win"),
                100 * values.at("outcome/draw"), values.at("selfplay/plies"),
                grouped(run.window.size()).c_str(), grouped(run.trainer.samples()).c_str(),
                run.tally.training.policy_loss, run.tally.training.value_loss);
  return text.data();
}

}  // namespace

void report_iteration(RunContext& run) {
  Values values;
  add_training(run, values);
  add_self_play(run, values);
  add_outcomes(run.tally.counters, values);
  values["memory/resident_mib"] = static_cast<double>(resident_memory_bytes()) / kMebibyte;
  values["memory/peak_mib"] = static_cast<double>(peak_memory_bytes()) / kMebibyte;
  values["run/generation"] = run.state.generation;
  values["run/minutes"] = run.seconds() / 60;
  run.message(summary(run, values));
  run.metrics(values);
  if (run.tally.counters.batches > 0 && run.tally.counters.batch_fill() < kLowBatchFill)
    run.warning(
        "batches of self-play are less than half full: raise selfplay.slots_per_worker or "
        "lower inference.max_batch");
  run.tally = {};
}

}  // namespace baghzero
