#include "engine/solver/judgement.h"

#include <algorithm>
#include <cmath>

#include "engine/normal_quantile.h"

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

void MistakeTally::add(const Position& position, const MoveRanks& ranks, int kept) {
  counts_[static_cast<int>(position.side_to_move())][static_cast<int>(phase_of(position))].add(
      ranks, kept);
}

MistakeCounts MistakeTally::total(Side side) const {
  MistakeCounts sum;
  for (const MistakeCounts& phase : counts_[static_cast<int>(side)]) sum += phase;
  return sum;
}

MistakeTally& MistakeTally::operator+=(const MistakeTally& other) {
  for (std::size_t side = 0; side < counts_.size(); ++side)
    for (std::size_t phase = 0; phase < kGamePhases; ++phase)
      counts_[side][phase] += other.counts_[side][phase];
  return *this;
}

ShareInterval wilson_interval(std::int64_t hits, std::int64_t trials) {
  if (trials == 0) return {};
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(hits) / n;
  const double scale = 1 + kNormal975 * kNormal975 / n;
  const double centre = (share + kNormal975 * kNormal975 / (2 * n)) / scale;
  const double half = kNormal975 *
                      std::sqrt(share * (1 - share) / n + kNormal975 * kNormal975 / (4 * n * n)) /
                      scale;
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

}  // namespace baghzero
