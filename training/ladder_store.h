// Games and ratings of ladders in the database of a run, in two tables of their own beside those of
// RunStore:
//
//   ladder_games    (rules, goat, tiger) -> goat_wins, draws, tiger_wins: all games so far between
//                   two players, known by their names
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

// Used by one thread. Another process may be training in the same run. Errors are
// std::runtime_error, as those of RunStore.
class LadderStore {
 public:
  // The database must exist.
  explicit LadderStore(const std::filesystem::path& database);

  // All stored games between these players under these rules (format_rules()).
  ResultTable load(const std::string& rules, std::span<const std::string> players) const;
  // Adds the games that `now` has more than `before`, and the ratings as a new ladder.
  void save(const std::string& rules, std::span<const std::string> players,
            const ResultTable& before, const ResultTable& now, const RatingFit& fit, int anchor);

 private:
  mutable sqlite::Database database_;
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
