#include <thread>

#include <gtest/gtest.h>

#include "nn/inference.h"
#include "tests/nn/sample_networks.h"

namespace baghzero {
namespace {

const InferenceSettings kCpu{.device = "cpu"};

// Answers with numbers made from the query, so that mixed-up rows show; works on two batches at a
// time and delivers at wait().
class TracingEvaluator final : public Evaluator {
 public:
  explicit TracingEvaluator(std::vector<std::size_t>& batches) : batches_(batches) {}
  static Evaluation answer(const Query& query) {
    Evaluation evaluation{};
    const auto tag = static_cast<float>(make_key(query).hash() % 1000) / 1000;
    evaluation.wdl = {tag, 1 - tag, 0};
    for (int i = 0; i < query.legal.size(); ++i) evaluation.policy[i] = tag + static_cast<float>(i);
    return evaluation;
  }
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    submit(0, queries, evaluations);
    wait(0);
  }
  int max_batch() const override { return 32; }
  int in_flight() const override { return 2; }
  void submit(int slot, std::span<const Query> queries,
              std::span<Evaluation> evaluations) override {
    batches_.push_back(queries.size());
    waiting_[slot] = {queries, evaluations};
  }
  void wait(int slot) override {
    const auto& [queries, evaluations] = waiting_[slot];
    for (std::size_t i = 0; i < queries.size(); ++i) evaluations[i] = answer(queries[i]);
  }

 private:
  std::vector<std::size_t>& batches_;
  std::array<std::pair<std::span<const Query>, std::span<Evaluation>>, 2> waiting_;
};

// Distinct positions: every query of one game.
std::vector<Query> distinct_queries(std::size_t count) {
  std::vector<Query> queries;
  for (const Query& query : random_queries(400, 8))
    if (queries.size() < count && std::ranges::none_of(queries, [&](const Query& q) {
          return make_key(q) == make_key(query);
        }))
      queries.push_back(query);
  return queries;
}

void expect_answers(std::span<const Query> queries, std::span<const Evaluation> answers) {
  for (std::size_t i = 0; i < queries.size(); ++i)
    EXPECT_EQ(difference(queries[i], answers[i], TracingEvaluator::answer(queries[i])), 0) << i;
}

TEST(CachedEvaluator, AsksOnlyForWhatIsMissing) {
  std::vector<std::size_t> batches;
  const auto cache = std::make_shared<EvaluationCache>(1 << 12);
  const auto cached = make_cached_evaluator(std::make_unique<TracingEvaluator>(batches), cache, 5);
  const std::vector<Query> queries = distinct_queries(20);
  std::vector<Evaluation> answers(20);
  cached->evaluate(std::span(queries).first(8), std::span(answers).first(8));
  cached->evaluate(queries, answers);
  expect_answers(queries, answers);
  cached->evaluate(queries, answers);
  expect_answers(queries, answers);
  EXPECT_EQ(batches, (std::vector<std::size_t>{8, 12}));
  EXPECT_EQ(cache->counters().lookups, 48U);
  EXPECT_EQ(cache->counters().hits, 28U);
}

TEST(CachedEvaluator, KeepsBatchesInFlightApart) {
  std::vector<std::size_t> batches;
  const auto cache = std::make_shared<EvaluationCache>(1 << 12);
  const auto cached = make_cached_evaluator(std::make_unique<TracingEvaluator>(batches), cache, 5);
  ASSERT_EQ(cached->in_flight(), 2);
  const std::vector<Query> queries = distinct_queries(20);
  std::vector<Evaluation> answers(20);
  cached->submit(0, std::span(queries).first(9), std::span(answers).first(9));
  cached->submit(1, std::span(queries).subspan(9), std::span(answers).subspan(9));
  cached->wait(1);
  cached->wait(0);
  expect_answers(queries, answers);
  cached->submit(1, std::span(queries).first(9), std::span(answers).first(9));
  cached->wait(1);
  expect_answers(queries, answers);
  EXPECT_EQ(batches, (std::vector<std::size_t>{9, 11}));
}

TEST(CachedEvaluator, AnotherNetworkGetsItsOwnAnswers) {
  std::vector<std::size_t> batches;
  const auto cache = std::make_shared<EvaluationCache>(1 << 12);
  const std::vector<Query> queries = distinct_queries(10);
  for (const std::uint64_t network : {1, 2})
    evaluate_all(
        *make_cached_evaluator(std::make_unique<TracingEvaluator>(batches), cache, network),
        queries);
  EXPECT_EQ(batches, (std::vector<std::size_t>{10, 10}));
}

TEST(CachedEvaluator, CachedAnswersAreTheNetworksOwn) {
  const NetworkPtr network = make_lively_network(kSmallNetwork, 1);
  const auto cache = std::make_shared<EvaluationCache>(1 << 12);
  const auto plain = make_network_evaluator(network, kCpu);
  const auto cached =
      make_cached_evaluator(make_network_evaluator(network, kCpu), cache, network->identity());
  const std::vector<Query> queries = random_queries(100, 9);
  const std::vector<Evaluation> expected = evaluate_all(*plain, queries);
  for (int round = 0; round < 2; ++round) {
    const std::vector<Evaluation> answers = evaluate_all(*cached, queries);
    for (std::size_t i = 0; i < queries.size(); ++i)
      EXPECT_EQ(difference(queries[i], answers[i], expected[i]), 0);
  }
  EXPECT_GE(cache->counters().hits, 90U);
}

TEST(SymmetryEvaluator, AnswersAreSymmetric) {
  const NetworkPtr network = make_lively_network(kSmallNetwork, 1);
  const auto plain = make_network_evaluator(network, kCpu);
  const auto averaged = make_symmetry_evaluator(make_network_evaluator(network, kCpu));
  EXPECT_EQ(averaged->max_batch(), kCpu.max_batch / kSymmetryCount);
  float changed = 0;
  for (const Query& query : random_queries(30, 10)) {
    std::vector<Query> images;
    for (int symmetry = 0; symmetry < kSymmetryCount; ++symmetry)
      images.push_back(apply_symmetry(symmetry, query));
    const std::vector<Evaluation> answers = evaluate_all(*averaged, images);
    for (int symmetry = 0; symmetry < kSymmetryCount; ++symmetry) {
      EXPECT_NEAR(answers[symmetry].wdl.win, answers[0].wdl.win, 1e-5);
      for (int i = 0; i < query.legal.size(); ++i) {
        const int image =
            images[symmetry].legal.index_of(apply_symmetry_to_action(symmetry, query.legal[i]));
        EXPECT_NEAR(answers[symmetry].policy[image], answers[0].policy[i], 1e-5);
      }
    }
    // The average over symmetries, worked out from the single answers.
    const std::vector<Evaluation> single = evaluate_all(*plain, images);
    float win = 0;
    for (const Evaluation& answer : single) win += answer.wdl.win / kSymmetryCount;
    EXPECT_NEAR(answers[0].wdl.win, win, 1e-5);
    changed = std::max(changed, difference(query, answers[0], single[0]));
  }
  EXPECT_GT(changed, 1e-3F);
}

TEST(SymmetryEvaluator, NeedsRoomForAllSymmetries) {
  EXPECT_THROW(make_symmetry_evaluator(make_network_evaluator(make_random_network(kSmallNetwork, 1),
                                                              {.device = "cpu", .max_batch = 7})),
               std::invalid_argument);
}

Evaluation numbered(int number, int legal_count) {
  Evaluation evaluation{};
  const auto value = static_cast<float>(number);
  evaluation.wdl = {value, -value, 1};
  std::fill_n(evaluation.policy.begin(), legal_count, value);
  return evaluation;
}

TEST(EvaluationCache, ComparesKeysInFull) {
  EvaluationCache cache(64);
  const Query::Key key{123, 456};
  cache.insert(1, key, 3, numbered(7, 3));
  Evaluation out{};
  EXPECT_TRUE(cache.find(1, key, 3, out));
  EXPECT_EQ(out.wdl.win, 7);
  EXPECT_EQ(out.policy[2], 7);
  EXPECT_FALSE(cache.find(2, key, 3, out));
  EXPECT_FALSE(cache.find(1, {124, 456}, 3, out));
  EXPECT_FALSE(cache.find(1, {123, 457}, 3, out));
}

// One bucket: every key collides with every other.
TEST(EvaluationCache, NeverAnswersForACollidingKey) {
  EvaluationCache cache(1);
  for (int i = 0; i < 100; ++i) cache.insert(1, {std::uint64_t(i), 0}, 1, numbered(i, 1));
  int found = 0;
  for (int i = 0; i < 100; ++i) {
    Evaluation out{};
    if (!cache.find(1, {std::uint64_t(i), 0}, 1, out)) continue;
    ++found;
    EXPECT_EQ(out.policy[0], static_cast<float>(i));
  }
  EXPECT_EQ(found, 4);
  Evaluation out{};
  EXPECT_TRUE(cache.find(1, {99, 0}, 1, out)) << "the newest entry is kept";
}

TEST(EvaluationCache, ReplacesAnEntryUnderItsOwnKey) {
  EvaluationCache cache(4);
  for (int i = 0; i < 10; ++i) cache.insert(1, {5, 5}, 1, numbered(i, 1));
  cache.insert(1, {6, 6}, 1, numbered(60, 1));
  Evaluation out{};
  EXPECT_TRUE(cache.find(1, {5, 5}, 1, out));
  EXPECT_EQ(out.policy[0], 9);
  EXPECT_TRUE(cache.find(1, {6, 6}, 1, out));
}

TEST(EvaluationCache, LeavesOutTheLongestLists) {
  EvaluationCache cache(64);
  Evaluation out{};
  cache.insert(1, {1, 1}, kMaxLegalActions, numbered(1, kMaxLegalActions));
  EXPECT_FALSE(cache.find(1, {1, 1}, kMaxLegalActions, out));
}

TEST(EvaluationCache, RefusesToBeEmpty) { EXPECT_THROW(EvaluationCache(0), std::invalid_argument); }

TEST(EvaluationCache, StaysConsistentUnderManyThreads) {
  EvaluationCache cache(64);
  std::atomic<std::uint64_t> found{0};
  const auto work = [&](std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t number = random.below(100);
      const Query::Key key{number, number * 3};
      const int legal_count = static_cast<int>(number % 39) + 1;
      Evaluation out{};
      if (cache.find(1, key, legal_count, out)) {
        ++found;
        const auto value = static_cast<float>(number);
        ASSERT_EQ(out.wdl.win, value);
        ASSERT_EQ(out.wdl.draw, -value);
        for (int k = 0; k < legal_count; ++k) ASSERT_EQ(out.policy[k], value);
      } else {
        cache.insert(1, key, legal_count, numbered(static_cast<int>(number), legal_count));
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed);
  }
  EXPECT_EQ(cache.counters().lookups, 80'000U);
  EXPECT_EQ(cache.counters().hits, found.load());
  EXPECT_GT(found.load(), 1000U);
}

}  // namespace
}  // namespace baghzero
