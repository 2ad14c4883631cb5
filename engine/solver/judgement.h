// How far play is from perfect: which moves gave away value, by the solved game.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/evaluation.h"
#include "engine/solver/probe.h"
#include "engine/solver/share_interval.h"

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

inline constexpr std::array kSides = {Side::Goat, Side::Tiger};
inline constexpr std::array kPhases = {GamePhase::Placements1To7, GamePhase::Placements8To14,
                                       GamePhase::Placements15To20, GamePhase::Movement};

// Counts of any kind, which can be added up, by role and phase.
template <class Counts>
class ByRoleAndPhase {
 public:
  Counts& at(Side side, GamePhase phase) {
    return counts_[static_cast<std::size_t>(side)][static_cast<std::size_t>(phase)];
  }
  const Counts& at(Side side, GamePhase phase) const {
    return counts_[static_cast<std::size_t>(side)][static_cast<std::size_t>(phase)];
  }
  // Those of the side to move.
  Counts& at(const Position& position) { return at(position.side_to_move(), phase_of(position)); }
  Counts total(Side side) const {
    Counts sum;
    for (const GamePhase phase : kPhases) sum += at(side, phase);
    return sum;
  }
  Counts total() const {
    Counts sum = total(Side::Goat);
    return sum += total(Side::Tiger);
  }
  ByRoleAndPhase& operator+=(const ByRoleAndPhase& other) {
    for (const Side side : kSides)
      for (const GamePhase phase : kPhases) at(side, phase) += other.at(side, phase);
    return *this;
  }

 private:
  std::array<std::array<Counts, kGamePhases>, 2> counts_{};
};

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

// The mistakes of one side or both in several games.
class MistakeTally {
 public:
  // What was counted in one game.
  void add_game(const ByRoleAndPhase<MistakeCounts>& game);

  const MistakeCounts& counts(Side side, GamePhase phase) const { return counts_.at(side, phase); }
  MistakeCounts total(Side side) const { return counts_.total(side); }
  // Of the share of mistakes among the moves that could have been one, games being the clusters.
  ShareInterval interval(Side side, GamePhase phase) const {
    return shares_.at(side, phase).interval();
  }
  ShareInterval interval(Side side) const {
    return totals_[static_cast<std::size_t>(side)].interval();
  }

 private:
  ByRoleAndPhase<MistakeCounts> counts_;
  ByRoleAndPhase<ClusteredShare> shares_;
  std::array<ClusteredShare, 2> totals_;
};

// A player's moves in solved positions in which value can be given away.
struct SuiteCounts {
  std::int64_t positions = 0;
  std::int64_t kept = 0;      // in which the move keeps the value
  std::int64_t forfeits = 0;  // in which there was none (Forfeit), so that it was not kept
  SuiteCounts& operator+=(const SuiteCounts& other);
};

// A network's values of solved positions.
struct ValueCounts {
  std::int64_t positions = 0;
  std::int64_t right = 0;    // in which the true result is the one it thinks most likely
  double cross_entropy = 0;  // sum of -log of the probability that it gave the true result
  void add(const Wdl& value, int rank);
  ValueCounts& operator+=(const ValueCounts& other);
};

}  // namespace baghzero
