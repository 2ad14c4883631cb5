#include "selfplay/benchmark.h"

#include <chrono>
#include <cstdint>

namespace baghzero {
namespace {

class DroppingSink final : public GameSink {
 public:
  void put(GameRecord) override {}
};

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

}  // namespace

SelfPlaySpeed measure_self_play(const SelfPlaySetup& setup, double warm_up_seconds,
                                double seconds) {
  using Clock = std::chrono::steady_clock;
  DroppingSink sink;
  SelfPlay self_play(setup, sink);
  self_play.start({});
  self_play.wait(milliseconds(warm_up_seconds));
  const SelfPlayCounters before = self_play.counters();
  const Clock::time_point begin = Clock::now();
  self_play.wait(milliseconds(seconds));
  SelfPlaySpeed speed;
  speed.counters = self_play.counters() - before;
  speed.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  self_play.stop();
  self_play.wait();
  return speed;
}

}  // namespace baghzero
