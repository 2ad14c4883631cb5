#include "cli/run_summary.h"

#include "cli/command_name.h"
#include "cli/progress.h"
#include "engine/text.h"
#include "training/run_folder.h"

namespace baghzero {
namespace {

std::string end_text(RunEnd end) {
  switch (end) {
    case RunEnd::Stopped:
      return "stopped";
    case RunEnd::Generations:
      return "finished: run.generations reached";
    case RunEnd::Minutes:
      return "finished: run.minutes are over";
    case RunEnd::SampleBudget:
      return "finished: run.sample_budget is spent";
  }
  return "";
}

std::string score_text(const ClosingScore& score) {
  if (!score.played) return "not played";
  return percent(score.total) + " overall, " + percent(score.as_goat) + " as goat, " +
         percent(score.as_tiger) + " as tiger  (" + counted(score.pairs, "pair") + ")";
}

std::string raised_limit(RunEnd end, const RunSettings& run) {
  switch (end) {
    case RunEnd::Minutes:
      return "run.minutes=" + decimal(2 * run.minutes, 1);
    case RunEnd::SampleBudget:
      return "run.sample_budget=" + std::to_string(2 * run.sample_budget);
    default:
      return "run.generations=" + std::to_string(2 * run.generations);
  }
}

std::string resume_command(const std::filesystem::path& run_dir) {
  return command_name() + " train --resume --run " + shell_word(run_dir);
}

std::string memory_text(std::int64_t bytes) {
  constexpr double kMebibyte = 1024.0 * 1024.0;
  return decimal(static_cast<double>(bytes) / kMebibyte, 0) + " MiB";
}

}  // namespace

std::string summarise_run(const RunResult& result, const GateSettings& gate,
                          const std::filesystem::path& run_dir, const std::string& stopped_by) {
  std::string text = result.was_finished ? "\nRun was " : "\nRun ";
  text += end_text(result.end);
  if (result.end == RunEnd::Stopped && !stopped_by.empty()) text += " by " + stopped_by;
  text += "\n";
  const auto row = [&text](const std::string& name, const std::string& value) {
    std::string label = name;
    label.resize(22, ' ');
    text.append("  ").append(label).append(value).append("\n");
  };
  row("generations promoted", std::to_string(result.generation));
  row("wall time", format_duration(result.seconds));
  row("games, rows, samples",
      grouped(result.games) + ", " + grouped(result.rows) + ", " + grouped(result.samples));
  row("peak memory", memory_text(result.peak_memory_bytes));
  row("final generation", (run_dir / RunFolder::model_name(result.generation)).string() +
                              ", below at " + std::to_string(gate.visits) + " visits");
  row("against random", score_text(result.against_random));
  row("against greedy", score_text(result.against_greedy));
  return text;
}

std::string how_to_go_on(const std::filesystem::path& run_dir) {
  return "Everything is saved; go on with: " + resume_command(run_dir) + "\n";
}

std::string how_to_train_on(RunEnd end, const RunSettings& run,
                            const std::filesystem::path& run_dir, const std::string& changed) {
  const std::string kept =
      changed.empty() ? "" : " and nothing was changed (" + changed + " as before)";
  return "Nothing was left to do" + kept +
         "; to train on, raise the limit: " + resume_command(run_dir) + " --set " +
         raised_limit(end, run) + "\n";
}

}  // namespace baghzero
