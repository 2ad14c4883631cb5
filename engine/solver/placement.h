// The placement phase solved: for every position with goats still in hand, who wins. Backward
// induction over the number of goats placed, all boards of a tiger class at once as bit sets.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/solver/board_index.h"
#include "engine/solver/movement.h"

namespace baghzero {

// One bit per set of goat points (a FreeMask) of one tiger class.
inline constexpr std::size_t kMaskBits = std::size_t{1} << kFreePoints;
inline constexpr std::size_t kMaskWords = kMaskBits / 64;

// For one tiger class and a number of goats placed: which goat sets are won for whom. A set in
// neither is a draw. Only sets of placed - 4 … placed goats mean something (the rest of the placed
// goats is captured); smaller ones count as won for the tigers, larger ones are unspecified.
struct ClassVerdicts {
  std::span<std::uint64_t, kMaskWords> tigers_win;
  std::span<std::uint64_t, kMaskWords> goats_win;
};

struct ConstClassVerdicts {
  std::span<const std::uint64_t, kMaskWords> tigers_win;
  std::span<const std::uint64_t, kMaskWords> goats_win;
};

// The verdicts of one layer, goats to move, for all tiger classes: about 830 MiB.
class PlacementLayer {
 public:
  PlacementLayer();
  int placed = -1;
  ClassVerdicts verdicts(int tiger_class);
  ConstClassVerdicts verdicts(int tiger_class) const;
  // Goats to move in `position`, whose goats placed (in hand subtracted) are `placed`.
  Outcome value(const Position& position) const;

 private:
  std::vector<std::uint64_t> words_;  // [class][tigers_win, goats_win][word]
};

// Solves the layers from 19 goats placed down to `last_placed`, goats to move, and hands each
// finished one to `on_layer`, from the calling thread. About 1.7 GiB of memory while it runs.
// `on_class` is told from the same thread how many tiger classes of the layer being made are done.
void solve_placement(const MovementTable& movement, int last_placed, int threads,
                     const std::function<void(const PlacementLayer&)>& on_layer,
                     const std::function<void(int placed, int classes_done)>& on_class = {});

// Counts of one layer (goats to move), up to symmetry, by goats captured.
struct PlacementTotals {
  std::array<std::uint64_t, kSolvedCaptures> tiger_wins{};
  std::array<std::uint64_t, kSolvedCaptures> goat_wins{};
  std::array<std::uint64_t, kSolvedCaptures> draws{};
};
PlacementTotals count_placement(const PlacementLayer& layer);

}  // namespace baghzero
