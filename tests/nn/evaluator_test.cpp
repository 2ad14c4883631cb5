#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nn/inference.h"
#include "tests/nn/sample_networks.h"
#include "tests/support/allocation_count.h"

namespace baghzero {
namespace {

const InferenceSettings kCpu{.device = "cpu"};

TEST(CpuEvaluator, AnswersAreProbabilities) {
  const std::vector<Query> queries = random_queries(128, 1);
  const auto evaluator = make_network_evaluator(make_lively_network(kSmallNetwork, 1), kCpu);
  const std::vector<Evaluation> answers = evaluate_all(*evaluator, queries);
  for (std::size_t row = 0; row < queries.size(); ++row) {
    float total = 0;
    for (int i = 0; i < queries[row].legal.size(); ++i) {
      EXPECT_GE(answers[row].policy[i], 0);
      total += answers[row].policy[i];
    }
    EXPECT_NEAR(total, 1, 1e-5);
    const Wdl& wdl = answers[row].wdl;
    EXPECT_NEAR(wdl.win + wdl.draw + wdl.loss, 1, 1e-5);
  }
}

// Bitwise, so that games do not depend on which positions happened to share a batch.
TEST(CpuEvaluator, ARowDoesNotDependOnItsBatch) {
  const std::vector<Query> queries = random_queries(100, 2);
  const auto evaluator = make_network_evaluator(make_lively_network(kSmallNetwork, 2), kCpu);
  const std::vector<Evaluation> together = evaluate_all(*evaluator, queries);
  for (const int batch : {1, 2, 3, 5, 7, 11, 24, 25, 49})
    for (int begin = 0; begin + batch <= 100; begin += batch) {
      std::vector<Evaluation> answers(batch);
      evaluator->evaluate(std::span(queries).subspan(begin, batch), answers);
      for (int i = 0; i < batch; ++i)
        ASSERT_EQ(difference(queries[begin + i], answers[i], together[begin + i]), 0)
            << "row " << begin + i << " in a batch of " << batch;
    }
}

TEST(CpuEvaluator, PolicyDependsOnTheLegalList) {
  Query query = random_queries(30, 3).back();
  const auto evaluator = make_network_evaluator(make_lively_network(kSmallNetwork, 3), kCpu);
  ActionList one;
  one.push_back(query.legal[0]);
  query.legal = one;
  Evaluation answer;
  evaluator->evaluate({&query, 1}, {&answer, 1});
  EXPECT_EQ(answer.policy[0], 1);
}

TEST(CpuEvaluator, AllocatesNothingPerBatch) {
  const std::vector<Query> queries = random_queries(64, 4);
  std::vector<Evaluation> answers(queries.size());
  const auto evaluator = make_network_evaluator(make_lively_network(kSmallNetwork, 4), kCpu);
  evaluator->evaluate(queries, answers);
  const std::int64_t before = allocation_count();
  for (int i = 0; i < 5; ++i) evaluator->evaluate(queries, answers);
  EXPECT_EQ(allocation_count(), before);
}

TEST(CpuEvaluator, CountsRows) {
  const std::vector<Query> queries = random_queries(13, 4);
  const auto evaluator = make_network_evaluator(make_lively_network(kSmallNetwork, 4), kCpu);
  const std::uint64_t before = network_rows_evaluated();
  evaluate_all(*evaluator, queries);
  EXPECT_EQ(network_rows_evaluated() - before, 13U);
}

TEST(CpuEvaluator, ReportsAnswersThatAreNotFinite) {
  const auto lively = make_lively_network(kSmallNetwork, 5);
  std::vector<std::vector<float>> tensors(lively->tensors().begin(), lively->tensors().end());
  for (float& weight : tensors[0]) weight *= 1e37F;  // finite, but its products overflow
  const auto network = std::make_shared<const FrozenWeights>(kSmallNetwork, 3, std::move(tensors));
  const auto evaluator = make_network_evaluator(network, kCpu);
  EXPECT_THAT([&] { evaluate_all(*evaluator, random_queries(4, 5)); },
              testing::ThrowsMessage<std::runtime_error>(
                  testing::AllOf(testing::HasSubstr("generation 3"), testing::HasSubstr("row 0"))));
}

TEST(CpuEvaluator, ManyThreadsGiveTheSameAnswers) {
  const std::vector<Query> queries = random_queries(40, 6);
  const NetworkPtr network = make_lively_network(kSmallNetwork, 6);
  const auto evaluator = make_network_evaluator(network, kCpu);
  const std::vector<Evaluation> expected = evaluate_all(*evaluator, queries);
  std::array<std::vector<Evaluation>, 4> answers;
  {
    std::vector<std::jthread> threads;
    for (auto& mine : answers)
      threads.emplace_back([&mine, &network, &queries] {
        mine = evaluate_all(*make_network_evaluator(network, kCpu), queries);
      });
  }
  for (const auto& mine : answers)
    for (std::size_t row = 0; row < queries.size(); ++row)
      EXPECT_EQ(difference(queries[row], mine[row], expected[row]), 0);
}

TEST(CpuEvaluator, RefusesSettingsThatMakeNoSense) {
  const NetworkPtr network = make_random_network(kSmallNetwork, 1);
  EXPECT_THROW(make_network_evaluator(network, {.device = "cpu", .max_batch = 0}),
               std::invalid_argument);
  EXPECT_THROW(make_network_evaluator(network, {.device = "cpu", .precision = Precision::Bf16}),
               std::runtime_error);
}

}  // namespace
}  // namespace baghzero
