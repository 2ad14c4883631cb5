#include "training/run_health.h"

#include <utility>

#include "training/memory.h"

namespace baghzero {
namespace {

constexpr double kLowBatchFill = 0.5;
constexpr double kMuchWaiting = 0.1;
constexpr double kManyCutOff = 0.5;
constexpr double kOneSided = 0.95;
constexpr double kManyRejections = 8;
constexpr double kLongBacklog = 1'000;
constexpr double kLittleMemory = 0.05;
constexpr std::int64_t kLittleSpace = std::int64_t{512} << 20;

}  // namespace

std::string StallWatch::look(std::span<const std::uint64_t> work, Clock::time_point now) {
  workers_.resize(work.size(), {0, now, false});
  for (std::size_t i = 0; i < work.size(); ++i) {
    Worker& worker = workers_[i];
    if (worker.work != work[i]) {
      worker = {work[i], now, false};
    } else if (!worker.reported && now - worker.since >= patience_) {
      worker.reported = true;
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - worker.since);
      return "worker " + std::to_string(i) + " of self-play has done nothing for " +
             std::to_string(seconds.count()) +
             " s: the device or the disk may hang; if that does not pass, stop the run and go on "
             "with --resume and another inference.device or fewer selfplay.workers";
    }
  }
  return "";
}

LoopWatch::LoopWatch(Clock::duration patience, std::function<void(const std::string&)> tell)
    : patience_(patience), tell_(std::move(tell)), thread_([this] { watch(); }) {}

LoopWatch::~LoopWatch() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void LoopWatch::hear(const std::string& doing) {
  const std::lock_guard lock(mutex_);
  heard_ = Clock::now();
  told_ = false;
  doing_ = doing;
}

void LoopWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, patience_ / 4, [this] { return end_; })) {
    const auto silence = Clock::now() - heard_;
    if (told_ || silence < patience_) continue;
    told_ = true;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silence).count();
    const std::string text = "the run has told nothing for " + std::to_string(seconds) + " s" +
                             (doing_.empty() ? std::string() : ", last of " + doing_) +
                             ": the device or the disk may hang; if that does not pass, stop it, "
                             "with a second signal if "
                             "need be, and go on with --resume";
    lock.unlock();
    try {
      tell_(text);
    } catch (const std::exception&) {
      // What cannot be told must not end the run.
    }
    lock.lock();
  }
}

Surroundings surroundings_of(const std::filesystem::path& folder) {
  std::error_code unknown;
  const auto space = std::filesystem::space(folder, unknown);
  return {available_memory_share(),
          unknown ? kLittleSpace : static_cast<std::int64_t>(space.available)};
}

std::vector<std::string> find_trouble(const std::map<std::string, double>& metrics,
                                      const Surroundings& surroundings) {
  const auto value = [&](const char* name, double otherwise) {
    const auto found = metrics.find(name);
    return found == metrics.end() ? otherwise : found->second;
  };
  std::vector<std::string> trouble;
  if (value("selfplay/batch_fill", 1) < kLowBatchFill)
    trouble.emplace_back(
        "batches of self-play are less than half full: raise selfplay.slots_per_worker or lower "
        "inference.max_batch");
  if (value("selfplay/queue_share", 0) > kMuchWaiting)
    trouble.emplace_back(
        "self-play spends more than a tenth of its time waiting until its games are taken: leave a "
        "core to the rest of the program with fewer selfplay.workers");
  if (value("termination/max_plies", 0) + value("termination/no_capture_limit", 0) > kManyCutOff)
    trouble.emplace_back(
        "more than half of the games end at a limit, as draws that teach little: begin a new run "
        "with a higher rules.max_plies or rules.no_capture_limit if that goes on");
  if (value("selfplay/backlog_peak", 0) > kLongBacklog)
    trouble.emplace_back(
        "more than a thousand finished games waited to be stored at once: the disk of the run is "
        "slow, or the machine has too few cores; lower selfplay.workers or move the run");
  for (const auto& [name, winners] :
       {std::pair("outcome/tigers_win", "tigers"), {"outcome/goats_win", "goats"}})
    // Those of a network that has learnt nothing are one-sided by nature.
    if (value(name, 0) > kOneSided && value("run/generation", 1) > 0)
      trouble.push_back("more than 95 % of the games are won by the " + std::string(winners) +
                        ", which teaches the value little: if that goes on, raise "
                        "selfplay.random_opening_share, selfplay.opening_plies_mean or "
                        "selfplay.late_start_share");
  if (value("run/rejected_in_a_row", 0) >= kManyRejections)
    trouble.emplace_back(
        "the last eight candidates were rejected: training has come to its end as it is; lower "
        "training.learning_rate, raise run.iterations_per_gate or selfplay.full_visits, or begin a "
        "run with a larger network");
  if (surroundings.memory_left < kLittleMemory)
    trouble.emplace_back(
        "less than a twentieth of the machine's memory is left: stop the run and go on with "
        "--resume and a lower training.window_max_rows, inference.cache_entries or "
        "selfplay.slots_per_worker");
  if (surroundings.disk_bytes_left < kLittleSpace)
    trouble.emplace_back(
        "less than 512 MiB are left on the disk of the run: free some space; a full disk ends the "
        "run, which can then go on with --resume");
  return trouble;
}

std::vector<std::string> TroubleNews::of(const std::vector<std::string>& trouble,
                                         Clock::time_point now) {
  constexpr std::chrono::hours kDay{24};
  std::vector<std::string> news;
  for (const std::string& text : trouble) {
    const auto [told, first] = told_.try_emplace(text, now);
    if (!first && now - told->second < kDay) continue;
    told->second = now;
    news.push_back(text);
  }
  return news;
}

}  // namespace baghzero
