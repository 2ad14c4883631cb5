#include "cli/run_summary.h"

#include <array>
#include <cstdio>

#include "cli/output.h"
#include "cli/progress.h"
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
         percent(score.as_tiger) + " as tiger  (" + std::to_string(score.pairs) + " pairs)";
}

std::string memory_text(std::int64_t bytes) {
  constexpr double kMebibyte = 1024.0 * 1024.0;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.0f MiB", static_cast<double>(bytes) / kMebibyte);
  return text.data();
}

}  // namespace

std::string summarise_run(const RunResult& result, const GateSettings& gate,
                          const std::filesystem::path& run_dir) {
  std::string text = "\nRun " + end_text(result.end) + "\n";
  const auto row = [&text](const std::string& name, const std::string& value) {
    std::string label = name;
    label.resize(22, ' ');
    text.append("  ").append(label).append(value).append("\n");
  };
  row("generations promoted", std::to_string(result.generation));
  row("wall time", format_duration(result.seconds));
  row("games, rows, samples", with_thousands(static_cast<std::uint64_t>(result.games)) + ", " +
                                  with_thousands(static_cast<std::uint64_t>(result.rows)) + ", " +
                                  with_thousands(static_cast<std::uint64_t>(result.samples)));
  row("peak memory", memory_text(result.peak_memory_bytes));
  row("final generation", (run_dir / RunFolder::model_name(result.generation)).string() +
                              ", below at " + std::to_string(gate.visits) + " visits");
  row("against random", score_text(result.against_random));
  row("against greedy", score_text(result.against_greedy));
  return text;
}

std::string how_to_go_on(const std::filesystem::path& run_dir) {
  return "Everything is saved; go on with: baghzero train --resume --run " + run_dir.string() +
         "\n";
}

}  // namespace baghzero
