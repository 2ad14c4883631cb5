// Trainer states on disk: `state/state-NNNNNNNN.bzs`, numbered in order of saving, with eight
// digits or more. Each file is magic, format version, length, a JSON manifest, the vectors and a
// checksum over all of it. It is written under a temporary name, synced, renamed, and the folder
// synced, so that a crash at any instant leaves whole files only. Files of other names and whatever
// is no file belong to somebody else: they are neither read nor counted nor removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "nn/settings.h"
#include "training/trainer.h"

namespace baghzero {

// What a run does next.
enum class RunStep : std::uint8_t { SelfPlay, Training, Gate };

// Where a run stands.
struct RunState {
  std::string identity;  // of the run, see run_identity(); empty in states of older programs
  NetworkSettings network;
  TrainerState trainer;
  RunStep next = RunStep::SelfPlay;
  std::int64_t last_game = 0;  // games up to this number have given their rows and credit
  std::int64_t games_before_iteration = 0;
  std::int64_t total_rows = 0;
  double sample_credit = 0;  // samples that may be trained before new rows are needed
  int generation = 0;
  int iteration = 0;           // finished ones
  int iterations_ungated = 0;  // since the last gate
  double seconds = 0;          // wall time of the run so far
  friend bool operator==(const RunState&, const RunState&) = default;
};

// Writes the state and removes all but the newest `keep` states. Returns the file. Throws
// std::runtime_error naming the file and the cause; what is not finite is not written.
std::filesystem::path save_state(const std::filesystem::path& folder, const RunState& state,
                                 int keep);

// The state files of a folder, newest first.
std::vector<std::filesystem::path> state_files(const std::filesystem::path& folder);
// Throws std::runtime_error naming the fault, not the file.
RunState load_state(const std::filesystem::path& file);

// A state that cannot be used, or not be read.
struct DamagedState {
  std::filesystem::path file;
  std::string sentence;  // what is wrong with it, without a full stop
};

struct LoadedState {
  std::optional<RunState> state;
  std::filesystem::path file;
  std::vector<DamagedState> damaged;  // newer than it, newest first
};
// The newest whole state, if there is one. Files that are damaged are passed over and named; a file
// of a newer format throws std::runtime_error. Changes nothing.
LoadedState load_newest_state(const std::filesystem::path& folder);

// Renames a damaged state to NAME.damaged, so that it no longer counts among those that are kept.
// Returns its sentence together with what became of it.
std::string set_aside(const DamagedState& damaged);

}  // namespace baghzero
