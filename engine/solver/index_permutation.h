// Permuting the index bits of large bit sets: D[m] = S[p(m)], where p rearranges the bits of the
// 21-bit index m. It is how the verdicts of one tiger class are read with the goat sets of another.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/solver/board_index.h"

namespace baghzero {

inline constexpr int kWordIndexBits = 6;  // index bits within a 64-bit word

// Bits of a word whose index has bit `b` (0..5) clear.
constexpr std::uint64_t words_with_clear(int b) {
  constexpr std::array<std::uint64_t, kWordIndexBits> kClear = {
      0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
      0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
  return kClear[b];
}

// The verdicts on the 64 goat sets of one word: one bit per set for either winner, neither for a
// draw.
struct Verdicts {
  std::uint64_t tigers_win = 0;
  std::uint64_t goats_win = 0;
  friend bool operator==(const Verdicts&, const Verdicts&) = default;
};

// A permutation prepared for use: exchanges of a high with a low index bit that need a copy of the
// set, then word moves, then exchanges within words.
class IndexPermutation {
 public:
  // source_bit[i]: the index bit of S that takes the value of index bit i of m.
  explicit IndexPermutation(const std::array<std::uint8_t, kFreePoints>& source_bit);

  // The set to gather from: `source` itself, or `scratch` (of equal size) after the exchanges that
  // cross words.
  std::span<const Verdicts> prepare(std::span<const Verdicts> source,
                                    std::span<Verdicts> scratch) const;
  // Word index in the prepared set for word index `word` of D.
  std::uint32_t source_word(std::uint32_t word) const {
    return low_words_[word & 0xff] | high_words_[word >> 8];
  }
  // What a flip of index bit `b` >= 6 of m changes in source_word().
  std::uint32_t word_flip(int b) const { return source_word(1U << (b - kWordIndexBits)); }
  // Brings gathered words into the order of D.
  void permute_within(std::span<Verdicts> words) const;

 private:
  struct Exchange {
    std::uint8_t high;
    std::uint8_t low;
  };
  std::array<Exchange, kWordIndexBits> across_{};
  int across_count_ = 0;
  std::array<Exchange, kWordIndexBits> within_{};
  int within_count_ = 0;
  std::array<std::uint16_t, 256> low_words_{};
  std::array<std::uint16_t, 1 << (kFreePoints - kWordIndexBits - 8)> high_words_{};
};

}  // namespace baghzero
