#include "selfplay/match_ledger.h"

#include <array>
#include <atomic>
#include <exception>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace baghzero {
namespace {

std::vector<int> games_left(MatchLedger& ledger) {
  std::vector<int> games;
  for (int game = ledger.take_game(); game >= 0; game = ledger.take_game()) games.push_back(game);
  return games;
}

std::vector<int> finished_games(MatchLedger& ledger) {
  std::vector<int> games;
  for (const FinishedGame& game : ledger.take_finished([] {})) games.push_back(game.index);
  return games;
}

TEST(MatchLedger, HandsOutTheGamesThatNobodyHasPlayedInOrder) {
  MatchLedger fresh(2, {}, 1, nullptr);
  EXPECT_EQ(games_left(fresh), (std::vector{0, 1, 2, 3}));
  MatchLedger holes(4, std::array{6, 0, 3}, 1, nullptr);
  EXPECT_EQ(games_left(holes), (std::vector{1, 2, 4, 5, 7}));
  MatchLedger none(1, std::array{0, 1}, 0, nullptr);
  EXPECT_EQ(none.take_game(), -1);
  EXPECT_TRUE(finished_games(none).empty());
}

TEST(MatchLedger, GivesGamesAsTheyFinishAndEachOnce) {
  MatchLedger ledger(4, std::array{3}, 1, nullptr);
  ledger.finish({5, Game(), ""});
  ledger.finish({2, Game(), "tired"});
  EXPECT_EQ(ledger.progress().games, 2);
  const std::vector<FinishedGame> first = ledger.take_finished([] {});
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].index, 5);
  EXPECT_EQ(first[1].index, 2);
  EXPECT_EQ(first[1].forfeit, "tired");
  ledger.finish({0, Game(), ""});
  EXPECT_EQ(finished_games(ledger), std::vector{0});
  EXPECT_EQ(ledger.progress().games, 3) << "games that were played before do not count";
}

TEST(MatchLedger, GivesWhatHadFinishedWhenItWasStopped) {
  std::atomic<bool> stop = false;
  MatchLedger ledger(4, {}, 2, &stop);
  EXPECT_EQ(ledger.take_game(), 0);
  EXPECT_EQ(ledger.take_game(), 1);
  ledger.finish({1, Game(), ""});
  stop = true;
  EXPECT_TRUE(ledger.stopped());
  EXPECT_EQ(ledger.take_game(), -1);
  ledger.leave();
  ledger.fail(std::make_exception_ptr(std::runtime_error("broken")));
  ledger.leave();
  EXPECT_EQ(finished_games(ledger), std::vector{1});
  EXPECT_TRUE(finished_games(ledger).empty());
  EXPECT_THROW(ledger.rethrow_failure(), std::runtime_error);
}

TEST(MatchLedger, LetsTheCallerDoSomethingWhileItWaits) {
  MatchLedger ledger(1, {}, 1, nullptr);
  int calls = 0;
  // It is not locked meanwhile.
  const auto finished = ledger.take_finished([&] {
    if (++calls == 2) ledger.finish({0, Game(), ""});
  });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(finished.size(), 1U);
}

}  // namespace
}  // namespace baghzero
