#include "training/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/temporary_folder.h"

namespace baghzero {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

TEST(Schedule, WarmsUpAndFallsToTheFinalFactor) {
  TrainingSettings settings;
  settings.batch = 100;
  settings.warmup_samples = 1'000;
  settings.final_learning_rate_factor = 0.1;
  EXPECT_NEAR(schedule_factor(settings, 0, 11'000), 0.1, 1e-12);
  EXPECT_NEAR(schedule_factor(settings, 400, 11'000), 0.5, 1e-12);
  EXPECT_NEAR(schedule_factor(settings, 1'000, 11'000), 1, 1e-12);
  EXPECT_NEAR(schedule_factor(settings, 6'000, 11'000), 0.55, 1e-12);
  EXPECT_NEAR(schedule_factor(settings, 11'000, 11'000), 0.1, 1e-12);
  EXPECT_NEAR(schedule_factor(settings, 99'000, 11'000), 0.1, 1e-12);
}

TEST(Schedule, IsConstantWithoutABudget) {
  TrainingSettings settings;
  settings.warmup_samples = 0;
  EXPECT_EQ(schedule_factor(settings, 0, 0), 1);
  EXPECT_EQ(schedule_factor(settings, 1'000'000'000, 0), 1);
}

TEST(Schedule, TheAverageForgetsItsBeginning) {
  TrainingSettings settings;
  settings.ema_decay = 0.999;
  EXPECT_NEAR(average_decay(settings, 0), 0.1, 1e-12);
  EXPECT_EQ(average_decay(settings, 1'000'000), 0.999);
}

TEST(Schedule, SettingsWithoutSenseAreNamed) {
  const auto refusal = [](auto change) {
    TrainingSettings settings;
    change(settings);
    return message_of([&] { check_training(settings); });
  };
  EXPECT_EQ(refusal([](TrainingSettings&) {}), "");
  EXPECT_THAT(refusal([](auto& s) { s.batch = 0; }), HasSubstr("training.batch"));
  EXPECT_THAT(refusal([](auto& s) { s.reuse = 0; }), HasSubstr("training.reuse"));
  EXPECT_THAT(refusal([](auto& s) { s.ema_decay = 1; }), HasSubstr("training.ema_decay"));
  EXPECT_THAT(refusal([](auto& s) { s.clip_norm = 0; }), HasSubstr("training.clip_norm"));
}

}  // namespace
}  // namespace baghzero
