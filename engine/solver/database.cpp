#include "engine/solver/database.h"

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "engine/solver/packed_layer.h"
#include "engine/text.h"

namespace baghzero {
namespace fs = std::filesystem;

StreamShape movement_shape(int captured) {
  return {.kind = SolvedKind::Movement,
          .layer = static_cast<std::uint32_t>(captured),
          .streams = static_cast<std::uint64_t>(TigerClasses::instance().count()),
          .stream_bytes = std::uint64_t{2} * MovementTable::boards_per_class(captured)};
}

StreamShape placement_shape(int placed) {
  return {.kind = SolvedKind::Placement,
          .layer = static_cast<std::uint32_t>(placed),
          .streams = static_cast<std::uint64_t>(TigerClasses::instance().count()),
          .stream_bytes = packed_bytes(placed)};
}

fs::path movement_file(const fs::path& folder, int captured) {
  return folder / ("movement-" + std::to_string(captured) + ".bzs");
}

fs::path placement_file(const fs::path& folder, int placed) {
  return folder /
         ("placement-" + std::string(placed < 10 ? "0" : "") + std::to_string(placed) + ".bzs");
}

fs::path default_database_folder() {
  const char* const set = std::getenv("BAGHZERO_DB");
  return set != nullptr && *set != '\0' ? fs::path(set) : fs::path("solved");
}

namespace {

// The file of that layer, which must be there.
fs::path present_movement_file(const fs::path& folder, int captured) {
  fs::path file = movement_file(folder, captured);
  if (!fs::exists(file))
    throw std::runtime_error("there is no solved movement phase in " + folder.string() + " (" +
                             file.filename().string() +
                             " is missing); make it with `baghzero solve --out " + folder.string() +
                             " --movement-only`");
  return file;
}

}  // namespace

SolvedDatabase::SolvedDatabase(const fs::path& folder) : folder_(folder) {
  for (int captured = 0; captured < kSolvedCaptures; ++captured)
    movement_[captured] = std::make_unique<CompressedFile>(present_movement_file(folder, captured),
                                                           movement_shape(captured));
  for (int placed = 0; placed < kSolvedGoats; ++placed) {
    const fs::path file = placement_file(folder, placed);
    if (fs::exists(file))
      placement_[placed] = std::make_unique<CompressedFile>(file, placement_shape(placed));
  }
}

int SolvedDatabase::first_placed() const {
  int first = kSolvedGoats;
  while (first > 0 && placement_[first - 1]) --first;
  return first;
}

std::uint64_t SolvedDatabase::file_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& file : movement_) bytes += file->file_bytes();
  for (const auto& file : placement_)
    if (file) bytes += file->file_bytes();
  return bytes;
}

std::string missing_layers(const SolvedDatabase& database) {
  const std::string folder = database.folder().string();
  const int first = database.first_placed();
  return folder + " holds " +
         (first == kSolvedGoats ? std::string("the movement phase alone")
                                : "no more than what follows once " + std::to_string(first) +
                                      (first == 1 ? " goat has" : " goats have") + " been placed") +
         "; `baghzero solve --out " + shell_word(folder) + "` makes the rest";
}

void store_movement_layer(const fs::path& folder, int captured, const MovementTable& table,
                          int threads) {
  constexpr std::size_t kBlock = 16;
  const std::uint32_t boards = MovementTable::boards_per_class(captured);
  const StreamShape shape = movement_shape(captured);
  CompressedFileWriter writer(shape);
  parallel_blocks({.threads = threads}, shape.streams, kBlock,
                  [&](int, std::size_t begin, std::size_t end) {
                    std::vector<std::uint8_t> stream;
                    for (std::size_t c = begin; c < end; ++c) {
                      stream.clear();
                      for (const auto& codes : table.layers()[captured].codes) {
                        const auto first = codes.begin() + static_cast<std::ptrdiff_t>(c * boards);
                        stream.insert(stream.end(), first, first + boards);
                      }
                      writer.set_stream(c, stream);
                    }
                  });
  writer.write(movement_file(folder, captured));
}

void load_movement_layer(const fs::path& folder, int captured, MovementTable& table) {
  const std::uint32_t boards = MovementTable::boards_per_class(captured);
  const CompressedFile stored(present_movement_file(folder, captured), movement_shape(captured));
  std::vector<std::uint8_t> stream(stored.shape().stream_bytes);
  auto& sides = table.layers()[captured].codes;
  for (auto& codes : sides) codes.clear();
  for (std::uint64_t c = 0; c < stored.shape().streams; ++c) {
    stored.read_stream(c, stream);
    sides[0].insert(sides[0].end(), stream.begin(), stream.begin() + boards);
    sides[1].insert(sides[1].end(), stream.begin() + boards, stream.end());
  }
}

MovementTable load_movement(const fs::path& folder) {
  MovementTable table;
  for (int captured = 0; captured < kSolvedCaptures; ++captured)
    load_movement_layer(folder, captured, table);
  return table;
}

}  // namespace baghzero
