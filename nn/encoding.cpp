#include "nn/encoding.h"

#include <bit>

namespace baghzero {
namespace {

constexpr Bitboard kDiagonalPoints = [] {
  Bitboard points = 0;
  for (int p = 0; p < kPointCount; ++p)
    for (Bitboard near = neighbours(static_cast<Point>(p)); near;) {
      const Point other = pop_lowest(near);
      if (row_of(other) != row_of(static_cast<Point>(p)) &&
          column_of(other) != column_of(static_cast<Point>(p)))
        points |= bit(static_cast<Point>(p));
    }
  return points;
}();

Bitboard exposed_points(Bitboard tigers, Bitboard empty) {
  Bitboard exposed = 0;
  for (int i = 0; i < kJumpGroups.count; ++i) {
    const ShiftGroup& group = kJumpGroups.groups[i];
    exposed |= shifted(tigers & group.origins, group.over_shift) & empty &
               shifted(empty, -group.land_shift);
  }
  return exposed;
}

Bitboard reached_by_steps(Bitboard from, Bitboard empty) {
  Bitboard reached = from;
  for (;;) {
    Bitboard next = reached;
    for (int i = 0; i < kStepGroups.count; ++i) {
      const ShiftGroup& group = kStepGroups.groups[i];
      next |= shifted(reached & group.origins, group.over_shift) & empty;
    }
    if (next == reached) return reached;
    reached = next;
  }
}

struct OriginsAndTargets {
  Bitboard origins = 0;
  Bitboard targets = 0;
  void add(Action action) {
    const ActionInfo& info = action_info(action);
    if (info.kind != ActionKind::Placement) origins |= bit(info.from);
    targets |= bit(info.to);
  }
};

// Both lists ascend and `legal` is a part of the board's actions.
OriginsAndTargets barred_actions(const Query& query) {
  OriginsAndTargets barred;
  if (query.position.in_placement() ||
      query.legal.size() == count_board_legal_actions(query.position))
    return barred;
  int next = 0;
  for (Action action : board_legal_actions(query.position)) {
    if (next < query.legal.size() && query.legal[next] == action)
      ++next;
    else
      barred.add(action);
  }
  return barred;
}

}  // namespace

PlaneBits plane_bits(const Query& query) {
  const Position& position = query.position;
  const Bitboard empty = position.empty();
  const int captured = position.captured();
  OriginsAndTargets legal;
  for (Action action : query.legal) legal.add(action);
  const OriginsAndTargets barred = barred_actions(query);

  PlaneBits planes;
  planes.scale.fill(1);
  const auto set = [&](Plane plane, Bitboard bits) {
    planes.bits[static_cast<std::size_t>(plane)] = bits;
  };
  const auto set_flag = [&](Plane plane, bool on) { set(plane, on ? kAllPoints : 0); };
  const auto set_constant = [&](Plane plane, float value) {
    set(plane, kAllPoints);
    planes.scale[static_cast<std::size_t>(plane)] = value;
  };
  set(Plane::Tigers, position.tigers());
  set(Plane::Goats, position.goats());
  set(Plane::Empty, empty);
  set_flag(Plane::Board, true);
  set(Plane::DiagonalPoints, kDiagonalPoints);
  set_flag(Plane::GoatToMove, position.side_to_move() == Side::Goat);
  set_flag(Plane::TigerToMove, position.side_to_move() == Side::Tiger);
  set_flag(Plane::PlacementPhase, position.in_placement());
  set_constant(Plane::GoatsInHand, static_cast<float>(position.goats_in_hand()) / 20);
  set_flag(Plane::Captured1, captured == 1);
  set_flag(Plane::Captured2, captured == 2);
  set_flag(Plane::Captured3, captured == 3);
  set_flag(Plane::Captured4, captured >= 4);
  set_constant(Plane::Captured, static_cast<float>(captured) / 20);
  set(Plane::CapturableGoats, capturable_goats(position));
  set(Plane::CaptureLandings, capture_landings(position));
  set(Plane::ImmobileTigers, immobile_tigers(position));
  set(Plane::ExposedPoints, exposed_points(position.tigers(), empty));
  set(Plane::ClosedPoints, empty & ~reached_by_steps(position.tigers(), empty));
  set(Plane::LegalOrigins, legal.origins);
  set(Plane::LegalTargets, legal.targets);
  set(Plane::BarredOrigins, barred.origins);
  set(Plane::BarredTargets, barred.targets);
  set_constant(Plane::LimitProximity, static_cast<float>(query.limit_proximity) / kLimitSteps);
  return planes;
}

void expand(const PlaneBits& planes, std::span<float> out, int stride) {
  for (int point = 0; point < kPointCount; ++point)
    for (int plane = 0; plane < kInputPlanes; ++plane) {
      const std::uint32_t mask = 0U - (planes.bits[plane] >> point & 1U);
      out[point * stride + plane] =
          std::bit_cast<float>(std::bit_cast<std::uint32_t>(planes.scale[plane]) & mask);
    }
}

void encode(const Query& query, std::span<float, kInputSize> out) {
  expand(plane_bits(query), out);
}

}  // namespace baghzero
