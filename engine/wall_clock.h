// The time of day, for what is recorded; durations are measured with std::chrono::steady_clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace baghzero {

// UTC.
inline std::int64_t seconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace baghzero
