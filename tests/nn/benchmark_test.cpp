#include "nn/benchmark.h"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "nn/inference.h"
#include "tests/nn/sample_networks.h"

namespace baghzero {
namespace {

TEST(Benchmark, MeasuresEveryBatchSize) {
  const std::vector<int> batches = {1, 16};
  const auto rates =
      measure_inference(make_random_network(kSmallNetwork, 1), {.device = "cpu"}, batches, 2, 0.02);
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_EQ(rates[1].batch, 16);
  for (const InferenceRate& rate : rates) {
    EXPECT_GT(rate.evals_per_second, 0);
    EXPECT_GT(rate.evals_per_cpu_second, 0);
  }
}

TEST(Benchmark, MeasuresOneEvaluator) {
  const auto evaluator = make_network_evaluator(make_random_network(kSmallNetwork, 1),
                                                {.device = "cpu", .max_batch = 8});
  const std::uint64_t before = network_rows_evaluated();
  EXPECT_GT(measure_evaluator(*evaluator, 8, 0.02), 0);
  EXPECT_GT(network_rows_evaluated(), before);
}

TEST(Benchmark, PassesOnFailures) {
  const std::vector<int> batches = {1};
  EXPECT_THROW(
      measure_inference(make_random_network(kSmallNetwork, 1), {.device = "gpu"}, batches, 2, 0.02),
      std::runtime_error);
}

}  // namespace
}  // namespace baghzero
