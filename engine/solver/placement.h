// The placement phase solved: for every position with goats still in hand, who wins. Backward
// induction over the number of goats placed, all boards of a tiger class at once as bit sets.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/solver/board_index.h"
#include "engine/solver/index_permutation.h"
#include "engine/solver/movement.h"
#include "engine/solver/parallel.h"

namespace baghzero {

// One bit per set of goat points (a FreeMask) of one tiger class.
inline constexpr std::size_t kMaskBits = std::size_t{1} << kFreePoints;
inline constexpr std::size_t kMaskWords = kMaskBits / 64;

// [k]: bits of a word whose index within the word has exactly k bits set.
inline constexpr auto kIndicesWith = [] {
  std::array<std::uint64_t, kWordIndexBits + 1> masks{};
  for (unsigned index = 0; index < 64; ++index)
    masks[std::popcount(index)] |= std::uint64_t{1} << index;
  return masks;
}();

// For one tiger class and a number of goats placed: which goat sets are won for whom. A set in
// neither is a draw. Only sets of placed - 4 … placed goats mean something (the rest of the placed
// goats is captured); smaller ones count as won for the tigers, larger ones are unspecified.
using ClassVerdicts = std::span<Verdicts, kMaskWords>;
using ConstClassVerdicts = std::span<const Verdicts, kMaskWords>;

// The verdicts of one layer, goats to move, for all tiger classes: about 830 MiB, which are only
// used up as classes are written. All draws at first.
class PlacementLayer {
 public:
  // Throws std::bad_alloc.
  PlacementLayer();
  ~PlacementLayer();
  PlacementLayer(const PlacementLayer&) = delete;
  PlacementLayer& operator=(const PlacementLayer&) = delete;

  int placed = -1;
  ClassVerdicts verdicts(int tiger_class);
  ConstClassVerdicts verdicts(int tiger_class) const;
  // Goats to move in `position`, whose goats placed (in hand subtracted) are `placed`.
  Outcome value(const Position& position) const;

 private:
  Verdicts* words_;  // [class][word]
};

// Marks the sets of that many goats or fewer as won for the tigers: five have been captured.
void mark_captured_out(ClassVerdicts verdicts, int placed);

// Memory of one thread for solving classes.
class PlacementScratch {
 public:
  // Verdicts with the tigers to move.
  ClassVerdicts tigers_turn() { return ClassVerdicts(words_.data(), kMaskWords); }
  ClassVerdicts permuted() { return ClassVerdicts(words_.data() + kMaskWords, kMaskWords); }
  std::span<std::uint16_t, kMaskWords> word_list() { return list_; }

 private:
  std::vector<Verdicts> words_ = std::vector<Verdicts>(2 * kMaskWords);
  std::array<std::uint16_t, kMaskWords> list_{};
};

// Solves one class with one goat fewer placed than in `later`, goats to move.
void solve_class_before(const PlacementLayer& later, int tiger_class, PlacementScratch& scratch,
                        ClassVerdicts out);

// Told of every class as soon as it is solved, in the thread that solved it; several at a time.
using OnClass = std::function<void(int tiger_class, ConstClassVerdicts verdicts)>;
// Solve one layer with goats to move: the last one (19 goats placed) from the movement phase, an
// earlier one from the one after it. They set layer.placed and return false if stopped, which
// leaves the layer unfinished.
bool solve_last_placement(const MovementTable& movement, PlacementLayer& layer,
                          const SolveControl& control, const OnClass& on_class = {});
bool solve_placement_before(const PlacementLayer& later, PlacementLayer& layer,
                            const SolveControl& control, const OnClass& on_class = {});

// Counts of one layer (goats to move), up to symmetry, by goats captured.
struct PlacementTotals {
  std::array<std::uint64_t, kSolvedCaptures> tiger_wins{};
  std::array<std::uint64_t, kSolvedCaptures> goat_wins{};
  std::array<std::uint64_t, kSolvedCaptures> draws{};
};
PlacementTotals count_placement(const PlacementLayer& layer);

}  // namespace baghzero
