#include "engine/position.h"

#include <bit>

#include "engine/action_masks.h"
#include "engine/move_counting.h"

namespace baghzero {
namespace {

void add_moves(const MoveMask& mask, ActionList& out) {
  for (int word = 0; word < kMoveWords; ++word)
    out.push_back_bits(mask.words[word], kPointCount + 64 * word);
}

}  // namespace

void board_legal_actions(const Position& position, ActionList& out) {
  out.clear();
  const Bitboard empty = position.empty();
  if (position.side_to_move() == Side::Tiger) {
    add_moves(tiger_moves(position.tigers(), position.goats(), empty), out);
  } else if (position.in_placement()) {
    out.push_back_bits(empty, placement_action(0));
  } else {
    add_moves(goat_moves(position.goats(), empty), out);
  }
}

ActionSet board_legal_set(const Position& position) {
  ActionSet set;
  for (Action action : board_legal_actions(position)) set.set(action);
  return set;
}

int count_board_legal_actions(const Position& position) {
  const Bitboard empty = position.empty();
  if (position.side_to_move() == Side::Tiger)
    return count_steps(position.tigers(), empty) +
           count_jumps(position.tigers(), position.goats(), empty);
  if (position.in_placement()) return std::popcount(empty);
  return count_steps(position.goats(), empty);
}

bool is_board_legal(const Position& position, Action action) {
  if (action >= kActionCount) return false;
  const ActionInfo& info = action_info(action);
  if (!(position.empty() & bit(info.to))) return false;
  if (position.side_to_move() == Side::Tiger) {
    if (info.kind == ActionKind::Placement || !(position.tigers() & bit(info.from))) return false;
    return info.kind == ActionKind::Step || (position.goats() & bit(info.over));
  }
  if (position.in_placement()) return info.kind == ActionKind::Placement;
  return info.kind == ActionKind::Step && (position.goats() & bit(info.from));
}

Bitboard capturable_goats(const Position& position) {
  Bitboard capturable = 0;
  for_each_jump_group([&](auto i) {
    constexpr ShiftGroup group = kJumpGroups.groups[i];
    const Bitboard over =
        shifted(position.tigers() & group.origins, group.over_shift) & position.goats();
    capturable |= over & shifted(position.empty(), -group.land_shift);
  });
  return capturable;
}

Bitboard capture_landings(const Position& position) {
  Bitboard landings = 0;
  for_each_jump_group([&](auto i) {
    constexpr ShiftGroup group = kJumpGroups.groups[i];
    const Bitboard over =
        shifted(position.tigers() & group.origins, group.over_shift) & position.goats();
    landings |= shifted(over, group.land_shift) & position.empty();
  });
  return landings;
}

Bitboard immobile_tigers(const Position& position) {
  Bitboard mobile = 0;
  const Bitboard empty = position.empty();
  for_each_step_group([&](auto i) {
    constexpr ShiftGroup group = kStepGroups.groups[i];
    mobile |= group.origins & shifted(empty, -group.over_shift);
  });
  for_each_jump_group([&](auto i) {
    constexpr ShiftGroup group = kJumpGroups.groups[i];
    const Bitboard over = shifted(empty, -group.land_shift) & position.goats();
    mobile |= group.origins & shifted(over, -group.over_shift);
  });
  return position.tigers() & ~mobile;
}

Position apply_symmetry(int symmetry, const Position& position) {
  return {apply_symmetry_to_board(symmetry, position.tigers()),
          apply_symmetry_to_board(symmetry, position.goats()), position.goats_in_hand(),
          position.captured(), position.side_to_move()};
}

Canonical canonical(const Position& position) {
  Canonical best{position, 0};
  for (int symmetry = 1; symmetry < kSymmetryCount; ++symmetry) {
    const Position image = apply_symmetry(symmetry, position);
    if (image.key() < best.position.key()) best = {image, symmetry};
  }
  return best;
}

}  // namespace baghzero
