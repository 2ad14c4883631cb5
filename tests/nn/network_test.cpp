#include "nn/network.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "nn/encoding.h"
#include "tests/nn/sample_networks.h"

namespace baghzero {
namespace {

at::Tensor encode_all(const std::vector<Query>& queries) {
  at::Tensor planes = torch::empty({std::ssize(queries), kPointCount, kInputPlanes}, at::kFloat);
  for (std::size_t row = 0; row < queries.size(); ++row)
    encode(queries[row],
           std::span<float, kInputSize>(planes.data_ptr<float>() + row * kInputSize, kInputSize));
  return planes;
}

// What the heads say about a query, by LibTorch alone.
Evaluation evaluation_from(const HeadOutputs& heads, int row, const Query& query) {
  Evaluation evaluation{};
  const at::Tensor wdl = heads.value[row].softmax(0);
  evaluation.wdl = {wdl[0].item<float>(), wdl[1].item<float>(), wdl[2].item<float>()};
  std::vector<std::int64_t> legal(query.legal.begin(), query.legal.end());
  const at::Tensor policy = heads.policy[row].index({torch::tensor(legal)}).softmax(0);
  for (int i = 0; i < query.legal.size(); ++i) evaluation.policy[i] = policy[i].item<float>();
  return evaluation;
}

NetworkSettings settings_of(int blocks, int channels, int squeeze, int hidden) {
  return {
      .blocks = blocks, .channels = channels, .squeeze_channels = squeeze, .value_hidden = hidden};
}

class NetworkParity : public testing::TestWithParam<NetworkSettings> {};

TEST_P(NetworkParity, FrozenEvaluatorComputesWhatTheNetworkComputes) {
  const auto frozen = make_lively_network(GetParam(), 11);
  const std::vector<Query> queries = random_queries(61, 5);
  const auto evaluator = make_network_evaluator(frozen, {.device = "cpu"});
  const std::vector<Evaluation> answers = evaluate_all(*evaluator, queries);
  const Network network(*frozen);
  const HeadOutputs heads = network.forward(encode_all(queries), false);
  float spread = 0;
  for (std::size_t row = 0; row < queries.size(); ++row) {
    const Evaluation expected = evaluation_from(heads, static_cast<int>(row), queries[row]);
    EXPECT_LT(difference(queries[row], answers[row], expected), 1e-4F) << "row " << row;
    spread = std::max(spread, std::abs(answers[row].wdl.win - answers[0].wdl.win));
  }
  EXPECT_GT(spread, 0.01F) << "a network that says the same everywhere proves nothing";
}

INSTANTIATE_TEST_SUITE_P(Architectures, NetworkParity,
                         testing::Values(settings_of(2, 16, 4, 24), settings_of(4, 32, 8, 64),
                                         settings_of(1, 64, 0, 32), settings_of(3, 40, 5, 7),
                                         settings_of(2, 9, 20, 3)));

TEST(Network, HeadsHaveTheirShapes) {
  const Network network(*make_random_network(kSmallNetwork, 1));
  const HeadOutputs heads = network.forward(encode_all(random_queries(3, 1)));
  EXPECT_EQ(heads.policy.sizes(), (std::vector<std::int64_t>{3, kActionCount}));
  EXPECT_EQ(heads.reply_policy.sizes(), (std::vector<std::int64_t>{3, kActionCount}));
  EXPECT_EQ(heads.value.sizes(), (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(heads.captures.sizes(), (std::vector<std::int64_t>{3, kCapturesClasses}));
  EXPECT_EQ(heads.occupancy.sizes(), (std::vector<std::int64_t>{3, kPointCount, 3}));
  EXPECT_EQ(heads.plies_left.sizes(), (std::vector<std::int64_t>{3}));
}

TEST(Network, IsTheSameFunctionWithAndWithoutGradients) {
  const Network network(*make_lively_network(kSmallNetwork, 2));
  const at::Tensor planes = encode_all(random_queries(16, 2));
  const HeadOutputs training = network.forward(planes);
  EXPECT_TRUE(training.policy.requires_grad());
  const c10::InferenceMode guard;
  const HeadOutputs playing = network.forward(planes, false);
  EXPECT_TRUE(at::equal(training.policy.detach(), playing.policy));
  EXPECT_TRUE(at::equal(training.value.detach(), playing.value));
}

// No statistics over the batch: a row's answer does not depend on the rows beside it.
TEST(Network, TreatsRowsAlone) {
  const Network network(*make_lively_network(kSmallNetwork, 2));
  const at::Tensor planes = encode_all(random_queries(16, 2));
  const HeadOutputs together = network.forward(planes);
  const HeadOutputs alone = network.forward(planes.narrow(0, 5, 1));
  EXPECT_TRUE(at::allclose(together.policy[5], alone.policy[0], 1e-5, 1e-5));
  EXPECT_TRUE(at::allclose(together.value[5], alone.value[0], 1e-5, 1e-5));
}

TEST(Network, EveryParameterLearnsFromSomeHead) {
  const Network network(*make_lively_network(settings_of(2, 16, 12, 24), 3));
  const HeadOutputs heads = network.forward(encode_all(random_queries(32, 3)));
  at::Tensor loss = heads.plies_left.square().mean();
  for (const at::Tensor& logits :
       {heads.policy, heads.value, heads.captures, heads.occupancy, heads.reply_policy})
    loss = loss - logits.log_softmax(-1).select(-1, 0).mean();
  loss.backward();
  for (const NetworkParameter& parameter : network.parameters()) {
    ASSERT_TRUE(parameter.value.grad().defined()) << parameter.name;
    EXPECT_GT(parameter.value.grad().abs().max().item<float>(), 0) << parameter.name;
  }
}

// Whether it is the tigers' turn is easy to see; all blocks start from zero and must wake up.
TEST(Network, LearnsFromItsRandomStart) {
  const Network network(*make_random_network(kSmallNetwork, 4));
  const std::vector<Query> queries = random_queries(64, 4);
  const at::Tensor planes = encode_all(queries);
  std::vector<std::int64_t> classes;
  for (const Query& query : queries)
    classes.push_back(query.position.side_to_move() == Side::Tiger ? 0 : 2);
  const at::Tensor target = torch::tensor(classes);
  const auto loss = [&] { return at::cross_entropy_loss(network.forward(planes).value, target); };
  const float before = loss().item<float>();
  for (int step = 0; step < 40; ++step) {
    loss().backward();
    const at::NoGradGuard guard;
    for (const NetworkParameter& parameter : network.parameters())
      if (parameter.value.grad().defined()) {
        parameter.value.sub_(parameter.value.grad(), 0.03);
        parameter.value.mutable_grad().zero_();
      }
  }
  EXPECT_LT(loss().item<float>(), 0.3F * before);
}

TEST(Network, FreezesToWhatItWasMadeFrom) {
  const auto start = make_lively_network(kSmallNetwork, 5);
  const NetworkPtr copy = Network(*start).freeze(12);
  EXPECT_EQ(copy->generation(), 12);
  EXPECT_EQ(copy->architecture(), kSmallNetwork);
  EXPECT_NE(copy->identity(), start->identity());
  EXPECT_TRUE(std::ranges::equal(weights_of(*copy).tensors(), start->tensors()));
}

TEST(Network, FreezingAveragedWeightsChecksThem) {
  const Network network(*make_lively_network(kSmallNetwork, 5));
  std::vector<at::Tensor> values;
  for (const NetworkParameter& parameter : network.parameters())
    values.push_back(parameter.value.detach() * 0.5);
  const NetworkPtr half = freeze(kSmallNetwork, values, -1);
  EXPECT_EQ(weights_of(*half).tensor("stem.bias")[0],
            network.parameters()[1].value[0].item<float>() / 2);
  values[3].view(-1)[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(freeze(kSmallNetwork, values, -1), std::invalid_argument);
  values[3] = at::ones({1});
  EXPECT_THROW(freeze(kSmallNetwork, values, -1), std::invalid_argument);
  values.pop_back();
  EXPECT_THROW(freeze(kSmallNetwork, values, -1), std::invalid_argument);
}

TEST(Network, OnlyWeightsDecay) {
  const Network network(*make_random_network(kSmallNetwork, 1));
  for (const NetworkParameter& parameter : network.parameters())
    EXPECT_EQ(parameter.decays, parameter.name.ends_with(".weight")) << parameter.name;
}

TEST(IntraOpThreads, RestoresTheNumberOfThreads) {
  const IntraOpThreads outer(2);
  {
    const IntraOpThreads inner(1);
    EXPECT_EQ(at::get_num_threads(), 1);
  }
  EXPECT_EQ(at::get_num_threads(), 2);
}

}  // namespace
}  // namespace baghzero
