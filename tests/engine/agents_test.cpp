#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "engine/agents/agent.h"
#include "engine/notation.h"
#include "tests/engine/naive_rules.h"
#include "tests/engine/support.h"

namespace baghzero {
namespace {

using namespace testing_support;

std::string text_of(const Game& game, Action action) {
  return format_move(game.side_to_move(), action);
}

TEST(RandomAgent, DrawsEveryLegalMoveAlike) {
  const auto agent = make_random_agent();
  EXPECT_EQ(agent->name(), "random");
  agent->new_game(71);
  const Game game;
  std::map<Action, int> counts;
  constexpr int kDraws = 21'000;
  for (int i = 0; i < kDraws; ++i) ++counts[agent->choose(game)];
  EXPECT_EQ(counts.size(), 21U);
  for (const auto& [action, count] : counts) {
    EXPECT_TRUE(game.legal().contains(action));
    EXPECT_NEAR(count, kDraws / 21.0, 5 * std::sqrt(kDraws / 21.0));
  }
}

TEST(Agents, PlayAGameBySeedAlone) {
  for (const auto& make : {make_random_agent, make_greedy_agent}) {
    const auto play = [&](std::uint64_t seed) {
      const auto agent = make();
      agent->new_game(1);
      agent->choose(Game());
      agent->new_game(seed);
      Game game;
      while (!game.over()) game.play(agent->choose(game));
      return format_game(game);
    };
    EXPECT_EQ(play(72), play(72));
    EXPECT_NE(play(72), play(73));
  }
}

TEST(GreedyAgent, FollowsItsRulesInWholeGames) {
  const auto greedy = make_greedy_agent();
  EXPECT_EQ(greedy->name(), "greedy");
  Random random(74);
  int captures = 0;
  int rescues = 0;
  int unavoidable = 0;
  for (int i = 0; i < 400; ++i) {
    greedy->new_game(random());
    Game game;
    while (!game.over()) {
      // Every other move at random, so that goats do get into danger.
      if (random.below(2) == 0) {
        game.play(random_action(game.legal(), random));
        continue;
      }
      const naive::State state = naive::from_position(game.position());
      const Action action = greedy->choose(game);
      const std::string move = text_of(game, action);
      ASSERT_TRUE(game.legal().contains(action));
      if (game.side_to_move() == Side::Tiger) {
        const bool can_capture = !naive::threatened_goats(state).empty();
        ASSERT_EQ(move.starts_with("Bx"), can_capture) << format_game(game);
        captures += can_capture ? 1 : 0;
      } else {
        // 0: nothing can be taken afterwards, 1: the moved goat cannot, 2: it can.
        const auto rank = [&](const std::string& candidate) {
          const auto threatened = naive::threatened_goats(naive::after(state, candidate));
          const std::string to = candidate.substr(candidate.size() - 2);
          return threatened.empty()                                      ? 0
                 : std::ranges::find(threatened, to) == threatened.end() ? 1
                                                                         : 2;
        };
        int best = 2;
        for (const Action other : game.legal()) best = std::min(best, rank(text_of(game, other)));
        ASSERT_EQ(rank(move), best) << format_game(game);
        rescues += best == 0 && !naive::threatened_goats(state).empty() ? 1 : 0;
        unavoidable += best > 0 ? 1 : 0;
      }
      game.play(action);
    }
  }
  EXPECT_GT(captures, 100);
  EXPECT_GT(rescues, 100);
  EXPECT_GT(unavoidable, 100);
}

TEST(GreedyAgent, BeatsTheRandomOneInBothRoles) {
  const auto greedy = make_greedy_agent();
  const auto random_agent = make_random_agent();
  constexpr int kGames = 400;
  std::array<int, 2> wins{};  // by the role of the greedy player
  for (int i = 0; i < kGames; ++i)
    for (const Side role : {Side::Goat, Side::Tiger}) {
      greedy->new_game(static_cast<std::uint64_t>(i));
      random_agent->new_game(static_cast<std::uint64_t>(i) + 1000);
      Game game;
      while (!game.over())
        game.play((game.side_to_move() == role ? *greedy : *random_agent).choose(game));
      wins[static_cast<std::size_t>(role)] += game.outcome() == win_for(role) ? 1 : 0;
    }
  // Random goats win 1.6 % of their games against random tigers, random tigers 98.2 % of theirs.
  EXPECT_GT(wins[static_cast<std::size_t>(Side::Goat)], kGames / 10);
  EXPECT_GT(wins[static_cast<std::size_t>(Side::Tiger)], kGames * 99 / 100);
}

}  // namespace
}  // namespace baghzero
