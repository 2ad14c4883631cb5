// How much memory trees take, for those who plan with many of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace baghzero {

// Bytes that a search of so many visits touches, about, in games from the start. (It reserves more
// address space than that.)
std::size_t usual_search_bytes(std::uint32_t visits);

}  // namespace baghzero
