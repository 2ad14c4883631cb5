#include "training/targets.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/notation.h"
#include "tests/training/temporary_folder.h"
#include "training/benchmark.h"

namespace baghzero {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

Rules small_rules() {
  Rules rules;
  rules.goats = 6;
  rules.captures_to_win = 1;
  return rules;
}

std::vector<TrainingRow> rows_of(const GameRecord& record, double search_share = 0) {
  std::vector<TrainingRow> rows;
  EXPECT_EQ(append_rows(record, search_share, rows), count_rows(record));
  return rows;
}

TEST(Targets, QueriesSurvivePacking) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const GameRecord record = make_random_game({}, seed);
    Game game;
    for (const MoveRecord& move : record.moves) {
      Query query = make_query(game);
      query.limit_proximity = static_cast<std::uint8_t>(game.plies() % (kLimitSteps + 1));
      const Query back = unpack_query(make_key(query));
      ASSERT_EQ(back.position, query.position);
      ASSERT_TRUE(std::ranges::equal(back.legal, query.legal));
      ASSERT_EQ(back.limit_proximity, query.limit_proximity);
      game.play(move.action);
    }
  }
}

TEST(Targets, BarredActionsStayBarredInPackedQueries) {
  Query query{Position(kTigerStart, bit(12), 0, 0, Side::Goat), {}, 0};
  const ActionList board = board_legal_actions(query.position);
  ASSERT_EQ(board.size(), 8);
  for (int i = 0; i < board.size(); ++i)
    if (i != 3) query.legal.push_back(board[i]);
  const Query back = unpack_query(make_key(query));
  EXPECT_EQ(back.legal.size(), 7);
  EXPECT_FALSE(back.legal.contains(board[3]));
}

// One capture decides: tigers win at the ply that captures.
TEST(Targets, OutcomeIsSeenByTheSideToMove) {
  const Game game = parse_game("1. G12 Bx1113", small_rules());
  ASSERT_EQ(game.outcome(), Outcome::TigersWin);
  GameRecord record;
  record.rules = small_rules();
  record.start = game.start();
  for (const Action action : game.moves()) {
    MoveRecord move;
    move.action = action;
    move.searched = true;
    move.root_wdl = kDraw;
    record.moves.push_back(move);
  }
  record.outcome = game.outcome();
  record.termination = game.termination();

  const auto pure = rows_of(record);
  ASSERT_EQ(pure.size(), 2U);
  EXPECT_EQ(pure[0].value(), kLoss);
  EXPECT_EQ(pure[1].value(), kWin);
  EXPECT_EQ(pure[0].plies_left, 2);
  EXPECT_EQ(pure[1].plies_left, 1);
  EXPECT_EQ(pure[0].reply, game.moves()[1]);
  EXPECT_EQ(pure[1].reply, kNoAction);
  EXPECT_EQ(pure[0].final_captured, 1);
  EXPECT_EQ(pure[0].final_tigers, game.position().tigers());
  EXPECT_EQ(pure[0].final_goats, 0U);
  EXPECT_FALSE(pure[0].full_search);

  const auto mixed = rows_of(record, 0.25);
  EXPECT_NEAR(mixed[0].value().loss, 0.75, 1e-4);
  EXPECT_NEAR(mixed[0].value().draw, 0.25, 1e-4);
  EXPECT_NEAR(mixed[1].value().win, 0.75, 1e-4);
}

TEST(Targets, PolicyOfFullSearchesOnlyAndItSumsToOne) {
  const GameRecord record = make_random_game({}, 5);
  const auto rows = rows_of(record);
  ASSERT_EQ(rows.size(), record.moves.size());
  int full = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int sum = std::accumulate(rows[i].policy.begin(), rows[i].policy.end(), 0);
    EXPECT_EQ(rows[i].full_search, record.moves[i].full_search);
    EXPECT_EQ(sum, rows[i].full_search ? kShareUnit : 0);
    if (!rows[i].full_search) continue;
    ++full;
    const Query query = unpack_query(rows[i].query);
    for (const PolicyShare& share : record.moves[i].policy)
      EXPECT_NEAR(rows[i].policy[query.legal.index_of(share.action)] / double{kShareUnit},
                  share.share, 1e-3);
  }
  EXPECT_GT(full, 0);
}

TEST(Targets, MovesWithoutASearchGiveNoRows) {
  GameRecord record = make_random_game({}, 6);
  const auto all = rows_of(record);
  record.moves[0].searched = record.moves[1].searched = false;
  const auto rows = rows_of(record);
  ASSERT_EQ(rows.size(), all.size() - 2);
  EXPECT_EQ(rows[0].query, all[2].query);
  EXPECT_EQ(rows[0].plies_left, all[2].plies_left);
}

TEST(Targets, DamagedAndUnfinishedRecordsAreRefused) {
  std::vector<TrainingRow> rows;
  GameRecord illegal = make_random_game({}, 7);
  illegal.moves[4].action = illegal.moves[0].action;
  EXPECT_THAT(message_of([&] { append_rows(illegal, 0, rows); }), HasSubstr("ply 4 is illegal"));
  GameRecord unfinished = make_random_game({}, 7);
  unfinished.moves.pop_back();
  unfinished.outcome = Outcome::Unfinished;
  EXPECT_THAT(message_of([&] { append_rows(unfinished, 0, rows); }), HasSubstr("without an end"));
  GameRecord foreign = make_random_game({}, 7);
  foreign.moves[0].policy = {{kActionCount - 1, 1.0F}};
  EXPECT_THAT(message_of([&] { append_rows(foreign, 0, rows); }), HasSubstr("policy at ply 0"));
}

TEST(Targets, ImagesOfQueriesAreTheQueriesOfImages) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const TrainingRow& row : rows_of(make_random_game({}, seed))) {
      const Query query = unpack_query(row.query);
      for (int symmetry = 0; symmetry < kSymmetryCount; ++symmetry) {
        const Query image = apply_symmetry(symmetry, query);
        ASSERT_EQ(image.position, apply_symmetry(symmetry, query.position));
        ASSERT_TRUE(std::ranges::is_sorted(image.legal));
        ASSERT_EQ(image.legal.size(), query.legal.size());
        const Query back = apply_symmetry(inverse_symmetry(symmetry), image);
        ASSERT_EQ(make_key(back), row.query);
      }
    }
  }
}

}  // namespace
}  // namespace baghzero
