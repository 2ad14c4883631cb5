#include "training/ladder_store.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/temporary_folder.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

using testing::message_of;
using testing::TemporaryFolder;

TEST(LadderStore, AddsGamesUpAndKeepsEveryLadder) {
  const TemporaryFolder folder;
  const auto file = folder / "run.sqlite";
  RunStore run(file, RunStore::Mode::Create);
  const std::vector<std::string> players = {"a", "b", "c"};

  LadderStore store(file, "rules", players);
  EXPECT_TRUE(store.load().all().empty());
  ResultTable results(3);
  results.add({.goat = 0, .tiger = 2, .goat_wins = 3, .draws = 2, .tiger_wins = 1});
  results.add({.goat = 1, .tiger = 0, .goat_wins = 1, .draws = 0, .tiger_wins = 0});
  for (int ladder = 0; ladder < 2; ++ladder) {
    store.add(results.all());
    store.add_ratings(RatingFit(3, results.all()), 0);
  }

  const ResultTable again = LadderStore(file, "rules", {"c", "x", "a"}).load();
  EXPECT_EQ(again.between(2, 0).goat_wins, 6);
  EXPECT_EQ(again.between(2, 0).draws, 4);
  EXPECT_EQ(again.all().size(), 1U);
  EXPECT_TRUE(LadderStore(file, "other rules", players).load().all().empty());

  sqlite::Database database(file, sqlite::Access::ReadOnly);
  sqlite::Statement read = database.prepare(
      "SELECT count(*), max(ladder), sum(games) FROM ladder_ratings WHERE anchor = 'a'");
  ASSERT_TRUE(read.next());
  EXPECT_EQ(read.integer(0), 6);
  EXPECT_EQ(read.integer(1), 2);
  EXPECT_EQ(read.integer(2), 2 * 2 * 7);
  // The run's own tables are as they were.
  EXPECT_EQ(run.game_count(), 0);
  EXPECT_TRUE(run.matches().empty());
}

TEST(LadderStore, GivesAllGamesUnderTheSameRules) {
  const TemporaryFolder folder;
  RunStore run(folder / "run.sqlite", RunStore::Mode::Create);
  const std::vector<std::string> players = {"c", "a"};
  const std::vector<std::string> others = {"b", "c"};
  run.add_ladder_games("rules", players,
                       std::vector{RatedGames{.goat = 1, .tiger = 0, .goat_wins = 2}});
  run.add_ladder_games("rules", others,
                       std::vector{RatedGames{.goat = 0, .tiger = 1, .draws = 3, .tiger_wins = 1}});
  run.add_ladder_games("other", others, std::vector{RatedGames{.goat = 0, .tiger = 1, .draws = 1}});
  const NamedGames all = run.all_ladder_games("rules");
  EXPECT_EQ(all.players, (std::vector<std::string>{"a", "b", "c"}));
  ASSERT_EQ(all.games.size(), 2U);
  EXPECT_EQ(all.games[0].goat, 0);
  EXPECT_EQ(all.games[0].tiger, 2);
  EXPECT_EQ(all.games[0].goat_wins, 2);
  EXPECT_EQ(all.games[1].goat, 1);
  EXPECT_EQ(all.games[1].tiger, 2);
  EXPECT_EQ(all.games[1].draws, 3);
  EXPECT_EQ(all.games[1].tiger_wins, 1);
}

TEST(LadderStore, SharesGamesWithTheRun) {
  const TemporaryFolder folder;
  const auto file = folder / "run.sqlite";
  const std::vector<std::string> players = {"a", "b"};
  RunStore run(file, RunStore::Mode::Create);
  run.add_ladder_games("rules", players,
                       std::vector{RatedGames{.goat = 1, .tiger = 0, .goat_wins = 2}});
  LadderStore ladder(file, "rules", {"b", "a"});
  EXPECT_TRUE(ladder.load().all().empty()) << "not before the run says so";
  run.commit();
  EXPECT_EQ(ladder.load().between(0, 1).goat_wins, 2);
  ladder.add(std::vector{RatedGames{.goat = 0, .tiger = 1, .draws = 1}});
  EXPECT_EQ(run.ladder_games("rules", players).games(0, 1), 3);
}

TEST(LadderStore, FindsItsTablesInARunOfBefore) {
  const TemporaryFolder folder;
  const auto file = folder / "run.sqlite";
  RunStore(file, RunStore::Mode::Create);
  sqlite::Database(file, sqlite::Access::ReadWrite)
      .execute(
          "DROP TABLE ladder_games; DROP TABLE ladder_ratings;"
          "UPDATE meta SET value = '1' WHERE key = 'schema_version'");
  RunStore run(file, RunStore::Mode::Resume);
  EXPECT_TRUE(run.ladder_games("rules", std::vector<std::string>{"a", "b"}).all().empty());
}

TEST(LadderStore, NeedsARun) {
  EXPECT_THAT(message_of([] { LadderStore("no/such/run.sqlite", "rules", {}); }),
              ::testing::HasSubstr("no/such/run.sqlite"));
}

}  // namespace
}  // namespace baghzero
