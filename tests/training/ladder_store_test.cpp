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
  const std::vector<std::string> others = {"c", "x", "a"};

  LadderStore store(file);
  const ResultTable before = store.load("rules", players);
  EXPECT_TRUE(before.all().empty());
  ResultTable now = before;
  now.add({.goat = 0, .tiger = 2, .goat_wins = 3, .draws = 2, .tiger_wins = 1});
  now.add({.goat = 1, .tiger = 0, .goat_wins = 1, .draws = 0, .tiger_wins = 0});
  store.save("rules", players, before, now, RatingFit(3, now.all()), 0);
  store.save("rules", players, before, now, RatingFit(3, now.all()), 0);

  const ResultTable again = LadderStore(file).load("rules", others);
  EXPECT_EQ(again.between(2, 0).goat_wins, 6);
  EXPECT_EQ(again.between(2, 0).draws, 4);
  EXPECT_EQ(again.all().size(), 1U);
  EXPECT_TRUE(store.load("other rules", players).all().empty());

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

TEST(LadderStore, NeedsARun) {
  EXPECT_THAT(message_of([] { LadderStore("no/such/run.sqlite"); }),
              ::testing::HasSubstr("no/such/run.sqlite"));
}

}  // namespace
}  // namespace baghzero
