// Which situations have occurred on the way to a leaf: those of the game before the root, and those
// of the path in the tree.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/board.h"
#include "engine/position.h"

namespace baghzero::search_detail {

// The repetition window of the game at the root, with filters that answer most questions without a
// look at it. A move changes one side's points only, so a move by one side can bring back a
// situation only if the window holds one with the other side's present points.
class RootWindow {
 public:
  // `window` ends with the root's own position, or is empty while goats are in hand. Room for
  // `expected` positions is kept from the first call on.
  void assign(std::span<const Position> window, std::size_t expected);

  std::span<const std::uint64_t> situations() const { return situations_; }
  bool may_hold_tigers(Bitboard tigers) const { return tigers_.may_hold(tigers); }
  bool may_hold_goats(Bitboard goats) const { return goats_.may_hold(goats); }

 private:
  class Filter {
   public:
    void clear() { words_.fill(0); }
    void add(Bitboard board) { words_[index(board) / 64] |= std::uint64_t{1} << index(board) % 64; }
    bool may_hold(Bitboard board) const {
      return words_[index(board) / 64] >> index(board) % 64 & 1;
    }

   private:
    static constexpr unsigned kBits = 10;
    static std::uint32_t index(Bitboard board) { return board * 0x9e3779b1U >> (32 - kBits); }
    std::array<std::uint64_t, (1U << kBits) / 64> words_{};
  };
  std::vector<std::uint64_t> situations_;
  Filter tigers_;
  Filter goats_;
};

// The step of `mover` that leads from one situation to the other, or kNoAction if none does.
inline Action step_between(Side mover, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t changed = from ^ to;
  if (std::popcount(changed) != 2) return kNoAction;
  const unsigned shift = mover == Side::Tiger ? 0 : kPointCount;
  const std::uint64_t half = std::uint64_t{kAllPoints} << shift;
  if (changed & ~half) return kNoAction;
  const auto start = static_cast<Point>(std::countr_zero((changed & from) >> shift));
  const auto target = static_cast<Point>(std::countr_zero((changed & to) >> shift));
  return step_action(start, target);
}

// Removes `action` from `list` if it is there.
void remove_action(ActionList& list, Action action);

// Removes from `legal` the moves that would bring back a situation of the game's window.
void remove_barred_by_window(const RootWindow& window, const Position& position, ActionList& legal);

// How often the situation of `position` lies in the game's window.
int occurrences_in_window(const RootWindow& window, const Position& position);

}  // namespace baghzero::search_detail
