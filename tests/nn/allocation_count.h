#pragma once

#include <cstdint>

namespace baghzero {

// Allocations through operator new by this test program so far, on all threads.
std::int64_t allocation_count();

}  // namespace baghzero
