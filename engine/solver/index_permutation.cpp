#include "engine/solver/index_permutation.h"

#include <algorithm>
#include <utility>

namespace baghzero {
namespace {

// From `source` to `target`, which may be the same.
void exchange_across(std::span<const Verdicts> source, std::span<Verdicts> target, int high,
                     int low) {
  const std::size_t stride = std::size_t{1} << (high - kWordIndexBits);
  const int shift = 1 << low;
  const std::uint64_t mask = words_with_clear(low);
  for (std::size_t block = 0; block < source.size(); block += 2 * stride)
    for (std::size_t clear = block; clear < block + stride; ++clear) {
      const std::size_t set = clear + stride;
      const std::uint64_t tigers =
          ((source[clear].tigers_win >> shift) ^ source[set].tigers_win) & mask;
      const std::uint64_t goats =
          ((source[clear].goats_win >> shift) ^ source[set].goats_win) & mask;
      target[set] = {source[set].tigers_win ^ tigers, source[set].goats_win ^ goats};
      target[clear] = {source[clear].tigers_win ^ (tigers << shift),
                       source[clear].goats_win ^ (goats << shift)};
    }
}

void exchange_within(std::span<Verdicts> words, int high, int low) {
  const int shift = (1 << high) - (1 << low);
  const std::uint64_t mask = words_with_clear(high) & ~words_with_clear(low);
  for (Verdicts& word : words) {
    const std::uint64_t tigers = ((word.tigers_win >> shift) ^ word.tigers_win) & mask;
    const std::uint64_t goats = ((word.goats_win >> shift) ^ word.goats_win) & mask;
    word.tigers_win ^= tigers ^ (tigers << shift);
    word.goats_win ^= goats ^ (goats << shift);
  }
}

}  // namespace

IndexPermutation::IndexPermutation(const std::array<std::uint8_t, kFreePoints>& source_bit) {
  // at[i]: where index bit i of D is found now; owner[b]: which bit of D is found at b.
  std::array<std::uint8_t, kFreePoints> at = source_bit;
  std::array<std::uint8_t, kFreePoints> owner{};
  for (std::uint8_t i = 0; i < kFreePoints; ++i) owner[at[i]] = i;
  const auto swap_places = [&](std::uint8_t a, std::uint8_t b) {
    std::swap(owner[a], owner[b]);
    at[owner[a]] = a;
    at[owner[b]] = b;
  };
  for (std::uint8_t i = 0; i < kWordIndexBits; ++i) {
    if (at[i] < kWordIndexBits) continue;
    std::uint8_t low = 0;
    while (owner[low] < kWordIndexBits) ++low;
    across_[across_count_++] = {at[i], low};
    swap_places(at[i], low);
  }
  for (std::uint8_t i = 0; i < kWordIndexBits; ++i) {
    if (at[i] == i) continue;
    within_[within_count_++] = {std::max(at[i], i), std::min(at[i], i)};
    swap_places(at[i], i);
  }
  const auto source_of = [&](std::uint32_t word) {
    std::uint32_t source = 0;
    while (word) source |= 1U << (at[pop_lowest(word) + kWordIndexBits] - kWordIndexBits);
    return static_cast<std::uint16_t>(source);
  };
  for (std::uint32_t i = 0; i < low_words_.size(); ++i) low_words_[i] = source_of(i);
  for (std::uint32_t i = 0; i < high_words_.size(); ++i) high_words_[i] = source_of(i << 8);
}

std::span<const Verdicts> IndexPermutation::prepare(std::span<const Verdicts> source,
                                                    std::span<Verdicts> scratch) const {
  for (int i = 0; i < across_count_; ++i) {
    exchange_across(source, scratch, across_[i].high, across_[i].low);
    source = scratch;
  }
  return source;
}

void IndexPermutation::permute_within(std::span<Verdicts> words) const {
  for (int i = 0; i < within_count_; ++i) exchange_within(words, within_[i].high, within_[i].low);
}

}  // namespace baghzero
