#include "engine/solver/index_permutation.h"

#include <algorithm>
#include <utility>

namespace baghzero {
namespace {

void exchange_across(std::span<std::uint64_t> words, int high, int low) {
  const std::size_t stride = std::size_t{1} << (high - kWordIndexBits);
  const int shift = 1 << low;
  const std::uint64_t mask = words_with_clear(low);
  for (std::size_t block = 0; block < words.size(); block += 2 * stride) {
    std::uint64_t* const clear = words.data() + block;
    std::uint64_t* const set = clear + stride;
    for (std::size_t i = 0; i < stride; ++i) {
      const std::uint64_t difference = ((clear[i] >> shift) ^ set[i]) & mask;
      set[i] ^= difference;
      clear[i] ^= difference << shift;
    }
  }
}

void exchange_within(std::span<std::uint64_t> words, int high, int low) {
  const int shift = (1 << high) - (1 << low);
  const std::uint64_t mask = words_with_clear(high) & ~words_with_clear(low);
  for (std::uint64_t& word : words) {
    const std::uint64_t difference = ((word >> shift) ^ word) & mask;
    word ^= difference ^ (difference << shift);
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

std::span<const std::uint64_t> IndexPermutation::prepare(std::span<const std::uint64_t> source,
                                                         std::span<std::uint64_t> scratch) const {
  if (across_count_ == 0) return source;
  std::ranges::copy(source, scratch.begin());
  for (int i = 0; i < across_count_; ++i) exchange_across(scratch, across_[i].high, across_[i].low);
  return scratch;
}

void IndexPermutation::permute_within(std::span<std::uint64_t> words) const {
  for (int i = 0; i < within_count_; ++i) exchange_within(words, within_[i].high, within_[i].low);
}

}  // namespace baghzero
