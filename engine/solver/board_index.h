// Numbering of boards up to symmetry, for the solver: a tiger class (one of 1,666 sets of four
// tiger points up to the board's symmetries) and a set of the points that no tiger holds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/position.h"

namespace baghzero {

// Points without a tiger; sets of them are bit masks in the order of the points ("free masks").
inline constexpr int kFreePoints = kPointCount - kTigerCount;
using FreeMask = std::uint32_t;

// n choose k for the sizes of this board.
constexpr auto make_binomials() {
  std::array<std::array<std::uint32_t, kFreePoints + 1>, kPointCount + 1> table{};
  for (std::size_t n = 0; n < table.size(); ++n) {
    table[n][0] = 1;
    for (std::size_t k = 1; k < table[n].size(); ++k)
      table[n][k] = n == 0 ? 0 : table[n - 1][k - 1] + table[n - 1][k];
  }
  return table;
}
inline constexpr auto kBinomials = make_binomials();

// Rank of a set among all sets of the same size (combinatorial number system), 0-based: their
// ascending order as numbers. At most kFreePoints elements.
constexpr std::uint32_t rank_of_set(std::uint32_t set) {
  std::uint32_t rank = 0;
  for (int k = 1; set; ++k) rank += kBinomials[pop_lowest(set)][k];
  return rank;
}
// The set of `size` elements with that rank: the inverse of rank_of_set.
std::uint32_t set_of_rank(std::uint32_t rank, int size);

// The classes of tiger sets. Built once; immutable afterwards.
class TigerClasses {
 public:
  static const TigerClasses& instance();

  int count() const { return static_cast<int>(representatives_.size()); }
  Bitboard representative(int tiger_class) const { return representatives_[tiger_class]; }
  struct Location {
    std::uint16_t tiger_class;
    std::uint8_t symmetry;  // maps the tigers onto the class's representative
  };
  Location locate(Bitboard tigers) const { return locations_[rank_of_set(tigers)]; }
  // Symmetries other than the identity that map the representative onto itself.
  std::span<const std::uint8_t> stabiliser(int tiger_class) const {
    return stabilisers_[tiger_class];
  }
  // Place of `point` among the free points of the class (kNoPoint for a tiger), and back.
  Point free_index(int tiger_class, Point point) const { return free_index_[tiger_class][point]; }
  Point free_point(int tiger_class, int index) const { return free_point_[tiger_class][index]; }

  // `points` (no tiger among them) of a board whose tigers `location` was found for, as a free mask
  // of the class's representative.
  FreeMask to_free(Location location, Bitboard points) const {
    FreeMask mask = 0;
    while (points)
      mask |= FreeMask{1} << free_index_[location.tiger_class]
                                        [apply_symmetry(location.symmetry, pop_lowest(points))];
    return mask;
  }
  Bitboard to_points(int tiger_class, FreeMask mask) const {
    Bitboard points = 0;
    while (mask) points |= bit(free_point_[tiger_class][pop_lowest(mask)]);
    return points;
  }
  // The smallest image of `mask` under the symmetries that keep the class's representative: equal
  // for boards that are equal up to symmetry.
  FreeMask smallest_image(int tiger_class, FreeMask mask) const;

 private:
  TigerClasses();

  std::vector<Location> locations_;  // by rank_of_set(tigers)
  std::vector<Bitboard> representatives_;
  std::vector<std::vector<std::uint8_t>> stabilisers_;
  std::vector<std::array<Point, kPointCount>> free_index_;
  std::vector<std::array<Point, kFreePoints>> free_point_;
};

}  // namespace baghzero
