// Players against a solution made for the test (tests/solver/support.h).
#include "selfplay/judge.h"

#include <atomic>
#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/agents/perfect_agent.h"
#include "stand_in.h"
#include "tests/solver/support.h"

namespace baghzero {
namespace {

using test::kConsistentCaptures;

// Plays the move that `pick` likes best.
class PickingAgent final : public Agent {
 public:
  using Pick = std::function<double(const Game& game, Action action)>;
  explicit PickingAgent(Pick pick) : pick_(std::move(pick)) {}
  std::string name() const override { return "picking"; }
  void new_game(std::uint64_t) override {}
  Action choose(const Game& game) override {
    return *std::ranges::max_element(game.legal(), {},
                                     [&](Action action) { return pick_(game, action); });
  }

 private:
  Pick pick_;
};

// The value kept by a move, by the solution itself.
int rank_of(const Game& game, Action action) {
  const Position next = game.position().after(action);
  const Outcome outcome = next.captured() == kSolvedCaptures
                              ? Outcome::TigersWin
                              : test::solved_on_random_values().value(next).outcome;
  return rank_for(game.side_to_move(), outcome);
}
MoveRanks ranks_of(const Game& game) {
  MoveRanks ranks;
  for (int i = 0; i < game.legal().size(); ++i) {
    const int rank = rank_of(game, game.legal()[i]);
    ranks.ranks[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(rank);
    ranks.best = std::max(ranks.best, rank);
    ranks.worst = std::min(ranks.worst, rank);
  }
  return ranks;
}

Player agent_player(std::function<std::unique_ptr<Agent>()> make) {
  Player player;
  player.name = "agent";
  player.make_agent = std::move(make);
  return player;
}
Player picking_player(PickingAgent::Pick pick) {
  return agent_player([pick] { return std::make_unique<PickingAgent>(pick); });
}
Player bare_player(std::uint64_t salt) {
  Player player;
  player.name = "bare";
  player.visits = 0;
  player.make_evaluator = [salt] { return std::make_unique<ArbitraryEvaluator>(salt, 8); };
  return player;
}

class Judge : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto folder = test::movement_folder(test::solved_on_random_values());
    database_ = std::make_shared<const SolvedDatabase>(folder);
    std::filesystem::remove_all(folder);  // it stays open
  }
  static void TearDownTestSuite() { database_.reset(); }

  static Rules rules() {
    Rules rules;
    rules.repetition = Repetition::Off;
    return rules;
  }
  static Game random_start(Random& random) {
    return {rules(),
            test::random_board(random, kSolvedGoats,
                               static_cast<int>(random.below(kConsistentCaptures)),
                               random.below(2) ? Side::Tiger : Side::Goat),
            kSolvedGoats};
  }
  static Game random_game(std::uint64_t seed) {
    Random random(seed);
    Game game = random_start(random);
    for (int ply = 0; ply < 12 && !game.over(); ++ply)
      game.play(game.legal()[static_cast<int>(
          random.below(static_cast<std::uint32_t>(game.legal().size())))]);
    return game;
  }
  // Solved positions of the movement phase.
  static std::vector<SuitePosition> suite(int count) {
    std::vector<SuitePosition> suite;
    Random random(21);
    while (static_cast<int>(suite.size()) < count) {
      const Game game = random_start(random);
      if (game.over()) continue;
      const MoveRanks ranks = ranks_of(game);
      if (ranks.best >= 0 && !ranks.decisive()) continue;
      SuitePosition& entry = suite.emplace_back();
      entry.position = game.position();
      entry.rank = ranks.best;
      for (int i = 0; i < game.legal().size(); ++i)
        if (ranks.ranks[static_cast<std::size_t>(i)] == ranks.best)
          entry.keeping.push_back(game.legal()[i]);
    }
    return suite;
  }

  static std::shared_ptr<const SolvedDatabase> database_;
};
std::shared_ptr<const SolvedDatabase> Judge::database_;

TEST_F(Judge, CountsTheMistakesOfOneSideAndOfItsPolicy) {
  constexpr std::uint64_t kSalt = 5;
  GameJudge judge(database_, bare_player(kSalt), {});
  ASSERT_TRUE(judge.has_policy());
  MistakeCounts expected;
  MistakeCounts expected_policy;
  constexpr int kFirstPly = 2;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Game game = random_game(seed);
    judge.add(game, Side::Tiger, kFirstPly);
    Game replay(game.rules(), game.start(), game.start_goat_moves());
    for (const Action action : game.moves()) {
      if (replay.plies() >= kFirstPly && replay.side_to_move() == Side::Tiger) {
        expected.add(ranks_of(replay), rank_of(replay, action));
        const Evaluation answer = arbitrary_evaluation(make_query(replay), kSalt);
        const auto best =
            std::max_element(answer.policy.begin(), answer.policy.begin() + replay.legal().size()) -
            answer.policy.begin();
        expected_policy.add(ranks_of(replay),
                            rank_of(replay, replay.legal()[static_cast<int>(best)]));
      }
      replay.play(action);
    }
  }
  const auto expect_equal = [](const MistakeCounts& counts, const MistakeCounts& wanted) {
    EXPECT_EQ(counts.moves, wanted.moves);
    EXPECT_EQ(counts.decisive, wanted.decisive);
    EXPECT_EQ(counts.draw_to_loss, wanted.draw_to_loss);
    EXPECT_EQ(counts.win_to_draw, wanted.win_to_draw);
    EXPECT_EQ(counts.win_to_loss, wanted.win_to_loss);
  };
  EXPECT_GT(expected.mistakes(), 30);
  expect_equal(judge.played().counts(Side::Tiger, GamePhase::Movement), expected);
  expect_equal(judge.policy().counts(Side::Tiger, GamePhase::Movement), expected_policy);
  EXPECT_EQ(judge.played().total(Side::Goat).moves, 0);
}

TEST_F(Judge, FindsNoMistakeInPerfectPlay) {
  GameJudge judge(database_, agent_player([] { return make_random_agent(); }), {});
  EXPECT_FALSE(judge.has_policy());
  const auto perfect = make_perfect_agent(database_);
  Random random(22);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    perfect->new_game(seed);
    Game game = random_start(random);
    for (int ply = 0; ply < 12 && !game.over(); ++ply) game.play(perfect->choose(game));
    judge.add(game, Side::Goat, 0);
    judge.add(game, Side::Tiger, 0);
  }
  for (const Side side : kSides) {
    EXPECT_GT(judge.played().total(side).decisive, 10);
    EXPECT_EQ(judge.played().total(side).mistakes(), 0);
  }
}

TEST_F(Judge, RunsASuiteOnSeveralThreads) {
  const std::vector<SuitePosition> positions = suite(300);
  const auto can_err =
      std::ranges::count_if(positions, [](const SuitePosition& entry) { return entry.rank >= 0; });
  ASSERT_GT(can_err, 100);
  ASSERT_LT(can_err, 300);
  const SolveControl two_threads{.threads = 2};
  const SuiteReport best = run_suite(picking_player(rank_of), {}, rules(), positions, two_threads);
  EXPECT_EQ(best.total().positions, can_err);
  EXPECT_EQ(best.total().kept, can_err);
  EXPECT_EQ(best.at(Side::Goat, GamePhase::Movement).positions +
                best.at(Side::Tiger, GamePhase::Movement).positions,
            can_err);
  const auto worst = [](const Game& game, Action action) { return -rank_of(game, action); };
  const SuiteReport none = run_suite(picking_player(worst), {}, rules(), positions, two_threads);
  EXPECT_EQ(none.total().positions, can_err);
  EXPECT_EQ(none.total().kept, 0);
}

TEST_F(Judge, StopsASuiteWhenAsked) {
  const std::atomic<bool> stop = true;
  const auto positions = suite(40);
  EXPECT_EQ(
      run_suite(picking_player(rank_of), {}, rules(), positions, {.stop = &stop}).total().positions,
      0);
  EXPECT_EQ(run_suite_bare(bare_player(1), {}, rules(), positions, {.stop = &stop})
                .values.total()
                .positions,
            0);
}

TEST_F(Judge, RunsTheBareNetworkOnASuite) {
  constexpr std::uint64_t kSalt = 6;
  const std::vector<SuitePosition> positions = suite(300);
  ByRoleAndPhase<ValueCounts> values;
  for (const SuitePosition& entry : positions) {
    const Game game(rules(), entry.position, kSolvedGoats);
    values.at(entry.position).add(arbitrary_evaluation(make_query(game), kSalt).wdl, entry.rank);
  }
  const SolveControl two_threads{.threads = 2};
  const BareReport report = run_suite_bare(bare_player(kSalt), {}, rules(), positions, two_threads);
  const SuiteReport as_agent = run_suite(bare_player(kSalt), {}, rules(), positions, two_threads);
  for (const Side side : kSides) {
    const ValueCounts& found = report.values.at(side, GamePhase::Movement);
    const ValueCounts& wanted = values.at(side, GamePhase::Movement);
    EXPECT_EQ(found.positions, wanted.positions);
    EXPECT_EQ(found.right, wanted.right);
    EXPECT_NEAR(found.cross_entropy, wanted.cross_entropy, 1e-6);
    const SuiteCounts& moves = report.policy.at(side, GamePhase::Movement);
    EXPECT_EQ(moves.positions, as_agent.at(side, GamePhase::Movement).positions);
    EXPECT_EQ(moves.kept, as_agent.at(side, GamePhase::Movement).kept);
    EXPECT_GT(moves.positions, moves.kept);
  }
}

TEST_F(Judge, LoadsSuitesAndNamesTheFileOfOneThatIsDamaged) {
  const auto file = std::filesystem::path(testing::TempDir()) /
                    ("baghzero_judge_suite_" + std::to_string(::getpid()) + ".txt");
  std::ofstream(file) << format_suite(suite(5), 9);
  const Suite loaded = load_suite(file.string());
  EXPECT_EQ(loaded.title, "baghzero suite 1, seed 9, 5 positions");
  EXPECT_EQ(loaded.positions.size(), 5U);
  std::ofstream(file) << "baghzero suite 1, ";
  try {
    load_suite(file.string());
    ADD_FAILURE() << "a damaged suite was loaded";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(file.string() + ": "));
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace baghzero
