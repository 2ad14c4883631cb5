// Analysts for many games: whoever has to think borrows one.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "play/engine_model.h"

namespace baghzero {

// All functions may be called from any thread.
class Thinkers {
 public:
  // At most `count` analyses run side by side, and at most `most_waiting` callers wait for one of
  // them to end. Throws as make_analyst().
  Thinkers(EngineModel model, const ThinkingSettings& settings, int count, int most_waiting);
  ~Thinkers();

  const EngineModel& model() const { return model_; }
  // Analyses from nothing for limits.seconds, which are finite; waiting for an analyst counts.
  // Nothing if none was free in time, too many wait already or stop() has been called. Throws as
  // Analyst::analyse.
  std::optional<Analysis> analyse(const Game& game, AnalysisLimits limits, int line_count);
  // Ends analyses under way and lets none begin.
  void stop();

 private:
  std::unique_ptr<Analyst> borrow(double seconds);
  void give_back(std::unique_ptr<Analyst> analyst);

  const EngineModel model_;
  const int most_waiting_;
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;  // guards what follows
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Analyst>> free_;
  int waiting_ = 0;
};

}  // namespace baghzero
