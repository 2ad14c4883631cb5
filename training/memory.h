// Memory as the system counts it, of this process where nothing else is said.
#pragma once

#include <cstdint>

namespace baghzero {

std::int64_t resident_memory_bytes();
std::int64_t peak_memory_bytes();
// Share of the machine's memory that programs may still take, 0..1.
double available_memory_share();

}  // namespace baghzero
