// The one thread that hands finished games to the sink.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <thread>

#include "selfplay/game_queue.h"
#include "selfplay/game_record.h"
#include "selfplay/phase_control.h"

namespace baghzero {

class GameWriter {
 public:
  // `ordered`: within a phase, ascending by index. Both references must outlive the writer.
  GameWriter(GameSink& sink, PhaseControl& control, bool ordered);
  // Writes what is in the queue and joins the thread.
  ~GameWriter();
  GameWriter(const GameWriter&) = delete;
  GameWriter& operator=(const GameWriter&) = delete;

  // For any worker; blocks while the writer is behind. Games that come after the sink has thrown
  // are dropped.
  void push(std::uint64_t game, GameRecord record);
  // For the last worker that leaves a phase: the phase is over once everything before is written.
  void push_end_of_phase();
  // How full the queue has been at most since the last call, 0..1.
  double take_queue_peak() { return queue_.take_peak(); }

 private:
  struct FinishedGame {
    std::uint64_t index = 0;
    GameRecord record;
  };

  void run();
  void accept(FinishedGame game);
  void write(std::uint64_t game, GameRecord record);

  GameSink& sink_;
  PhaseControl& control_;
  const bool ordered_;
  BoundedQueue<std::optional<FinishedGame>> queue_;  // an empty item ends a phase
  // Used by the thread only.
  std::map<std::uint64_t, GameRecord> waiting_;
  bool broken_ = false;
  std::thread thread_;
};

}  // namespace baghzero
