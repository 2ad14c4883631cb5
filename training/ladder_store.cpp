#include "training/ladder_store.h"

#include <cstdint>
#include <stdexcept>

#include "engine/wall_clock.h"

namespace baghzero {
namespace {

constexpr const char* kSchema = R"sql(
CREATE TABLE IF NOT EXISTS ladder_games (
  rules TEXT NOT NULL,
  goat TEXT NOT NULL,
  tiger TEXT NOT NULL,
  goat_wins INTEGER NOT NULL,
  draws INTEGER NOT NULL,
  tiger_wins INTEGER NOT NULL,
  PRIMARY KEY (rules, goat, tiger)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ladder_ratings (
  ladder INTEGER NOT NULL,
  at INTEGER NOT NULL,
  rules TEXT NOT NULL,
  anchor TEXT NOT NULL,
  player TEXT NOT NULL,
  games INTEGER NOT NULL,
  elo REAL NOT NULL,
  elo_error REAL NOT NULL,
  as_goat REAL NOT NULL,
  as_goat_error REAL NOT NULL,
  as_tiger REAL NOT NULL,
  as_tiger_error REAL NOT NULL,
  PRIMARY KEY (ladder, player)) WITHOUT ROWID;
)sql";

const std::filesystem::path& existing(const std::filesystem::path& database) {
  if (!std::filesystem::exists(database))
    throw std::runtime_error("there is no run database at " + database.string() +
                             ": check the folder of the run");
  return database;
}

}  // namespace

LadderStore::LadderStore(const std::filesystem::path& database)
    : database_(existing(database), sqlite::Access::ReadWrite) {
  database_.execute(kSchema);
}

ResultTable LadderStore::load(const std::string& rules,
                              std::span<const std::string> players) const {
  ResultTable results(static_cast<int>(players.size()));
  sqlite::Statement read = database_.prepare(
      "SELECT goat_wins, draws, tiger_wins FROM ladder_games "
      "WHERE rules = ?1 AND goat = ?2 AND tiger = ?3");
  for (int goat = 0; goat < results.players(); ++goat)
    for (int tiger = 0; tiger < results.players(); ++tiger)
      for (read.start(rules, players[static_cast<std::size_t>(goat)],
                      players[static_cast<std::size_t>(tiger)]);
           read.next();)
        results.add({.goat = goat,
                     .tiger = tiger,
                     .goat_wins = read.integer(0),
                     .draws = read.integer(1),
                     .tiger_wins = read.integer(2)});
  return results;
}

void LadderStore::save(const std::string& rules, std::span<const std::string> players,
                       const ResultTable& before, const ResultTable& now, const RatingFit& fit,
                       int anchor) {
  database_.execute("BEGIN IMMEDIATE");
  sqlite::Statement add_games = database_.prepare(
      "INSERT INTO ladder_games VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
      "ON CONFLICT (rules, goat, tiger) DO UPDATE SET goat_wins = goat_wins + excluded.goat_wins, "
      "draws = draws + excluded.draws, tiger_wins = tiger_wins + excluded.tiger_wins");
  for (const RatedGames& games : now.all()) {
    const RatedGames& old = before.between(games.goat, games.tiger);
    add_games.run(rules, players[static_cast<std::size_t>(games.goat)],
                  players[static_cast<std::size_t>(games.tiger)], games.goat_wins - old.goat_wins,
                  games.draws - old.draws, games.tiger_wins - old.tiger_wins);
  }
  sqlite::Statement last = database_.prepare("SELECT coalesce(max(ladder), 0) FROM ladder_ratings");
  last.next();
  const std::int64_t ladder = last.integer(0) + 1;
  last.rewind();
  sqlite::Statement add_rating = database_.prepare(
      "INSERT INTO ladder_ratings VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
  for (std::size_t i = 0; i < players.size(); ++i) {
    const PlayerRating& player = fit.players()[i];
    add_rating.run(ladder, seconds_since_1970(), rules, players[static_cast<std::size_t>(anchor)],
                   players[i], player.games, player.overall.elo, player.overall.error,
                   player.as_goat.elo, player.as_goat.error, player.as_tiger.elo,
                   player.as_tiger.error);
  }
  database_.execute("COMMIT");
}

std::vector<StoredRating> latest_ladder(const std::filesystem::path& file) {
  sqlite::Database database(existing(file), sqlite::Access::ReadOnly);
  sqlite::Statement any =
      database.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'ladder_ratings'");
  if (!any.next() || any.integer(0) == 0) return {};
  sqlite::Statement read = database.prepare(
      "SELECT player, games, elo, elo_error, as_goat, as_goat_error, as_tiger, as_tiger_error "
      "FROM ladder_ratings WHERE ladder = (SELECT max(ladder) FROM ladder_ratings) "
      "ORDER BY elo DESC");
  std::vector<StoredRating> ratings;
  while (read.next())
    ratings.push_back({read.text(0),
                       read.integer(1),
                       {read.real(2), read.real(3)},
                       {read.real(4), read.real(5)},
                       {read.real(6), read.real(7)}});
  return ratings;
}

}  // namespace baghzero
