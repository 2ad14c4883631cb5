// What the network sees of a query, and how its policy output is laid out.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/evaluation.h"

namespace baghzero {

// Input planes. Each holds one value per point; a plane said to be constant holds the same value on
// all points. Symmetries permute points within planes and nothing else.
enum class Plane : std::uint8_t {
  Tigers,
  Goats,
  Empty,
  Board,            // constant 1; tells convolutions where the board ends
  DiagonalPoints,   // points with diagonal lines
  GoatToMove,       // constant 0 or 1
  TigerToMove,      // constant 0 or 1
  PlacementPhase,   // constant 0 or 1
  GoatsInHand,      // constant, goats in hand / 20
  Captured1,        // constant 0 or 1: exactly one goat captured so far
  Captured2,        // exactly two
  Captured3,        // exactly three
  Captured4,        // four or more
  Captured,         // constant, goats captured / 20 (for rules with another number to win)
  CapturableGoats,  // goats a tiger could capture if tigers were to move
  CaptureLandings,  // where those captures would land
  ImmobileTigers,   // tigers without a step or jump
  ExposedPoints,    // empty points on which a goat, put there now, could be captured at once
  ClosedPoints,     // empty points that no tiger reaches by steps, however many
  LegalOrigins,     // origins of legal actions; empty for placements
  LegalTargets,     // points that legal actions lead to
  BarredOrigins,    // the same of actions that repetition bars
  BarredTargets,
  LimitProximity,  // constant, limit_proximity / kLimitSteps
};
inline constexpr int kInputPlanes = 24;
static_assert(static_cast<int>(Plane::LimitProximity) + 1 == kInputPlanes);
inline constexpr std::array<std::string_view, kInputPlanes> kPlaneNames = {
    "tigers",           "goats",           "empty",           "board",          "diagonal_points",
    "goat_to_move",     "tiger_to_move",   "placement_phase", "goats_in_hand",  "captured_1",
    "captured_2",       "captured_3",      "captured_4",      "captured",       "capturable_goats",
    "capture_landings", "immobile_tigers", "exposed_points",  "closed_points",  "legal_origins",
    "legal_targets",    "barred_origins",  "barred_targets",  "limit_proximity"};
inline constexpr int kInputSize = kPointCount * kInputPlanes;  // floats of one row

// A row in compact form: plane i is scale[i] on the points of bits[i] and 0 elsewhere.
struct PlaneBits {
  std::array<Bitboard, kInputPlanes> bits;
  std::array<float, kInputPlanes> scale;
};

PlaneBits plane_bits(const Query& query);
// Writes a row of kInputSize floats, point by point and within a point plane by plane
// (channels-last): out[point * kInputPlanes + plane].
void encode(const Query& query, std::span<float, kInputSize> out);
// The same from the compact form, with points `stride` >= kInputPlanes floats apart; what lies
// between is left alone. `out` holds kPointCount * stride floats.
void expand(const PlaneBits& planes, std::span<float> out, int stride = kInputPlanes);

// Policy planes: 0 placements, gathered at the target; then one per step direction and one per jump
// direction (direction_of), gathered at the origin.
inline constexpr int kPolicyPlanes = 1 + kStepGroups.count + kJumpGroups.count;

struct PolicyCell {
  std::uint8_t plane = 0;
  Point point = 0;
};
inline constexpr std::array<PolicyCell, kActionCount> kPolicyCells = [] {
  std::array<PolicyCell, kActionCount> cells{};
  for (int a = 0; a < kActionCount; ++a) {
    const auto action = static_cast<Action>(a);
    const ActionInfo& info = action_info(action);
    const int plane = info.kind == ActionKind::Placement ? 0
                      : info.kind == ActionKind::Step
                          ? 1 + direction_of(action)
                          : 1 + kStepGroups.count + direction_of(action);
    cells[a] = {static_cast<std::uint8_t>(plane),
                info.kind == ActionKind::Placement ? info.to : info.from};
  }
  return cells;
}();

}  // namespace baghzero
