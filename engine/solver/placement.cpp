#include "engine/solver/placement.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace baghzero {
namespace {

// Goats to move: goats win if some placement does, tigers if every one does.
void place_goat(ConstClassVerdicts after, ClassVerdicts before) {
  for (std::size_t word = 0; word < kMaskWords; ++word) {
    Verdicts verdicts{~std::uint64_t{0}, 0};
    for (int b = 0; b < kWordIndexBits; ++b) {
      const std::uint64_t clear = words_with_clear(b);
      verdicts.tigers_win &= (after[word].tigers_win >> (1 << b)) | ~clear;
      verdicts.goats_win |= (after[word].goats_win >> (1 << b)) & clear;
    }
    before[word] = verdicts;
  }
  for (std::size_t stride = 1; stride < kMaskWords; stride *= 2)
    for (std::size_t block = 0; block < kMaskWords; block += 2 * stride)
      for (std::size_t word = block; word < block + stride; ++word) {
        before[word].tigers_win &= after[word + stride].tigers_win;
        before[word].goats_win |= after[word + stride].goats_win;
      }
}

// Adds one tiger move to the verdicts with the tigers to move: they win if some move does, goats
// if every move does. `after` belongs to the class the move leads to.
class TigerMove {
 public:
  TigerMove(int tiger_class, Action action, int placed)
      : info_(action_info(action)), placed_(placed) {
    const TigerClasses& classes = TigerClasses::instance();
    const Bitboard tigers = classes.representative(tiger_class);
    location_ = classes.locate(tigers ^ bit(info_.from) ^ bit(info_.to));
    to_ = classes.free_index(tiger_class, info_.to);
    if (info_.kind == ActionKind::Jump) over_ = classes.free_index(tiger_class, info_.over);
    for (int i = 0; i < kFreePoints; ++i) {
      const Point point = classes.free_point(tiger_class, i);
      // The target is free before the move as the origin is after it: they stand for each other.
      const Point there = point == info_.to ? info_.from : point;
      source_bit_[i] =
          classes.free_index(location_.tiger_class, apply_symmetry(location_.symmetry, there));
    }
  }
  int target_class() const { return location_.tiger_class; }

  void add(ConstClassVerdicts after, PlacementScratch& scratch) const {
    const IndexPermutation permutation(source_bit_);
    const std::span<const Verdicts> source = permutation.prepare(after, scratch.permuted());
    const ClassVerdicts before = scratch.tigers_turn();
    const std::uint32_t flip =
        over_ != kNoPoint && over_ >= kWordIndexBits ? permutation.word_flip(over_) : 0;
    const int shift = over_ < kWordIndexBits ? 1 << over_ : 0;
    const std::uint64_t legal = legal_within_word();
    constexpr std::size_t kChunk = 256;
    std::array<Verdicts, kChunk> chunk;
    for (auto words = words_that_matter(scratch.word_list()); !words.empty();) {
      const std::size_t count = std::min(kChunk, words.size());
      for (std::size_t i = 0; i < count; ++i)
        chunk[i] = source[permutation.source_word(words[i]) ^ flip];
      permutation.permute_within(std::span(chunk).first(count));
      for (std::size_t i = 0; i < count; ++i) {
        before[words[i]].tigers_win |= (chunk[i].tigers_win << shift) & legal;
        before[words[i]].goats_win &= (chunk[i].goats_win << shift) | ~legal;
      }
      words = words.subspan(count);
    }
  }

 private:
  // The words in which the target is empty and a goat stands on the point jumped over, as far as
  // the word index says so, without those where all sets have too few or too many goats.
  std::span<const std::uint16_t> words_that_matter(std::span<std::uint16_t, kMaskWords> out) const {
    std::array<int, 2> fixed{};  // bits of the word index, ascending
    int count = 0;
    std::uint32_t set = 0;
    if (to_ >= kWordIndexBits) fixed[count++] = to_ - kWordIndexBits;
    if (over_ != kNoPoint && over_ >= kWordIndexBits) {
      set = 1U << (over_ - kWordIndexBits);
      fixed[count++] = over_ - kWordIndexBits;
    }
    if (count == 2 && fixed[0] > fixed[1]) std::swap(fixed[0], fixed[1]);
    const int fewest = placed_ - kSolvedCaptures + 1 - kWordIndexBits;
    const auto range = static_cast<unsigned>(placed_ - fewest);
    std::size_t size = 0;
    for (std::uint32_t i = 0; i < kMaskWords >> count; ++i) {
      std::uint32_t word = i;
      for (int b = 0; b < count; ++b)
        word = (word >> fixed[b] << (fixed[b] + 1)) | (word & ((1U << fixed[b]) - 1));
      word |= set;
      out[size] = static_cast<std::uint16_t>(word);
      size += static_cast<unsigned>(std::popcount(word) - fewest) <= range;
    }
    return out.first(size);
  }
  std::uint64_t legal_within_word() const {
    std::uint64_t legal = ~std::uint64_t{0};
    if (to_ < kWordIndexBits) legal &= words_with_clear(to_);
    if (over_ < kWordIndexBits) legal &= ~words_with_clear(over_);
    return legal;
  }

  ActionInfo info_;
  int placed_;
  TigerClasses::Location location_{};
  Point to_ = kNoPoint;
  Point over_ = kNoPoint;
  std::array<std::uint8_t, kFreePoints> source_bit_{};
};

// Verdicts with the tigers to move after the last placement, from the movement phase.
void tigers_turn_from_movement(const MovementTable& movement, int tiger_class,
                               ClassVerdicts verdicts) {
  constexpr FreeMask kAll = (FreeMask{1} << kFreePoints) - 1;
  std::ranges::fill(verdicts, Verdicts{});
  const TigerClasses& classes = TigerClasses::instance();
  for (int captured = 0; captured < kSolvedCaptures; ++captured) {
    const std::uint32_t boards = MovementTable::boards_per_class(captured);
    const auto& codes = movement.layers()[captured].codes[static_cast<int>(Side::Tiger)];
    for (std::uint32_t rank = 0; rank < boards; ++rank) {
      const FreeMask empty = set_of_rank(rank, kFreePoints - kSolvedGoats + captured);
      const std::uint32_t stored = rank_of_set(classes.smallest_image(tiger_class, empty));
      const auto code =
          codes[std::size_t{static_cast<std::uint32_t>(tiger_class)} * boards + stored];
      if (code == 0) continue;
      const FreeMask goats = kAll & ~empty;
      const bool tigers = (code - 1) % 2 == 1;
      Verdicts& word = verdicts[goats / 64];
      (tigers ? word.tigers_win : word.goats_win) |= std::uint64_t{1} << (goats % 64);
    }
  }
}

void tigers_turn_from_layer(const PlacementLayer& layer, int tiger_class,
                            PlacementScratch& scratch) {
  std::ranges::fill(scratch.tigers_turn(), Verdicts{0, ~std::uint64_t{0}});
  Bitboard tigers = TigerClasses::instance().representative(tiger_class);
  // Every step, and every jump as if all other points held goats that could be jumped over.
  while (tigers) {
    const Point from = pop_lowest(tigers);
    const Bitboard others = TigerClasses::instance().representative(tiger_class);
    for (int action = kPointCount; action < kActionCount; ++action) {
      const ActionInfo& info = action_info(static_cast<Action>(action));
      if (info.from != from || (others & bit(info.to))) continue;
      if (info.kind == ActionKind::Jump && (others & bit(info.over))) continue;
      const TigerMove move(tiger_class, static_cast<Action>(action), layer.placed);
      move.add(layer.verdicts(move.target_class()), scratch);
    }
  }
}

// With the tigers to move given, goes back to the goats' turn before it.
void solve_goats_turn(int placed, PlacementScratch& scratch, ClassVerdicts out) {
  place_goat(scratch.tigers_turn(), out);
  mark_captured_out(out, placed);
}

// Calls solve_class(class, scratch) for the classes of `layer`.
template <class SolveClass>
bool solve_classes(PlacementLayer& layer, const SolveControl& control, const OnClass& on_class,
                   SolveClass solve_class) {
  const auto classes = static_cast<std::size_t>(TigerClasses::instance().count());
  std::vector<PlacementScratch> scratch(control.threads);
  return parallel_blocks(control, classes, 1, [&](int thread, std::size_t i, std::size_t) {
    const auto tiger_class = static_cast<int>(i);
    solve_class(tiger_class, scratch[thread]);
    if (on_class) on_class(tiger_class, std::as_const(layer).verdicts(tiger_class));
    if (thread == 0 && control.progress)
      control.progress(static_cast<double>(i) / static_cast<double>(classes));
  });
}

std::size_t layer_bytes() {
  return kMaskWords * sizeof(Verdicts) * static_cast<std::size_t>(TigerClasses::instance().count());
}

}  // namespace

void mark_captured_out(ClassVerdicts verdicts, int placed) {
  std::array<std::uint64_t, kWordIndexBits + 1> at_most = kIndicesWith;
  for (int k = 1; k <= kWordIndexBits; ++k) at_most[k] |= at_most[k - 1];
  for (std::size_t word = 0; word < kMaskWords; ++word) {
    const int allowed = placed - kSolvedCaptures - std::popcount(word);
    if (allowed < 0) continue;
    const std::uint64_t won = at_most[std::min(allowed, kWordIndexBits)];
    verdicts[word].tigers_win |= won;
    verdicts[word].goats_win &= ~won;
  }
}

PlacementLayer::PlacementLayer() {
  void* const mapped =
      ::mmap(nullptr, layer_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  ::madvise(mapped, layer_bytes(), MADV_HUGEPAGE);
  words_ = static_cast<Verdicts*>(mapped);
}

PlacementLayer::~PlacementLayer() { ::munmap(words_, layer_bytes()); }

ClassVerdicts PlacementLayer::verdicts(int tiger_class) {
  return ClassVerdicts(words_ + kMaskWords * static_cast<std::size_t>(tiger_class), kMaskWords);
}

ConstClassVerdicts PlacementLayer::verdicts(int tiger_class) const {
  return ConstClassVerdicts(words_ + kMaskWords * static_cast<std::size_t>(tiger_class),
                            kMaskWords);
}

Outcome PlacementLayer::value(const Position& position) const {
  const TigerClasses& classes = TigerClasses::instance();
  const auto location = classes.locate(position.tigers());
  const FreeMask goats = classes.to_free(location, position.goats());
  const Verdicts& known = verdicts(location.tiger_class)[goats / 64];
  if (known.tigers_win >> (goats % 64) & 1) return Outcome::TigersWin;
  if (known.goats_win >> (goats % 64) & 1) return Outcome::GoatsWin;
  return Outcome::Draw;
}

void solve_class_before(const PlacementLayer& later, int tiger_class, PlacementScratch& scratch,
                        ClassVerdicts out) {
  tigers_turn_from_layer(later, tiger_class, scratch);
  solve_goats_turn(later.placed - 1, scratch, out);
}

bool solve_last_placement(const MovementTable& movement, PlacementLayer& layer,
                          const SolveControl& control, const OnClass& on_class) {
  layer.placed = kSolvedGoats - 1;
  return solve_classes(layer, control, on_class, [&](int tiger_class, PlacementScratch& scratch) {
    tigers_turn_from_movement(movement, tiger_class, scratch.tigers_turn());
    solve_goats_turn(layer.placed, scratch, layer.verdicts(tiger_class));
  });
}

bool solve_placement_before(const PlacementLayer& later, PlacementLayer& layer,
                            const SolveControl& control, const OnClass& on_class) {
  layer.placed = later.placed - 1;
  return solve_classes(layer, control, on_class, [&](int tiger_class, PlacementScratch& scratch) {
    solve_class_before(later, tiger_class, scratch, layer.verdicts(tiger_class));
  });
}

PlacementTotals count_placement(const PlacementLayer& layer) {
  const TigerClasses& classes = TigerClasses::instance();
  PlacementTotals totals;
  for (int c = 0; c < classes.count(); ++c) {
    const ConstClassVerdicts verdicts = layer.verdicts(c);
    const bool whole = classes.stabiliser(c).empty();
    for (int captured = 0; captured < kSolvedCaptures; ++captured) {
      const int goats = layer.placed - captured;
      if (goats < 0) continue;
      for (std::size_t word = 0; word < kMaskWords; ++word) {
        const int within = goats - std::popcount(word);
        if (within < 0 || within > kWordIndexBits) continue;
        std::uint64_t counted = kIndicesWith[within];
        if (!whole)
          for (std::uint64_t bits = counted; bits; bits &= bits - 1) {
            const auto mask = static_cast<FreeMask>(word * 64 + std::countr_zero(bits));
            if (classes.smallest_image(c, mask) != mask) counted &= ~(bits & -bits);
          }
        const int tigers = std::popcount(counted & verdicts[word].tigers_win);
        const int goats_won = std::popcount(counted & verdicts[word].goats_win);
        totals.tiger_wins[captured] += tigers;
        totals.goat_wins[captured] += goats_won;
        totals.draws[captured] += std::popcount(counted) - tigers - goats_won;
      }
    }
  }
  return totals;
}

}  // namespace baghzero
