#include "cli/run_display.h"

#include <chrono>
#include <utility>

#include <spdlog/logger.h>

#include "cli/command_name.h"

namespace baghzero {

RunDisplay::RunDisplay(std::shared_ptr<ProgressDisplay> display,
                       std::shared_ptr<spdlog::logger> logger,
                       std::filesystem::path tensorboard_folder, std::function<void()> on_opened,
                       std::function<void()> on_configured)
    : display_(std::move(display)),
      logger_(std::move(logger)),
      on_opened_(std::move(on_opened)),
      on_configured_(std::move(on_configured)),
      tensorboard_folder_(std::move(tensorboard_folder)) {}

RunDisplay::~RunDisplay() { display_->finish(); }

void RunDisplay::opened() {
  if (on_opened_) on_opened_();
}

void RunDisplay::configured() {
  if (on_configured_) on_configured_();
}

void RunDisplay::progress(const PhaseProgress& progress) {
  const PhaseWords words = words_of(progress.phase);
  // The games of a match are played side by side and end in bursts; a gate may end early besides.
  const bool steady = progress.phase == RunPhase::SelfPlay || progress.phase == RunPhase::Training;
  display_->update(
      {words.label, words.unit, progress.done, progress.total, progress.detail, steady});
}

void RunDisplay::message(const std::string& text) { logger_->info("{}", text); }

void RunDisplay::warning(const std::string& text) { logger_->warn("{}", as_called(text)); }

void RunDisplay::metrics(std::int64_t step, const std::map<std::string, double>& values) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  tensorboard().add_scalars(std::chrono::duration<double>(now).count(), step, values);
}

void RunDisplay::resumed(std::int64_t samples) { tensorboard().drop_from(samples + 1); }

TensorBoardWriter& RunDisplay::tensorboard() {
  if (!tensorboard_) tensorboard_ = std::make_unique<TensorBoardWriter>(tensorboard_folder_);
  return *tensorboard_;
}

}  // namespace baghzero
