#include "training/checkpoint.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include "tests/training/temporary_folder.h"

namespace baghzero {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

RunState some_state(int number) {
  RunState state;
  state.identity = "rules.goats = 5, run.seed = 1";
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

::testing::Matcher<const DamagedState&> damage_of(const std::filesystem::path& file) {
  return AllOf(Field(&DamagedState::file, file),
               Field(&DamagedState::sentence, HasSubstr(file.string() + " is damaged (")));
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
    EXPECT_THAT(loaded.damaged, ElementsAre(damage_of(newest)));
  }
  for (std::size_t at = 0; at < whole.size(); at += 37) {
    std::vector<char> flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    write(newest, flipped);
    EXPECT_EQ(load_newest_state(folder.path()).state->trainer.steps, 1) << at;
  }
}

// Reading the memory of a process from its beginning is an error of input and output.
TEST(Checkpoint, ANewestThatTheDiskCannotReadIsPassedOver) {
  const TemporaryFolder folder;
  save_state(folder.path(), some_state(1), 3);
  const auto newest = folder / "state-00000002.bzs";
  std::filesystem::create_symlink("/proc/self/mem", newest);
  const LoadedState loaded = load_newest_state(folder.path());
  ASSERT_TRUE(loaded.state.has_value());
  EXPECT_EQ(loaded.state->trainer.steps, 1);
  ASSERT_THAT(loaded.damaged, ElementsAre(damage_of(newest)));
  EXPECT_THAT(loaded.damaged[0].sentence, HasSubstr("cannot be read: Input/output error"));
}

TEST(Checkpoint, ADamagedOneThatIsSetAsideNoLongerCounts) {
  const TemporaryFolder folder;
  for (int i = 1; i <= 2; ++i) save_state(folder.path(), some_state(i), 2);
  const auto damaged = folder / "state-00000003.bzs";
  write(damaged, {'t', 'o', 'r', 'n'});
  const LoadedState loaded = load_newest_state(folder.path());
  ASSERT_THAT(loaded.damaged, ElementsAre(damage_of(damaged)));
  EXPECT_TRUE(std::filesystem::exists(damaged));  // reading changes nothing
  EXPECT_THAT(set_aside(loaded.damaged[0]), AllOf(HasSubstr(loaded.damaged[0].sentence),
                                                  HasSubstr("state-00000003.bzs.damaged")));
  EXPECT_EQ(bytes_of(damaged.string() + ".damaged"), (std::vector<char>{'t', 'o', 'r', 'n'}));
  EXPECT_EQ(save_state(folder.path(), some_state(3), 2), damaged);
  EXPECT_THAT(state_files(folder.path()), ElementsAre(damaged, folder / "state-00000002.bzs"));
  EXPECT_THAT(set_aside({folder / "state-00000009.bzs", "gone"}), HasSubstr("not be renamed"));
}

TEST(Checkpoint, OrderIsThatOfNumbers) {
  const TemporaryFolder folder;
  const auto last_of_eight = folder / "state-99999999.bzs";
  save_state(folder.path(), some_state(1), 9);
  std::filesystem::rename(folder / "state-00000001.bzs", last_of_eight);
  const auto nine = save_state(folder.path(), some_state(2), 9);
  EXPECT_EQ(nine, folder / "state-100000000.bzs");
  EXPECT_THAT(state_files(folder.path()), ElementsAre(nine, last_of_eight));
  EXPECT_EQ(load_newest_state(folder.path()).state->trainer.steps, 2);
}

TEST(Checkpoint, WhatIsNoStateIsLeftAlone) {
  const TemporaryFolder folder;
  save_state(folder.path(), some_state(1), 2);
  const std::vector<std::string> strangers = {"state-backup.bzs",     "state-00000012-copy.bzs",
                                              "state-0000012.bzs",    "state--0000012.bzs",
                                              "state-.bzs",           "state-00000012.bzs.damaged",
                                              "my-state-00000012.bzs"};
  for (const std::string& name : strangers)
    std::filesystem::copy_file(folder / "state-00000001.bzs", folder / name);
  std::filesystem::create_directory(folder / "state-00000009.bzs");
  EXPECT_THAT(state_files(folder.path()), ElementsAre(folder / "state-00000001.bzs"));
  for (int i = 2; i <= 4; ++i) save_state(folder.path(), some_state(i), 1);
  EXPECT_EQ(load_newest_state(folder.path()).state->trainer.steps, 4);
  // Numbering goes on behind the folder, which has taken its number.
  EXPECT_THAT(state_files(folder.path()), ElementsAre(folder / "state-00000012.bzs"));
  for (const std::string& name : strangers)
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  EXPECT_TRUE(std::filesystem::is_directory(folder / "state-00000009.bzs"));
}

// As programs wrote it that knew no identity.
TEST(Checkpoint, AStateWithoutAnIdentityIsRead) {
  const TemporaryFolder folder;
  const auto file = save_state(folder.path(), some_state(1), 2);
  std::vector<char> bytes = bytes_of(file);
  const std::string field = R"("identity":"rules.goats = 5, run.seed = 1",)";
  const auto at = std::ranges::search(bytes, field);
  ASSERT_FALSE(at.empty());
  bytes.erase(at.begin(), at.end());
  std::uint32_t length = 0;
  constexpr std::size_t kLengthAt = 12;
  std::memcpy(&length, bytes.data() + kLengthAt, sizeof length);
  length -= static_cast<std::uint32_t>(field.size());
  std::memcpy(bytes.data() + kLengthAt, &length, sizeof length);
  const std::size_t content = bytes.size() - sizeof(std::uint64_t);
  const std::uint64_t checksum = XXH3_64bits(bytes.data(), content);
  std::memcpy(bytes.data() + content, &checksum, sizeof checksum);
  write(file, bytes);
  RunState expected = some_state(1);
  expected.identity = "";
  EXPECT_EQ(load_state(file), expected);
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
