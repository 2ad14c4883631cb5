#include "cli/game_source.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "training/run_folder.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

namespace fs = std::filesystem;

SourcedGame from_record(std::int64_t number, const GameRecord& record) {
  SourcedGame sourced;
  sourced.number = number;
  sourced.first_generation = record.first_generation;
  sourced.last_generation = record.last_generation;
  std::string generations = std::to_string(record.first_generation);
  if (record.last_generation != record.first_generation)
    generations.append("-").append(std::to_string(record.last_generation));
  sourced.filed.tags = {{"Round", std::to_string(number)},
                        {"Generation", generations},
                        {"Termination", std::string(to_string(record.termination))},
                        {"Plies", std::to_string(record.moves.size())}};
  sourced.filed.game = replay(record);
  return sourced;
}

void for_each_stored(const RunStore& store, std::int64_t number,
                     const std::function<bool(const SourcedGame&)>& visit) {
  store.for_each_game_while(
      std::max<std::int64_t>(1, number), number,
      [&](std::int64_t at, const GameRecord& record) { return visit(from_record(at, record)); });
}

void for_each_in_file(const std::string& file, std::int64_t number,
                      const std::function<bool(const SourcedGame&)>& visit) {
  const std::string text = read_text_file(file);
  std::int64_t at = 0;
  for (const GameText& part : split_games(text)) {
    if (++at != number && number > 0) continue;
    SourcedGame sourced;
    sourced.number = at;
    try {
      sourced.filed = parse_filed_game(part.text);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(file + ":" + std::to_string(part.line) + ": " + error.what());
    }
    if (!visit(sourced)) return;
  }
}

}  // namespace

void for_each_game(const std::string& source, std::int64_t number,
                   const std::function<bool(const SourcedGame&)>& visit) {
  bool found = false;
  const auto noting = [&](const SourcedGame& game) {
    found = true;
    return visit(game);
  };
  if (fs::is_directory(source)) {
    for_each_stored(RunStore(existing_run(source).database(), RunStore::Mode::ReadOnly), number,
                    noting);
  } else {
    for_each_in_file(source, number, noting);
  }
  if (number > 0 && !found)
    throw std::runtime_error("there is no game " + std::to_string(number) + " in " + source);
}

}  // namespace baghzero
