#include "training/memory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sys/resource.h>
#include <unistd.h>

#include "engine/search/tree_memory.h"
#include "engine/text.h"
#include "engine/thread_count.h"
#include "training/targets.h"

namespace baghzero {
namespace fs = std::filesystem;
namespace {

std::string gibibytes(std::int64_t bytes) {
  constexpr double kGibibyte = 1 << 30;
  return decimal(static_cast<double>(bytes) / kGibibyte, 1) + " GiB";
}

// Nothing if the folder is no group or one without a bound.
std::optional<MemoryGroup> memory_group(const fs::path& folder) {
  MemoryGroup group;
  std::ifstream limit(folder / "memory.max");
  std::ifstream used(folder / "memory.current");
  // The limit may be "max".
  if (!(limit >> group.limit) || group.limit <= 0 || !(used >> group.used)) return std::nullopt;
  std::ifstream in(folder / "memory.stat");
  std::string name;
  for (std::int64_t bytes = 0; in >> name >> bytes;)
    if (name == "inactive_file") group.used -= bytes;
  return group;
}

}  // namespace

std::int64_t resident_memory_bytes() {
  std::ifstream in("/proc/self/statm");
  std::int64_t total_pages = 0;
  std::int64_t resident_pages = 0;
  in >> total_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

std::int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  constexpr std::int64_t kUnit = 1'024;  // ru_maxrss counts kibibytes on Linux
  return usage.ru_maxrss * kUnit;
}

std::vector<MemoryGroup> memory_groups(const fs::path& groups, const fs::path& own) {
  std::vector<MemoryGroup> found;
  std::ifstream in(own);
  constexpr std::string_view kVersion2 = "0::/";
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(kVersion2)) continue;
    // Those above bound it too. A container may not see under which name it was made.
    for (fs::path path = line.substr(kVersion2.size());; path = path.parent_path()) {
      if (const auto group = memory_group(groups / path)) found.push_back(*group);
      if (path.empty()) break;
    }
  }
  return found;
}

double available_memory_share() {
  std::ifstream in("/proc/meminfo");
  double total = 0;
  double available = 0;
  std::string name;
  for (double kibibytes = 0; in >> name >> kibibytes; in.ignore(8, '\n')) {
    if (name == "MemTotal:") total = kibibytes;
    if (name == "MemAvailable:") available = kibibytes;
  }
  double share = total > 0 ? available / total : 1;
  for (const auto& [limit, used] : memory_groups())
    share = std::min(share, static_cast<double>(limit - used) / static_cast<double>(limit));
  return std::max(share, 0.0);
}

std::int64_t machine_memory_bytes() {
  std::int64_t bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  for (const MemoryGroup& group : memory_groups()) bytes = std::min(bytes, group.limit);
  return bytes;
}

MemoryNeed memory_need(const RunConfig& config) {
  const SelfPlaySettings& play = config.selfplay;
  const std::int64_t workers = thread_count(play.workers);
  // The game, its record, and the slot's rows of batches.
  constexpr std::int64_t kOtherBytesPerSlot = 16'384;
  constexpr std::int64_t kCacheEntryBytes = 192;
  const auto visits = std::min(static_cast<std::uint32_t>(play.full_visits), play.search.max_nodes);
  const std::int64_t per_slot =
      static_cast<std::int64_t>(usual_search_bytes(visits)) + kOtherBytesPerSlot;
  return {
      .games = workers * play.slots_per_worker * per_slot,
      .cache = config.inference.cache_entries * kCacheEntryBytes,
      .window = config.training.window_max_rows * static_cast<std::int64_t>(sizeof(TrainingRow))};
}

void check_memory(const RunConfig& config, std::int64_t available) {
  const MemoryNeed need = memory_need(config);
  if (need.total() <= available) return;
  const std::int64_t largest = std::max({need.games, need.cache, need.window});
  const char* const lower =
      largest == need.games ? "selfplay.slots_per_worker, selfplay.workers or selfplay.full_visits"
      : largest == need.cache ? "inference.cache_entries"
                              : "training.window_max_rows";
  throw std::invalid_argument("this configuration needs about " + gibibytes(need.total()) +
                              " of memory (games in progress " + gibibytes(need.games) +
                              ", cache " + gibibytes(need.cache) + ", training window " +
                              gibibytes(need.window) + "), but there are " + gibibytes(available) +
                              ": lower " + lower);
}

}  // namespace baghzero
