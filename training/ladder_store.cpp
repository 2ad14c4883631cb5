#include "training/ladder_store.h"

#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>

#include "engine/wall_clock.h"
#include "training/run_schema.h"

namespace baghzero {
namespace {

const std::filesystem::path& existing(const std::filesystem::path& database) {
  if (!std::filesystem::exists(database))
    throw std::runtime_error("there is no run database at " + database.string() +
                             ": check the folder of the run");
  return database;
}

}  // namespace

ResultTable read_ladder_games(sqlite::Database& database, const std::string& rules,
                              std::span<const std::string> players) {
  ResultTable results(static_cast<int>(players.size()));
  sqlite::Statement read = database.prepare(
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

NamedGames read_all_ladder_games(sqlite::Database& database, const std::string& rules) {
  sqlite::Statement read = database.prepare(
      "SELECT goat, tiger, goat_wins, draws, tiger_wins FROM ladder_games WHERE rules = ?1 "
      "ORDER BY goat, tiger");
  std::map<std::string, int> indices;
  for (read.start(rules); read.next();)
    for (const int column : {0, 1}) indices.emplace(read.text(column), 0);
  NamedGames all;
  for (auto& [name, index] : indices) {
    index = static_cast<int>(all.players.size());
    all.players.push_back(name);
  }
  for (read.start(rules); read.next();)
    all.games.push_back({.goat = indices.at(read.text(0)),
                         .tiger = indices.at(read.text(1)),
                         .goat_wins = read.integer(2),
                         .draws = read.integer(3),
                         .tiger_wins = read.integer(4)});
  return all;
}

void add_ladder_games(sqlite::Database& database, const std::string& rules,
                      std::span<const std::string> players, std::span<const RatedGames> games) {
  sqlite::Statement add = database.prepare(
      "INSERT INTO ladder_games VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
      "ON CONFLICT (rules, goat, tiger) DO UPDATE SET goat_wins = goat_wins + excluded.goat_wins, "
      "draws = draws + excluded.draws, tiger_wins = tiger_wins + excluded.tiger_wins");
  for (const RatedGames& counts : games)
    add.run(rules, players[static_cast<std::size_t>(counts.goat)],
            players[static_cast<std::size_t>(counts.tiger)], counts.goat_wins, counts.draws,
            counts.tiger_wins);
}

LadderStore::LadderStore(const std::filesystem::path& database, std::string rules,
                         std::vector<std::string> players)
    : database_(existing(database), sqlite::Access::ReadWrite),
      rules_(std::move(rules)),
      players_(std::move(players)) {
  (void)schema_version(database_, database);
  migrate(database_);
}

ResultTable LadderStore::load() const { return read_ladder_games(database_, rules_, players_); }

void LadderStore::add(std::span<const RatedGames> games) {
  database_.execute("BEGIN IMMEDIATE");
  add_ladder_games(database_, rules_, players_, games);
  database_.execute("COMMIT");
}

void LadderStore::add_ratings(const RatingFit& fit, int anchor) {
  database_.execute("BEGIN IMMEDIATE");
  sqlite::Statement last = database_.prepare("SELECT coalesce(max(ladder), 0) FROM ladder_ratings");
  last.next();
  const std::int64_t ladder = last.integer(0) + 1;
  last.rewind();
  sqlite::Statement add = database_.prepare(
      "INSERT INTO ladder_ratings VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
  for (std::size_t i = 0; i < players_.size(); ++i) {
    const PlayerRating& player = fit.players()[i];
    add.run(ladder, seconds_since_1970(), rules_, players_[static_cast<std::size_t>(anchor)],
            players_[i], player.games, player.overall.elo, player.overall.error, player.as_goat.elo,
            player.as_goat.error, player.as_tiger.elo, player.as_tiger.error);
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
