// Memory: as the system counts it, of this process where nothing else is said, and what a run
// needs.
#pragma once

#include <cstdint>

#include "training/run_config.h"

namespace baghzero {

std::int64_t resident_memory_bytes();
std::int64_t peak_memory_bytes();
// Share of the machine's memory that programs may still take, 0..1.
double available_memory_share();
// What there is for this process: of the machine, or of its control group if that has less.
std::int64_t machine_memory_bytes();

// The large parts of a run, in bytes, about and at their largest.
struct MemoryNeed {
  std::int64_t games = 0;   // in progress: workers times slots, each with a tree
  std::int64_t cache = 0;   // of evaluations
  std::int64_t window = 0;  // of training rows
  std::int64_t total() const { return games + cache + window; }
};
MemoryNeed memory_need(const RunConfig& config);

// Throws std::invalid_argument if a run needs more than `available` bytes: a sentence with both
// numbers that names the keys to lower.
void check_memory(const RunConfig& config, std::int64_t available);

}  // namespace baghzero
