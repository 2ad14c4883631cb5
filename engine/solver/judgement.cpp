#include "engine/solver/judgement.h"

#include <algorithm>
#include <cmath>

namespace baghzero {

GamePhase phase_of(const Position& position) {
  if (!position.in_placement()) return GamePhase::Movement;
  const int placed = kSolvedGoats - position.goats_in_hand();
  const int number = std::max(1, position.side_to_move() == Side::Goat ? placed + 1 : placed);
  constexpr int kLastOfFirst = 7;
  constexpr int kLastOfSecond = 14;
  if (number <= kLastOfFirst) return GamePhase::Placements1To7;
  return number <= kLastOfSecond ? GamePhase::Placements8To14 : GamePhase::Placements15To20;
}

std::string_view to_string(GamePhase phase) {
  constexpr std::array<std::string_view, kGamePhases> kNames = {"placements 1-7", "placements 8-14",
                                                                "placements 15-20", "movement"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::optional<MoveRanks> rank_moves(SolvedProbe& probe, const Position& position,
                                    const ActionList& legal) {
  MoveRanks result;
  for (int i = 0; i < legal.size(); ++i) {
    const auto value = probe.value(position.after(legal[i]));
    if (!value) return std::nullopt;
    const int rank = rank_for(position.side_to_move(), value->outcome);
    result.ranks[i] = static_cast<std::int8_t>(rank);
    result.best = std::max(result.best, rank);
    result.worst = std::min(result.worst, rank);
  }
  return result;
}

void MistakeCounts::add(const MoveRanks& ranks, int kept) {
  ++moves;
  decisive += ranks.decisive();
  draw_to_loss += ranks.best == 0 && kept < 0;
  win_to_draw += ranks.best > 0 && kept == 0;
  win_to_loss += ranks.best > 0 && kept < 0;
}

MistakeCounts& MistakeCounts::operator+=(const MistakeCounts& other) {
  moves += other.moves;
  decisive += other.decisive;
  draw_to_loss += other.draw_to_loss;
  win_to_draw += other.win_to_draw;
  win_to_loss += other.win_to_loss;
  return *this;
}

void MistakeTally::add_game(const ByRoleAndPhase<MistakeCounts>& game) {
  counts_ += game;
  for (const Side side : kSides) {
    for (const GamePhase phase : kPhases) {
      const MistakeCounts& counts = game.at(side, phase);
      shares_.at(side, phase).add(counts.mistakes(), counts.decisive);
    }
    const MistakeCounts all = game.total(side);
    totals_[static_cast<std::size_t>(side)].add(all.mistakes(), all.decisive);
  }
}

SuiteCounts& SuiteCounts::operator+=(const SuiteCounts& other) {
  positions += other.positions;
  kept += other.kept;
  forfeits += other.forfeits;
  return *this;
}

void ValueCounts::add(const Wdl& value, int rank) {
  constexpr float kLeast = 1e-7F;  // a float's resolution near 1: no network can mean less
  const float likely = rank > 0 ? value.win : rank == 0 ? value.draw : value.loss;
  ++positions;
  right += likely >= std::max({value.win, value.draw, value.loss});
  cross_entropy -= std::log(std::max(likely, kLeast));
}

ValueCounts& ValueCounts::operator+=(const ValueCounts& other) {
  positions += other.positions;
  right += other.right;
  cross_entropy += other.cross_entropy;
  return *this;
}

}  // namespace baghzero
