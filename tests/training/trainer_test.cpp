#include "training/trainer.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nn/architecture.h"
#include "nn/frozen_network.h"
#include "tests/training/temporary_folder.h"
#include "training/benchmark.h"
#include "training/checkpoint.h"

namespace baghzero {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using ::testing::Not;
using testing::TemporaryFolder;

const std::atomic<bool> kGoOn = false;

NetworkSettings tiny_network() {
  NetworkSettings settings;
  settings.blocks = 1;
  settings.channels = 8;
  settings.squeeze_channels = 4;
  settings.value_hidden = 8;
  return settings;
}

TrainingSettings quick_settings() {
  TrainingSettings settings;
  settings.device = "cpu";
  settings.batch = 32;
  settings.threads = 1;
  settings.warmup_samples = 0;
  settings.window_min_rows = 100;
  settings.window_max_rows = 2'000;
  return settings;
}

ReplayWindow window_of(int games) {
  ReplayWindow window(quick_settings());
  std::vector<TrainingRow> rows;
  for (int seed = 0; seed < games; ++seed)
    append_rows(make_random_game({}, static_cast<std::uint64_t>(seed)), 0.3, rows);
  window.add(rows);
  return window;
}

// Full searches that found one move only, so that there is a policy to be learned.
ReplayWindow window_of_decided_moves() {
  GameRecord record = make_random_game({}, 1);
  for (MoveRecord& move : record.moves)
    if (move.full_search) move.policy = {{move.action, 1.0F}};
  std::vector<TrainingRow> rows;
  append_rows(record, 0.3, rows);
  ReplayWindow window(quick_settings());
  window.add(rows);
  return window;
}

TEST(Trainer, EveryLossFallsOnAFewRows) {
  const ReplayWindow window = window_of_decided_moves();
  TrainingSettings settings = quick_settings();
  settings.learning_rate = 5e-3;
  Trainer trainer(tiny_network(), settings, 0, 1);
  const TrainingReport first = trainer.train(window, 5, kGoOn);
  trainer.train(window, 250, kGoOn);
  const TrainingReport last = trainer.train(window, 20, kGoOn);
  EXPECT_LT(last.total_loss, first.total_loss);
  EXPECT_LT(last.value_loss, 0.9 * first.value_loss);
  EXPECT_LT(last.captures_loss, 0.9 * first.captures_loss);
  EXPECT_LT(last.occupancy_loss, 0.9 * first.occupancy_loss);
  EXPECT_LT(last.plies_left_loss, 0.9 * first.plies_left_loss);
  EXPECT_LT(last.reply_policy_loss, 0.95 * first.reply_policy_loss);
  EXPECT_LT(last.policy_loss, 0.8 * first.policy_loss);
  EXPECT_GE(last.policy_loss, last.policy_entropy);
  EXPECT_GT(last.gradient_norm, 0);
  EXPECT_EQ(last.rejected_steps, 0);
  EXPECT_EQ(trainer.samples(), 275 * 32);
}

TEST(Trainer, EqualSeedsGiveEqualWeights) {
  const ReplayWindow window = window_of(4);
  Trainer a(tiny_network(), quick_settings(), 0, 5);
  Trainer b(tiny_network(), quick_settings(), 0, 5);
  Trainer c(tiny_network(), quick_settings(), 0, 6);
  for (Trainer* trainer : {&a, &b, &c}) trainer->train(window, 12, kGoOn);
  EXPECT_TRUE(a.state() == b.state());
  EXPECT_NE(a.state().weights, c.state().weights);
}

TEST(Trainer, HalfTheStepsSavedAndResumedAreAllTheSteps) {
  const TemporaryFolder folder;
  const ReplayWindow window = window_of(4);
  for (const OptimizerKind kind : {OptimizerKind::AdamW, OptimizerKind::Sgd}) {
    TrainingSettings settings = quick_settings();
    settings.optimizer = kind;
    Trainer whole(tiny_network(), settings, 10'000, 5);
    whole.train(window, 20, kGoOn);

    RunState saved;
    {
      Trainer half(tiny_network(), settings, 10'000, 5);
      half.train(window, 10, kGoOn);
      saved.trainer = half.state();
    }
    save_state(folder.path(), saved, 1);
    Trainer resumed(tiny_network(), settings, 10'000, 77);
    resumed.restore(load_newest_state(folder.path()).state->trainer);
    resumed.train(window, 10, kGoOn);
    EXPECT_TRUE(resumed.state() == whole.state());
  }
}

// The parts of a batch must add up to the batch, however many threads share it.
TEST(Trainer, ThreadsShareTheBatch) {
  const ReplayWindow window = window_of(4);
  TrainingSettings settings = quick_settings();
  settings.batch = 31;
  settings.optimizer = OptimizerKind::Sgd;
  Trainer alone(tiny_network(), settings, 0, 5);
  const TrainingReport expected = alone.train(window, 4, kGoOn);
  for (const int threads : {2, 3}) {
    settings.threads = threads;
    Trainer shared(tiny_network(), settings, 0, 5);
    Trainer again(tiny_network(), settings, 0, 5);
    const TrainingReport report = shared.train(window, 4, kGoOn);
    again.train(window, 4, kGoOn);
    EXPECT_TRUE(shared.state() == again.state());
    EXPECT_NEAR(report.total_loss, expected.total_loss, 1e-4);
    EXPECT_NEAR(report.policy_loss, expected.policy_loss, 1e-4);
    EXPECT_NEAR(report.reply_policy_loss, expected.reply_policy_loss, 1e-4);
    EXPECT_NEAR(report.gradient_norm, expected.gradient_norm, 1e-3);
    const TrainerState a = alone.state();
    const TrainerState b = shared.state();
    for (std::size_t i = 0; i < a.weights.size(); ++i)
      ASSERT_NEAR(a.weights[i], b.weights[i], 1e-4);
  }
}

TEST(Trainer, ClippingBoundsTheStep) {
  const ReplayWindow window = window_of(2);
  TrainingSettings settings = quick_settings();
  settings.optimizer = OptimizerKind::Sgd;
  settings.momentum = 0;
  settings.weight_decay = 0;
  settings.learning_rate = 1;
  settings.clip_norm = 1e-3;
  Trainer trainer(tiny_network(), settings, 0, 1);
  const auto before = trainer.state().weights;
  EXPECT_GT(trainer.train(window, 1, kGoOn).gradient_norm, settings.clip_norm);
  const auto after = trainer.state().weights;
  double square = 0;
  for (std::size_t i = 0; i < before.size(); ++i) square += std::pow(after[i] - before[i], 2);
  EXPECT_NEAR(std::sqrt(square), 1e-3, 1e-5);
}

// Biases and scales must not shrink; weights must.
TEST(Trainer, DecayActsOnWeightsAlone) {
  const ReplayWindow window = window_of(2);
  TrainingSettings settings = quick_settings();
  settings.optimizer = OptimizerKind::Sgd;
  settings.momentum = 0;
  settings.learning_rate = 0.5;
  settings.clip_norm = 1e-12;  // leaves the decay alone at work
  settings.weight_decay = 0.5;
  settings.ema_decay = 0;
  Trainer trainer(tiny_network(), settings, 0, 1);
  const auto before = trainer.averaged_network(0);
  trainer.train(window, 1, kGoOn);
  const auto after = trainer.averaged_network(0);
  const auto specs = tensor_specs(tiny_network());
  int decaying = 0;
  for (std::size_t t = 0; t < specs.size(); ++t) {
    const double factor = specs[t].decays ? 0.75 : 1;
    decaying += specs[t].decays ? 1 : 0;
    for (std::int64_t i = 0; i < specs[t].size(); ++i)
      ASSERT_NEAR(weights_of(*after).tensors()[t][i], factor * weights_of(*before).tensors()[t][i],
                  1e-5)
          << specs[t].name;
  }
  EXPECT_GT(decaying, 0);
  EXPECT_LT(decaying, static_cast<int>(specs.size()));
}

TEST(Trainer, StartsFromTheSeedsRandomNetwork) {
  const Trainer trainer(tiny_network(), quick_settings(), 0, 9);
  const auto expected = make_random_network(tiny_network(), 9);
  const auto actual = trainer.averaged_network(0);
  EXPECT_TRUE(std::ranges::equal(weights_of(*expected).tensors(), weights_of(*actual).tensors()));
}

TEST(Trainer, TheAverageLagsBehindTheWeights) {
  const ReplayWindow window = window_of(2);
  TrainingSettings settings = quick_settings();
  settings.ema_decay = 0.5;
  Trainer trainer(tiny_network(), settings, 0, 1);
  trainer.train(window, 1, kGoOn);
  const TrainerState one = trainer.state();
  trainer.train(window, 1, kGoOn);
  const TrainerState two = trainer.state();
  const double decay = 2.0 / 11;  // the second step's
  for (std::size_t i = 0; i < two.weights.size(); ++i)
    ASSERT_NEAR(two.average[i], decay * one.average[i] + (1 - decay) * two.weights[i], 1e-6);
}

TEST(Trainer, AStepThatIsNotFiniteChangesNothingAndNamesRows) {
  const ReplayWindow window = window_of(2);
  Trainer trainer(tiny_network(), quick_settings(), 0, 1);
  TrainerState broken = trainer.state();
  broken.weights.front() = std::numeric_limits<float>::infinity();
  trainer.restore(broken);
  const TrainingReport report = trainer.train(window, 3, kGoOn);
  EXPECT_EQ(report.steps, 0);
  EXPECT_EQ(report.samples, 0);
  EXPECT_EQ(report.rejected_steps, 3);
  EXPECT_EQ(trainer.rejected_in_a_row(), 3);
  EXPECT_THAT(report.rejection, HasSubstr("of 32 rows, such as \""));
  EXPECT_EQ(trainer.state().weights, broken.weights);
  EXPECT_EQ(trainer.state().average, broken.average);
  EXPECT_EQ(trainer.samples(), 0);
  EXPECT_THAT(message_of([&] { trainer.train(window, 100, kGoOn); }),
              AllOf(HasSubstr("in a row"), HasSubstr("such as \""),
                    HasSubstr("lower training.learning_rate"), Not(HasSubstr("is good"))));
}

// The weights of a network whose tensor `name` begins with `value`.
TrainerState state_with(const Trainer& trainer, const std::string& name, float value) {
  TrainerState state = trainer.state();
  std::size_t offset = 0;
  for (const bool decays : {true, false}) {  // in the order of FlatParameters
    for (const TensorSpec& spec : tensor_specs(tiny_network())) {
      if (spec.decays != decays) continue;
      if (spec.name == name) {
        state.weights[offset] = value;
        return state;
      }
      offset += static_cast<std::size_t>(spec.size());
    }
  }
  ADD_FAILURE() << "no tensor " << name;
  return state;
}

TEST(Trainer, EveryAnswerThatIsNotFiniteIsNamedWithItsRows) {
  const ReplayWindow window = window_of(2);
  const std::vector<std::pair<std::string, std::string>> heads = {
      {"policy.planes.bias", "policy"},  {"value.wdl.bias", "value"},
      {"captures.bias", "captures"},     {"occupancy.bias", "occupancy"},
      {"plies_left.bias", "plies-left"}, {"reply.planes.bias", "reply-policy"}};
  TrainingSettings settings = quick_settings();
  for (const int threads : {1, 2}) {
    settings.threads = threads;
    Trainer trainer(tiny_network(), settings, 0, 1);
    const TrainerState good = trainer.state();
    for (const auto& [tensor, answer] : heads) {
      trainer.restore(state_with(trainer, tensor, std::numeric_limits<float>::quiet_NaN()));
      EXPECT_THAT(trainer.train(window, 1, kGoOn).rejection,
                  HasSubstr("the network's " + answer + " answer is not finite for 32 of 32 rows"));
      trainer.restore(good);
      EXPECT_EQ(trainer.train(window, 1, kGoOn).rejected_steps, 0);
      EXPECT_EQ(trainer.rejected_in_a_row(), 0);
      trainer.restore(good);
    }
  }
}

TEST(Trainer, AGradientThatAloneIsNotFiniteIsCalledThat) {
  const ReplayWindow window = window_of(2);
  TrainingSettings settings = quick_settings();
  settings.value_weight = 1e30;  // the loss is finite, the squares of its gradient are not
  Trainer trainer(tiny_network(), settings, 0, 1);
  const TrainingReport report = trainer.train(window, 1, kGoOn);
  EXPECT_EQ(report.rejected_steps, 1);
  EXPECT_THAT(report.rejection,
              AllOf(HasSubstr("the gradient or the sum of the losses is not finite"),
                    HasSubstr("lower training.learning_rate")));
}

TEST(Trainer, StopsBetweenSteps) {
  const ReplayWindow window = window_of(2);
  Trainer trainer(tiny_network(), quick_settings(), 0, 1);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(trainer.train(window, 5, stop).steps, 0);
}

TEST(Trainer, TrainsTheFunctionThatPlays) {
  const ReplayWindow window = window_of(4);
  Trainer trainer(tiny_network(), quick_settings(), 0, 1);
  trainer.train(window, 50, kGoOn);
  const PlayLoss trained = trainer.averaged_loss(window, 200, 3);
  InferenceSettings inference;
  inference.device = "cpu";
  inference.precision = Precision::Fp32;
  const auto evaluator = make_network_evaluator(trainer.averaged_network(0), inference);
  const PlayLoss played = evaluator_loss(*evaluator, window, 200, 3);
  EXPECT_NEAR(played.policy, trained.policy, 1e-3);
  EXPECT_NEAR(played.value, trained.value, 1e-3);
}

TEST(Trainer, RefusesForeignStatesAndDevices) {
  Trainer trainer(tiny_network(), quick_settings(), 0, 1);
  NetworkSettings other = tiny_network();
  other.channels = 16;
  const Trainer wider(other, quick_settings(), 0, 1);
  EXPECT_THAT(message_of([&] { trainer.restore(wider.state()); }), HasSubstr("weights"));
  TrainingSettings settings = quick_settings();
  settings.device = "abacus";
  EXPECT_THAT(message_of([&] { const Trainer none(tiny_network(), settings, 0, 1); }),
              HasSubstr("no device \"abacus\""));
}

TEST(TrainingBenchmark, MeasuresTrainerAndBarePasses) {
  for (const int threads : {1, 2}) {
    TrainingSettings settings = quick_settings();
    settings.threads = threads;
    EXPECT_GT(measure_trainer(tiny_network(), settings, 0.02).samples_per_second, 0);
    EXPECT_GT(measure_bare_training(tiny_network(), settings, 0.02), 0);
  }
}

}  // namespace
}  // namespace baghzero
