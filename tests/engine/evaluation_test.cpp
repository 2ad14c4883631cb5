#include "engine/evaluation.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "engine/notation.h"
#include "tests/engine/support.h"

namespace baghzero {
namespace {

using namespace testing_support;

TEST(Values, AreTurnedRoundForTheOtherSide) {
  const Wdl wdl{0.5F, 0.3F, 0.2F};
  EXPECT_FLOAT_EQ(wdl.value(), 0.3F);
  EXPECT_EQ(wdl.flipped(), (Wdl{0.2F, 0.3F, 0.5F}));
  EXPECT_EQ(wdl.flipped().flipped(), wdl);
  EXPECT_EQ(kWin.flipped(), kLoss);
  EXPECT_EQ(kDraw.flipped(), kDraw);
}

TEST(Values, OutcomesAreSeenBySides) {
  for (const Side side : {Side::Goat, Side::Tiger}) {
    EXPECT_EQ(outcome_for(side, win_for(side)), kWin);
    EXPECT_EQ(outcome_for(side, win_for(opponent(side))), kLoss);
    EXPECT_EQ(outcome_for(side, Outcome::Draw), kDraw);
  }
}

TEST(Values, AOnePlyWinIsAWinForTheMoverOfEitherRole) {
  // The tigers take the fifth goat; the goats, then to move, have lost.
  Game tigers = game_from_fen("B3B/1G3/3GG/GGGGG/BGGGB B 15");
  const Side tiger_mover = tigers.side_to_move();
  tigers.play(parse_move(Side::Tiger, "Bx1133"));
  EXPECT_EQ(outcome_for(tigers.side_to_move(), tigers.outcome()), kLoss);
  EXPECT_EQ(outcome_for(tigers.side_to_move(), tigers.outcome()).flipped(),
            outcome_for(tiger_mover, tigers.outcome()));
  // The goats close the last point; the tigers, then to move, have lost.
  Game goats = game_from_fen("GBGGB/GG1GG/GG2G/GG1GG/BGGGB G 17");
  const Side goat_mover = goats.side_to_move();
  goats.play(parse_move(Side::Goat, "G33"));
  ASSERT_EQ(goats.termination(), Termination::TigersBlocked);
  EXPECT_EQ(outcome_for(goats.side_to_move(), goats.outcome()), kLoss);
  EXPECT_EQ(outcome_for(goat_mover, goats.outcome()), kWin);
}

TEST(LimitProximity, StepsUpAsALimitComesNear) {
  EXPECT_EQ(limit_proximity(1'000'000), 0);
  EXPECT_EQ(limit_proximity(kLimitHorizon), 0);
  EXPECT_EQ(limit_proximity(kLimitHorizon - 1), 1);
  EXPECT_EQ(limit_proximity(1), kLimitSteps);
  EXPECT_EQ(limit_proximity(0), kLimitSteps);
  EXPECT_EQ(limit_proximity(-5), kLimitSteps);
  std::map<int, int> plies_per_step;
  for (int left = 0; left < kLimitHorizon; ++left) {
    EXPECT_GE(limit_proximity(left), limit_proximity(left + 1));
    EXPECT_LE(limit_proximity(left), kLimitSteps);
    ++plies_per_step[limit_proximity(left)];
  }
  EXPECT_EQ(plies_per_step.size(), static_cast<std::size_t>(kLimitSteps));
  for (const auto& [step, plies] : plies_per_step)
    EXPECT_EQ(plies, kLimitHorizon / kLimitSteps) << "step " << step;
}

TEST(LimitProximity, FollowsTheNearerLimitOfTheGame) {
  Rules rules;
  rules.max_plies = 40;
  Random random(61);
  Game game(rules);
  while (!game.over()) {
    EXPECT_EQ(make_query(game).limit_proximity, limit_proximity(40 - game.plies()));
    game.play(random_action(game.legal(), random));
  }
  rules = {};
  rules.repetition = Repetition::Off;
  rules.no_capture_limit = 20;
  Game moving = game_from_fen("BG2B/GGGGG/GGGGG/GGGGG/B3B G 20", rules);
  for (int ply = 0; ply < 20; ++ply) {
    EXPECT_EQ(make_query(moving).limit_proximity, limit_proximity(20 - ply));
    const char* const moves[] = {"G1213", "B5152", "G1312", "B5251"};
    moving.play(parse_move(moving.side_to_move(), moves[ply % 4]));
  }
  EXPECT_EQ(moving.termination(), Termination::NoCaptureLimit);
  // In the placement phase the count of quiet plies has not begun.
  rules.no_capture_limit = 1;
  EXPECT_EQ(make_query(Game(rules)).limit_proximity, 0);
}

TEST(Query, HoldsWhatTheGameAllows) {
  Game game = game_from_fen("BG2B/GGGGG/GGGGG/GGGGG/B3B G 20");
  for (const char* move : {"G1213", "B5152", "G1312"})
    game.play(parse_move(game.side_to_move(), move));
  const Query query = make_query(game);
  EXPECT_EQ(query.position, game.position());
  EXPECT_TRUE(std::ranges::equal(query.legal.span(), game.legal().span()));
  EXPECT_LT(query.legal.size(), count_board_legal_actions(game.position()));
}

// Keys are equal exactly when the queries are, over many random queries with random bars.
TEST(Query, KeysAreExact) {
  using Whole = std::tuple<std::uint64_t, std::vector<int>, int>;
  const auto whole = [](const Query& query) {
    return Whole{
        query.position.key(), {query.legal.begin(), query.legal.end()}, query.limit_proximity};
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Whole> by_key;
  std::map<Whole, std::pair<std::uint64_t, std::uint64_t>> by_query;
  Random random(62);
  std::vector<Position> pool;
  for (int i = 0; i < 300; ++i) pool.push_back(random_position(random));
  for (int i = 0; i < 200'000; ++i) {
    Query query;
    query.position = pool[random.below(static_cast<std::uint32_t>(pool.size()))];
    const std::uint64_t bars = random() & random();
    const ActionList all = board_legal_actions(query.position);
    for (int j = 0; j < all.size(); ++j)
      if (!(bars >> (j % 4) & 1)) query.legal.push_back(all[j]);
    query.limit_proximity = static_cast<std::uint8_t>(random.below(kLimitSteps + 1));
    const Query::Key key = make_key(query);
    const auto words = std::pair(key.position, key.allowed);
    const auto [seen, fresh_key] = by_key.emplace(words, whole(query));
    ASSERT_EQ(seen->second, whole(query)) << "two queries share a key";
    const auto [known, fresh_query] = by_query.emplace(whole(query), words);
    ASSERT_EQ(known->second, words) << "one query has two keys";
    ASSERT_EQ(fresh_key, fresh_query);
  }
  EXPECT_GT(by_key.size(), 10'000U);
}

TEST(Query, TheFullMaskFitsBesideTheProximity) {
  // The busiest positions use the highest mask bits; the proximity must stay above them.
  Random random(63);
  for (int i = 0; i < 50'000; ++i) {
    Query query;
    query.position = random_position(random);
    query.legal = board_legal_actions(query.position);
    query.limit_proximity = kLimitSteps;
    const Query::Key key = make_key(query);
    EXPECT_EQ(key.allowed >> kMaxLegalActions, static_cast<std::uint64_t>(kLimitSteps));
    const std::uint64_t mask = key.allowed & ((std::uint64_t{1} << kMaxLegalActions) - 1);
    EXPECT_EQ(mask, (std::uint64_t{1} << query.legal.size()) - 1);
  }
}

TEST(UniformEvaluator, SpreadsPolicyAndValueEvenly) {
  std::vector<Query> queries;
  Random random(64);
  while (queries.size() < 50) {
    Query query;
    query.position = random_position(random);
    query.legal = board_legal_actions(query.position);
    if (!query.legal.empty()) queries.push_back(query);
  }
  std::vector<Evaluation> evaluations(queries.size());
  UniformEvaluator evaluator;
  evaluator.evaluate(queries, evaluations);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Evaluation& evaluation = evaluations[i];
    const int count = queries[i].legal.size();
    EXPECT_FLOAT_EQ(
        std::accumulate(evaluation.policy.begin(), evaluation.policy.begin() + count, 0.0F), 1.0F);
    EXPECT_EQ(evaluation.policy[0], evaluation.policy[count - 1]);
    EXPECT_FLOAT_EQ(evaluation.wdl.win + evaluation.wdl.draw + evaluation.wdl.loss, 1.0F);
    EXPECT_FLOAT_EQ(evaluation.wdl.value(), 0.0F);
  }
}

}  // namespace
}  // namespace baghzero
