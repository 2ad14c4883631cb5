// What is wrong with a run although it goes on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
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

// Notices a loop that tells nothing any more, from a thread of its own.
class LoopWatch {
 public:
  using Clock = std::chrono::steady_clock;
  // `tell` gets a sentence for people, once until the loop is heard of again.
  LoopWatch(Clock::duration patience, std::function<void(const std::string&)> tell);
  ~LoopWatch();
  LoopWatch(const LoopWatch&) = delete;
  LoopWatch& operator=(const LoopWatch&) = delete;

  // The loop goes on; `doing` says with what.
  void hear(const std::string& doing);

 private:
  void watch();

  const Clock::duration patience_;
  const std::function<void(const std::string&)> tell_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable ended_;
  bool end_ = false;
  bool told_ = false;
  std::string doing_;
  Clock::time_point heard_ = Clock::now();
  std::thread thread_;  // last: it uses all of that
};

struct Surroundings {
  double memory_left = 1;  // share of the machine's that is available
  std::int64_t disk_bytes_left = 0;
};
Surroundings surroundings_of(const std::filesystem::path& folder);

// Sentences that say what to change, from the metrics of an iteration by name.
std::vector<std::string> find_trouble(const std::map<std::string, double>& metrics,
                                      const Surroundings& surroundings);

// Which troubles are news: those that have not been told for a day.
class TroubleNews {
 public:
  using Clock = std::chrono::steady_clock;
  std::vector<std::string> of(const std::vector<std::string>& trouble, Clock::time_point now);

 private:
  std::map<std::string, Clock::time_point> told_;
};

}  // namespace baghzero
