// Where `baghzero games` takes games from: the database of a run, or a file of games as text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/game.h"
#include "selfplay/game_file.h"

namespace baghzero {

struct SourcedGame {
  std::int64_t number = 0;  // in its source, from 1
  // Of the networks at the first and the last move; nothing in files.
  std::optional<int> first_generation;
  std::optional<int> last_generation;
  FiledGame filed;

  const Game& game() const { return filed.game; }
};

// Calls `visit` for every game in order until it returns false. `source` is a run's folder or a
// file. `number` above 0: that game alone. Throws what says that there is no such source, that it
// cannot be read, or that it has no game of that number.
void for_each_game(const std::string& source, std::int64_t number,
                   const std::function<bool(const SourcedGame&)>& visit);

}  // namespace baghzero
