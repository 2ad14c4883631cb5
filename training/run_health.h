// What is wrong with a run although it goes on.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace baghzero {

// Notices workers that do nothing.
class StallWatch {
 public:
  using Clock = std::chrono::steady_clock;
  explicit StallWatch(Clock::duration patience) : patience_(patience) {}

  // Work is about to begin, or to go on after a pause.
  void restart() { workers_.clear(); }
  // `work` counts what each worker has done. Returns a sentence for people when one of them has
  // done nothing for too long, once until it works again; else nothing.
  std::string look(std::span<const std::uint64_t> work, Clock::time_point now);

 private:
  struct Worker {
    std::uint64_t work = 0;
    Clock::time_point since;
    bool reported = false;
  };
  const Clock::duration patience_;
  std::vector<Worker> workers_;
};

struct Surroundings {
  double memory_left = 1;  // share of the machine's that is available
  std::int64_t disk_bytes_left = 0;
};
Surroundings surroundings_of(const std::filesystem::path& folder);

// Sentences that say what to change, from the metrics of an iteration by name.
std::vector<std::string> find_trouble(const std::map<std::string, double>& metrics,
                                      const Surroundings& surroundings);

}  // namespace baghzero
