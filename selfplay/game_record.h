// A finished game with what the search knew at every move: the unit of storage and training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/evaluation.h"
#include "engine/game.h"

namespace baghzero {

struct PolicyShare {
  Action action = 0;
  float share = 0;  // 0..1; the shares of one move sum to 1
};

struct MoveRecord {
  Action action = 0;         // the move played
  bool searched = false;     // false for opening plies chosen without a search
  bool full_search = false;  // only then is `policy` a training target
  std::uint16_t visits = 0;
  Wdl root_wdl;                     // searched value for the side to move
  std::vector<PolicyShare> policy;  // sparse, ascending by action; empty unless full_search
};

// A generation that played no part here: that of games which were brought in from elsewhere.
inline constexpr std::int32_t kNoGeneration = -1;

struct GameRecord {
  std::int32_t first_generation = 0;  // network at the first move and at the last one
  std::int32_t last_generation = 0;
  std::uint64_t seed = 0;
  Rules rules;
  Position start{};
  std::int32_t start_goat_moves = 0;
  std::vector<MoveRecord> moves;
  Outcome outcome = Outcome::Unfinished;
  Termination termination = Termination::None;
};

// Compact, compressed and checksummed form, and back. decode throws std::runtime_error naming the
// fault for truncated, damaged or foreign bytes; whatever it returns replays legally.
std::vector<std::byte> encode_game(const GameRecord& record);
GameRecord decode_game(std::span<const std::byte> bytes);

// Replays the moves. Throws std::runtime_error naming the ply if one is illegal or the stored
// outcome contradicts the rules.
Game replay(const GameRecord& record);

// Receives finished games. put() may be called from any thread and may block while the receiver is
// behind.
class GameSink {
 public:
  virtual ~GameSink() = default;
  virtual void put(GameRecord record) = 0;
};

}  // namespace baghzero
