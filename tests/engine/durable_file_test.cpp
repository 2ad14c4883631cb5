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
