#include "training/memory.h"

#include <fstream>
#include <string>

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

double available_memory_share() {
  std::ifstream in("/proc/meminfo");
  double total = 0;
  double available = 0;
  std::string name;
  for (double kibibytes = 0; in >> name >> kibibytes; in.ignore(8, '\n')) {
    if (name == "MemTotal:") total = kibibytes;
    if (name == "MemAvailable:") available = kibibytes;
  }
  return total > 0 ? available / total : 1;
}

}  // namespace baghzero
