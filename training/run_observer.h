// What a run tells the outside world. The loop itself prints nothing, so that it can be tested.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace baghzero {

enum class RunPhase : std::uint8_t {
  SelfPlay,
  Training,
  Gate,
  ClosingMatches,
  Evaluation,
  Suite,
  Window,
};

struct PhaseWords {
  const char* label;
  const char* unit;
};
constexpr PhaseWords words_of(RunPhase phase) {
  switch (phase) {
    case RunPhase::SelfPlay:
      return {"self-play", "games"};
    case RunPhase::Training:
      return {"training", "steps"};
    case RunPhase::Gate:
      return {"gate", "games"};
    case RunPhase::Evaluation:
      return {"evaluation", "pairs"};
    case RunPhase::ClosingMatches:
      return {"closing matches", "games"};
    case RunPhase::Suite:
      return {"solved positions", "positions"};
    case RunPhase::Window:
      return {"reading games back", "rows"};
  }
  return {"", ""};
}

struct PhaseProgress {
  RunPhase phase = RunPhase::SelfPlay;
  double done = 0;     // in the phase's own unit (games, steps)
  double total = 0;    // 0: unknown
  std::string detail;  // one short phrase, e.g. "412 evals/s, batch fill 93 %"
};

// Calls come from the thread that runs the loop, but those of warning(), which may come from any.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // The first call: the folder is locked, nobody else writes there.
  virtual void opened() {}
  // The configuration is stored, the run begins or goes on. Not called for a finished run, which
  // keeps what it has.
  virtual void configured() {}
  // The run goes on from where it was at `samples`: what metrics() told of later steps is void, but
  // for what it tells again right after this.
  virtual void resumed(std::int64_t /*samples*/) {}
  // Often (several times a second); draw a bar or drop it.
  virtual void progress(const PhaseProgress& progress) = 0;
  // One line for people: what happened or what is awaited.
  virtual void message(const std::string& text) = 0;
  virtual void warning(const std::string& text) = 0;
  // Numbers at a point of the run; `step` counts training samples. Names are "group/name".
  virtual void metrics(std::int64_t step, const std::map<std::string, double>& values) = 0;
};

}  // namespace baghzero
