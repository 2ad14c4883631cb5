// The moves of the perfect player, compared with values found by the naive rules.
#include "engine/agents/perfect_agent.h"

#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "engine/notation.h"
#include "tests/solver/support.h"

namespace baghzero {
namespace {

using test::kConsistentCaptures;

SolvedValue value_of(const Position& position) {
  return position.captured() == kSolvedCaptures ? SolvedValue{Outcome::TigersWin, 0}
                                                : test::solved_on_random_values().value(position);
}

// The positions that the moves of the naive rules lead to.
std::vector<Position> successors(const Position& position) {
  std::vector<Position> reached;
  const naive::State state = naive::from_position(position);
  for (const std::string& move : naive::moves(state))
    reached.push_back(test::position_of(naive::after(state, move)));
  return reached;
}

// How many moves of the side to move keep its value.
int keeping_moves(const Position& position) {
  const Side side = position.side_to_move();
  std::map<int, int> by_rank;
  for (const Position& next : successors(position))
    ++by_rank[rank_for(side, value_of(next).outcome)];
  return by_rank.empty() ? 0 : by_rank.rbegin()->second;
}

class PerfectAgent : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto folder = test::movement_folder(test::solved_on_random_values());
    database_ = std::make_shared<const SolvedDatabase>(folder);
    std::filesystem::remove_all(folder);  // it stays open
  }
  static void TearDownTestSuite() { database_.reset(); }

  // Games that begin in random positions of the movement phase in which there is a choice.
  static void in_random_games(int count,
                              const std::function<void(const Game&, SolvedValue)>& visit) {
    Rules rules;
    rules.repetition = Repetition::Off;
    Random random(8);
    for (int done = 0; done < count;) {
      const Position position = test::random_board(
          random, kSolvedGoats, static_cast<int>(random.below(kConsistentCaptures)),
          random.below(2) ? Side::Tiger : Side::Goat);
      const Game game(rules, position, kSolvedGoats);
      if (game.legal().size() < 2) continue;
      visit(game, value_of(position));
      ++done;
    }
  }

  static std::shared_ptr<const SolvedDatabase> database_;
};
std::shared_ptr<const SolvedDatabase> PerfectAgent::database_;

TEST_F(PerfectAgent, WinsAsSoonAsItCanAndLosesAsLateAsItCan) {
  const auto agent = make_perfect_agent(database_);
  agent->new_game(1);
  int won = 0;
  int lost = 0;
  in_random_games(400, [&](const Game& game, SolvedValue value) {
    const SolvedValue after = value_of(game.position().after(agent->choose(game)));
    ASSERT_EQ(after.outcome, value.outcome) << format_fen(game);
    if (value.outcome == Outcome::Draw) return;
    ASSERT_EQ(after.plies, value.plies - 1) << format_fen(game);
    ++(value.outcome == win_for(game.side_to_move()) ? won : lost);
  });
  EXPECT_GT(won, 50);
  EXPECT_GT(lost, 20);
}

TEST_F(PerfectAgent, LeavesTheFewestKeepingRepliesInDrawnPositions) {
  const auto agent = make_perfect_agent(database_);
  agent->new_game(1);
  int choices = 0;
  in_random_games(6000, [&](const Game& game, SolvedValue value) {
    if (value.outcome != Outcome::Draw) return;
    std::map<int, int> drawing_moves;  // by replies
    for (const Position& next : successors(game.position())) {
      if (next.captured() == kConsistentCaptures) return;  // its replies are worth anything
      if (value_of(next).outcome == Outcome::Draw) ++drawing_moves[keeping_moves(next)];
    }
    const Position chosen = game.position().after(agent->choose(game));
    ASSERT_EQ(value_of(chosen).outcome, Outcome::Draw) << format_fen(game);
    ASSERT_EQ(keeping_moves(chosen), drawing_moves.begin()->first) << format_fen(game);
    choices += drawing_moves.size() > 1;
  });
  EXPECT_GT(choices, 20);
}

TEST_F(PerfectAgent, PlaysEveryKeepingMoveAndNoOtherIfSoTold) {
  const auto agent = make_perfect_agent(database_, {.random = true});
  int choices = 0;
  in_random_games(25, [&](const Game& game, SolvedValue value) {
    std::set<Action> keeping;
    for (const Action action : game.legal())
      if (value_of(game.position().after(action)).outcome == value.outcome) keeping.insert(action);
    std::set<Action> played;
    for (std::uint64_t seed = 0; seed < 40 * keeping.size(); ++seed) {
      agent->new_game(seed);
      played.insert(agent->choose(game));
    }
    ASSERT_EQ(played, keeping) << format_fen(game);
    choices += keeping.size() > 1;
  });
  EXPECT_GT(choices, 10);
}

TEST_F(PerfectAgent, KeepsTheValueOfTheLastPlacement) {
  const auto agent = make_perfect_agent(database_);
  agent->new_game(1);
  Random random(9);
  std::set<Outcome> outcomes;
  for (int sample = 0; sample < 60; ++sample) {
    const Position position = test::random_board(
        random, kSolvedGoats - 1, static_cast<int>(random.below(kConsistentCaptures)), Side::Goat);
    const Game game(Rules{}, position, kSolvedGoats - 1);
    if (game.over()) continue;
    const Outcome value = test::naive_value(position, value_of).outcome;
    ASSERT_EQ(value_of(position.after(agent->choose(game))).outcome, value) << format_fen(game);
    outcomes.insert(value);
  }
  EXPECT_GT(outcomes.size(), 1U);
}

// Who wins by force within `depth` plies, for the side to move: 1, 0 for nobody, -1.
int forced_result(Game& game, int depth) {
  if (game.over()) return rank_for(game.side_to_move(), game.outcome());
  if (depth == 0) return 0;
  int best = -1;
  const ActionList legal = game.legal();
  for (const Action action : legal) {
    game.play(action);
    best = std::max(best, -forced_result(game, depth - 1));
    game.undo();
    if (best > 0) break;
  }
  return best;
}

// With one empty point the board leaves few moves, and repetition soon bars the rest. By this
// solution nothing but that decides.
TEST_F(PerfectAgent, IsNotDrivenOutOfDrawsWhereRepetitionIsForbidden) {
  const auto folder = test::movement_folder(test::uniform_table(Outcome::Draw));
  const auto agent = make_perfect_agent(std::make_shared<const SolvedDatabase>(folder));
  std::filesystem::remove_all(folder);
  agent->new_game(1);
  Random random(15);
  int won = 0;
  int saved = 0;
  for (int sample = 0; sample < 400; ++sample) {
    const Side side = random.below(2) ? Side::Tiger : Side::Goat;
    Game game(Rules{}, test::random_board(random, kSolvedGoats, 0, side), kSolvedGoats);
    for (int ply = 0; ply < 6 && !game.over(); ++ply)
      game.play(game.legal()[static_cast<int>(
          random.below(static_cast<std::uint32_t>(game.legal().size())))]);
    if (game.over() || game.position().captured() > 0 || game.legal().size() < 2) continue;
    constexpr int kSoon = 3;
    const int best = forced_result(game, kSoon);
    std::map<int, int> moves;
    for (const Action action : ActionList(game.legal())) {
      game.play(action);
      ++moves[-forced_result(game, kSoon - 1)];
      game.undo();
    }
    game.play(agent->choose(game));
    if (best > 0) {
      ASSERT_EQ(-forced_result(game, kSoon - 1), 1) << format_fen(game);
      won += moves.size() > 1;
    } else if (best == 0) {
      ASSERT_GE(-forced_result(game, kSoon - 1), 0) << format_fen(game);
      saved += moves.size() > 1;
    }
  }
  EXPECT_GT(won, 10);
  EXPECT_GT(saved, 5);
}

TEST_F(PerfectAgent, RefusesOtherGamesAndWhatItDoesNotKnow) {
  const auto agent = make_perfect_agent(database_);
  agent->new_game(1);
  EXPECT_THROW(agent->choose(Game()), std::runtime_error);  // the start, without placement layers
  Rules rules;
  rules.goats = 5;
  EXPECT_THROW(agent->choose(Game(rules)), std::runtime_error);
}

}  // namespace
}  // namespace baghzero
