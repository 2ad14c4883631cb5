#include "training/run_folder.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "engine/solver/movement.h"
#include "nn/architecture.h"
#include "training/gate.h"
#include "training/schedule.h"

namespace baghzero {
namespace {

std::string holder_of(const std::filesystem::path& lock) {
  std::ifstream in(lock);
  std::string process;
  std::getline(in, process);
  return process.empty() ? "another process" : "process " + process;
}

int open_folder(const std::filesystem::path& root) {
  return ::open(root.empty() ? "." : root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

// Whether another process holds the lock, for as long as so many attempts take: whoever looks
// whether a run is trained holds it for a moment. A file system without locks has none held.
bool held_by_another(int descriptor, int kind, int attempts) {
  constexpr std::chrono::milliseconds kPause{20};
  while (::flock(descriptor, kind | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return false;
    if (--attempts == 0) return true;
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

}  // namespace

std::string RunFolder::model_name(int generation) {
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), "models/gen-%04d.bzn", generation);
  return name.data();
}

std::string model_title(const std::filesystem::path& file) {
  const std::filesystem::path folder =
      std::filesystem::absolute(file).lexically_normal().parent_path();
  if (folder.filename() != "models") return file.filename().string();
  return (folder.parent_path().filename() / file.stem()).string();
}

std::string network_player_name(const std::filesystem::path& file, int visits, bool solver) {
  if (visits == 0) return model_title(file) + ", bare policy";
  return model_title(file) + " at " + std::to_string(visits) + " visits" +
         (solver ? ", search.solver" : "");
}

std::string RunFolder::fault() const {
  std::error_code missing;
  const auto bytes = std::filesystem::file_size(database(), missing);
  if (!missing && bytes > 0) return "";
  const std::string name = database().filename().string();
  return (root.empty() ? "." : root.string()) + " holds no run (" +
         (missing ? "no " + name : "its " + name + " is empty") + ")";
}

RunFolder existing_run(const std::filesystem::path& root) {
  RunFolder folder{root};
  if (const std::string fault = folder.fault(); !fault.empty())
    throw std::runtime_error(fault + ": name the folder of a run, such as runs/quick");
  return folder;
}

void refuse_remains(const RunFolder& folder) {
  for (const std::filesystem::path& place : {folder.models(), folder.states()}) {
    if (!std::filesystem::exists(place) || std::filesystem::is_empty(place)) continue;
    throw std::runtime_error(
        folder.root.string() + " holds files in " + place.filename().string() + "/ but no " +
        folder.database().filename().string() +
        ": restore the database, move the files away, or choose another --run");
  }
}

// flock() belongs to the open file, so the lock vanishes with the process and no stale one is ever
// found; the process number inside is for people.
RunLock::RunLock(const RunFolder& folder)
    : folder_(open_folder(folder.root)),
      descriptor_(::open(folder.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  const auto give_up = [this](const std::string& sentence) {
    release();
    throw std::runtime_error(sentence);
  };
  if (descriptor_ < 0)
    give_up("cannot open " + folder.lock().string() + ": check that the folder may be written to");
  // Somebody may take the lock file for a stale one and delete it; the folder is not deleted.
  constexpr int kAttempts = 5;
  if (held_by_another(folder_, LOCK_EX, kAttempts) ||
      held_by_another(descriptor_, LOCK_EX, kAttempts))
    give_up(holder_of(folder.lock()) + " is training in " + folder.root.string() +
            ": stop it first, or choose another folder");
  const std::string process = std::to_string(::getpid()) + "\n";
  if (::ftruncate(descriptor_, 0) != 0 || ::write(descriptor_, process.data(), process.size()) < 0)
    give_up("cannot write to " + folder.lock().string() + ": check the disk");
}

std::string RunLock::holder(const RunFolder& folder) {
  bool held = false;
  for (const int descriptor :
       {open_folder(folder.root), ::open(folder.lock().c_str(), O_RDONLY | O_CLOEXEC)}) {
    if (descriptor < 0) continue;
    held = held || held_by_another(descriptor, LOCK_SH, 1);
    ::close(descriptor);
  }
  return held ? holder_of(folder.lock()) : "";
}

RunLock::~RunLock() { release(); }

void RunLock::release() const {
  for (const int descriptor : {folder_, descriptor_})
    if (descriptor >= 0) ::close(descriptor);
}

std::string run_identity(const RunConfig& config) {
  return rules_identity(config.rules) + ", " + network_identity(config.network) +
         ", run.seed = " + std::to_string(config.run.seed);
}

std::string rules_identity(const Rules& rules) {
  std::ostringstream out;
  out << "rules.goats = " << rules.goats << ", rules.captures_to_win = " << rules.captures_to_win
      << ", rules.repetition = " << to_string(rules.repetition)
      << ", rules.no_capture_limit = " << rules.no_capture_limit
      << ", rules.max_plies = " << rules.max_plies;
  return out.str();
}

std::string network_identity(const NetworkSettings& network) {
  std::ostringstream out;
  out << "network.blocks = " << network.blocks << ", network.channels = " << network.channels
      << ", network.squeeze_channels = " << network.squeeze_channels
      << ", network.value_hidden = " << network.value_hidden;
  return out.str();
}

void check_run(const RunConfig& config) {
  check_rules(config.rules);
  check_network_settings(config.network);
  check_training(config.training);
  check_gate(config.gate);
  const EvaluationSettings& evaluation = config.evaluation;
  const RunSettings& run = config.run;
  const auto require = [](bool holds, const char* sentence) {
    if (!holds) throw std::invalid_argument(sentence);
  };
  require(evaluation.every >= 0, "evaluation.every must not be negative");
  require(evaluation.generations >= 0, "evaluation.generations must not be negative");
  require(evaluation.pairs >= 1, "evaluation.pairs must be at least 1");
  require(evaluation.visits >= 0, "evaluation.visits must not be negative");
  require(evaluation.seconds > 0, "evaluation.seconds must be positive");
  require(run.games_per_iteration >= 1, "run.games_per_iteration must be at least 1");
  require(run.iterations_per_gate >= 1, "run.iterations_per_gate must be at least 1");
  require(run.generations >= 0, "run.generations must not be negative");
  require(run.minutes >= 0, "run.minutes must not be negative");
  require(run.sample_budget >= 0, "run.sample_budget must not be negative");
  require(run.keep_states >= 1, "run.keep_states must be at least 1");
  require(run.closing_pairs >= 0, "run.closing_pairs must not be negative");
  require(!uses_solved_movement(config) || !config.solver.db.empty(),
          "search.solver and selfplay.adjudicate need solver.db, the folder of the solved game");
  require((!uses_solved_movement(config) && config.solver.suite.empty()) ||
              is_solved_game(config.rules),
          "search.solver, selfplay.adjudicate and solver.suite need the game that is solved: "
          "rules.goats = 20 and rules.captures_to_win = 5");
  require(config.solver.suite_seconds >= 0, "solver.suite_seconds must not be negative");
  require(!run.reproducible || config.training.schedule == Schedule::Alternate,
          "run.reproducible needs training.schedule = \"alternate\": threads that run side by side "
          "never repeat themselves exactly");
}

}  // namespace baghzero
