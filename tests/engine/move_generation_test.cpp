// The engine's move generator against the plain one of naive_rules.h.
#include <algorithm>

#include "engine/notation.h"
#include "tests/engine/naive_rules.h"
#include "tests/engine/support.h"

namespace baghzero {
namespace {

using namespace testing_support;

std::vector<std::string> engine_moves(const Position& position) {
  std::vector<std::string> moves;
  for (const Action action : board_legal_actions(position))
    moves.push_back(format_move(position.side_to_move(), action));
  std::ranges::sort(moves);
  return moves;
}

// The list, and its count.
void expect_same_moves(const Position& position) {
  ASSERT_EQ(engine_moves(position), naive::moves(naive::from_position(position))) << position.key();
  ASSERT_EQ(count_board_legal_actions(position), board_legal_actions(position).size());
}

// Everything that position.h says about the moves of a position.
void expect_same_everything(const Position& position) {
  SCOPED_TRACE(::testing::PrintToString(position));
  expect_same_moves(position);
  const naive::State state = naive::from_position(position);
  const ActionList list = board_legal_actions(position);
  ASSERT_TRUE(std::ranges::is_sorted(list.span()));
  ActionSet set;
  for (const Action action : list) {
    set.set(action);
    const std::string move = format_move(position.side_to_move(), action);
    ASSERT_EQ(naive::from_position(position.after(action)), naive::after(state, move)) << move;
    ASSERT_EQ(parse_move(position.side_to_move(), move), action) << move;
  }
  ASSERT_EQ(board_legal_set(position), set);
  for (int action = 0; action < 256; ++action)
    ASSERT_EQ(is_board_legal(position, static_cast<Action>(action)),
              action < kActionCount && set.test(static_cast<std::size_t>(action)))
        << action;
  ASSERT_EQ(point_names(capturable_goats(position)), naive::threatened_goats(state));
  ASSERT_EQ(point_names(capture_landings(position)), naive::landings(state));
  ASSERT_EQ(point_names(immobile_tigers(position)), naive::immobile_tigers(state));
}

// Calls visit(position) for `count` positions of random play without history: from the start
// through both phases, also past the fifth capture, until a side is stuck.
template <class Visit>
void visit_random_play(std::uint64_t seed, int count, Visit visit) {
  Random random(seed);
  Position position;
  int plies = 0;
  for (int i = 0; i < count; ++i) {
    ASSERT_NO_FATAL_FAILURE(visit(position));
    const ActionList list = board_legal_actions(position);
    const bool stop = list.empty() || position.captured() > 12 || ++plies > 150;
    position = stop ? Position() : position.after(random_action(list, random));
    if (stop) plies = 0;
  }
}

template <class Visit>
void visit_random_placements(std::uint64_t seed, int count, Visit visit) {
  Random random(seed);
  for (int i = 0; i < count; ++i) ASSERT_NO_FATAL_FAILURE(visit(random_position(random)));
}

TEST(MoveGeneration, AgreesWithPlainRulesInRandomPlay) {
  visit_random_play(1, 500'000, expect_same_moves);
}

TEST(MoveGeneration, AgreesWithPlainRulesOnRandomPlacements) {
  visit_random_placements(2, 500'000, expect_same_moves);
}

TEST(MoveGeneration, EveryQueryAgreesWithPlainRules) {
  visit_random_play(3, 40'000, expect_same_everything);
  visit_random_placements(4, 40'000, expect_same_everything);
}

TEST(MoveGenerationSlow, AgreesWithPlainRulesOnMillionsOfPositions) {
  visit_random_play(5, 4'000'000, expect_same_moves);
  visit_random_placements(6, 4'000'000, expect_same_moves);
}

TEST(MoveGeneration, CrowdedAndEmptyBoards) {
  Random random(7);
  for (int goats = 0; goats <= 21; ++goats)
    for (int i = 0; i < 200; ++i) {
      expect_same_everything(random_placement(random, goats, 0, 0));
      if (goats < 21) expect_same_everything(random_placement(random, goats, 1, 0));
    }
}

TEST(MoveGeneration, TheStartHas21Placements) {
  const Position start;
  EXPECT_EQ(start.tigers(), points_bitboard("11 15 51 55"));
  EXPECT_EQ(start.goats_in_hand(), 20);
  EXPECT_EQ(start.side_to_move(), Side::Goat);
  EXPECT_EQ(board_legal_actions(start).size(), 21);
}

TEST(MoveGeneration, AGoatOnTheBoardStaysWhileOthersWait) {
  const Position position = parse_fen("B3B/5/2G2/5/B3B G 1").position;
  for (const Action action : board_legal_actions(position)) EXPECT_TRUE(is_placement(action));
}

TEST(MoveGeneration, NoStepOrJumpAlongADiagonalThatIsNotDrawn) {
  const Position position = parse_fen("1B3/2G2/5/B4/B3B B 1").position;
  const auto moves = engine_moves(position);
  EXPECT_THAT(moves, ::testing::Not(::testing::Contains("Bx1234")));
  EXPECT_THAT(moves, ::testing::Not(::testing::Contains("B1221")));
  EXPECT_THAT(moves, ::testing::IsSupersetOf({"B1211", "B1213", "B1222"}));
}

TEST(MoveGeneration, NeverOverATigerOrOverTwoGoats) {
  const auto moves = engine_moves(parse_fen("BGG2/B4/5/B4/4B B 2").position);
  for (const std::string& move : moves) EXPECT_NE(move[1], 'x') << move;
}

TEST(MoveGeneration, ListsNeverExceedTheirCapacity) {
  int most = 0;
  visit_random_placements(8, 200'000, [&](const Position& position) {
    most = std::max(most, count_board_legal_actions(position));
  });
  EXPECT_LE(most, kMaxLegalActions);
  EXPECT_GT(most, 20);
}

TEST(PositionKey, HoldsTheWholePosition) {
  visit_random_placements(9, 200'000, [](const Position& position) {
    ASSERT_EQ(Position::from_key(position.key()), position);
    ASSERT_EQ(position.key() >> 61, 0U);
  });
  const Position start;
  EXPECT_NE(start.key(), start.after(placement_action(12)).key());
  EXPECT_NE(Position(start.tigers(), 0, 20, 0, Side::Goat).key(),
            Position(start.tigers(), 0, 20, 0, Side::Tiger).key());
  EXPECT_NE(Position(start.tigers(), 0, 19, 1, Side::Goat).key(),
            Position(start.tigers(), 0, 18, 2, Side::Goat).key());
}

TEST(PositionKey, ASituationIgnoresWhoIsToMoveAndTheCounts) {
  const Bitboard tigers = kTigerStart;
  const Position one(tigers, bit(12), 19, 0, Side::Goat);
  const Position other(tigers, bit(12), 0, 4, Side::Tiger);
  EXPECT_EQ(one.situation(), other.situation());
  EXPECT_NE(one.situation(), Position(tigers, bit(13), 19, 0, Side::Goat).situation());
}

}  // namespace
}  // namespace baghzero
