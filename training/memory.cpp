#include "training/memory.h"

#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

namespace baghzero {

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

}  // namespace baghzero
