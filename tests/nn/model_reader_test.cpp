// The reader in Python, which knows model files from docs/model-format.md alone.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "nn/model_file.h"
#include "tests/nn/sample_networks.h"

namespace baghzero {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Reading {
  int exit_code = -1;
  std::string output;
};

Reading read_in_python(const fs::path& file) {
  // Debian's Python has Debian's numpy and xxhash.
  const std::string command =
      "/usr/bin/python3 " BAGHZERO_SOURCE_DIR "/scripts/read_model.py '" + file.string() + "' 2>&1";
  Reading reading;
  FILE* const pipe = popen(command.c_str(), "r");
  if (!pipe) return reading;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    reading.output += static_cast<char>(c);
  reading.exit_code = pclose(pipe);
  return reading;
}

class ModelReader : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(file_.parent_path()); }
  void TearDown() override { fs::remove_all(file_.parent_path()); }

  const fs::path file_ = fs::path(testing::TempDir()) /
                         ("baghzero_reader_" + std::to_string(::getpid())) / "model.bzn";
};

TEST_F(ModelReader, ComputesWhatThisProgramComputes) {
  for (const NetworkSettings& settings :
       {kSmallNetwork,
        NetworkSettings{.blocks = 1, .channels = 9, .squeeze_channels = 0, .value_hidden = 5}}) {
    save_network(*make_lively_network(settings, 5), file_);
    const Reading reading = read_in_python(file_);
    EXPECT_EQ(reading.exit_code, 0) << reading.output;
    EXPECT_THAT(reading.output, HasSubstr("8 check positions"));
  }
}

TEST_F(ModelReader, RefusesADamagedFile) {
  save_network(*make_lively_network(kSmallNetwork, 5), file_);
  {
    std::fstream stream(file_, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(-100, std::ios::end);
    stream.put('x');
  }
  const Reading damaged = read_in_python(file_);
  EXPECT_NE(damaged.exit_code, 0);
  EXPECT_THAT(damaged.output, HasSubstr("wrong checksum"));
  fs::resize_file(file_, fs::file_size(file_) - 1);
  EXPECT_THAT(read_in_python(file_).output, HasSubstr("wrong length"));
}

}  // namespace
}  // namespace baghzero
