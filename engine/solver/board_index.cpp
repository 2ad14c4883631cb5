#include "engine/solver/board_index.h"

#include <algorithm>

namespace baghzero {

std::uint32_t set_of_rank(std::uint32_t rank, int size) {
  std::uint32_t set = 0;
  for (int k = size; k > 0; --k) {
    int element = k - 1;
    while (kBinomials[element + 1][k] <= rank) ++element;
    rank -= kBinomials[element][k];
    set |= std::uint32_t{1} << element;
  }
  return set;
}

const TigerClasses& TigerClasses::instance() {
  static const TigerClasses classes;
  return classes;
}

TigerClasses::TigerClasses() {
  const std::uint32_t sets = kBinomials[kPointCount][kTigerCount];
  constexpr std::uint16_t kUnknown = 0xffff;
  locations_.assign(sets, {kUnknown, 0});
  for (std::uint32_t rank = 0; rank < sets; ++rank) {
    if (locations_[rank].tiger_class != kUnknown) continue;
    const Bitboard tigers = set_of_rank(rank, kTigerCount);
    const auto id = static_cast<std::uint16_t>(representatives_.size());
    representatives_.push_back(tigers);
    std::vector<std::uint8_t> stabiliser;
    for (int symmetry = 0; symmetry < kSymmetryCount; ++symmetry) {
      const Bitboard image = apply_symmetry_to_board(symmetry, tigers);
      locations_[rank_of_set(image)] = {id, static_cast<std::uint8_t>(inverse_symmetry(symmetry))};
      if (symmetry != 0 && image == tigers)
        stabiliser.push_back(static_cast<std::uint8_t>(symmetry));
    }
    locations_[rank] = {id, 0};
    stabilisers_.push_back(std::move(stabiliser));
    auto& index = free_index_.emplace_back();
    auto& points = free_point_.emplace_back();
    index.fill(kNoPoint);
    int next = 0;
    for (Bitboard free = kAllPoints & ~tigers; free;) {
      const Point point = pop_lowest(free);
      points[next] = point;
      index[point] = static_cast<Point>(next++);
    }
  }
}

FreeMask TigerClasses::smallest_image(int tiger_class, FreeMask mask) const {
  FreeMask smallest = mask;
  for (const std::uint8_t symmetry : stabilisers_[tiger_class])
    smallest = std::min(smallest, to_free({static_cast<std::uint16_t>(tiger_class), symmetry},
                                          to_points(tiger_class, mask)));
  return smallest;
}

}  // namespace baghzero
