// Board geometry: points, lines, steps, jumps, actions and symmetries, all derived at compile time
// from one list of lines. Nothing else in the project knows where a point lies; a second board is a
// second specification in this file.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace baghzero {

using Point = std::uint8_t;      // index of a line crossing, row by row from the top left
using Bitboard = std::uint32_t;  // bit p stands for point p
using Action = std::uint8_t;     // index into the action tables below, 0..kActionCount-1

inline constexpr Point kNoPoint = 255;
inline constexpr Action kNoAction = 255;

constexpr Bitboard bit(Point point) { return Bitboard{1} << point; }

// Removes the lowest set bit of `bits` and returns its index. `bits` must not be empty.
constexpr Point pop_lowest(Bitboard& bits) {
  const auto lowest = static_cast<Point>(std::countr_zero(bits));
  bits &= bits - 1;
  return lowest;
}

// Bagh-Chal: a 5x5 grid with the orthogonals and the diagonals through points of even row + column.
// Points are named by row (from the top) and column (from the left), both counted from 1.
struct BaghChalBoard {
  static constexpr int kRows = 5;
  static constexpr int kColumns = 5;
  static constexpr int kTigers = 4;
  static constexpr std::string_view kTigerStart = "11 15 51 55";
  static constexpr std::array<std::string_view, 16> kLines = {
      "11 12 13 14 15", "21 22 23 24 25", "31 32 33 34 35", "41 42 43 44 45",
      "51 52 53 54 55", "11 21 31 41 51", "12 22 32 42 52", "13 23 33 43 53",
      "14 24 34 44 54", "15 25 35 45 55", "11 22 33 44 55", "15 24 33 42 51",
      "13 22 31",       "13 24 35",       "31 42 53",       "35 44 53",
  };
};

namespace board_detail {

using Spec = BaghChalBoard;
inline constexpr int kPoints = Spec::kRows * Spec::kColumns;
inline constexpr int kMaxLineLength = Spec::kRows > Spec::kColumns ? Spec::kRows : Spec::kColumns;

struct Line {
  std::array<Point, kMaxLineLength> points{};
  int length = 0;
};

// Reads names such as "11 12 13"; every name is two digits followed by a blank or the end.
constexpr Line parse_points(std::string_view text) {
  Line line;
  for (std::size_t i = 0; i + 1 < text.size(); i += 3) {
    const int row = text[i] - '1';
    const int column = text[i + 1] - '1';
    line.points[line.length++] = static_cast<Point>(row * Spec::kColumns + column);
  }
  return line;
}

constexpr auto parse_lines() {
  std::array<Line, Spec::kLines.size()> lines{};
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = parse_points(Spec::kLines[i]);
  return lines;
}
inline constexpr auto kLines = parse_lines();

constexpr int count_steps() {
  int steps = 0;
  for (const Line& line : kLines) steps += 2 * (line.length - 1);
  return steps;
}
constexpr int count_jumps() {
  int jumps = 0;
  for (const Line& line : kLines) jumps += line.length > 2 ? 2 * (line.length - 2) : 0;
  return jumps;
}

}  // namespace board_detail

inline constexpr int kPointCount = board_detail::kPoints;
inline constexpr int kStepCount = board_detail::count_steps();
inline constexpr int kJumpCount = board_detail::count_jumps();
inline constexpr int kActionCount = kPointCount + kStepCount + kJumpCount;
inline constexpr int kTigerCount = BaghChalBoard::kTigers;
inline constexpr Bitboard kAllPoints = (Bitboard{1} << kPointCount) - 1;
static_assert(kActionCount <= 255, "an Action must fit into eight bits");

// No position has more legal actions than lines: a placement needs an empty point, a goat step a
// line between a goat and an empty point, and a tiger uses each of its lines for a step or a jump.
inline constexpr int kMaxLegalActions = kStepCount / 2 > kPointCount ? kStepCount / 2 : kPointCount;

enum class ActionKind : std::uint8_t { Placement, Step, Jump };

// What an action does, independent of who plays it.
struct ActionInfo {
  ActionKind kind{};
  Point from = kNoPoint;  // kNoPoint for placements
  Point over = kNoPoint;  // the point jumped over; kNoPoint unless a jump
  Point to = kNoPoint;
};

namespace board_detail {

template <class Visit>
constexpr void for_each_step(Visit visit) {
  for (const Line& line : kLines)
    for (int i = 0; i + 1 < line.length; ++i) {
      visit(line.points[i], line.points[i + 1]);
      visit(line.points[i + 1], line.points[i]);
    }
}
template <class Visit>
constexpr void for_each_jump(Visit visit) {
  for (const Line& line : kLines)
    for (int i = 0; i + 2 < line.length; ++i) {
      visit(line.points[i], line.points[i + 1], line.points[i + 2]);
      visit(line.points[i + 2], line.points[i + 1], line.points[i]);
    }
}

template <class T>
using PointGrid = std::array<std::array<T, kPoints>, kPoints>;
template <class T>
constexpr PointGrid<T> filled_grid(T value) {
  PointGrid<T> grid{};
  for (auto& row : grid) row.fill(value);
  return grid;
}

struct Geometry {
  std::array<Bitboard, kPoints> neighbours{};
  PointGrid<Point> beyond = filled_grid(kNoPoint);         // [from][over] -> landing of that jump
  PointGrid<Action> step_action = filled_grid(kNoAction);  // [from][to] -> action
  PointGrid<Action> jump_action = filled_grid(kNoAction);  // [from][landing] -> action
  std::array<ActionInfo, kActionCount> actions{};
};

// Actions are numbered placements first (by point), then steps and then jumps, each by (from, to).
constexpr Geometry make_geometry() {
  Geometry geometry;
  for_each_step([&](Point from, Point to) { geometry.neighbours[from] |= bit(to); });
  PointGrid<Point> over = filled_grid(kNoPoint);  // [from][landing]
  for_each_jump([&](Point from, Point middle, Point to) {
    geometry.beyond[from][middle] = to;
    over[from][to] = middle;
  });
  int next = 0;
  for (int p = 0; p < kPoints; ++p)
    geometry.actions[next++] = {ActionKind::Placement, kNoPoint, kNoPoint, static_cast<Point>(p)};
  for (int from = 0; from < kPoints; ++from)
    for (int to = 0; to < kPoints; ++to)
      if (geometry.neighbours[from] & bit(static_cast<Point>(to))) {
        geometry.step_action[from][to] = static_cast<Action>(next);
        geometry.actions[next++] = {ActionKind::Step, static_cast<Point>(from), kNoPoint,
                                    static_cast<Point>(to)};
      }
  for (int from = 0; from < kPoints; ++from)
    for (int to = 0; to < kPoints; ++to)
      if (over[from][to] != kNoPoint) {
        geometry.jump_action[from][to] = static_cast<Action>(next);
        geometry.actions[next++] = {ActionKind::Jump, static_cast<Point>(from), over[from][to],
                                    static_cast<Point>(to)};
      }
  return geometry;
}
inline constexpr Geometry kGeometry = make_geometry();

}  // namespace board_detail

constexpr Bitboard neighbours(Point point) { return board_detail::kGeometry.neighbours[point]; }

// Landing point of a jump from `from` over its neighbour `over`, or kNoPoint if there is none.
constexpr Point jump_landing(Point from, Point over) {
  return board_detail::kGeometry.beyond[from][over];
}

constexpr const ActionInfo& action_info(Action action) {
  return board_detail::kGeometry.actions[action];
}
constexpr Action placement_action(Point to) { return to; }
// The two below need points that a line joins as a step or a jump; otherwise they give kNoAction.
constexpr Action step_action(Point from, Point to) {
  return board_detail::kGeometry.step_action[from][to];
}
constexpr Action jump_action(Point from, Point to) {
  return board_detail::kGeometry.jump_action[from][to];
}
constexpr bool is_placement(Action action) { return action < kPointCount; }
constexpr bool is_jump(Action action) { return action >= kPointCount + kStepCount; }

constexpr int row_of(Point point) { return point / BaghChalBoard::kColumns; }
constexpr int column_of(Point point) { return point % BaghChalBoard::kColumns; }

constexpr Bitboard points_bitboard(std::string_view names) {
  Bitboard board = 0;
  const auto list = board_detail::parse_points(names);
  for (int i = 0; i < list.length; ++i) board |= bit(list.points[i]);
  return board;
}
inline constexpr Bitboard kTigerStart = points_bitboard(BaghChalBoard::kTigerStart);

// ---------------------------------------------------------------------------------------------
// Direction groups: all steps (or jumps) whose points lie the same index distances apart, as one
// mask of origins. They let a whole side's moves be counted with a few shifts.

struct ShiftGroup {
  Bitboard origins = 0;
  int over_shift = 0;  // index distance origin -> next point on the line
  int land_shift = 0;  // index distance next point -> the one after it (jumps only)
};

namespace board_detail {

inline constexpr int kMaxShiftGroups = 16;

struct ShiftGroups {
  std::array<ShiftGroup, kMaxShiftGroups> groups{};
  int count = 0;
  constexpr void add(Point from, int over_shift, int land_shift) {
    for (int i = 0; i < count; ++i)
      if (groups[i].over_shift == over_shift && groups[i].land_shift == land_shift) {
        groups[i].origins |= bit(from);
        return;
      }
    groups[count++] = {bit(from), over_shift, land_shift};
  }
};
constexpr ShiftGroups make_step_groups() {
  ShiftGroups groups;
  for_each_step([&](Point from, Point to) { groups.add(from, int{to} - int{from}, 0); });
  return groups;
}
constexpr ShiftGroups make_jump_groups() {
  ShiftGroups groups;
  for_each_jump([&](Point from, Point over, Point to) {
    groups.add(from, int{over} - int{from}, int{to} - int{over});
  });
  return groups;
}

}  // namespace board_detail

inline constexpr board_detail::ShiftGroups kStepGroups = board_detail::make_step_groups();
inline constexpr board_detail::ShiftGroups kJumpGroups = board_detail::make_jump_groups();

constexpr Bitboard shifted(Bitboard board, int distance) {
  return distance >= 0 ? board << distance : board >> -distance;
}

// Index of the direction group that a step or jump belongs to; 0 for placements. Networks use it to
// lay out the policy as planes: one per direction, gathered at the origin.
constexpr int direction_of(Action action) {
  const ActionInfo& info = action_info(action);
  if (info.kind == ActionKind::Placement) return 0;
  const bool jump = info.kind == ActionKind::Jump;
  const auto& set = jump ? kJumpGroups : kStepGroups;
  const int over_shift = int{jump ? info.over : info.to} - int{info.from};
  const int land_shift = jump ? int{info.to} - int{info.over} : 0;
  for (int i = 0; i < set.count; ++i)
    if (set.groups[i].over_shift == over_shift && set.groups[i].land_shift == land_shift &&
        (set.groups[i].origins & bit(info.from)))
      return i;
  return -1;
}

// ---------------------------------------------------------------------------------------------
// Symmetries: every one of the eight rotations and reflections of the rectangle that maps the list
// of lines onto itself. Symmetry 0 is the identity.

namespace board_detail {

using PointMap = std::array<Point, kPoints>;

constexpr PointMap transform_points(int transform) {
  PointMap map{};
  for (int row = 0; row < Spec::kRows; ++row)
    for (int column = 0; column < Spec::kColumns; ++column) {
      int r = row;
      int c = column;
      if (transform & 1) c = Spec::kColumns - 1 - c;
      if (transform & 2) r = Spec::kRows - 1 - r;
      if (transform & 4) {
        const int swap = r;
        r = c;
        c = swap;
      }
      const bool inside = r < Spec::kRows && c < Spec::kColumns;
      map[row * Spec::kColumns + column] =
          inside ? static_cast<Point>(r * Spec::kColumns + c) : kNoPoint;
    }
  return map;
}

constexpr bool preserves_lines(const PointMap& map) {
  for (Point image : map)
    if (image == kNoPoint) return false;
  bool same = true;
  for_each_step([&](Point a, Point b) {
    if (!(kGeometry.neighbours[map[a]] & bit(map[b]))) same = false;
  });
  for_each_jump([&](Point a, Point b, Point c) {
    if (kGeometry.beyond[map[a]][map[b]] != map[c]) same = false;
  });
  return same;
}

constexpr int count_symmetries() {
  int count = 0;
  for (int t = 0; t < 8; ++t) count += preserves_lines(transform_points(t)) ? 1 : 0;
  return count;
}

}  // namespace board_detail

inline constexpr int kSymmetryCount = board_detail::count_symmetries();

namespace board_detail {

inline constexpr int kChunkBits = 5;
inline constexpr int kBoardChunks = (kPoints + kChunkBits - 1) / kChunkBits;

struct Symmetries {
  std::array<PointMap, kSymmetryCount> points{};
  std::array<std::array<Action, kActionCount>, kSymmetryCount> actions{};
  std::array<int, kSymmetryCount> inverse{};
  // Images of five neighbouring bits at a time: a board is mapped with one look-up per chunk.
  std::array<std::array<std::array<Bitboard, 1 << kChunkBits>, kBoardChunks>, kSymmetryCount>
      chunks{};
};

constexpr Symmetries make_symmetries() {
  Symmetries result;
  int next = 0;
  for (int t = 0; t < 8; ++t)
    if (preserves_lines(transform_points(t))) result.points[next++] = transform_points(t);
  for (int s = 0; s < kSymmetryCount; ++s) {
    const PointMap& map = result.points[s];
    for (int a = 0; a < kActionCount; ++a) {
      const ActionInfo& info = kGeometry.actions[a];
      result.actions[s][a] = info.kind == ActionKind::Placement ? map[info.to]
                             : info.kind == ActionKind::Step
                                 ? kGeometry.step_action[map[info.from]][map[info.to]]
                                 : kGeometry.jump_action[map[info.from]][map[info.to]];
    }
    for (int other = 0; other < kSymmetryCount; ++other) {
      bool inverse = true;
      for (int p = 0; p < kPoints; ++p)
        if (result.points[other][map[p]] != p) inverse = false;
      if (inverse) result.inverse[s] = other;
    }
    for (int chunk = 0; chunk < kBoardChunks; ++chunk)
      for (Bitboard bits = 0; bits < (Bitboard{1} << kChunkBits); ++bits)
        for (int i = 0; i < kChunkBits; ++i) {
          const int point = chunk * kChunkBits + i;
          if (point < kPoints && (bits >> i & 1)) result.chunks[s][chunk][bits] |= bit(map[point]);
        }
  }
  return result;
}
inline constexpr Symmetries kSymmetries = make_symmetries();

}  // namespace board_detail

// `symmetry` is 0..kSymmetryCount-1 in all of these.
constexpr Point apply_symmetry(int symmetry, Point point) {
  return board_detail::kSymmetries.points[symmetry][point];
}
constexpr Action apply_symmetry_to_action(int symmetry, Action action) {
  return board_detail::kSymmetries.actions[symmetry][action];
}
constexpr int inverse_symmetry(int symmetry) { return board_detail::kSymmetries.inverse[symmetry]; }
constexpr Bitboard apply_symmetry_to_board(int symmetry, Bitboard board) {
  using namespace board_detail;
  Bitboard image = 0;
  for (int chunk = 0; chunk < kBoardChunks; ++chunk)
    image |= kSymmetries.chunks[symmetry][chunk]
                               [board >> (chunk * kChunkBits) & ((Bitboard{1} << kChunkBits) - 1)];
  return image;
}

static_assert(kPointCount == 25 && kStepCount == 112 && kJumpCount == 80 && kActionCount == 217);
static_assert(kSymmetryCount == 8);

}  // namespace baghzero
