#include "engine/durable_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace baghzero {
namespace {

namespace fs = std::filesystem;

class DurableFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string text_in(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("baghzero_durable_file_" + std::to_string(::getpid()));
  const fs::path file_ = folder_ / "file";
  const fs::path temporary_ = folder_ / "file.tmp";
};

TEST_F(DurableFile, ReplacesAFileAndWhatAKilledWriterHasLeft) {
  std::ofstream(file_) << "old";
  std::ofstream(temporary_) << "the beginning of something longer";
  write_durably(file_, "new");
  EXPECT_EQ(text_in(file_), "new");
  EXPECT_FALSE(fs::exists(temporary_));
}

TEST_F(DurableFile, WritesWhatALinkLeadsTo) {
  std::ofstream(file_) << "old";
  fs::create_symlink("file", folder_ / "link");
  write_durably(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_in(file_), "new");
  fs::create_symlink("/dev/null", folder_ / "device");
  EXPECT_THROW(write_durably(folder_ / "device", "new"), std::runtime_error);
  EXPECT_TRUE(fs::is_symlink(folder_ / "device"));
}

TEST_F(DurableFile, FollowsLinksToWhatIsNotThereYet) {
  fs::create_directory(folder_ / "deep");
  fs::create_symlink("deep/second", folder_ / "first");
  fs::create_symlink("../file", folder_ / "deep/second");
  check_durable(folder_ / "first");
  EXPECT_FALSE(fs::exists(file_));
  write_durably(folder_ / "first", "new");
  EXPECT_EQ(text_in(file_), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "first"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "deep/second"));

  fs::create_symlink("ring", folder_ / "ring");
  EXPECT_THROW(write_durably(folder_ / "ring", "new"), std::runtime_error);
  EXPECT_TRUE(fs::is_symlink(folder_ / "ring"));
}

TEST_F(DurableFile, IsCheckedBeforeLongWorkWithoutATrace) {
  check_durable(file_);
  std::ofstream(file_) << "old";
  check_durable(file_);
  EXPECT_EQ(text_in(file_), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  const auto refusal = [](const fs::path& file) -> std::string {
    try {
      check_durable(file);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(folder_), testing::HasSubstr("is no regular file"));
  EXPECT_THAT(refusal(""), testing::HasSubstr("name is empty"));
  EXPECT_THAT(refusal("/dev/null"), testing::HasSubstr("is no regular file"));
  EXPECT_THAT(refusal(folder_ / "missing/file"), testing::HasSubstr("there is no folder"));
  // Root may write anywhere, nobody does not.
  fs::permissions(folder_, fs::perms::owner_write, fs::perm_options::remove);
  const uid_t user = ::geteuid();
  constexpr uid_t kNobody = 65'534;
  if (user == 0) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  const std::string no_right = refusal(file_);
  ASSERT_EQ(::seteuid(user), 0);
  fs::permissions(folder_, fs::perms::owner_write, fs::perm_options::add);
  EXPECT_THAT(no_right, testing::HasSubstr("nothing can be written in " + folder_.string()));
}

TEST_F(DurableFile, TwoWritersDoNotMix) {
  std::string refusal;
  write_durably(file_, "first", [&](const fs::path&) {
    try {
      write_durably(file_, "second");
    } catch (const std::runtime_error& error) {
      refusal = error.what();
    }
  });
  EXPECT_THAT(refusal, testing::HasSubstr("another program is writing it now"));
  EXPECT_EQ(text_in(file_), "first");
}

TEST_F(DurableFile, LeavesTheOldFileWhereTheNewOneIsRefused) {
  std::ofstream(file_) << "old";
  EXPECT_THROW(write_durably(file_, "new", [](const fs::path&) { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(text_in(file_), "old");
  EXPECT_FALSE(fs::exists(temporary_));
}

}  // namespace
}  // namespace baghzero
