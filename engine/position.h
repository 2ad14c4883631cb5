// A position: who stands where, who is to move, how many goats wait and how many are gone. History
// (repetition, limits) belongs to Game.
#pragma once

#include <array>
#include <bit>
#include <bitset>
#include <cassert>
#include <cstdint>
#include <span>
#include <type_traits>

#include "engine/board.h"

namespace baghzero {

enum class Side : std::uint8_t { Goat = 0, Tiger = 1 };

constexpr Side opponent(Side side) { return side == Side::Goat ? Side::Tiger : Side::Goat; }

// A list of actions of fixed capacity; never allocates.
class ActionList {
 public:
  constexpr void clear() { size_ = 0; }
  constexpr void push_back(Action action) {
    assert(size_ < kMaxLegalActions);
    actions_[size_++] = action;
  }
  // Appends action `first + i` for every bit i of `bits`, in ascending order.
  constexpr void push_back_bits(std::uint64_t bits, int first) {
    assert(size_ + std::popcount(bits) <= kMaxLegalActions);
    // A local count: the bytes written below might alias the member, so it would be reloaded.
    int size = size_;
    for (; bits; bits &= bits - 1)
      actions_[size++] = static_cast<Action>(first + std::countr_zero(bits));
    size_ = static_cast<std::uint8_t>(size);
  }
  constexpr int size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr Action operator[](int index) const { return actions_[index]; }
  constexpr const Action* begin() const { return actions_.data(); }
  constexpr const Action* end() const { return actions_.data() + size_; }
  constexpr bool contains(Action action) const { return index_of(action) >= 0; }
  // Place of `action` in the list, or -1.
  constexpr int index_of(Action action) const {
    for (int i = 0; i < size_; ++i)
      if (actions_[i] == action) return i;
    return -1;
  }
  constexpr std::span<const Action> span() const { return {actions_.data(), std::size_t{size_}}; }

 private:
  std::array<Action, kMaxLegalActions> actions_;
  std::uint8_t size_ = 0;
};

using ActionSet = std::bitset<kActionCount>;

class Position {
 public:
  // The start of the standard game, with `goats` goats in hand and goats to move.
  explicit constexpr Position(int goats = 20)
      : tigers_(kTigerStart), in_hand_(static_cast<std::uint8_t>(goats)) {}

  // Any position. The caller has checked that it makes sense (see notation.h for checked reading).
  constexpr Position(Bitboard tigers, Bitboard goats, int in_hand, int captured, Side side)
      : tigers_(tigers),
        goats_(goats),
        in_hand_(static_cast<std::uint8_t>(in_hand)),
        captured_(static_cast<std::uint8_t>(captured)),
        side_(side) {}

  constexpr Bitboard tigers() const { return tigers_; }
  constexpr Bitboard goats() const { return goats_; }
  constexpr Bitboard empty() const { return kAllPoints & ~(tigers_ | goats_); }
  constexpr int goats_in_hand() const { return in_hand_; }
  constexpr int captured() const { return captured_; }
  constexpr Side side_to_move() const { return side_; }
  constexpr bool in_placement() const { return in_hand_ > 0; }

  // Plays an action that is legal here by board rules. Incremental: no part is recomputed.
  constexpr void play(Action action) {
    const ActionInfo& info = action_info(action);
    if (side_ == Side::Goat) {
      if (info.kind == ActionKind::Placement) {
        goats_ |= bit(info.to);
        --in_hand_;
      } else {
        goats_ ^= bit(info.from) | bit(info.to);
      }
      side_ = Side::Tiger;
    } else {
      tigers_ ^= bit(info.from) | bit(info.to);
      if (info.kind == ActionKind::Jump) {
        goats_ ^= bit(info.over);
        ++captured_;
      }
      side_ = Side::Goat;
    }
  }
  constexpr Position after(Action action) const {
    Position next = *this;
    next.play(action);
    return next;
  }

  // The whole position in 61 bits of one word: equal keys are equal positions, so it serves as an
  // exact hash key (mix it before use as a table index, see hash()).
  constexpr std::uint64_t key() const {
    return situation() | std::uint64_t{in_hand_} << 50 | std::uint64_t{captured_} << 55 |
           static_cast<std::uint64_t>(side_) << 60;
  }
  // The position that key() gave `key` for.
  static constexpr Position from_key(std::uint64_t key) {
    return {static_cast<Bitboard>(key & kAllPoints),
            static_cast<Bitboard>(key >> kPointCount & kAllPoints),
            static_cast<int>(key >> 50 & 31), static_cast<int>(key >> 55 & 31),
            static_cast<Side>(key >> 60 & 1)};
  }
  // The points held by tigers and goats: what repetition compares. 50 bits.
  constexpr std::uint64_t situation() const {
    return std::uint64_t{tigers_} | std::uint64_t{goats_} << kPointCount;
  }
  std::uint64_t hash() const;

  friend constexpr bool operator==(const Position&, const Position&) = default;

 private:
  Bitboard tigers_;
  Bitboard goats_ = 0;
  std::uint8_t in_hand_;
  std::uint8_t captured_ = 0;
  Side side_ = Side::Goat;
};
static_assert(std::is_trivially_copyable_v<Position> && sizeof(Position) <= 16);

// Bijective 64-bit mixer (the finaliser of SplitMix64, Steele et al. 2014).
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}
inline std::uint64_t Position::hash() const { return mix_bits(key()); }

// Actions legal by board rules for the side to move, in ascending order. Repetition and the end of
// the game by captures are not considered: see Game.
void board_legal_actions(const Position& position, ActionList& out);
inline ActionList board_legal_actions(const Position& position) {
  ActionList list;
  board_legal_actions(position, list);
  return list;
}
ActionSet board_legal_set(const Position& position);
int count_board_legal_actions(const Position& position);
bool is_board_legal(const Position& position, Action action);

// Goats that a tiger could capture at once if tigers were to move.
Bitboard capturable_goats(const Position& position);
// Empty points on which such a capture would land.
Bitboard capture_landings(const Position& position);
// Tigers without any step or jump.
Bitboard immobile_tigers(const Position& position);

Position apply_symmetry(int symmetry, const Position& position);

// The symmetry that maps `position` to the representative of its class (the smallest key).
struct Canonical {
  Position position;
  int symmetry;
};
Canonical canonical(const Position& position);

}  // namespace baghzero
