#include "training/run_progress.h"

#include <stdexcept>
#include <vector>

#include <nlohmann/json.hpp>

namespace baghzero {
namespace {

constexpr const char* kKey = "progress";

}  // namespace

void store_progress(RunStore& store, const StoredProgress& progress) {
  const nlohmann::json text = {{"phase", static_cast<int>(progress.phase.phase)},
                               {"done", progress.phase.done},
                               {"total", progress.phase.total},
                               {"detail", progress.phase.detail},
                               {"at", progress.at},
                               {"seconds", progress.seconds},
                               {"samples", progress.samples},
                               {"rows", progress.rows},
                               {"window_rows", progress.window_rows}};
  store.set_meta(kKey, text.dump());
}

std::optional<StoredProgress> stored_progress(const RunStore& store) {
  const std::optional<std::string> text = store.meta(kKey);
  if (!text) return std::nullopt;
  try {
    const nlohmann::json json = nlohmann::json::parse(*text);
    StoredProgress progress;
    progress.phase.phase = static_cast<RunPhase>(json.at("phase").get<int>());
    json.at("done").get_to(progress.phase.done);
    json.at("total").get_to(progress.phase.total);
    json.at("detail").get_to(progress.phase.detail);
    json.at("at").get_to(progress.at);
    json.at("seconds").get_to(progress.seconds);
    json.at("samples").get_to(progress.samples);
    json.at("rows").get_to(progress.rows);
    json.at("window_rows").get_to(progress.window_rows);
    return progress;
  } catch (const nlohmann::json::exception& fault) {
    throw std::runtime_error("the run database holds a report of progress that makes no sense (" +
                             std::string(fault.what()) + ")");
  }
}

bool is_surely_finished(const RunFolder& folder, const RunConfig& config) {
  if (!folder.holds_run()) return false;
  const RunStore store(folder.database(), RunStore::Mode::ReadOnly);
  const auto pairs = store.meta_number(kFinishedKey);
  if (!pairs || *pairs < config.run.closing_pairs) return false;
  const std::vector<GenerationEntry> generations = store.generations();
  return config.run.generations > 0 && !generations.empty() &&
         generations.back().number >= config.run.generations;
}

}  // namespace baghzero
