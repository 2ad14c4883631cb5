#include "play/terminal_game.h"

#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/notation.h"
#include "engine/random.h"

namespace baghzero {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string screen(const std::string& typed, TerminalGameSettings settings = {}) {
  std::istringstream in(typed);
  std::ostringstream out;
  settings.unicode = false;
  if (settings.visits > 50) settings.visits = 50;
  auto analyst = std::make_unique<Analyst>(
      SearchSettings{}, [] { return std::make_unique<UniformEvaluator>(); }, 1);
  TerminalGame(in, out, std::move(analyst), "the engine", settings).run();
  return out.str();
}

std::string screen_of_two(const std::string& typed, const Rules& rules = {}) {
  return screen(typed, {.rules = rules, .persons = Persons::Both});
}

TEST(TerminalGame, DrawsTheBoardWithCountsAndCoordinates) {
  EXPECT_THAT(screen_of_two("quit\n"),
              AllOf(HasSubstr("  1   2   3   4   5\n1 B---+---+---+---B\n  | \\ | / | \\ | / |"),
                    HasSubstr("goats to move, 20 in hand, 0 captured"), HasSubstr("goats> ")));
}

TEST(TerminalGame, UnderstandsMovesInEveryForm) {
  EXPECT_THAT(
      screen_of_two("12\n1113\ngame\n"),
      AllOf(HasSubstr("1. G12 Bx1113 *"), HasSubstr("20 in hand"), HasSubstr("1 captured")));
  EXPECT_THAT(screen_of_two("g33\nb1112\nG34\n12-11\ngame\n"),
              HasSubstr("1. G33 B1112 2. G34 B1211 *"));
}

TEST(TerminalGame, AWrongEntryCostsNothingAndIsToldWhy) {
  const std::string text =
      screen_of_two("11\nG99\nhello\n3334\n33\n33\n1155\n1133\n12\nBx1131\ngame\n");
  for (const char* fault :
       {"target point is not empty", "99", "\"hello\" is not understood",
        "goats move only after all of them have been placed", "none of your pieces stands on 33",
        "1155", "1133", "none of your pieces stands on 12", "no goat to jump over"})
    EXPECT_THAT(text, HasSubstr(fault));
  EXPECT_THAT(text, HasSubstr("1. G33 *"));
}

TEST(TerminalGame, ShowsWhereAPieceCanGo) {
  const std::string text = screen_of_two("12\n11\nquit\n");
  // Around the tiger on 11: a goat on 12 to be jumped to 13, steps to 21 and 22.
  EXPECT_THAT(text, HasSubstr("1 B---G---*---+---B\n  | \\ | / | \\ | / |\n2 *---*---+---+---+"));
  EXPECT_THAT(screen_of_two("33\n1112\n33\n"), HasSubstr("must wait until all goats"));
}

TEST(TerminalGame, UndoTakesBackThePersonsMoveAndTheReply) {
  EXPECT_THAT(screen_of_two("33\n1112\nundo\ngame\n"), HasSubstr("1. G33 *"));
  EXPECT_THAT(screen_of_two("undo\n"), HasSubstr("no move has been made"));
  EXPECT_THAT(screen("33\nundo\ngame\n"), HasSubstr("goats> *\nB3B/5/5/5/B3B G 0"));
}

TEST(TerminalGame, TheEngineAnswersHintsAndChangesSide) {
  EXPECT_THAT(screen("33\n"), HasSubstr("tigers play B"));
  EXPECT_THAT(screen("", {.persons = Persons::Tigers}),
              AllOf(HasSubstr("goats play G"), HasSubstr("tigers> ")));
  EXPECT_THAT(screen_of_two("12\nhint\n"), HasSubstr("loss"));
  EXPECT_THAT(screen("side tiger\n"), HasSubstr("goats play G"));
  EXPECT_THAT(screen("side west\nlevel 0\nlevel 30\n"),
              AllOf(HasSubstr("goat, tiger or both"), HasSubstr("a level is a number"),
                    HasSubstr("now thinks for 30")));
}

TEST(TerminalGame, AnnouncesTheEndAndGoesOn) {
  Rules rules;
  rules.captures_to_win = 1;
  const std::string text = screen_of_two("12\n1113\n33\nhint\nundo\ngame\nnew\ngame\n", rules);
  EXPECT_THAT(text, AllOf(HasSubstr("the tigers win: enough goats have been captured"),
                          HasSubstr("new, undo or quit> "), HasSubstr("the game is over"),
                          HasSubstr("1. G12 *")));
  EXPECT_THAT(screen_of_two("rules\nhelp\nmoves\n", rules),
              AllOf(HasSubstr("win with 1 captures"), HasSubstr("undo"), HasSubstr("G12 G13")));
}

// Whatever is typed, the game goes on until the input ends.
TEST(TerminalGame, SurvivesAnything) {
  Random random(3);
  const std::vector<std::string> words = {
      "undo", "hint", "moves", "new",  "game", "rules", "level 5",
      "side", "33",   "12",    "1112", "Bx",   "",      "side both",
      "\xff", "5545", "1131",  "22",   "44",   "2233",  "side goat"};
  std::string typed;
  for (int i = 0; i < 400; ++i)
    typed += words[random.below(static_cast<std::uint32_t>(words.size()))] + "\n";
  EXPECT_THAT(screen(typed, {.visits = 5}), testing::EndsWith("> \n"));
}

}  // namespace
}  // namespace baghzero
