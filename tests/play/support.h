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

// A new model file of a lively network, in a folder of its own.
inline std::filesystem::path make_model_file(const Rules& rules = {},
                                             const NetworkSettings& settings = kTinyNetwork,
                                             std::uint64_t seed = 1) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const auto folder = std::filesystem::path(testing::TempDir()) /
                      ("baghzero_play_" + std::to_string(::getpid()) + "_" + test->name());
  std::filesystem::create_directories(folder);
  const auto file = folder / ("model-" + std::to_string(seed) + ".bzn");
  save_network(*make_lively_network(settings, seed), file, {.rules = rules, .provenance = {}});
  return file;
}

}  // namespace baghzero::test
