#include "play/analyst.h"

#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "engine/agents/search_agent.h"
#include "engine/notation.h"
#include "tests/play/support.h"

namespace baghzero {
namespace {

const std::atomic<bool> kNever{false};

EvaluatorFactory network_evaluators() {
  return [network = make_lively_network(test::kTinyNetwork, 3)] {
    return make_network_evaluator(network, {.device = "cpu", .max_batch = 1});
  };
}

TEST(Analyst, OneThreadPlaysLikeTheSearchAgent) {
  constexpr std::uint32_t kVisits = 50;
  Analyst analyst({}, network_evaluators(), 1);
  const auto agent = make_search_agent("agent", network_evaluators()(), {.visits = kVisits});
  agent->new_game(1);
  for (Game game; !game.over() && game.plies() < 60;) {
    analyst.forget();
    const Analysis analysis = analyst.analyse(game, {.visits = kVisits}, 1, kNever);
    const Action action = agent->choose(game);
    ASSERT_EQ(analysis.lines.front().action, action) << format_game(game);
    game.play(action);
  }
}

TEST(Analyst, ManyThreadsCountEveryVisitOnceAndKeepTheTree) {
  constexpr std::uint32_t kVisits = 600;
  Analyst analyst({}, network_evaluators(), 4);
  Game game;
  for (int ply = 0; ply < 12 && !game.over(); ++ply) {
    const Analysis analysis = analyst.analyse(game, {.visits = kVisits}, kMaxLegalActions, kNever);
    ASSERT_EQ(std::ssize(analysis.lines), game.legal().size());
    std::uint32_t sum = 1;
    for (const AnalysisLine& line : analysis.lines) sum += line.visits;
    EXPECT_EQ(sum, analysis.visits);
    if (analysis.proof == Proof::None && game.legal().size() > 1) {
      EXPECT_EQ(analysis.visits, kVisits);
    }
    if (ply == 0)
      EXPECT_EQ(analysis.simulations, kVisits);
    else
      EXPECT_LT(analysis.simulations, kVisits) << "the tree was not kept";
    game.play(analysis.lines.front().action);
  }
}

TEST(Analyst, StopsWhenAskedAndAtTheGivenDepth) {
  Analyst analyst({}, network_evaluators(), 2);
  const Game game;
  std::atomic<bool> stop{true};
  const Analysis nothing = analyst.analyse(game, {}, 3, stop);
  EXPECT_GE(nothing.visits, 1U);
  EXPECT_LE(nothing.visits, 4U);
  EXPECT_EQ(nothing.lines.size(), 3U);
  EXPECT_EQ(analyst.analyse(game, {.seconds = 0}, 1, kNever).lines.size(), 1U);
  EXPECT_GE(analyst.analyse(game, {.depth = 4}, 1, kNever).depth, 4);
}

TEST(Analyst, TellsInterimResultsUntilItIsStopped) {
  Analyst analyst({}, network_evaluators(), 2);
  std::atomic<bool> stop{false};
  std::vector<std::uint32_t> visits;
  analyst.analyse(
      Game(), {}, 1, stop,
      [&](const Analysis& analysis) {
        visits.push_back(analysis.visits);
        if (visits.size() == 5) stop = true;
      },
      0);
  ASSERT_EQ(visits.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(visits));
}

TEST(Analyst, ShortestWinsComeFirstAndLossesLast) {
  Analyst analyst(
      {}, [] { return std::make_unique<UniformEvaluator>(); }, 1);
  // Tigers have taken four goats and can take another at once.
  const Game game = game_from_fen("BG2B/5/5/5/B3B B 5");
  const Analysis analysis = analyst.analyse(game, {.visits = 400}, 50, kNever);
  EXPECT_EQ(analysis.proof, Proof::Win);
  EXPECT_EQ(format_move(Side::Tiger, analysis.lines.front().action), "Bx1113");
  EXPECT_EQ(analysis.lines.front().proof_plies, 1);
  EXPECT_EQ(analysis.wdl, kWin);
}

class FailingEvaluator final : public Evaluator {
 public:
  void evaluate(std::span<const Query>, std::span<Evaluation>) override {
    throw std::runtime_error("no answer");
  }
  int max_batch() const override { return 1; }
};

TEST(Analyst, AnEvaluatorsErrorEndsAllThreads) {
  int made = 0;
  Analyst analyst(
      {},
      [&]() -> std::unique_ptr<Evaluator> {
        if (++made == 2) return std::make_unique<FailingEvaluator>();
        return network_evaluators()();
      },
      3);
  std::atomic<bool> stop{false};
  EXPECT_THROW(analyst.analyse(Game(), {}, 1, stop), std::runtime_error);
}

TEST(Analyst, FinishedGamesAndNoThreadsAreRefused) {
  EXPECT_THROW(Analyst({}, network_evaluators(), 0), std::invalid_argument);
  Analyst analyst({}, network_evaluators(), 1);
  Game game;
  game.adjudicate(Outcome::Draw);
  EXPECT_THROW(analyst.analyse(game, {}, 1, kNever), std::invalid_argument);
}

}  // namespace
}  // namespace baghzero
