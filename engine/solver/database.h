// The solved game on disk: one file per layer of the movement phase (movement-C.bzs, C goats
// captured, both sides to move) and per layer of the placement phase (placement-NN.bzs, NN goats
// placed, goats to move). See docs/solver.md.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "engine/rules.h"
#include "engine/solver/compressed_file.h"
#include "engine/solver/movement.h"

namespace baghzero {

StreamShape movement_shape(int captured);
StreamShape placement_shape(int placed);
std::filesystem::path movement_file(const std::filesystem::path& folder, int captured);
std::filesystem::path placement_file(const std::filesystem::path& folder, int placed);

// BAGHZERO_DB if the environment sets it, else "solved" in the current folder.
std::filesystem::path default_database_folder();

// The files of a folder, opened. Immutable, usable by all threads.
class SolvedDatabase {
 public:
  // The movement phase must be there in whole, placement layers may be missing. Throws
  // std::runtime_error with one sentence if it is not, or as CompressedFile.
  explicit SolvedDatabase(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  const CompressedFile& movement(int captured) const { return *movement_[captured]; }
  // Null if the layer is missing.
  const CompressedFile* placement(int placed) const { return placement_[placed].get(); }
  // The smallest number of goats placed from which on every layer is there; kSolvedGoats if none.
  int first_placed() const;
  std::uint64_t file_bytes() const;

 private:
  std::filesystem::path folder_;
  std::array<std::unique_ptr<CompressedFile>, kSolvedCaptures> movement_;
  std::array<std::unique_ptr<CompressedFile>, kSolvedGoats> placement_;
};

// What of the placement phase is not there and how to make it, as the end of a sentence: "solved
// holds the movement phase alone; `baghzero solve --out solved` makes the rest". Only for a
// database with a first_placed() above 0.
std::string missing_layers(const SolvedDatabase& database);

// Writes a layer of the movement phase. As CompressedFileWriter::write().
void store_movement_layer(const std::filesystem::path& folder, int captured,
                          const MovementTable& table, int threads);
// A stored layer of the movement phase, in memory. Throws as CompressedFile.
void load_movement_layer(const std::filesystem::path& folder, int captured, MovementTable& table);
// The whole movement phase, about 90 MiB, which all threads may read. Throws as SolvedDatabase.
MovementTable load_movement(const std::filesystem::path& folder);

}  // namespace baghzero
