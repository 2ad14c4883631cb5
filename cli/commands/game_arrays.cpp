// export-games and import-games.
#include "training/game_arrays.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "engine/text.h"
#include "nn/model_file.h"
#include "training/run_folder.h"
#include "training/run_store.h"
#include "training/targets.h"

namespace baghzero {
namespace {

namespace fs = std::filesystem;

// Export ------------------------------------------------------------------------------------------

struct ExportOptions {
  std::string run;
  std::string folder;
  std::int64_t first = 1;
  std::int64_t last = 0;
  std::int64_t games_per_file = 2'000;
};

fs::path file_for(const fs::path& folder, std::int64_t first, std::int64_t last) {
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "games-%08lld-%08lld.npz", static_cast<long long>(first),
                static_cast<long long>(last));
  return folder / name.data();
}

// Files of another number of games would have other names, stay, and hold games twice.
void refuse_exported_games(const fs::path& folder) {
  if (!fs::is_directory(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("games-") && name.ends_with(".npz"))
      throw std::runtime_error(folder.string() + " holds exported games already, " + name +
                               " for one: remove its games-*.npz, or name another folder");
  }
}

void export_games(const ExportOptions& options) {
  refuse_exported_games(options.folder);
  const RunStore store(existing_run(options.run).database(), RunStore::Mode::ReadOnly);
  std::vector<GameRecord> games;
  std::int64_t first = 0;  // of those
  std::int64_t last = 0;
  std::int64_t files = 0;
  std::int64_t exported = 0;
  const auto write_file = [&] {
    fs::create_directories(options.folder);
    write_npz(file_for(options.folder, first, last), games_to_arrays(games));
    ++files;
    exported += std::ssize(games);
    games.clear();
  };
  store.for_each_game(options.first, options.last,
                      [&](std::int64_t number, const GameRecord& game) {
                        if (games.empty()) first = number;
                        last = number;
                        games.push_back(game);
                        if (std::ssize(games) == options.games_per_file) write_file();
                      });
  if (!games.empty()) write_file();
  if (exported == 0 && options.last > 0 && options.last < options.first)
    throw std::runtime_error("--first " + std::to_string(options.first) + " is behind --last " +
                             std::to_string(options.last) + ": there is no game between them");
  if (exported == 0)
    throw std::runtime_error(options.run + " has no game " + std::to_string(options.first) +
                             " to begin with: there are " + std::to_string(store.game_count()));
  std::cout << counted(exported, "game") << " in " << counted(files, "file") << " in "
            << options.folder << "\n";
}

// Import ------------------------------------------------------------------------------------------

struct ImportOptions {
  std::string run;
  std::vector<std::string> sources;
  bool foreign = false;
};

std::vector<fs::path> files_of(const std::vector<std::string>& sources) {
  std::vector<fs::path> files;
  for (const fs::path source : sources) {
    if (!fs::is_directory(source)) {
      files.push_back(source);
      continue;
    }
    const std::size_t before = files.size();
    for (const auto& entry : fs::directory_iterator(source))
      if (entry.path().extension() == ".npz") files.push_back(entry.path());
    if (files.size() == before)
      throw std::runtime_error("there is no .npz file in " + source.string());
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  return files;
}

std::size_t hash_of(const std::vector<std::byte>& bytes) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Nothing is written, not even a lock, into the folder of what is no run.
RunFolder checked_run(const fs::path& root) {
  RunFolder folder = existing_run(root);
  (void)RunStore(folder.database(), RunStore::Mode::ReadOnly);
  return folder;
}

struct EncodedGame {
  GameRecord record;
  std::vector<std::byte> bytes;
};

class Import {
 public:
  explicit Import(const ImportOptions& options)
      : options_(options),
        folder_(checked_run(options.run)),
        lock_(folder_),
        store_(folder_.database(), RunStore::Mode::Resume),
        generations_(store_.generations()) {
    if (generations_.empty())
      throw std::runtime_error(options.run + " has no generation yet: let it train a little first");
    rules_ = load_model(folder_.root / generations_.front().file).facts.rules;
  }

  void run() {
    const std::vector<fs::path> files = files_of(options_.sources);
    // Before anything is stored, so that a faulty file leaves nothing behind. A kill or a full disk
    // later may leave a part; importing again adds the rest.
    for (const fs::path& file : files) (void)read(file);
    store_.for_each_game(1, 0, [&](std::int64_t, const GameRecord& game) {
      known_.insert(hash_of(encode_game(game)));
    });
    std::int64_t added = 0;
    std::int64_t left_out = 0;
    for (const fs::path& file : files)
      for (const EncodedGame& game : read(file)) {
        if (!known_.insert(hash_of(game.bytes)).second) {
          ++left_out;
          continue;
        }
        store_.add_game(game.record, game.bytes, count_rows(game.record));
        ++added;
      }
    const std::string report =
        counted(added, "game") + " imported from " +
        counted(static_cast<std::int64_t>(files.size()), "file") +
        (left_out > 0 ? "; " + counted(left_out, "game") + " left out: they were there already"
                      : "");
    store_.add_event("info", report);
    store_.commit();
    std::cout << report << "\n";
  }

 private:
  std::vector<EncodedGame> read(const fs::path& file) const {
    std::vector<EncodedGame> encoded;
    std::size_t number = 0;
    try {
      for (GameRecord& game : games_from_arrays(read_npz(file))) {
        ++number;
        encoded.push_back(accept(std::move(game)));
      }
    } catch (const std::exception& fault) {
      throw std::runtime_error(file.string() +
                               (number > 0 ? ", game " + std::to_string(number) : "") + ": " +
                               fault.what() + "; nothing was imported");
    }
    return encoded;
  }

  EncodedGame accept(GameRecord game) const {
    if (options_.foreign) game.first_generation = game.last_generation = kNoGeneration;
    if (game.rules != rules_)
      throw std::runtime_error("it was played by other rules than the run's");
    if (game.outcome == Outcome::Unfinished)
      throw std::runtime_error("it has no end and cannot be trained on");
    if (game.first_generation < kNoGeneration || game.first_generation > game.last_generation)
      throw std::runtime_error("it was played by generations " +
                               std::to_string(game.first_generation) + " to " +
                               std::to_string(game.last_generation) + ", which cannot be");
    if (game.last_generation > generations_.back().number)
      throw std::runtime_error("it was played by generation " +
                               std::to_string(game.last_generation) +
                               ", which the run does not have (--foreign takes it all the same)");
    std::vector<std::byte> bytes = encode_game(game);
    return {decode_game(bytes), std::move(bytes)};
  }

  const ImportOptions& options_;
  const RunFolder folder_;
  const RunLock lock_;
  RunStore store_;
  const std::vector<GenerationEntry> generations_;
  Rules rules_;
  std::unordered_set<std::size_t> known_;
};

}  // namespace

void add_game_array_commands(CLI::App& app) {
  auto out = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand(
      "export-games", "Write the games of a run as arrays for NumPy (.npz files)");
  command->add_option("RUN", out->run, "Folder of the run")
      ->required()
      ->check(CLI::ExistingDirectory);
  command->add_option("--out", out->folder, "Folder for the files")->required();
  command->add_option("--first", out->first, "Number of the first game")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--last", out->last, "Number of the last game (default: all)")
      ->check(CLI::PositiveNumber);
  command->add_option("--games-per-file", out->games_per_file, "Games in one file at most")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->footer(
      "docs/game-arrays.md describes the arrays. The run may train meanwhile. A folder that holds\n"
      "exported games is refused.\n"
      "\n"
      "Example:\n"
      "  baghzero export-games runs/quick --out games\n");
  command->callback([out] { export_games(*out); });

  auto in = std::make_shared<ImportOptions>();
  command = app.add_subcommand("import-games", "Take games from .npz files into a run");
  command->add_option("RUN", in->run, "Folder of the run, which must not train meanwhile")
      ->required()
      ->check(CLI::ExistingDirectory);
  command
      ->add_option("SOURCE", in->sources, "Files, or folders of files, as export-games writes them")
      ->required()
      ->check(CLI::ExistingPath);
  command->add_flag("--foreign", in->foreign,
                    "Take games of other runs: they are stored as played by generation -1");
  command->footer(
      "Games that are illegal, of other rules or without an end are refused, and then nothing is\n"
      "imported; games that are there already are left out. The run trains on new ones when it "
      "goes\n"
      "on.\n"
      "\n"
      "Example:\n"
      "  baghzero import-games runs/quick games\n");
  command->callback([in] { Import(*in).run(); });
}

}  // namespace baghzero
