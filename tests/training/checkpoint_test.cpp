#include "training/checkpoint.h"

#include <algorithm>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/temporary_folder.h"

namespace baghzero {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

RunState some_state(int number) {
  RunState state;
  state.network.blocks = 2;
  state.trainer.weights = {1.5F, static_cast<float>(number)};
  state.trainer.average = {0.25F, 3};
  state.trainer.first_moment = {1e-30F, -4};
  state.trainer.second_moment = {};
  state.trainer.steps = number;
  state.trainer.samples = 256 * number;
  state.trainer.random = Random(static_cast<std::uint64_t>(number)).state();
  state.next = RunStep::Gate;
  state.last_game = 10 + number;
  state.games_before_iteration = 5;
  state.total_rows = 900;
  state.sample_credit = 12.5;
  state.generation = 3;
  state.iteration = 7;
  state.iterations_ungated = 1;
  state.seconds = 0.1;
  return state;
}

std::vector<char> bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write(const std::filesystem::path& file, const std::vector<char>& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

int files_in(const std::filesystem::path& folder) {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(Checkpoint, AStateComesBackExactly) {
  const TemporaryFolder folder;
  save_state(folder / "state", some_state(4), 2);
  const LoadedState loaded = load_newest_state(folder / "state");
  ASSERT_TRUE(loaded.state.has_value());
  EXPECT_EQ(*loaded.state, some_state(4));
  EXPECT_TRUE(loaded.damaged.empty());
}

TEST(Checkpoint, AnEmptyFolderHoldsNone) {
  const TemporaryFolder folder;
  EXPECT_FALSE(load_newest_state(folder / "state").state.has_value());
}

TEST(Checkpoint, KeepsTheNewestFew) {
  const TemporaryFolder folder;
  for (int i = 1; i <= 5; ++i) save_state(folder.path(), some_state(i), 2);
  EXPECT_EQ(files_in(folder.path()), 2);
  EXPECT_EQ(load_newest_state(folder.path()).state->trainer.steps, 5);
}

TEST(Checkpoint, ADamagedNewestIsNamedAndTheOneBeforeUsed) {
  const TemporaryFolder folder;
  save_state(folder.path(), some_state(1), 3);
  const auto newest = save_state(folder.path(), some_state(2), 3);
  const std::vector<char> whole = bytes_of(newest);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{10}, whole.size() / 2, whole.size() - 1}) {
    write(newest, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
    const LoadedState loaded = load_newest_state(folder.path());
    ASSERT_TRUE(loaded.state.has_value()) << length;
    EXPECT_EQ(loaded.state->trainer.steps, 1);
    EXPECT_THAT(loaded.damaged, ElementsAre(HasSubstr(newest.string())));
  }
  for (std::size_t at = 0; at < whole.size(); at += 37) {
    std::vector<char> flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    write(newest, flipped);
    EXPECT_EQ(load_newest_state(folder.path()).state->trainer.steps, 1) << at;
  }
}

TEST(Checkpoint, AFolderInTheWayOfAStateIsPassedOver) {
  const TemporaryFolder folder;
  save_state(folder.path(), some_state(1), 2);
  std::filesystem::create_directory(folder / "state-00000009.bzs");
  EXPECT_EQ(load_newest_state(folder.path()).state->trainer.steps, 1);
}

TEST(Checkpoint, AHalfWrittenFileIsNoState) {
  const TemporaryFolder folder;
  const auto file = save_state(folder.path(), some_state(1), 2);
  write(file.string() + ".tmp", {'x'});
  EXPECT_EQ(load_newest_state(folder.path()).state->trainer.steps, 1);
}

TEST(Checkpoint, NeverHoldsWhatIsNotFinite) {
  const TemporaryFolder folder;
  save_state(folder.path(), some_state(1), 2);
  RunState broken = some_state(2);
  broken.trainer.average[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(message_of([&] { save_state(folder.path(), broken, 2); }), HasSubstr("not finite"));
  EXPECT_EQ(load_newest_state(folder.path()).state->trainer.steps, 1);
  EXPECT_EQ(files_in(folder.path()), 1);
}

}  // namespace
}  // namespace baghzero
