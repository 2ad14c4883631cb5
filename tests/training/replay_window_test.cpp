#include "training/replay_window.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/temporary_folder.h"

namespace baghzero {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

TrainingSettings settings_of(std::int64_t least, std::int64_t most) {
  TrainingSettings settings;
  settings.window_min_rows = least;
  settings.window_max_rows = most;
  return settings;
}

// Rows that tell their number by plies_left.
std::vector<TrainingRow> numbered(int first, int count) {
  std::vector<TrainingRow> rows(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) rows[i].plies_left = static_cast<std::uint16_t>(first + i);
  return rows;
}

std::set<int> sampled(const ReplayWindow& window) {
  Random random(3);
  std::vector<RowChoice> choices(20'000);
  window.sample(random, choices);
  std::set<int> seen;
  for (const RowChoice& choice : choices) seen.insert(window.row(choice.slot).plies_left);
  return seen;
}

TEST(ReplayWindow, GrowsByTheFormula) {
  TrainingSettings settings = settings_of(1'000, 100'000);
  settings.window_alpha = 0.75;
  settings.window_beta = 0.4;
  EXPECT_EQ(window_rows(settings, 0), 1'000);
  EXPECT_EQ(window_rows(settings, 1'000), 1'000);
  // 1000 * (1 + 0.4 * (16^0.75 - 1) / 0.75) with 16^0.75 = 8.
  EXPECT_EQ(window_rows(settings, 16'000), 4'733);
  EXPECT_EQ(window_rows(settings, 1'000'000'000), 100'000);
  settings.window_alpha = 0;
  EXPECT_NEAR(static_cast<double>(window_rows(settings, 16'000)), 1'000 * (1 + 0.4 * std::log(16)),
              1);
}

TEST(ReplayWindow, SamplesTheLatestRowsOnly) {
  ReplayWindow window(settings_of(10, 40));
  window.add(numbered(0, 8));
  EXPECT_FALSE(window.ready());
  EXPECT_EQ(window.size(), 8);
  window.add(numbered(8, 60));
  EXPECT_TRUE(window.ready());
  EXPECT_EQ(window.total(), 68);
  const std::int64_t size = window_rows(settings_of(10, 40), 68);
  ASSERT_LT(size, 40);
  EXPECT_EQ(window.size(), size);
  const std::set<int> seen = sampled(window);
  EXPECT_EQ(static_cast<std::int64_t>(seen.size()), size);
  EXPECT_EQ(*seen.begin(), 68 - size);
  EXPECT_EQ(*seen.rbegin(), 67);
}

TEST(ReplayWindow, DrawsUniformlyOverRowsAndSymmetries) {
  ReplayWindow window(settings_of(4, 4));
  window.add(numbered(0, 4));
  Random random(1);
  std::vector<RowChoice> choices(32'000);
  window.sample(random, choices);
  std::map<std::pair<int, int>, int> counts;
  for (const RowChoice& choice : choices)
    ++counts[{window.row(choice.slot).plies_left, choice.symmetry}];
  EXPECT_EQ(counts.size(), 4U * kSymmetryCount);
  for (const auto& [what, count] : counts) EXPECT_NEAR(count, 1'000, 150);
}

TEST(ReplayWindow, ARefilledWindowDrawsTheSameRows) {
  ReplayWindow whole(settings_of(10, 20));
  whole.add(numbered(0, 33));
  ReplayWindow refilled(settings_of(10, 20));
  refilled.start_at(13);
  refilled.add(numbered(13, 20));
  ASSERT_EQ(refilled.total(), whole.total());
  Random a(7);
  Random b(7);
  std::vector<RowChoice> from_whole(100);
  std::vector<RowChoice> from_refilled(100);
  whole.sample(a, from_whole);
  refilled.sample(b, from_refilled);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(whole.row(from_whole[i].slot).plies_left,
              refilled.row(from_refilled[i].slot).plies_left);
    EXPECT_EQ(from_whole[i].symmetry, from_refilled[i].symmetry);
  }
}

TEST(ReplayWindow, RefusesSizesWithoutSense) {
  EXPECT_THAT(message_of([] { const ReplayWindow window(settings_of(10, 5)); }),
              HasSubstr("window_max_rows"));
}

}  // namespace
}  // namespace baghzero
