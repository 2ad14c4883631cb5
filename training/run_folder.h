// The folder of a run: its paths, its lock, and the facts that must not change while it lasts.
#pragma once

#include <filesystem>
#include <string>

#include "training/run_config.h"

namespace baghzero {

struct RunFolder {
  std::filesystem::path root;

  std::filesystem::path config() const { return root / "run.toml"; }
  std::filesystem::path database() const { return root / "run.sqlite"; }
  // Whether there is a run here; an empty database is none.
  bool holds_run() const { return fault().empty(); }
  // "runs/a holds no run (no run.sqlite)" or the like; empty if there is one.
  std::string fault() const;
  std::filesystem::path models() const { return root / "models"; }
  std::filesystem::path states() const { return root / "state"; }
  std::filesystem::path lock() const { return root / "lock"; }
  // Paths as the database names them: relative to the folder.
  static std::string model_name(int generation);  // "models/gen-0003.bzn"
  static std::string candidate_name() { return "models/candidate.bzn"; }
};

// The folder of a run that must be there: throws std::runtime_error, one sentence, if it is not,
// and changes nothing then.
RunFolder existing_run(const std::filesystem::path& root);

// What results call a network: "quick/gen-0003" for a file in the models folder of the run quick,
// else the name of the file.
std::string model_title(const std::filesystem::path& file);
// The same for a player of so many visits a move: "quick/gen-0003 at 64 visits", or ", bare
// policy"; with `solver`, of search.solver, ", search.solver" follows.
std::string network_player_name(const std::filesystem::path& file, int visits, bool solver = false);

// Held by the one process that trains in a folder; given up when it ends, however it ends.
class RunLock {
 public:
  // Throws std::runtime_error naming the process that holds the lock.
  explicit RunLock(const RunFolder& folder);
  ~RunLock();
  // "process 4711" if one trains in the folder now, else nothing.
  static std::string holder(const RunFolder& folder);
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  void release() const;

  int folder_ = -1;
  int descriptor_ = -1;
};

// Throws std::runtime_error if models or states lie in a folder without a database: what belonged
// to a run that has lost it must not be overwritten by another.
void refuse_remains(const RunFolder& folder);

// What the games, weights and states of a run depend on, as text: rules, network and seed, or
// "rules.goats = 20, …, network.blocks = 4, …, run.seed = 1".
std::string run_identity(const RunConfig& config);
// Its parts that models have, too.
std::string rules_identity(const Rules& rules);
std::string network_identity(const NetworkSettings& network);

// Throws std::invalid_argument naming the key if a value makes no sense.
void check_run(const RunConfig& config);

}  // namespace baghzero
