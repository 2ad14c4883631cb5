#include "engine/solver/placement.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>

#include "engine/solver/index_permutation.h"

namespace baghzero {
namespace {

using Words = std::span<std::uint64_t, kMaskWords>;

// [k]: bits of a word whose index has exactly k bits set.
constexpr auto kIndicesWith = [] {
  std::array<std::uint64_t, kWordIndexBits + 1> masks{};
  for (unsigned index = 0; index < 64; ++index)
    masks[std::popcount(index)] |= std::uint64_t{1} << index;
  return masks;
}();

// Sets of that many goats or fewer are won for the tigers: five have been captured.
void mark_captured_out(ClassVerdicts verdicts, int placed) {
  std::array<std::uint64_t, kWordIndexBits + 1> at_most = kIndicesWith;
  for (int k = 1; k <= kWordIndexBits; ++k) at_most[k] |= at_most[k - 1];
  for (std::size_t word = 0; word < kMaskWords; ++word) {
    const int allowed = placed - kSolvedCaptures - std::popcount(word);
    if (allowed < 0) continue;
    const std::uint64_t won = at_most[std::min(allowed, kWordIndexBits)];
    verdicts.tigers_win[word] |= won;
    verdicts.goats_win[word] &= ~won;
  }
}

// Goats to move: goats win if some placement does, tigers if every one does.
void place_goat(ClassVerdicts after, ClassVerdicts before) {
  for (std::size_t word = 0; word < kMaskWords; ++word) {
    std::uint64_t tigers = ~std::uint64_t{0};
    std::uint64_t goats = 0;
    for (int b = 0; b < kWordIndexBits; ++b) {
      const std::uint64_t clear = words_with_clear(b);
      tigers &= (after.tigers_win[word] >> (1 << b)) | ~clear;
      goats |= (after.goats_win[word] >> (1 << b)) & clear;
    }
    before.tigers_win[word] = tigers;
    before.goats_win[word] = goats;
  }
  for (std::size_t stride = 1; stride < kMaskWords; stride *= 2)
    for (std::size_t block = 0; block < kMaskWords; block += 2 * stride)
      for (std::size_t word = block; word < block + stride; ++word) {
        before.tigers_win[word] &= after.tigers_win[word + stride];
        before.goats_win[word] |= after.goats_win[word + stride];
      }
}

// Per-thread memory for one class: verdicts with the tigers to move, and copies to permute.
struct Scratch {
  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(4 * kMaskWords);
  Words part(int i) { return Words(words.data() + i * kMaskWords, kMaskWords); }
  ClassVerdicts tigers_turn() { return {part(0), part(1)}; }
};

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

  void add(ClassVerdicts after, ClassVerdicts before, Words scratch_a, Words scratch_b) const {
    const IndexPermutation permutation(source_bit_);
    const auto tigers_source = permutation.prepare(after.tigers_win, scratch_a);
    const auto goats_source = permutation.prepare(after.goats_win, scratch_b);
    constexpr std::size_t kChunk = 256;
    std::array<std::uint64_t, kChunk> tigers;
    std::array<std::uint64_t, kChunk> goats;
    std::array<std::uint32_t, kChunk> targets;
    std::size_t filled = 0;
    const auto flush = [&] {
      permutation.permute_within(std::span(tigers).first(filled));
      permutation.permute_within(std::span(goats).first(filled));
      const bool shift_over = over_ < kWordIndexBits;
      const int shift = shift_over ? 1 << over_ : 0;
      const std::uint64_t legal = legal_within_word();
      for (std::size_t i = 0; i < filled; ++i) {
        before.tigers_win[targets[i]] |= (tigers[i] << shift) & legal;
        before.goats_win[targets[i]] &= (goats[i] << shift) | ~legal;
      }
      filled = 0;
    };
    const std::uint32_t flip =
        over_ != kNoPoint && over_ >= kWordIndexBits ? permutation.word_flip(over_) : 0;
    for (std::uint32_t word = 0; word < kMaskWords; ++word) {
      if (!word_matters(word)) continue;
      const std::uint32_t source = permutation.source_word(word) ^ flip;
      tigers[filled] = tigers_source[source];
      goats[filled] = goats_source[source];
      targets[filled++] = word;
      if (filled == kChunk) flush();
    }
    flush();
  }

 private:
  // The target must be empty and a goat must stand on the point jumped over; sets with too few or
  // too many goats do not occur.
  bool word_matters(std::uint32_t word) const {
    const int goats = std::popcount(word);
    if (goats > placed_ || goats + kWordIndexBits < placed_ - kSolvedCaptures + 1) return false;
    if (to_ >= kWordIndexBits && (word >> (to_ - kWordIndexBits) & 1)) return false;
    return over_ == kNoPoint || over_ < kWordIndexBits || (word >> (over_ - kWordIndexBits) & 1);
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
  std::ranges::fill(verdicts.tigers_win, 0);
  std::ranges::fill(verdicts.goats_win, 0);
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
      auto& words = tigers ? verdicts.tigers_win : verdicts.goats_win;
      words[goats / 64] |= std::uint64_t{1} << (goats % 64);
    }
  }
}

void tigers_turn_from_layer(PlacementLayer& layer, int tiger_class, Scratch& scratch) {
  const ClassVerdicts verdicts = scratch.tigers_turn();
  std::ranges::fill(verdicts.tigers_win, 0);
  std::ranges::fill(verdicts.goats_win, ~std::uint64_t{0});
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
      move.add(layer.verdicts(move.target_class()), verdicts, scratch.part(2), scratch.part(3));
    }
  }
}

}  // namespace

PlacementLayer::PlacementLayer()
    : words_(2 * kMaskWords * static_cast<std::size_t>(TigerClasses::instance().count())) {}

ClassVerdicts PlacementLayer::verdicts(int tiger_class) {
  std::uint64_t* const words =
      words_.data() + 2 * kMaskWords * static_cast<std::size_t>(tiger_class);
  return {Words(words, kMaskWords), Words(words + kMaskWords, kMaskWords)};
}

ConstClassVerdicts PlacementLayer::verdicts(int tiger_class) const {
  const ClassVerdicts writable = const_cast<PlacementLayer&>(*this).verdicts(tiger_class);
  return {writable.tigers_win, writable.goats_win};
}

Outcome PlacementLayer::value(const Position& position) const {
  const TigerClasses& classes = TigerClasses::instance();
  const auto location = classes.locate(position.tigers());
  const FreeMask goats = classes.to_free(location, position.goats());
  const ConstClassVerdicts known = verdicts(location.tiger_class);
  if (known.tigers_win[goats / 64] >> (goats % 64) & 1) return Outcome::TigersWin;
  if (known.goats_win[goats / 64] >> (goats % 64) & 1) return Outcome::GoatsWin;
  return Outcome::Draw;
}

void solve_placement(const MovementTable& movement, int last_placed, int threads,
                     const std::function<void(const PlacementLayer&)>& on_layer,
                     const std::function<void(int placed, int classes_done)>& on_class) {
  PlacementLayer later;  // goats to move, one goat more placed
  PlacementLayer earlier;
  const int classes = TigerClasses::instance().count();
  std::vector<Scratch> scratch(threads);
  for (int placed = kSolvedGoats - 1; placed >= last_placed; --placed) {
    earlier.placed = placed;
    std::atomic<int> next{0};
    const auto work = [&](int thread) {
      for (int c; (c = next.fetch_add(1)) < classes;) {
        if (placed == kSolvedGoats - 1)
          tigers_turn_from_movement(movement, c, scratch[thread].tigers_turn());
        else
          tigers_turn_from_layer(later, c, scratch[thread]);
        place_goat(scratch[thread].tigers_turn(), earlier.verdicts(c));
        mark_captured_out(earlier.verdicts(c), placed);
        if (thread == 0 && on_class) on_class(placed, c);
      }
    };
    {
      std::vector<std::jthread> others;
      for (int thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
      work(0);
    }
    on_layer(earlier);
    std::swap(later, earlier);
  }
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
        const int tigers = std::popcount(counted & verdicts.tigers_win[word]);
        const int goats_won = std::popcount(counted & verdicts.goats_win[word]);
        totals.tiger_wins[captured] += tigers;
        totals.goat_wins[captured] += goats_won;
        totals.draws[captured] += std::popcount(counted) - tigers - goats_won;
      }
    }
  }
  return totals;
}

}  // namespace baghzero
