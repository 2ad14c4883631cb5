#include "training/run_health.h"

#include <condition_variable>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace baghzero {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(StallWatch, NamesAWorkerThatStandsStillOnceUntilItWorksAgain) {
  StallWatch watch(60s);
  const StallWatch::Clock::time_point begin{};
  const auto look = [&](std::vector<std::uint64_t> work, std::chrono::seconds at) {
    return watch.look(work, begin + at);
  };
  EXPECT_EQ(look({1, 1}, 0s), "");
  EXPECT_EQ(look({2, 1}, 59s), "");
  EXPECT_THAT(look({3, 1}, 61s), HasSubstr("worker 1 of self-play has done nothing for 61 s"));
  EXPECT_EQ(look({4, 1}, 200s), "");
  EXPECT_EQ(look({5, 2}, 201s), "");
  EXPECT_THAT(look({6, 2}, 262s), HasSubstr("worker 1"));
  watch.restart();
  EXPECT_EQ(look({6, 2}, 900s), "");
  EXPECT_EQ(look({6, 2}, 959s), "");
}

TEST(RunHealth, SaysWhatToChange) {
  const Surroundings fine{0.5, std::int64_t{1} << 40};
  EXPECT_THAT(find_trouble({{"selfplay/batch_fill", 0.9}}, fine), IsEmpty());
  EXPECT_THAT(find_trouble({}, fine), IsEmpty());
  EXPECT_THAT(find_trouble({{"selfplay/batch_fill", 0.4}}, fine),
              ElementsAre(HasSubstr("selfplay.slots_per_worker")));
  EXPECT_THAT(find_trouble({{"selfplay/queue_share", 0.2}}, fine),
              ElementsAre(HasSubstr("selfplay.workers")));
  EXPECT_THAT(
      find_trouble({{"termination/max_plies", 0.3}, {"termination/no_capture_limit", 0.3}}, fine),
      ElementsAre(HasSubstr("rules.max_plies")));
  EXPECT_THAT(find_trouble({}, {0.01, std::int64_t{1} << 40}),
              ElementsAre(HasSubstr("training.window_max_rows")));
  EXPECT_THAT(find_trouble({}, {0.5, 1'000'000}), ElementsAre(HasSubstr("free some space")));
}

TEST(RunHealth, KnowsOneSidedGamesLostCandidatesAndSlowDisks) {
  const Surroundings fine{0.5, std::int64_t{1} << 40};
  EXPECT_THAT(find_trouble({{"outcome/tigers_win", 0.97}, {"outcome/goats_win", 0.03}}, fine),
              ElementsAre(HasSubstr("won by the tigers")));
  EXPECT_THAT(find_trouble({{"outcome/goats_win", 1}}, fine),
              ElementsAre(HasSubstr("won by the goats")));
  EXPECT_THAT(find_trouble({{"run/rejected_in_a_row", 7}}, fine), IsEmpty());
  EXPECT_THAT(find_trouble({{"run/rejected_in_a_row", 8}}, fine),
              ElementsAre(HasSubstr("training.learning_rate")));
  EXPECT_THAT(find_trouble({{"selfplay/backlog_peak", 2'000}}, fine),
              ElementsAre(HasSubstr("selfplay.workers")));
}

TEST(TroubleNews, AreToldOnceADay) {
  TroubleNews news;
  const TroubleNews::Clock::time_point begin{};
  EXPECT_THAT(news.of({"a"}, begin), ElementsAre("a"));
  EXPECT_THAT(news.of({"a", "b"}, begin + 1h), ElementsAre("b"));
  EXPECT_THAT(news.of({"b"}, begin + 2h), IsEmpty());
  EXPECT_THAT(news.of({"a", "b"}, begin + 24h), ElementsAre("a"));
  EXPECT_THAT(news.of({"a", "b"}, begin + 25h), ElementsAre("b"));
}

TEST(LoopWatch, TellsOfASilenceOnceUntilTheLoopIsHeardOfAgain) {
  std::mutex mutex;
  std::condition_variable told;
  std::vector<std::string> texts;
  LoopWatch watch(20ms, [&](const std::string& text) {
    const std::lock_guard lock(mutex);
    texts.push_back(text);
    told.notify_one();
  });
  std::unique_lock lock(mutex);
  for (std::size_t silences = 1; silences <= 2; ++silences) {
    watch.hear("training");
    told.wait(lock, [&] { return texts.size() == silences; });
    EXPECT_THAT(texts.back(), HasSubstr("last of training: the device or the disk may hang"));
  }
}

TEST(RunHealth, LooksAtTheMachine) {
  const Surroundings here = surroundings_of(std::filesystem::temp_directory_path());
  EXPECT_GT(here.memory_left, 0);
  EXPECT_LE(here.memory_left, 1);
  EXPECT_GT(here.disk_bytes_left, 0);
}

}  // namespace
}  // namespace baghzero
