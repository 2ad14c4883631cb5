#include "engine/solver/packed_layer.h"

#include <algorithm>
#include <bit>

#ifdef __BMI2__
#include <immintrin.h>
#endif

namespace baghzero {
namespace {

constexpr std::uint64_t kEvenBits = 0x5555555555555555;
constexpr std::uint64_t kOddBits = 0xaaaaaaaaaaaaaaaa;

// The bits of `value` under `mask`, moved together, and back (BMI2's PEXT and PDEP).
std::uint64_t gather_bits(std::uint64_t value, std::uint64_t mask) {
#ifdef __BMI2__
  return _pext_u64(value, mask);
#else
  std::uint64_t result = 0;
  for (int to = 0; mask; mask &= mask - 1, ++to)
    result |= (value >> std::countr_zero(mask) & 1) << to;
  return result;
#endif
}
std::uint64_t scatter_bits(std::uint64_t value, std::uint64_t mask) {
#ifdef __BMI2__
  return _pdep_u64(value, mask);
#else
  std::uint64_t result = 0;
  for (; mask; mask &= mask - 1, value >>= 1) result |= (value & 1) << std::countr_zero(mask);
  return result;
#endif
}

std::uint32_t section_bytes(int goats) {
  return (kBinomials[kFreePoints][goats] + kPackedPerByte - 1) / kPackedPerByte;
}

// The sets of exactly `goats` goats: calls visit(word, bits of the word that are such sets).
template <class Visit>
void for_each_word(int goats, Visit visit) {
  for (std::size_t word = 0; word < kMaskWords; ++word) {
    const int within = goats - std::popcount(word);
    if (within >= 0 && within <= kWordIndexBits) visit(word, kIndicesWith[within]);
  }
}

// Packs a section; entries of a word do not fill bytes, so up to 7 bits wait for the next word.
void pack_section(ConstClassVerdicts verdicts, int goats, std::uint8_t* out) {
  std::uint64_t waiting = 0;
  int bits = 0;
  for_each_word(goats, [&](std::size_t word, std::uint64_t sets) {
    const std::uint64_t entries =
        scatter_bits(gather_bits(verdicts[word].tigers_win, sets), kEvenBits) |
        scatter_bits(gather_bits(verdicts[word].goats_win, sets), kOddBits);
    waiting |= entries << bits;
    bits += 2 * std::popcount(sets);
    for (; bits >= 8; bits -= 8, waiting >>= 8) *out++ = static_cast<std::uint8_t>(waiting);
  });
  if (bits > 0) *out = static_cast<std::uint8_t>(waiting);
}

void unpack_section(const std::uint8_t* packed, int goats, ClassVerdicts verdicts) {
  std::uint64_t waiting = 0;
  int bits = 0;
  for_each_word(goats, [&](std::size_t word, std::uint64_t sets) {
    const int wanted = 2 * std::popcount(sets);
    for (; bits < wanted; bits += 8) waiting |= std::uint64_t{*packed++} << bits;
    verdicts[word].tigers_win |= scatter_bits(gather_bits(waiting, kEvenBits), sets);
    verdicts[word].goats_win |= scatter_bits(gather_bits(waiting, kOddBits), sets);
    waiting >>= wanted;
    bits -= wanted;
  });
}

}  // namespace

std::uint32_t packed_bytes(int placed) {
  std::uint32_t bytes = 0;
  for (int captured = 0; captured < kSolvedCaptures && captured <= placed; ++captured)
    bytes += section_bytes(placed - captured);
  return bytes;
}

PackedPlace packed_place(int placed, int captured, FreeMask goats) {
  std::uint32_t begin = 0;
  for (int c = 0; c < captured; ++c) begin += section_bytes(placed - c);
  const std::uint32_t rank = rank_of_set(goats);
  return {begin + rank / kPackedPerByte, static_cast<int>(rank % kPackedPerByte) * 2};
}

void pack_class(ConstClassVerdicts verdicts, int placed, std::span<std::uint8_t> out) {
  std::uint8_t* at = out.data();
  for (int captured = 0; captured < kSolvedCaptures && captured <= placed; ++captured) {
    pack_section(verdicts, placed - captured, at);
    at += section_bytes(placed - captured);
  }
}

void unpack_class(std::span<const std::uint8_t> packed, int placed, ClassVerdicts verdicts) {
  std::ranges::fill(verdicts, Verdicts{});
  const std::uint8_t* at = packed.data();
  for (int captured = 0; captured < kSolvedCaptures && captured <= placed; ++captured) {
    unpack_section(at, placed - captured, verdicts);
    at += section_bytes(placed - captured);
  }
  mark_captured_out(verdicts, placed);
}

}  // namespace baghzero
