// Replaces the global operator new of a test program by one that counts.
#pragma once

#include <cstdint>

namespace baghzero {

// Allocations through any operator new by this program so far, on all threads.
std::int64_t allocation_count();

}  // namespace baghzero
