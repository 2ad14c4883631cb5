#include "engine/notation.h"

#include "tests/engine/support.h"

namespace baghzero {
namespace {

using namespace testing_support;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Refusal {
  const char* text;
  const char* fault;
};

// ------------------------------------------------------------------------------------- moves

TEST(MoveText, TheFourForms) {
  EXPECT_EQ(format_move(Side::Goat, placement_action(12)), "G33");
  EXPECT_EQ(format_move(Side::Goat, step_action(12, 18)), "G3344");
  EXPECT_EQ(format_move(Side::Tiger, step_action(0, 6)), "B1122");
  EXPECT_EQ(format_move(Side::Tiger, jump_action(0, 10)), "Bx1131");
}

TEST(MoveText, EveryActionSurvivesWritingAndReading) {
  int forms = 0;
  for (int a = 0; a < kActionCount; ++a) {
    const auto action = static_cast<Action>(a);
    if (!is_placement(action)) {
      EXPECT_EQ(parse_move(Side::Tiger, format_move(Side::Tiger, action)), action);
      ++forms;
    }
    if (!is_jump(action)) {
      EXPECT_EQ(parse_move(Side::Goat, format_move(Side::Goat, action)), action);
      ++forms;
    }
  }
  EXPECT_EQ(forms, 25 + 112 + 112 + 80);
}

struct BadMove {
  Side side;
  const char* text;
  const char* fault;
};

TEST(MoveText, RefusalsNameTheTextAndTheFault) {
  const BadMove cases[] = {
      {Side::Goat, "", "must begin with G (goat) or B (tiger)"},
      {Side::Goat, "g33", "must begin with G (goat) or B (tiger)"},
      {Side::Goat, "33", "must begin with G (goat) or B (tiger)"},
      {Side::Goat, "B1122", "goats are to move"},
      {Side::Tiger, "G33", "tigers are to move"},
      {Side::Goat, "Gx1131", "goats never capture"},
      {Side::Goat, "G3", "the forms are"},
      {Side::Goat, "G333", "the forms are"},
      {Side::Goat, "G33445", "the forms are"},
      {Side::Tiger, "B33", "the forms are"},
      {Side::Tiger, "Bx33", "the forms are"},
      {Side::Tiger, "Bxx1131", "the forms are"},
      {Side::Goat, "G06", "points are named by row and column"},
      {Side::Goat, "G61", "points are named by row and column"},
      {Side::Goat, "Gab", "points are named by row and column"},
      {Side::Tiger, "B1116", "points are named by row and column"},
      {Side::Tiger, "B1111", "no line joins 11 to 11"},
      {Side::Tiger, "B1155", "no line joins 11 to 55"},
      {Side::Tiger, "B1221", "no line joins 12 to 21"},
      {Side::Goat, "G1131", "no line joins 11 to 31"},
      {Side::Tiger, "B1131", "no line joins 11 to 31 directly; a capture is written Bx"},
      {Side::Tiger, "Bx1122", "no line allows a jump from 11 to 22"},
      {Side::Tiger, "Bx1234", "no line allows a jump from 12 to 34"},
  };
  for (const BadMove& bad : cases)
    EXPECT_THAT([&] { parse_move(bad.side, bad.text); },
                ThrowsMessage<std::invalid_argument>(
                    AllOf(HasSubstr('"' + std::string(bad.text) + '"'), HasSubstr(bad.fault))))
        << bad.text;
}

// --------------------------------------------------------------------------------------- FEN

TEST(Fen, TheStart) {
  EXPECT_EQ(format_fen(Game()), "B3B/5/5/5/B3B G 0");
  const FenPosition start = parse_fen("B3B/5/5/5/B3B G 0");
  EXPECT_EQ(start.position, Position());
  EXPECT_EQ(start.goat_moves, 0);
}

TEST(Fen, CountsFollowFromTheNumberOfGoatMoves) {
  const FenPosition placing = parse_fen("B3B/5/2G2/5/B3B B 3");
  EXPECT_EQ(placing.position.goats_in_hand(), 17);
  EXPECT_EQ(placing.position.captured(), 2);
  EXPECT_EQ(placing.position.side_to_move(), Side::Tiger);
  EXPECT_EQ(placing.position.goats(), bit(12));
  // At the twentieth placement, and long after it.
  for (const int moves : {20, 21, 250}) {
    const FenPosition moving = parse_fen("GGG1G/GBGGG/G3G/GBGBG/GGBG1 G " + std::to_string(moves));
    EXPECT_EQ(moving.position.goats_in_hand(), 0);
    EXPECT_EQ(moving.position.captured(), 4);
    EXPECT_EQ(moving.goat_moves, moves);
  }
  const FenPosition last = parse_fen("GGG1G/GBGGG/G3G/GBGBG/GGBG1 G 19");
  EXPECT_EQ(last.position.goats_in_hand(), 1);
  EXPECT_EQ(last.position.captured(), 3);
}

TEST(Fen, RandomPositionsSurviveWritingAndReading) {
  Random random(21);
  for (int i = 0; i < 100'000; ++i) {
    const Position position = random_position(random);
    const int goat_moves = position.in_placement() ? 20 - position.goats_in_hand()
                                                   : 20 + static_cast<int>(random.below(300));
    const std::string text = format_fen(position, goat_moves);
    const FenPosition read = parse_fen(text);
    ASSERT_EQ(read.position, position) << text;
    ASSERT_EQ(read.goat_moves, goat_moves);
  }
}

TEST(Fen, OtherRulesChangeTheCounts) {
  Rules rules;
  rules.goats = 15;
  rules.captures_to_win = 3;
  const FenPosition read = parse_fen("B3B/5/2G2/5/B3B B 3", rules);
  EXPECT_EQ(read.position.goats_in_hand(), 12);
  EXPECT_EQ(read.position.captured(), 2);
  EXPECT_THAT([&] { parse_fen("B3B/5/5/5/B3B B 4", rules); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("4 goats captured")));
  EXPECT_NO_THROW(parse_fen("B3B/5/5/5/B3B B 4"));
}

TEST(Fen, RefusalsNameTheTextAndTheFault) {
  const Refusal cases[] = {
      {"", "1 field given"},
      {"B3B/5/5/5/B3B", "1 field given"},
      {"B3B/5/5/5/B3B G", "2 fields given"},
      {"B3B/5/5/5/B3B G 0 x", "4 fields given"},
      {" B3B/5/5/5/B3B G 0", "4 fields given"},
      {"B3B/5/5/B3B G 0", "4 rows given, but the board has 5"},
      {"B3B/5/5/5/5/B3B G 0", "6 rows given, but the board has 5"},
      {"B3B/5/5/5/B3B/ G 0", "6 rows given, but the board has 5"},
      {"B3B/4/5/5/B3B G 0", "row 2 has 4 points instead of 5"},
      {"B3B/5/6/5/B3B G 0", "row 3 has 6 points instead of 5"},
      {"B3B/5//5/B3B G 0", "row 3 has 0 points instead of 5"},
      {"B3BG/5/5/5/B3B G 1", "row 1 has 6 points instead of 5"},
      {"B3B/5/5/1/B3B G 0", "row 4 has 1 point instead of 5"},
      {"B3B/5/2T2/5/B3B G 0", "\"T\" in row 3"},
      {"b3b/5/5/5/b3b G 0", "\"b\" in row 1"},
      {"B3B/5/05/5/B3B G 0", "\"0\" in row 3"},
      {"B3B/5/5/5/B4 G 0", "3 tigers on the board, but there are always 4"},
      {"B3B/5/2B2/5/B3B G 0", "5 tigers on the board, but there are always 4"},
      {"5/5/5/5/5 G 0", "0 tigers on the board"},
      {"B3B/5/5/5/B3B T 0", "the side to move is \"T\""},
      {"B3B/5/5/5/B3B g 0", "the side to move is \"g\""},
      {"B3B/5/5/5/B3B  0", "the side to move is \"\""},
      {"B3B/5/5/5/B3B G -1", "the number of goat moves, \"-1\", is negative"},
      {"B3B/5/5/5/B3B G x", "the number of goat moves is \"x\", which is not a number"},
      {"B3B/5/5/5/B3B G ", "the number of goat moves is \"\", which is not a number"},
      {"B3B/5/5/5/B3B G 1.5", "the number of goat moves is \"1.5\", which is not a number"},
      {"B3B/5/5/5/B3B G +1", "the number of goat moves is \"+1\", which is not a number"},
      {"B3B/5/5/5/B3B G 99999999999", "the number of goat moves, \"99999999999\", is too large"},
      {"B3B/5/2G2/5/B3B G 0",
       "1 goat on the board, but only 0 can have been placed in 0 goat moves"},
      {"BGGGB/5/2G2/5/B3B G 3", "4 goats on the board, but only 3 can have been placed"},
      {"GGGGG/GGGGG/GGGGG/GGGGG/GBBBB G 30",
       "21 goats on the board, but only 20 can have been placed"},
      {"B3B/5/5/5/B3B G 6", "6 goats captured (6 placed, 0 on the board), but 5 end the game"},
      {"B3B/5/2G2/5/B3B G 40", "19 goats captured"},
  };
  for (const Refusal& bad : cases)
    EXPECT_THAT([&] { parse_fen(bad.text); },
                ThrowsMessage<std::invalid_argument>(
                    AllOf(HasSubstr('"' + std::string(bad.text) + '"'), HasSubstr(bad.fault))))
        << bad.text;
}

TEST(Fen, QuotesNoMoreThanPeopleCanRead) {
  const std::string binary("B3B/\0\x1b[2J\xff", 10);
  EXPECT_THAT([&] { parse_fen(binary); }, ThrowsMessage<std::invalid_argument>(HasSubstr(
                                              R"(FEN "B3B/\x00\x1b[2J\xff": 1 field given)")));
  const std::string huge(1'000'000, 'B');
  for (const std::string& text :
       {huge, huge + " G 0", "B3B/5/5/5/B3B " + huge + " 0", "B3B/5/5/5/B3B G " + huge,
        "B3B/5/5/5/B3B G " + std::string(999, '9')}) {
    std::string message;
    try {
      parse_fen(text);
    } catch (const std::invalid_argument& error) {
      message = error.what();
    }
    EXPECT_THAT(message, HasSubstr("...\""));
    EXPECT_LT(message.size(), 400U);
  }
}

TEST(Fen, AGameStartsThere) {
  const Game game = game_from_fen("B3B/5/5/5/BG2B B 1");
  EXPECT_EQ(game.goat_moves(), 1);
  EXPECT_EQ(game.side_to_move(), Side::Tiger);
  EXPECT_EQ(format_fen(game), "B3B/5/5/5/BG2B B 1");
  const Game won = game_from_fen("B3B/5/5/5/B3B G 5");
  EXPECT_TRUE(won.over());
  EXPECT_EQ(won.termination(), Termination::Captures);
}

// ---------------------------------------------------------------------------------- game text

TEST(GameText, WritesNumbersMarksAndResults) {
  Game game;
  EXPECT_EQ(format_game(game), "*");
  for (const char* move : {"G33", "B1122", "G44"}) game.play(parse_move(game.side_to_move(), move));
  EXPECT_EQ(format_game(game), "1. G33 B1122 2. G44 *");
  game.adjudicate(Outcome::Draw);
  EXPECT_EQ(format_game(game), "1. G33 B1122 2. G44 1/2-1/2");
}

TEST(GameText, AnEndByTheRulesIsMarked) {
  Rules rules;
  rules.captures_to_win = 1;
  const Game game = parse_game("1. G22 Bx1133", rules);
  EXPECT_EQ(game.termination(), Termination::Captures);
  EXPECT_EQ(format_game(game), "1. G22 Bx1133# 0-1");
}

TEST(GameText, ReadsWhiteSpaceTagsCommentsAndMissingMarks) {
  const char* const texts[] = {
      "1. G33 B1122 2. G44 *",
      "1. G33 B1122 2. G44",
      "  1.G33   B1122\r\n\t2.G44\n",
      "G33 B1122 G44",
      "1. G33 1... B1122 2. G44",
      "[Event \"a [bracket] and {brace}\"]\n[Site\t\"here\"]\n\n1. G33 {centre} B1122 2. G44 *",
      "{a comment. 1. G11} 1. G33{no space}B1122 2. G44",
      "[Result \"*\"]1. G33 B1122 2. G44 *",
  };
  for (const char* const text : texts) {
    SCOPED_TRACE(text);
    const Game game = parse_game(text);
    EXPECT_EQ(format_game(game), "1. G33 B1122 2. G44 *");
  }
  EXPECT_EQ(parse_game("").plies(), 0);
  EXPECT_EQ(parse_game("*").plies(), 0);
}

TEST(GameText, AResultWithoutMarkAdjudicates) {
  const Game game = parse_game("1. G33 B1122 0-1");
  EXPECT_EQ(game.termination(), Termination::Adjudicated);
  EXPECT_EQ(game.outcome(), Outcome::TigersWin);
  EXPECT_EQ(format_game(game), "1. G33 B1122 0-1");
}

TEST(GameText, OtherStartsAreCarriedAsFen) {
  const char* const goats_first = "[FEN \"B3B/5/2G2/5/B3B G 1\"]\n2. G44 B1122 3. G11 *";
  EXPECT_EQ(format_game(parse_game(goats_first)), goats_first);
  const char* const tigers_first = "[FEN \"B3B/5/2G2/5/B3B B 1\"]\n1... B1122 2. G44 *";
  EXPECT_EQ(format_game(parse_game(tigers_first)), tigers_first);
  const char* const no_moves = "[FEN \"B3B/5/2G2/5/B3B B 1\"]\n*";
  EXPECT_EQ(format_game(parse_game(no_moves)), no_moves);
  const char* const ended = "[FEN \"B3B/5/5/5/B3B G 5\"]\n# 0-1";
  EXPECT_EQ(format_game(parse_game(ended)), ended);
  EXPECT_EQ(parse_game(ended).termination(), Termination::Captures);
}

TEST(GameText, RefusalsNameTheMoveAndTheReason) {
  const Refusal cases[] = {
      {"1. G33 B1122 2. G22", "in move 2, G22 is illegal: the target point is not empty"},
      {"1. G33 B1122 2. B1524", "in move 2, move \"B1524\": goats are to move"},
      {"1. G33 G44", "in move 1, move \"G44\": tigers are to move"},
      {"1. G33 B1122 2. G3344", "in move 2, G3344 is illegal: goats move only after all"},
      {"1. G33 B2223", "in move 1, B2223 is illegal: no tiger stands on the first point"},
      {"1. G33 Bx1133", "in move 1, Bx1133 is illegal: the target point is not empty"},
      {"1. G44 Bx1133", "in move 1, Bx1133 is illegal: there is no goat to jump over"},
      {"1. G33 hello", "in move 1, move \"hello\": it must begin with G"},
      {"1. G33 B1122!", "in move 1, move \"B1122!\": the forms are"},
      {"1. G33 B1122#", "the end is marked #, but the rules do not end the game there"},
      {"1. G33 B1122 # 0-1", "the end is marked #, but the rules do not end the game there"},
      {"1. G33# B1122", "\"B1122\" follows the end mark #"},
      {"1. G33 * B1122", "\"B1122\" follows the result *"},
      {"1. G33 0-1 1-0", "\"1-0\" follows the result 0-1"},
      {"1. G33 {open", "a comment is not closed"},
      {"[Event \"open] 1. G33", "the value of a tag pair is not closed"},
      {"[Event \"x\" 1. G33", "tag pair Event is not closed"},
      {"[Event x] 1. G33", "a tag pair must have the form [Name \"value\"]"},
      {"[", "a tag pair must have the form [Name \"value\"]"},
      {"1. G33 [FEN \"B3B/5/5/5/B3B G 0\"]", "the FEN tag pair must stand before the moves"},
      {"[FEN \"B3B/5/5/B3B G 0\"] 1. G33", "4 rows given"},
  };
  for (const Refusal& bad : cases)
    EXPECT_THAT([&] { parse_game(bad.text); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(bad.fault)))
        << bad.text;
}

TEST(GameText, AResultAgainstTheRulesIsRefused) {
  Rules rules;
  rules.captures_to_win = 1;
  for (const char* const result : {"1-0", "1/2-1/2", "*"})
    EXPECT_THAT([&] { parse_game("1. G22 Bx1133# " + std::string(result), rules); },
                ThrowsMessage<std::invalid_argument>(
                    HasSubstr("the result is given as " + std::string(result) +
                              ", but by the rules it is 0-1 (captures)")));
  EXPECT_THAT([&] { parse_game("1. G22 Bx1133 2. G22", rules); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("in move 2, G22 is illegal: the game is over (captures)")));
}

TEST(GameText, ABarredRepetitionIsNamed) {
  EXPECT_THAT(
      [] {
        parse_game(
            "[FEN \"BG2B/GGGGG/GGGGG/GGGGG/B3B G 20\"]\n"
            "21. G1213 B5152 22. G1312 B5251");
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("in move 22, B5251 is illegal: it repeats an earlier situation")));
}

TEST(GameText, RandomGamesSurviveWritingAndReading) {
  Random random(22);
  for (int i = 0; i < 500; ++i) {
    Rules rules;
    rules.repetition = static_cast<Repetition>(random.below(3));
    rules.max_plies = 1 + static_cast<int>(random.below(200));
    Game game(rules);
    while (!game.over() && random.below(200) != 0) game.play(random_action(game.legal(), random));
    const std::string text = format_game(game);
    const Game read = parse_game(text, rules);
    ASSERT_EQ(read.position(), game.position()) << text;
    ASSERT_EQ(read.termination(), game.termination());
    ASSERT_EQ(format_game(read), text);
  }
}

// ------------------------------------------------------------------------------------ drawing

TEST(Drawing, Ascii) {
  EXPECT_EQ(draw_board(parse_fen("B3B/1G3/5/5/B3B B 2").position, false),
            "  1   2   3   4   5\n"
            "1 B---+---+---+---B\n"
            "  | \\ | / | \\ | / |\n"
            "2 +---G---+---+---+\n"
            "  | / | \\ | / | \\ |\n"
            "3 +---+---+---+---+\n"
            "  | \\ | / | \\ | / |\n"
            "4 +---+---+---+---+\n"
            "  | / | \\ | / | \\ |\n"
            "5 B---+---+---+---B\n"
            "tigers to move, 18 in hand, 1 captured\n");
}

TEST(Drawing, Unicode) {
  const std::string drawing = draw_board(Position());
  EXPECT_THAT(drawing, HasSubstr("1 B───┬───┬───┬───B\n  │ ╲ │ ╱ │ ╲ │ ╱ │\n"));
  EXPECT_THAT(drawing, HasSubstr("3 ├───┼───┼───┼───┤\n"));
  EXPECT_THAT(drawing, HasSubstr("5 B───┴───┴───┴───B\n"));
  EXPECT_THAT(drawing, HasSubstr("goats to move, 20 in hand, 0 captured\n"));
}

}  // namespace
}  // namespace baghzero
