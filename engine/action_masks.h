// Legal steps and jumps of a whole side at once: every action is a bit, and a legal one is an
// action whose origin holds a mover, whose target is empty and whose middle holds a goat. Each of
// the three conditions is a union of table entries, one for every five points.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "engine/board.h"

namespace baghzero {

// Bit a - kPointCount stands for step or jump a; the unused bits are zero.
inline constexpr int kMoveWords = 4;
static_assert(kActionCount - kPointCount <= 64 * kMoveWords);
struct alignas(32) MoveMask {
  std::array<std::uint64_t, kMoveWords> words{};

  constexpr void set(Action action) {
    const int index = action - kPointCount;
    words[index / 64] |= std::uint64_t{1} << (index % 64);
  }
  constexpr MoveMask& operator|=(const MoveMask& other) {
    for (int i = 0; i < kMoveWords; ++i) words[i] |= other.words[i];
    return *this;
  }
  constexpr MoveMask& operator&=(const MoveMask& other) {
    for (int i = 0; i < kMoveWords; ++i) words[i] &= other.words[i];
    return *this;
  }
};

namespace board_detail {

// The union of `of[p]` over the points p of a board, looked up by chunks of five points.
class MoveMaskTable {
 public:
  explicit constexpr MoveMaskTable(const std::array<MoveMask, kPoints>& of) {
    for (int chunk = 0; chunk < kBoardChunks; ++chunk)
      for (Bitboard bits = 1; bits < kChunkSize; ++bits) {
        const int lowest = chunk * kChunkBits + std::countr_zero(bits);
        unions_[chunk][bits] = unions_[chunk][bits & (bits - 1)];
        if (lowest < kPoints) unions_[chunk][bits] |= of[lowest];
      }
  }
  constexpr MoveMask operator()(Bitboard board) const {
    MoveMask mask = unions_[0][board % kChunkSize];
    for (int chunk = 1; chunk < kBoardChunks; ++chunk)
      mask |= unions_[chunk][board >> (chunk * kChunkBits) & (kChunkSize - 1)];
    return mask;
  }

 private:
  static constexpr Bitboard kChunkSize = Bitboard{1} << kChunkBits;
  std::array<std::array<MoveMask, kChunkSize>, kBoardChunks> unions_{};
};

struct MovesByPoint {
  std::array<MoveMask, kPoints> from{};
  std::array<MoveMask, kPoints> over{};
  std::array<MoveMask, kPoints> to{};
  MoveMask steps{};
};
constexpr MovesByPoint make_moves_by_point() {
  MovesByPoint moves;
  for (int a = kPoints; a < kActionCount; ++a) {
    const auto action = static_cast<Action>(a);
    const ActionInfo& info = kGeometry.actions[a];
    moves.from[info.from].set(action);
    moves.to[info.to].set(action);
    if (info.kind == ActionKind::Jump)
      moves.over[info.over].set(action);
    else
      moves.steps.set(action);
  }
  return moves;
}
inline constexpr MovesByPoint kMovesByPoint = make_moves_by_point();
inline constexpr MoveMaskTable kMovesFrom{kMovesByPoint.from};
inline constexpr MoveMaskTable kMovesOver{kMovesByPoint.over};
inline constexpr MoveMaskTable kMovesTo{kMovesByPoint.to};

}  // namespace board_detail

constexpr MoveMask goat_moves(Bitboard goats, Bitboard empty) {
  MoveMask mask = board_detail::kMovesFrom(goats);
  mask &= board_detail::kMovesTo(empty);
  return mask &= board_detail::kMovesByPoint.steps;
}
constexpr MoveMask tiger_moves(Bitboard tigers, Bitboard goats, Bitboard empty) {
  MoveMask mask = board_detail::kMovesOver(goats);
  mask |= board_detail::kMovesByPoint.steps;
  mask &= board_detail::kMovesFrom(tigers);
  return mask &= board_detail::kMovesTo(empty);
}

}  // namespace baghzero
