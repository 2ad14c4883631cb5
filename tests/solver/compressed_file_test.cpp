#include "engine/solver/compressed_file.h"

#include <algorithm>
#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <xxhash.h>

#include "engine/random.h"

namespace baghzero {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr StreamShape kShape{
    .kind = SolvedKind::Placement, .layer = 3, .streams = 5, .stream_bytes = 2 * kBlockBytes + 77};
constexpr std::size_t kHeaderBytes = 64;

class SolvedFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("baghzero_solved_file_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    file_ = folder_ / "part.bzs";
    Random random(5);
    for (auto& stream : content_) {
      stream.resize(kShape.stream_bytes);
      // Neither constant nor incompressible.
      for (auto& byte : stream) byte = static_cast<std::uint8_t>(random.below(3) * 20);
    }
    CompressedFileWriter writer(kShape);
    for (std::uint64_t i = 0; i < kShape.streams; ++i) writer.set_stream(i, content_[i]);
    size_ = writer.write(file_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string read() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void write(std::string_view bytes) const {
    std::ofstream(file_, std::ios::binary).write(bytes.data(), std::ssize(bytes));
  }
  // Opens the file and reads it all.
  void load() const { CompressedFile(file_, kShape).verify(); }
  void expect_fault(const std::string& fault) const {
    EXPECT_THAT([this] { load(); }, ThrowsMessage<std::runtime_error>(
                                        AllOf(HasSubstr(file_.string()), HasSubstr(fault))));
  }

  std::filesystem::path folder_;
  std::filesystem::path file_;
  std::array<std::vector<std::uint8_t>, kShape.streams> content_;
  std::uint64_t size_ = 0;
};

TEST_F(SolvedFile, GivesBackEveryByte) {
  const CompressedFile file(file_, kShape);
  EXPECT_EQ(file.file_bytes(), size_);
  EXPECT_EQ(std::filesystem::file_size(file_), size_);
  EXPECT_LT(size_, kShape.streams * kShape.stream_bytes / 2);
  std::vector<std::uint8_t> stream(kShape.stream_bytes);
  std::vector<std::uint8_t> block(kBlockBytes);
  for (std::uint64_t i = 0; i < kShape.streams; ++i) {
    file.read_stream(i, stream);
    EXPECT_EQ(stream, content_[i]);
    const std::uint64_t last = i * blocks_per_stream(kShape) + 2;
    ASSERT_EQ(file.block_size(last), 77U);
    file.read_block(last, std::span(block).first(77));
    EXPECT_TRUE(std::equal(block.begin(), block.begin() + 77, content_[i].end() - 77));
  }
  // Nothing else is left in the folder.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(SolvedFile, EveryTruncationIsNoticed) {
  const std::string bytes = read();
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{20}, kHeaderBytes,
                                 kHeaderBytes + 40, bytes.size() / 2, bytes.size() - 1}) {
    write(std::string_view(bytes).substr(0, size));
    EXPECT_THROW(load(), std::runtime_error) << size;
  }
  expect_fault("truncated");
  write(bytes + "x");
  expect_fault("bytes instead of");
}

TEST_F(SolvedFile, EveryFlippedBitIsNoticed) {
  const std::string bytes = read();
  Random random(1);
  for (int trial = 0; trial < 500; ++trial) {
    std::string damaged = bytes;
    const std::size_t at =
        trial < 200 ? random() % (kHeaderBytes + 100) : random() % damaged.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    write(damaged);
    EXPECT_THROW(load(), std::runtime_error) << at;
  }
}

TEST_F(SolvedFile, ForeignMissingAndOtherFiles) {
  std::string bytes = read();
  // Another version, with a valid checksum.
  std::uint32_t version = kSolvedVersion + 1;
  std::memcpy(bytes.data() + 8, &version, sizeof(version));
  const std::uint64_t checksum = XXH3_64bits(bytes.data(), kHeaderBytes - 8);
  std::memcpy(bytes.data() + kHeaderBytes - 8, &checksum, sizeof(checksum));
  write(bytes);
  expect_fault("has format version 2, but this program reads 1");
  write("SQLite format 3, or so");
  expect_fault("is not a part of a solved game");
  std::filesystem::remove(file_);
  expect_fault("No such file");
  std::filesystem::create_directory(file_);
  EXPECT_THROW(load(), std::runtime_error);
}

TEST_F(SolvedFile, APartUnderAnotherNameIsNoticed) {
  StreamShape other = kShape;
  other.layer = 4;
  EXPECT_THAT([&] { CompressedFile(file_, other); },
              ThrowsMessage<std::runtime_error>(HasSubstr("another part")));
}

TEST_F(SolvedFile, CannotBeWrittenWhereThereIsNoFolder) {
  CompressedFileWriter writer(kShape);
  for (std::uint64_t i = 0; i < kShape.streams; ++i) writer.set_stream(i, content_[i]);
  EXPECT_THAT([&] { writer.write(folder_ / "none" / "part.bzs"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cannot open")));
}

}  // namespace
}  // namespace baghzero
