// Memory of this process, as the system counts it.
#pragma once

#include <cstdint>

namespace baghzero {

std::int64_t resident_memory_bytes();
std::int64_t peak_memory_bytes();

}  // namespace baghzero
