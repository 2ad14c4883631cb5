#include "web/thinkers.h"

#include <chrono>
#include <utility>

namespace baghzero {

using Clock = std::chrono::steady_clock;

Thinkers::Thinkers(EngineModel model, const ThinkingSettings& settings, int count, int most_waiting)
    : model_(std::move(model)), most_waiting_(most_waiting) {
  for (int i = 0; i < count; ++i) free_.push_back(make_analyst(model_, settings));
}

Thinkers::~Thinkers() = default;

std::optional<Analysis> Thinkers::analyse(const Game& game, AnalysisLimits limits, int line_count) {
  const auto start = Clock::now();
  std::unique_ptr<Analyst> analyst = borrow(limits.seconds);
  if (!analyst) return std::nullopt;
  // Comes back also when the analysis throws.
  const auto returner = [this](Analyst* lent) { give_back(std::unique_ptr<Analyst>(lent)); };
  const std::unique_ptr<Analyst, decltype(returner)> lent(analyst.release(), returner);
  limits.seconds -= std::chrono::duration<double>(Clock::now() - start).count();
  Analysis analysis = lent->analyse(game, limits, line_count, stopped_);
  lent->forget();
  return analysis;
}

void Thinkers::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  returned_.notify_all();
}

std::unique_ptr<Analyst> Thinkers::borrow(double seconds) {
  std::unique_lock lock(mutex_);
  if (free_.empty() && waiting_ >= most_waiting_) return nullptr;
  ++waiting_;
  const bool found = returned_.wait_for(lock, std::chrono::duration<double>(seconds),
                                        [this] { return stopped_ || !free_.empty(); });
  --waiting_;
  if (!found || stopped_) return nullptr;
  std::unique_ptr<Analyst> analyst = std::move(free_.back());
  free_.pop_back();
  return analyst;
}

void Thinkers::give_back(std::unique_ptr<Analyst> analyst) {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(analyst));
  }
  returned_.notify_one();
}

}  // namespace baghzero
