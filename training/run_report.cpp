#include <chrono>

#include "engine/text.h"
#include "training/memory.h"
#include "training/run_phases.h"

namespace baghzero {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;

using Values = std::map<std::string, double>;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
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

void add_self_play(RunContext& run, Values& values) {
  const SelfPlayCounters& counters = run.tally.counters;
  const double seconds = run.tally.selfplay_seconds;
  const double work = number(counters.search_nanoseconds + counters.evaluation_nanoseconds +
                             counters.queue_nanoseconds);
  values["selfplay/games"] = static_cast<double>(run.state.last_game);
  if (seconds <= 0) return;  // all of it was before a resume
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
  values["selfplay/queue_peak"] = run.tally.queue_peak;
  values["selfplay/backlog_peak"] = static_cast<double>(run.collector.take_peak());
  values["selfplay/seconds"] = seconds;
}

// Of the games as stored, so that those before a resume count as well.
void add_outcomes(const GameTally& tally, Values& values) {
  const auto games = static_cast<double>(tally.games);
  const auto count = [](const auto& counts, auto key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0.0 : static_cast<double>(found->second);
  };
  values["selfplay/plies"] = ratio(static_cast<double>(tally.plies), games);
  for (const Outcome outcome : {Outcome::GoatsWin, Outcome::TigersWin, Outcome::Draw})
    values["outcome/" + std::string(to_string(outcome))] =
        ratio(count(tally.outcomes, outcome), games);
  for (const Termination termination :
       {Termination::Captures, Termination::TigersBlocked, Termination::GoatsBlocked,
        Termination::RepetitionExhausted, Termination::Repetition, Termination::NoCaptureLimit,
        Termination::MaxPlies, Termination::Adjudicated})
    values["termination/" + std::string(to_string(termination))] =
        ratio(count(tally.terminations, termination), games);
}

double rejected_in_a_row(const RunStore& store) {
  double count = 0;
  for (const GateEntry& gate : store.gates())
    if (gate.promoted && gate.pairs > 0) count = *gate.promoted ? 0 : count + 1;
  return count;
}

std::string outcomes_text(const GameTally& tally, const Values& values) {
  if (tally.games == 0) return "";
  return " (tigers " + percent(values.at("outcome/tigers_win"), 0) + ", goats " +
         percent(values.at("outcome/goats_win"), 0) + ", draws " +
         percent(values.at("outcome/draw"), 0) + "; " + decimal(values.at("selfplay/plies"), 0) +
         " plies)";
}

std::string losses_text(const RunTally& tally) {
  if (tally.training.steps == 0)
    return tally.resumed ? "trained before the resume" : "no training step";
  return "policy " + decimal(tally.training.policy_loss, 3) + ", value " +
         decimal(tally.training.value_loss, 3);
}

std::string summary(const RunContext& run, const GameTally& tally, const Values& values) {
  return "iteration " + std::to_string(run.state.iteration) + ": " +
         counted(run.state.last_game, "game") + outcomes_text(tally, values) + ", window " +
         counted(run.window.size(), "row") + ", " + counted(run.trainer.samples(), "sample") +
         ", " + losses_text(run.tally);
}

}  // namespace

void finish_iteration(RunContext& run) {
  const GameTally tally = run.store.tally_after(run.state.games_before_iteration);
  ++run.state.iteration;
  ++run.state.iterations_ungated;
  run.state.games_before_iteration = run.state.last_game;
  Values values;
  add_training(run, values);
  add_self_play(run, values);
  if (tally.games > 0) add_outcomes(tally, values);
  values["memory/resident_mib"] = static_cast<double>(resident_memory_bytes()) / kMebibyte;
  values["memory/peak_mib"] = static_cast<double>(peak_memory_bytes()) / kMebibyte;
  values["run/rejected_in_a_row"] = rejected_in_a_row(run.store);
  values["run/generation"] = run.state.generation;
  values["run/minutes"] = run.seconds() / 60;
  values["run/store_share"] = ratio(run.tally.store_seconds, seconds_since(run.tally.begin));
  for (const auto& [name, value] : run.tally.calibration.metrics())
    values["calibration/" + name] = value;
  run.message(summary(run, tally, values));
  run.metrics(values);
  for (const std::string& trouble :
       run.trouble.of(find_trouble(values, surroundings_of(run.folder.root)),
                      std::chrono::steady_clock::now()))
    run.warning(trouble);
  run.relay_warnings();
  run.tally = {};
}

}  // namespace baghzero
