// Games and ratings of ladders in the database of a run, in two tables of their own:
//
//   ladder_games    (rules, goat, tiger) -> goat_wins, draws, tiger_wins: all games so far between
//                   two players, known by their names, of ladders and of the run's evaluations
//   ladder_ratings  one row a player for every ladder: ladder (number), at (seconds since 1970),
//                   rules, anchor, player, games, and Elo with half its 95 % interval: elo,
//                   as_goat, as_tiger
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "selfplay/ladder.h"
#include "training/sqlite.h"

namespace baghzero {

// All stored games between these players under these rules (format_rules()).
ResultTable read_ladder_games(sqlite::Database& database, const std::string& rules,
                              std::span<const std::string> players);
// All stored games under these rules, whoever played them; players in the order of their names.
NamedGames read_all_ladder_games(sqlite::Database& database, const std::string& rules);
// Adds `games`, whose players are indices into `players`, to those stored.
void add_ladder_games(sqlite::Database& database, const std::string& rules,
                      std::span<const std::string> players, std::span<const RatedGames> games);

// The same for a ladder, with a connection of its own: another process may be training in the same
// run. Used by one thread. Errors are std::runtime_error, as those of RunStore.
class LadderStore {
 public:
  // The database must exist. The names are those of all players of the ladder.
  LadderStore(const std::filesystem::path& database, std::string rules,
              std::vector<std::string> players);

  ResultTable load() const;
  // Adds games that have just been played; they are stored when it returns.
  void add(std::span<const RatedGames> games);
  // Adds the ratings as those of a new ladder.
  void add_ratings(const RatingFit& fit, int anchor);

 private:
  mutable sqlite::Database database_;
  const std::string rules_;
  const std::vector<std::string> players_;
};

struct StoredRating {
  std::string player;
  std::int64_t games = 0;
  Rating overall;
  Rating as_goat;
  Rating as_tiger;
};
// Ratings of the last ladder, the strongest player first; none if there was no ladder. The database
// is only read.
std::vector<StoredRating> latest_ladder(const std::filesystem::path& database);

}  // namespace baghzero
