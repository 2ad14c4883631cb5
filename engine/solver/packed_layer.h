// A placement layer in stored form: per tiger class, all sets of the possible numbers of goats in
// ascending order, two bits each.
#pragma once

#include <cstdint>
#include <span>

#include "engine/solver/placement.h"

namespace baghzero {

// Values of an entry.
inline constexpr std::uint8_t kPackedDraw = 0;
inline constexpr std::uint8_t kPackedTigersWin = 1;
inline constexpr std::uint8_t kPackedGoatsWin = 2;
inline constexpr int kPackedPerByte = 4;

// Bytes of one class in the layer with `placed` goats placed: a section for every number of goats
// captured (0..4, at most `placed`), each rounded up to whole bytes.
std::uint32_t packed_bytes(int placed);

// Where the entry of a set of placed - captured goats lies.
struct PackedPlace {
  std::uint32_t byte;
  int shift;
};
PackedPlace packed_place(int placed, int captured, FreeMask goats);
inline std::uint8_t packed_entry(std::uint8_t byte, int shift) { return byte >> shift & 3; }

// Both directions; `out`/`packed` is packed_bytes(placed) long. Unpacking sets the sets that occur
// and nothing else.
void pack_class(ConstClassVerdicts verdicts, int placed, std::span<std::uint8_t> out);
void unpack_class(std::span<const std::uint8_t> packed, int placed, ClassVerdicts verdicts);

}  // namespace baghzero
