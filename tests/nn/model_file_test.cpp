#include "nn/model_file.h"

#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <xxhash.h>

#include "tests/nn/sample_networks.h"

namespace baghzero {
namespace {

using testing::HasSubstr;

class ModelFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("baghzero_model_file_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    file_ = folder_ / "model.bzn";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string read() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void write(std::string_view bytes) const {
    std::ofstream(file_, std::ios::binary).write(bytes.data(), std::ssize(bytes));
  }
  // Replaces text in the header, keeping the length, and renews the checksum: what a foreign or
  // faulty writer could produce.
  void rewrite(const std::string& from, const std::string& to) const {
    std::string bytes = read();
    const std::size_t at = bytes.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    ASSERT_EQ(from.size(), to.size());
    bytes.replace(at, to.size(), to);
    seal(bytes);
    write(bytes);
  }
  static void seal(std::string& bytes) {
    const std::size_t content = bytes.size() - 8;
    const std::uint64_t checksum = XXH3_64bits(bytes.data(), content);
    std::memcpy(bytes.data() + content, &checksum, 8);
  }
  void expect_fault(const std::string& fault) const {
    EXPECT_THAT([this] { load_network(file_); },
                testing::ThrowsMessage<std::runtime_error>(
                    testing::AllOf(HasSubstr(fault), HasSubstr(file_.string()))));
  }

  std::filesystem::path folder_;
  std::filesystem::path file_;
};

TEST_F(ModelFile, RoundTripKeepsEverything) {
  const auto network = make_lively_network(kSmallNetwork, 1, 17);
  ModelFacts facts;
  facts.rules.repetition = Repetition::Threefold;
  facts.rules.max_plies = 321;
  facts.provenance = {{"run", "quick \"one\""}, {"samples", "12345"}};
  save_network(*network, file_, facts);
  const NetworkPtr loaded = load_network(file_);
  EXPECT_EQ(loaded->generation(), 17);
  EXPECT_EQ(loaded->architecture(), kSmallNetwork);
  EXPECT_TRUE(std::ranges::equal(weights_of(*loaded).tensors(), network->tensors()));
  const ModelFacts read_back = load_model(file_).facts;
  EXPECT_EQ(read_back.rules, facts.rules);
  EXPECT_EQ(read_back.provenance, facts.provenance);
  // Nothing else is left in the folder.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(ModelFile, EqualNetworksMakeEqualFiles) {
  save_network(*make_random_network({}, 3), file_);
  const std::string first = read();
  save_network(*make_random_network({}, 3), file_);
  EXPECT_EQ(read(), first);
}

TEST_F(ModelFile, ReplacesAnOlderFile) {
  save_network(*make_random_network(kSmallNetwork, 1), file_);
  save_network(*make_lively_network(kSmallNetwork, 1, 5), file_);
  EXPECT_EQ(load_network(file_)->generation(), 5);
}

TEST_F(ModelFile, MissingFileOrFolder) {
  expect_fault("cannot be read: No such file");
  std::filesystem::create_directory(file_);
  expect_fault("is a folder");
  EXPECT_THAT(
      [this] { save_network(*make_random_network(kSmallNetwork, 1), folder_ / "no" / "m.bzn"); },
      testing::ThrowsMessage<std::runtime_error>(HasSubstr("cannot open")));
}

TEST_F(ModelFile, DevicesAreNeitherReadNorReplaced) {
  std::filesystem::create_symlink("/dev/null", file_);
  expect_fault("is no regular file");
  EXPECT_THAT([this] { save_network(*make_random_network(kSmallNetwork, 1), file_); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("is no regular file")));
  EXPECT_TRUE(std::filesystem::is_character_file(file_));
}

TEST_F(ModelFile, EveryTruncationIsNoticed) {
  save_network(*make_random_network(kSmallNetwork, 1), file_);
  const std::string bytes = read();
  for (std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{8}, std::size_t{23},
                           std::size_t{24}, std::size_t{500}, bytes.size() / 2, bytes.size() - 1}) {
    write(std::string_view(bytes).substr(0, size));
    EXPECT_THROW(load_network(file_), std::runtime_error) << size;
  }
  write(std::string_view(bytes).substr(0, bytes.size() / 2));
  expect_fault("truncated");
  write(bytes + "x");
  expect_fault("truncated or damaged");
}

TEST_F(ModelFile, EveryFlippedBitIsNoticed) {
  save_network(*make_random_network(kSmallNetwork, 1), file_);
  const std::string bytes = read();
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const std::size_t at =
        i < 30 ? static_cast<std::size_t>(i) : random.below(static_cast<unsigned>(bytes.size()));
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    write(damaged);
    EXPECT_THROW(load_network(file_), std::runtime_error) << "byte " << at;
  }
  std::string damaged = bytes;
  damaged[bytes.size() - 100] = static_cast<char>(damaged[bytes.size() - 100] ^ 1);
  write(damaged);
  expect_fault("checksum does not match");
}

TEST_F(ModelFile, ForeignFilesAreNamedAsSuch) {
  write("PK\x03\x04 this is an archive of another kind, long enough to hold a preamble");
  expect_fault("is not a BaghZero model");
}

TEST_F(ModelFile, NewerVersionsAreNamedAsSuch) {
  save_network(*make_random_network(kSmallNetwork, 1), file_);
  std::string bytes = read();
  bytes[8] = 2;
  write(bytes);
  expect_fault("has format version 2, newer than this program reads (1)");
}

TEST_F(ModelFile, WrongShapesAreNoticed) {
  save_network(*make_random_network(kSmallNetwork, 1), file_);
  rewrite("\"channels\": 16", "\"channels\": 17");
  expect_fault("where its architecture has stem.weight");
}

TEST_F(ModelFile, WrongNumberOfTensorsIsNoticed) {
  save_network(*make_random_network(kSmallNetwork, 1), file_);
  rewrite("\"blocks\": 2", "\"blocks\": 3");
  expect_fault("tensors where its architecture has");
}

TEST_F(ModelFile, OtherInputPlanesAreNoticed) {
  save_network(*make_random_network(kSmallNetwork, 1), file_);
  rewrite("immobile_tigers", "sleeping_tigers");
  expect_fault("was made for other input planes");
}

TEST_F(ModelFile, HeadersWithoutMeaningAreNoticed) {
  save_network(*make_random_network(kSmallNetwork, 1), file_);
  const std::string good = read();
  rewrite("\"architecture\"", "\"architekture\"");
  expect_fault("cannot be understood");
  write(good);
  rewrite("\"goats\": 20", "\"goats\": 99");
  expect_fault("make no sense");
  write(good);
  std::string bytes = good;
  bytes[24] = '[';
  seal(bytes);
  write(bytes);
  expect_fault("cannot be understood");
}

TEST_F(ModelFile, WeightsThatAreNotFiniteAreNoticed) {
  save_network(*make_random_network(kSmallNetwork, 1), file_);
  std::string bytes = read();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bytes.data() + bytes.size() - 8 - sizeof nan, &nan, sizeof nan);
  seal(bytes);
  write(bytes);
  expect_fault("occupancy.bias");
}

TEST_F(ModelFile, CheckPositionsAreReplayed) {
  save_network(*make_lively_network(kSmallNetwork, 1), file_);
  std::string bytes = read();
  std::uint32_t header = 0;
  std::memcpy(&header, bytes.data() + 12, sizeof header);
  const float other = 3;  // a weight of the stem that was something else
  std::memcpy(bytes.data() + 24 + header, &other, sizeof other);
  seal(bytes);
  write(bytes);
  expect_fault("does not give the answers stored with it");
}

}  // namespace
}  // namespace baghzero
