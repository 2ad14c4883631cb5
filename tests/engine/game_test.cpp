#include "engine/game.h"

#include <algorithm>

#include "engine/notation.h"
#include "tests/engine/support.h"

namespace baghzero {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

void play(Game& game, std::initializer_list<const char*> moves) {
  for (const char* move : moves) game.play(parse_move(game.side_to_move(), move));
}

Action move_of(const Game& game, const char* move) { return parse_move(game.side_to_move(), move); }

Rules with(Repetition repetition) {
  Rules rules;
  rules.repetition = repetition;
  return rules;
}

// Four captured, sixteen goats in three rows and a bit, wide open corners: room to shuffle.
constexpr const char* kOpen = "BG2B/GGGGG/GGGGG/GGGGG/B3B G 20";

TEST(Game, StartsWithTheStandardPosition) {
  const Game game;
  EXPECT_EQ(game.position(), Position());
  EXPECT_EQ(game.legal().size(), 21);
  EXPECT_EQ(game.plies(), 0);
  EXPECT_EQ(game.goat_moves(), 0);
  EXPECT_EQ(game.outcome(), Outcome::Unfinished);
  EXPECT_EQ(game.termination(), Termination::None);
}

TEST(Game, CountsGoatMovesFromEitherSide) {
  Game game = game_from_fen("B3B/5/2G2/5/B3B B 5");
  EXPECT_EQ(game.goat_moves(), 5);
  play(game, {"B1122"});
  EXPECT_EQ(game.goat_moves(), 5);
  play(game, {"G11"});
  EXPECT_EQ(game.goat_moves(), 6);
  Game other = game_from_fen("B3B/5/2G2/5/B3B G 5");
  play(other, {"G12"});
  EXPECT_EQ(other.goat_moves(), 6);
  play(other, {"B1122"});
  EXPECT_EQ(other.goat_moves(), 6);
}

// ------------------------------------------------------------------------------ terminations

TEST(Game, FifthCaptureWinsAtOnce) {
  Game game = game_from_fen("B3B/1G3/3GG/GGGGG/BGGGB B 15");
  ASSERT_EQ(game.position().captured(), 4);
  ASSERT_FALSE(game.over());
  play(game, {"Bx1133"});
  EXPECT_EQ(game.termination(), Termination::Captures);
  EXPECT_EQ(game.outcome(), Outcome::TigersWin);
  EXPECT_TRUE(game.legal().empty());
}

TEST(Game, TheWinByCapturesComesBeforeABlockade) {
  // The fifth capture would also take the goats' last step away: a win by captures all the same.
  Rules rules;
  rules.captures_to_win = 1;
  const Position position = Position(kTigerStart, 0, 0, 1, Side::Goat);
  const Ending ending = ending_by_moves(position, rules, 0, 0);
  EXPECT_EQ(ending.termination, Termination::Captures);
  EXPECT_EQ(ending.outcome, Outcome::TigersWin);
}

TEST(Game, TigersWithoutAMoveLose) {
  const Game game = game_from_fen("GBGGB/GG1GG/GGG1G/GG1GG/BGGGB B 18");
  EXPECT_EQ(game.termination(), Termination::TigersBlocked);
  EXPECT_EQ(game.outcome(), Outcome::GoatsWin);
}

TEST(Game, ATigerThatCanOnlyJumpIsNotBlocked) {
  // 11 is surrounded, but may jump over 22 to 33.
  const Game game = game_from_fen("BGG2/GG3/G4/5/2BBB B 6");
  EXPECT_TRUE(game.legal().contains(move_of(game, "Bx1133")));
  EXPECT_FALSE(immobile_tigers(game.position()) & bit(0));
}

TEST(Game, SomeImmobileTigersMeanNothing) {
  const Game game = game_from_fen("BGG1B/GGG2/G1G2/5/B3B B 8");
  EXPECT_EQ(point_names(immobile_tigers(game.position())), std::vector<std::string>{"11"});
  EXPECT_FALSE(game.over());
}

TEST(Game, GoatsWithoutAMoveLose) {
  const Game game = game_from_fen("GGGGB/GGGB1/GGGGB/GGGGG/GGGBG G 20");
  EXPECT_EQ(game.termination(), Termination::GoatsBlocked);
  EXPECT_EQ(game.outcome(), Outcome::TigersWin);
}

TEST(Game, GoatsInHandAreNeverBlocked) {
  Rules rules;
  rules.goats = 21;
  Game game(rules, parse_fen("GGGGB/GGGB1/GGGGB/GGGGG/GGGBG G 20", rules).position, 20);
  EXPECT_FALSE(game.over());
  play(game, {"G25"});
  EXPECT_EQ(game.termination(), Termination::TigersBlocked);
}

// -------------------------------------------------------------------------------- repetition

TEST(Repetition, ForbiddenBarsAnEarlierSituationForEitherSide) {
  Game game = game_from_fen(kOpen);
  play(game, {"G1213", "B5152", "G1312"});
  const Action back = move_of(game, "B5251");
  EXPECT_FALSE(game.legal().contains(back));
  EXPECT_TRUE(game.is_barred(back));
  EXPECT_EQ(game.why_illegal(back), "it repeats an earlier situation");
  EXPECT_THAT([&] { game.play(back); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("repeats an earlier situation")));
  play(game, {"B5253"});

  // Now goats: tigers went 51-52-53 and could go back; goats may not restore.
  Game tigers_first = game_from_fen("BG2B/GGGGG/GGGGG/GGGGG/B3B B 20");
  play(tigers_first, {"B5152", "G1213", "B5251"});
  EXPECT_FALSE(tigers_first.legal().contains(move_of(tigers_first, "G1312")));
  EXPECT_TRUE(tigers_first.legal().contains(move_of(tigers_first, "G1314")));
}

TEST(Repetition, WhoIsToMoveDoesNotMatter) {
  // A tiger walks the triangle 55-54-44 while a goat goes out and back: the situation is the first
  // one again, with the other side to move.
  Game game = game_from_fen("BG2B/GGGGG/GGGGG/GGG1G/BG2B B 20");
  play(game, {"B5554", "G1213", "B5444", "G1312"});
  const Action home = move_of(game, "B4455");
  const Position back = game.position().after(home);
  EXPECT_EQ(back.situation(), game.start().situation());
  EXPECT_NE(back.side_to_move(), game.start().side_to_move());
  EXPECT_TRUE(game.is_barred(home));
}

TEST(Repetition, ThreefoldDrawsAtTheThirdOccurrence) {
  Game game = game_from_fen(kOpen, with(Repetition::Threefold));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(game.occurrences(game.position()), round + 1);
    play(game, {"G1213", "B5152", "G1312"});
    EXPECT_FALSE(game.over());
    EXPECT_FALSE(game.is_barred(move_of(game, "B5251")));
    play(game, {"B5251"});
  }
  EXPECT_EQ(game.termination(), Termination::Repetition);
  EXPECT_EQ(game.outcome(), Outcome::Draw);
  EXPECT_EQ(game.plies(), 8);
}

TEST(Repetition, OffAllowsAnyNumber) {
  Rules rules = with(Repetition::Off);
  rules.no_capture_limit = rules.max_plies = kNoLimit;
  Game game = game_from_fen(kOpen, rules);
  for (int round = 0; round < 100; ++round) play(game, {"G1213", "B5152", "G1312", "B5251"});
  EXPECT_FALSE(game.over());
  EXPECT_EQ(game.occurrences(game.position()), 101);
}

TEST(Repetition, SituationsCountFromTheLastPlacement) {
  // During placement a tiger may come and go; the position after the last placement is the first.
  Game game = game_from_fen("BG2B/GGGGG/GGGGG/GGG2/B3B G 18");
  play(game, {"G44"});
  EXPECT_TRUE(game.repetition_window().empty());
  play(game, {"B5152"});
  EXPECT_TRUE(game.repetition_window().empty());
  EXPECT_EQ(game.plies_without_capture(), 0);
  play(game, {"G45"});
  ASSERT_EQ(game.repetition_window().size(), 1U);
  EXPECT_EQ(game.plies_without_capture(), 0);
  play(game, {"B5251"});
  EXPECT_EQ(game.repetition_window().size(), 2U);
  EXPECT_EQ(game.plies_without_capture(), 1);
}

TEST(Repetition, ACaptureBeginsAnew) {
  Game game = game_from_fen("BG2B/GGGGG/GGGGG/GGG1G/BGG1B B 20");
  play(game, {"B5554", "G1213", "B1112", "G1314"});
  EXPECT_EQ(game.repetition_window().size(), 5U);
  EXPECT_EQ(game.plies_without_capture(), 4);
  play(game, {"Bx1513"});
  ASSERT_EQ(game.repetition_window().size(), 1U);
  EXPECT_EQ(game.repetition_window()[0], game.position());
  EXPECT_EQ(game.plies_without_capture(), 0);
}

TEST(Repetition, ExhaustedIsItsOwnEnd) {
  // Random games on crowded boards until each side has been left with barred moves only.
  Random random(41);
  int tigers_exhausted = 0;
  int goats_exhausted = 0;
  for (int i = 0; i < 20'000 && (tigers_exhausted == 0 || goats_exhausted == 0); ++i) {
    Game game({}, random_placement(random, 20, 0, 0), 20);
    while (!game.over()) game.play(random_action(game.legal(), random));
    if (game.termination() != Termination::RepetitionExhausted) continue;
    const bool tigers = game.side_to_move() == Side::Tiger;
    (tigers ? tigers_exhausted : goats_exhausted) += 1;
    EXPECT_EQ(game.outcome(), tigers ? Outcome::GoatsWin : Outcome::TigersWin);
    const ActionList moves = board_legal_actions(game.position());
    EXPECT_FALSE(moves.empty());
    for (const Action action : moves) EXPECT_TRUE(game.is_barred(action));
  }
  EXPECT_GT(tigers_exhausted, 0);
  EXPECT_GT(goats_exhausted, 0);
}

// ------------------------------------------------------------------------------------ limits

TEST(Limits, NoCaptureCountsPliesOfTheMovementPhase) {
  Rules rules = with(Repetition::Off);
  rules.no_capture_limit = 7;
  Game game = game_from_fen(kOpen, rules);
  play(game, {"G1213", "B5152", "G1312", "B5251", "G1213", "B5152"});
  EXPECT_FALSE(game.over());
  EXPECT_EQ(game.plies_without_capture(), 6);
  play(game, {"G1312"});
  EXPECT_EQ(game.termination(), Termination::NoCaptureLimit);
  EXPECT_EQ(game.outcome(), Outcome::Draw);
}

TEST(Limits, PlacementsDoNotCountTowardsNoCapture) {
  Rules rules;
  rules.no_capture_limit = 1;
  Game game(rules);
  play(game, {"G33", "B1122", "G44"});
  EXPECT_FALSE(game.over());
  EXPECT_EQ(game.plies_without_capture(), 0);
}

TEST(Limits, MaxPliesEndsTheGameInAnyPhase) {
  Rules rules;
  rules.max_plies = 3;
  Game game(rules);
  play(game, {"G33", "B1122"});
  EXPECT_FALSE(game.over());
  play(game, {"G44"});
  EXPECT_EQ(game.termination(), Termination::MaxPlies);
  EXPECT_EQ(game.outcome(), Outcome::Draw);
}

TEST(Limits, ARealEndComesFirst) {
  Rules rules;
  rules.max_plies = 2;
  rules.captures_to_win = 1;
  Game game(rules);
  play(game, {"G22", "Bx1133"});
  EXPECT_EQ(game.termination(), Termination::Captures);
}

// -------------------------------------------------------------------------------------- play

TEST(Play, IllegalMovesSayWhy) {
  const Game start;
  const auto why = [](const Game& game, Action action) { return game.why_illegal(action); };
  EXPECT_EQ(why(start, placement_action(12)), "");
  EXPECT_EQ(why(start, placement_action(0)), "the target point is not empty");
  EXPECT_EQ(why(start, kNoAction), "no such action");
  EXPECT_EQ(why(start, step_action(0, 1)), "goats move only after all of them have been placed");

  const Game tigers = game_from_fen("B3B/1G3/5/5/B3B B 1");
  EXPECT_EQ(why(tigers, placement_action(12)), "it is the tigers' turn");
  EXPECT_EQ(why(tigers, step_action(1, 2)), "no tiger stands on the first point");
  EXPECT_EQ(why(tigers, step_action(0, 6)), "the target point is not empty");
  EXPECT_EQ(why(tigers, jump_action(0, 2)), "there is no goat to jump over");
  EXPECT_EQ(why(tigers, jump_action(0, 12)), "");

  const Game moving = game_from_fen(kOpen);
  EXPECT_EQ(why(moving, placement_action(2)), "all goats have been placed");
  EXPECT_EQ(why(moving, jump_action(1, 3)), "goats never jump");
  EXPECT_EQ(why(moving, step_action(2, 3)), "no goat stands on the first point");
  EXPECT_EQ(why(moving, step_action(1, 0)), "the target point is not empty");

  Game game;
  EXPECT_THAT([&] { game.play(placement_action(0)); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("illegal move: the target point is not empty")));
  EXPECT_EQ(game.plies(), 0);
}

TEST(Play, UndoRestoresEverything) {
  Random random(42);
  for (int i = 0; i < 300; ++i) {
    Rules rules;
    rules.repetition = static_cast<Repetition>(random.below(3));
    rules.no_capture_limit = 1 + static_cast<int>(random.below(40));
    Game game(rules);
    std::vector<Game> snapshots;
    while (!game.over()) {
      snapshots.push_back(game);
      game.play(random_action(game.legal(), random));
    }
    while (!snapshots.empty()) {
      game.undo();
      const Game& before = snapshots.back();
      ASSERT_EQ(game.position(), before.position());
      ASSERT_EQ(game.plies(), before.plies());
      ASSERT_EQ(game.goat_moves(), before.goat_moves());
      ASSERT_TRUE(std::ranges::equal(game.legal(), before.legal()));
      ASSERT_EQ(game.termination(), Termination::None);
      ASSERT_EQ(game.outcome(), Outcome::Unfinished);
      ASSERT_EQ(game.plies_without_capture(), before.plies_without_capture());
      ASSERT_EQ(game.repetition_window().size(), before.repetition_window().size());
      snapshots.pop_back();
    }
    EXPECT_THROW(game.undo(), std::logic_error);
  }
}

TEST(Play, UndoBringsCapturedGoatsAndGoatsInHandBack) {
  Game game;
  play(game, {"G22", "Bx1133"});
  EXPECT_EQ(game.position().captured(), 1);
  game.undo();
  EXPECT_EQ(game.position().captured(), 0);
  EXPECT_EQ(game.position().goats(), bit(6));
  game.undo();
  EXPECT_EQ(game.position(), Position());
}

TEST(Play, AForfeitIsAVerdictAgainstWhoForfeits) {
  Game game;
  game.forfeit(Side::Goat);
  EXPECT_EQ(game.outcome(), Outcome::TigersWin);
  EXPECT_EQ(game.termination(), Termination::Forfeit);
  EXPECT_TRUE(game.legal().empty());
  EXPECT_THROW(game.forfeit(Side::Goat), std::logic_error);
  Game judged;
  judged.adjudicate(Outcome::GoatsWin);
  EXPECT_THROW(judged.forfeit(Side::Goat), std::logic_error);
  judged.forfeit(Side::Tiger);
  EXPECT_EQ(judged.termination(), Termination::Forfeit);
}

TEST(Play, AdjudicationEndsAnUnfinishedGameOnly) {
  Game game;
  EXPECT_THROW(game.adjudicate(Outcome::Unfinished), std::logic_error);
  game.play(placement_action(12));
  game.adjudicate(Outcome::GoatsWin);
  EXPECT_TRUE(game.over());
  EXPECT_EQ(game.termination(), Termination::Adjudicated);
  EXPECT_TRUE(game.legal().empty());
  EXPECT_THROW(game.adjudicate(Outcome::Draw), std::logic_error);
  game.undo();
  EXPECT_FALSE(game.over());
  EXPECT_EQ(game.legal().size(), 21);
}

// ------------------------------------------------------------------------------------- rules

TEST(Variants, CapturesToWin) {
  Rules rules;
  rules.captures_to_win = 2;
  Game game(rules);
  play(game, {"G22", "Bx1133", "G34"});
  EXPECT_FALSE(game.over());
  play(game, {"Bx3335"});
  EXPECT_EQ(game.termination(), Termination::Captures);
}

TEST(Variants, FewerGoats) {
  Rules rules;
  rules.goats = 1;
  rules.captures_to_win = 1;
  Game game(rules);
  EXPECT_EQ(game.position().goats_in_hand(), 1);
  play(game, {"G33", "B1112"});
  EXPECT_FALSE(game.position().in_placement());
  for (const Action action : game.legal()) EXPECT_EQ(action_info(action).kind, ActionKind::Step);
  EXPECT_EQ(game.legal().size(), 8);
}

TEST(Variants, SenselessRulesAreRefusedByName) {
  const auto message = [](auto change) {
    Rules rules;
    change(rules);
    try {
      Game game(rules);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message([](Rules&) {}), "");
  EXPECT_EQ(message([](Rules& r) { r.goats = 0; }),
            "rules.goats is 0, but must lie between 1 and 21");
  EXPECT_EQ(message([](Rules& r) { r.goats = 22; }),
            "rules.goats is 22, but must lie between 1 and 21");
  EXPECT_EQ(message([](Rules& r) { r.captures_to_win = 0; }),
            "rules.captures_to_win is 0, but must lie between 1 and 20");
  EXPECT_EQ(message([](Rules& r) { r.goats = 4; }),
            "rules.captures_to_win is 5, but must lie between 1 and 4");
  EXPECT_EQ(message([](Rules& r) { r.no_capture_limit = 0; }),
            "rules.no_capture_limit is 0, but must lie between 1 and 1000000");
  EXPECT_EQ(message([](Rules& r) { r.max_plies = -5; }),
            "rules.max_plies is -5, but must lie between 1 and 1000000");
}

TEST(Variants, NamesSurviveWritingAndReading) {
  for (const auto value : {Repetition::Forbidden, Repetition::Threefold, Repetition::Off})
    EXPECT_EQ(repetition_from_string(to_string(value)), value);
  for (int i = 0; i <= static_cast<int>(Termination::Forfeit); ++i)
    EXPECT_EQ(termination_from_string(to_string(static_cast<Termination>(i))),
              static_cast<Termination>(i));
  for (int i = 0; i <= static_cast<int>(Outcome::Draw); ++i)
    EXPECT_EQ(outcome_from_string(to_string(static_cast<Outcome>(i))), static_cast<Outcome>(i));
  EXPECT_EQ(to_string(Termination::RepetitionExhausted), "repetition_exhausted");
  EXPECT_EQ(to_string(Side::Tiger), "tiger");
  EXPECT_THAT([] { repetition_from_string("sometimes"); },
              ThrowsMessage<std::invalid_argument>(
                  "unknown repetition rule \"sometimes\"; known are forbidden, threefold, off"));
  EXPECT_THROW(termination_from_string("Captures"), std::invalid_argument);
  EXPECT_THROW(outcome_from_string(""), std::invalid_argument);
}

}  // namespace
}  // namespace baghzero
