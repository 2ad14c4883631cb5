#include "engine/agents/game_line.h"

#include <vector>

#include <gtest/gtest.h>

#include "engine/notation.h"
#include "tests/search/support.h"

namespace baghzero::search_test {
namespace {

void expect_same(const GameLine& line, const Game& game) {
  ActionList legal;
  const Ending ending = line.look(legal);
  ASSERT_EQ(ending.outcome, game.outcome()) << format_game(game);
  ASSERT_EQ(ending.termination, game.termination()) << format_game(game);
  ASSERT_TRUE(std::ranges::equal(legal, game.legal())) << format_game(game);
  ASSERT_EQ(line.ending().termination, game.termination()) << format_game(game);
  ASSERT_EQ(line.position(), game.position());
}

// Plays games to their end on a line begun at random plies, every now and then some moves back.
TEST(GameLine, AgreesWithGameInRandomGames) {
  Random random(5);
  GameLine line;
  for (const Repetition repetition :
       {Repetition::Forbidden, Repetition::Threefold, Repetition::Off})
    for (int i = 0; i < 150; ++i) {
      Rules rules = rules_with(repetition);
      rules.captures_to_win = 1 + static_cast<int>(random.below(15));
      rules.no_capture_limit = 20 + static_cast<int>(random.below(100));
      rules.max_plies = 60 + static_cast<int>(random.below(200));
      Game game = random_game(rules, static_cast<int>(random.below(60)), random());
      if (game.over()) continue;
      line.begin(game);
      const int begin = game.plies();
      expect_same(line, game);
      while (!game.over()) {
        if (random.below(8) == 0 && game.plies() > begin + 3) {
          for (int back = 0; back < 3; ++back) {
            game.undo();
            line.pop();
          }
        } else {
          const auto choice = random.below(static_cast<std::uint32_t>(game.legal().size()));
          const Action action = game.legal()[static_cast<int>(choice)];
          game.play(action);
          line.push(action);
        }
        expect_same(line, game);
      }
    }
}

TEST(GameLine, KnowsHowSoonARepetitionMayCome) {
  // A tiger has stepped: goats need two moves to be where they were, and the tiger one.
  const Game game = game_after("BB1GB/1GGGG/GGGGG/1GGGB/G1GGG B 20", "B1213");
  GameLine line;
  line.begin(game);
  EXPECT_EQ(line.plies_to_repetition(), 3);
  EXPECT_EQ(line.window_begin(), 0);
  EXPECT_EQ(line.index(), 1);

  line.begin(Game());
  EXPECT_EQ(line.plies_to_repetition(), GameLine::kNever);
}

TEST(GameLine, NeverUnderestimatesTheWayBack) {
  // Whatever the game, no sequence of fewer plies than promised repeats a situation.
  const auto earliest = [](const auto& self, const Game& game, const Game& root, int depth) -> int {
    for (const Action action : board_legal_actions(game.position()))
      if (root.occurrences(game.position().after(action)) > 0) return 1;
    if (depth == 1) return GameLine::kNever;
    int best = GameLine::kNever;
    for (const Action action : game.legal()) {
      Game next = game;
      next.play(action);
      if (!next.over()) best = std::min(best, 1 + self(self, next, root, depth - 1));
    }
    return best;
  };
  Rules rules = rules_with(Repetition::Threefold);
  rules.captures_to_win = 20;
  GameLine line;
  int repeatable = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Game game = random_game(rules, 44 + static_cast<int>(seed % 20), seed);
    if (game.over()) continue;
    line.begin(game);
    // The present situation counts as past for what follows, so only true earlier ones are asked.
    Game past = game;
    past.undo();
    const int found = earliest(earliest, game, past, 3);
    EXPECT_LE(line.plies_to_repetition(), found) << format_game(game);
    repeatable += found <= 3 ? 1 : 0;
  }
  EXPECT_GT(repeatable, 3);
}

}  // namespace
}  // namespace baghzero::search_test
