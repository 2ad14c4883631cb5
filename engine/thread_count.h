// How many threads a setting asks for.
#pragma once

#include <algorithm>
#include <thread>

namespace baghzero {

// `wanted`, or one per core if it is 0; at least 1.
inline int thread_count(int wanted) {
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace baghzero
