// Networks in files for the tests of the engine.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "nn/model_file.h"
#include "tests/nn/sample_networks.h"

namespace baghzero::test {

inline constexpr NetworkSettings kTinyNetwork{
    .blocks = 1, .channels = 8, .squeeze_channels = 4, .value_hidden = 8};

// A folder that goes with the process.
inline const std::filesystem::path& scratch_folder() {
  struct Folder {
    std::filesystem::path path =
        std::filesystem::path(testing::TempDir()) / ("baghzero_play_" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
  };
  static const Folder folder;
  return folder.path;
}

// A model file of a lively network.
inline std::filesystem::path make_model_file(const Rules& rules = {},
                                             const NetworkSettings& settings = kTinyNetwork,
                                             std::uint64_t seed = 1) {
  const auto file = scratch_folder() / ("model-" + std::to_string(seed) + ".bzn");
  save_network(*make_lively_network(settings, seed), file, {.rules = rules, .provenance = {}});
  return file;
}

}  // namespace baghzero::test
