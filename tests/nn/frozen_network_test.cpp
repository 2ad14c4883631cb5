#include "nn/frozen_network.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nn/device.h"
#include "tests/nn/sample_networks.h"

namespace baghzero {
namespace {

using testing::HasSubstr;

class StandIn final : public FrozenNetwork {
 public:
  const NetworkSettings& architecture() const override { return settings_; }
  int generation() const override { return 0; }
  std::uint64_t identity() const override { return 0; }

 private:
  NetworkSettings settings_;
};

TEST(RandomNetwork, EqualSeedsGiveEqualWeights) {
  const NetworkPtr a = make_random_network(kSmallNetwork, 9);
  const NetworkPtr b = make_random_network(kSmallNetwork, 9);
  const NetworkPtr c = make_random_network(kSmallNetwork, 10);
  EXPECT_TRUE(std::ranges::equal(weights_of(*a).tensors(), weights_of(*b).tensors()));
  EXPECT_FALSE(std::ranges::equal(weights_of(*a).tensors(), weights_of(*c).tensors()));
  EXPECT_NE(a->identity(), b->identity());
  EXPECT_EQ(a->generation(), 0);
}

TEST(RandomNetwork, StartsAlmostWithoutOpinion) {
  const NetworkPtr network = make_random_network({}, 1);
  const auto evaluator = make_network_evaluator(network, {.device = "cpu"});
  const std::vector<Query> queries = random_queries(50, 1);
  const std::vector<Evaluation> answers = evaluate_all(*evaluator, queries);
  for (std::size_t row = 0; row < queries.size(); ++row) {
    EXPECT_LT(std::abs(answers[row].wdl.value()), 0.4F);
    const auto even = 1 / static_cast<float>(queries[row].legal.size());
    for (int i = 0; i < queries[row].legal.size(); ++i) EXPECT_LT(answers[row].policy[i], 3 * even);
  }
}

TEST(RandomNetwork, StartsWithBlocksThatDoNothing) {
  const NetworkPtr network = make_random_network(kSmallNetwork, 1);
  for (float weight : weights_of(*network).tensor("block.1.conv2.weight")) EXPECT_EQ(weight, 0);
  EXPECT_THROW(weights_of(*network).tensor("block.2.conv2.weight"), std::invalid_argument);
}

TEST(FrozenWeights, RefuseWrongSizesAndValues) {
  const auto good = make_lively_network(kSmallNetwork, 1);
  std::vector<std::vector<float>> tensors(good->tensors().begin(), good->tensors().end());
  tensors[1][0] = std::numeric_limits<float>::infinity();
  EXPECT_THAT([&] { FrozenWeights(kSmallNetwork, 0, tensors); },
              testing::ThrowsMessage<std::invalid_argument>(HasSubstr("stem.bias")));
  tensors[1].pop_back();
  EXPECT_THAT([&] { FrozenWeights(kSmallNetwork, 0, tensors); },
              testing::ThrowsMessage<std::invalid_argument>(HasSubstr("must have 16 values")));
  tensors.pop_back();
  EXPECT_THROW(FrozenWeights(kSmallNetwork, 0, tensors), std::invalid_argument);
}

TEST(FrozenWeights, RefuseSettingsOutOfRange) {
  NetworkSettings settings = kSmallNetwork;
  settings.channels = 0;
  EXPECT_THAT([&] { make_random_network(settings, 0); },
              testing::ThrowsMessage<std::invalid_argument>(HasSubstr("network.channels is 0")));
}

TEST(FrozenWeights, AreRenumberedForPromotion) {
  const auto candidate = make_lively_network(kSmallNetwork, 1, -1);
  const NetworkPtr promoted = with_generation(*candidate, 4);
  EXPECT_EQ(promoted->generation(), 4);
  EXPECT_TRUE(std::ranges::equal(weights_of(*promoted).tensors(), candidate->tensors()));
}

TEST(FrozenWeights, StandInsAreRefused) {
  EXPECT_THROW(weights_of(StandIn()), std::invalid_argument);
}

TEST(Device, NamesAreUnderstoodOrRefused) {
  EXPECT_EQ(find_device("cpu"), Device{});
  EXPECT_EQ(describe(find_device("cpu")), "cpu");
  for (const char* name : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x"})
    EXPECT_THAT([&] { find_device(name); },
                testing::ThrowsMessage<std::runtime_error>(HasSubstr("There is no device")));
}

TEST(Device, AskingForCudaWithoutItSaysWhatToDo) {
  if (find_device("auto").cuda) {
    EXPECT_EQ(find_device("cuda"), find_device("cuda:0"));
    return;
  }
  EXPECT_EQ(describe_device({}), "cpu");
  for (const char* name : {"cuda", "cuda:0"})
    EXPECT_THAT([&] { make_network_evaluator(make_random_network({}, 1), {.device = name}); },
                testing::ThrowsMessage<std::runtime_error>(HasSubstr("set device = \"cpu\"")));
}

}  // namespace
}  // namespace baghzero
