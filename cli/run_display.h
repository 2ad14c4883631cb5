// What a person sees of a run: bars, log lines, and TensorBoard files.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "cli/progress.h"
#include "cli/tensorboard.h"
#include "training/run_observer.h"

namespace spdlog {
class logger;
}

namespace baghzero {

// Calls come from the threads that RunObserver says.
class RunDisplay final : public RunObserver {
 public:
  // TensorBoard files go to `tensorboard_folder`, which is made with the first metrics or
  // on a resume. `on_opened` and `on_configured` are called when the observer's opened() and
  // configured() are.
  RunDisplay(std::shared_ptr<ProgressDisplay> display, std::shared_ptr<spdlog::logger> logger,
             std::filesystem::path tensorboard_folder, std::function<void()> on_opened = {},
             std::function<void()> on_configured = {});
  ~RunDisplay() override;

  void opened() override;
  void configured() override;
  void resumed(std::int64_t samples) override;
  void progress(const PhaseProgress& progress) override;
  void message(const std::string& text) override;
  void warning(const std::string& text) override;
  void metrics(std::int64_t step, const std::map<std::string, double>& values) override;

 private:
  TensorBoardWriter& tensorboard();

  const std::shared_ptr<ProgressDisplay> display_;
  const std::shared_ptr<spdlog::logger> logger_;
  const std::function<void()> on_opened_;
  const std::function<void()> on_configured_;
  const std::filesystem::path tensorboard_folder_;
  std::unique_ptr<TensorBoardWriter> tensorboard_;
};

}  // namespace baghzero
