// Memory: as the system counts it, of this process where nothing else is said, and what a run
// needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "training/run_config.h"

namespace baghzero {

std::int64_t resident_memory_bytes();
std::int64_t peak_memory_bytes();

// A control group (version 2) with a bound on its memory, in bytes.
struct MemoryGroup {
  std::int64_t limit = 0;
  std::int64_t used = 0;  // without what the system would give back at once
};
// Those that this process belongs to. The arguments are where Linux tells of them.
std::vector<MemoryGroup> memory_groups(const std::filesystem::path& groups = "/sys/fs/cgroup",
                                       const std::filesystem::path& own = "/proc/self/cgroup");
// Share of the memory that this process may still take, 0..1: of the machine's, or of its control
// group's if that has less left.
double available_memory_share();
// What there is for this process: of the machine, or of its control groups if one has less.
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
