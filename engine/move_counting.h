// Counting moves of a whole side with a few shifts per direction. The shift distances and masks are
// compile-time constants, so that everything below becomes straight-line code.
#pragma once

#include <bit>
#include <type_traits>
#include <utility>

#include "engine/board.h"

namespace baghzero {

// Calls visit(std::integral_constant<int, i>) for every index i of kStepGroups or kJumpGroups.
template <int kCount, class Visit>
constexpr void unroll(Visit visit) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (visit(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, kCount>{});
}
template <class Visit>
constexpr void for_each_step_group(Visit visit) {
  unroll<kStepGroups.count>(visit);
}
template <class Visit>
constexpr void for_each_jump_group(Visit visit) {
  unroll<kJumpGroups.count>(visit);
}

// Steps from points of `movers` to points of `empty`.
constexpr int count_steps(Bitboard movers, Bitboard empty) {
  int count = 0;
  for_each_step_group([&](auto i) {
    constexpr ShiftGroup group = kStepGroups.groups[i];
    count += std::popcount(shifted(movers & group.origins, group.over_shift) & empty);
  });
  return count;
}

// Jumps from points of `tigers` over points of `goats` to points of `empty`.
constexpr int count_jumps(Bitboard tigers, Bitboard goats, Bitboard empty) {
  int count = 0;
  for_each_jump_group([&](auto i) {
    constexpr ShiftGroup group = kJumpGroups.groups[i];
    const Bitboard over = shifted(tigers & group.origins, group.over_shift) & goats;
    count += std::popcount(shifted(over, group.land_shift) & empty);
  });
  return count;
}

}  // namespace baghzero
