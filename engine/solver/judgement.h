// How far play is from perfect: which moves gave away value, by the solved game.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/solver/probe.h"

namespace baghzero {

// By the number of the last placement, the one being chosen included; tigers answer in the phase of
// the placement before them, the 20th excepted.
enum class GamePhase : std::uint8_t { Placements1To7, Placements8To14, Placements15To20, Movement };
inline constexpr int kGamePhases = 4;
GamePhase phase_of(const Position& position);
std::string_view to_string(GamePhase phase);  // "placements 1-7", …, "movement"

// The best ranks (see rank_for) that each move keeps for the side to move. Moves are `legal`, in
// this order.
struct MoveRanks {
  std::array<std::int8_t, kMaxLegalActions> ranks;
  int best = -1;
  int worst = 1;
  // Whether some move gives away value.
  bool decisive() const { return worst < best; }
};
// Nothing if a value is not known.
std::optional<MoveRanks> rank_moves(SolvedProbe& probe, const Position& position,
                                    const ActionList& legal);

struct MistakeCounts {
  std::int64_t moves = 0;
  std::int64_t decisive = 0;  // moves that could have given away value
  std::int64_t draw_to_loss = 0;
  std::int64_t win_to_draw = 0;
  std::int64_t win_to_loss = 0;
  std::int64_t mistakes() const { return draw_to_loss + win_to_draw + win_to_loss; }
  // Adds a move that turned `best` into `kept`.
  void add(const MoveRanks& ranks, int kept);
  MistakeCounts& operator+=(const MistakeCounts& other);
};

// Counts by role and phase.
class MistakeTally {
 public:
  void add(const Position& position, const MoveRanks& ranks, int kept);
  const MistakeCounts& counts(Side side, GamePhase phase) const {
    return counts_[static_cast<int>(side)][static_cast<int>(phase)];
  }
  MistakeCounts total(Side side) const;
  MistakeTally& operator+=(const MistakeTally& other);

 private:
  std::array<std::array<MistakeCounts, kGamePhases>, 2> counts_{};
};

// Wilson's 95 % score interval of a share (Wilson 1927): 0..1 if there are no trials.
struct ShareInterval {
  double low = 0;
  double high = 1;
};
ShareInterval wilson_interval(std::int64_t hits, std::int64_t trials);

}  // namespace baghzero
