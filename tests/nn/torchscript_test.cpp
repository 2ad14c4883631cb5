#include "nn/torchscript.h"

#include <filesystem>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>
#include <unistd.h>

#include "nn/encoding.h"
#include "tests/nn/sample_networks.h"

namespace baghzero {
namespace {

namespace fs = std::filesystem;

class TorchScriptExport : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(file_.parent_path()); }
  void TearDown() override { fs::remove_all(file_.parent_path()); }

  const fs::path file_ = fs::path(testing::TempDir()) /
                         ("baghzero_torchscript_" + std::to_string(::getpid())) / "model.pt";
};

TEST_F(TorchScriptExport, ComputesTheSameAndSaysWhatItIs) {
  for (const NetworkSettings& settings :
       {kSmallNetwork,
        NetworkSettings{.blocks = 1, .channels = 9, .squeeze_channels = 0, .value_hidden = 5}}) {
    const ExportCheck check = export_torchscript(make_lively_network(settings, 3, 12), {}, file_);
    EXPECT_EQ(check.positions, 1000);
    EXPECT_LT(check.largest_difference, 1e-4);

    torch::jit::ExtraFilesMap files = {{"baghzero.json", ""}};
    torch::jit::Module module = torch::jit::load(file_.string(), c10::nullopt, files);
    EXPECT_THAT(files["baghzero.json"], testing::HasSubstr("\"generation\": 12"));
    const auto outputs = module.forward({torch::zeros({3, kInputPlanes, 5, 5})}).toTuple();
    EXPECT_EQ(outputs->elements()[0].toTensor().sizes(), (std::vector<std::int64_t>{3, 217}));
    EXPECT_EQ(outputs->elements()[1].toTensor().sizes(), (std::vector<std::int64_t>{3, 3}));
  }
}

TEST_F(TorchScriptExport, WhatCannotBeWrittenIsAnError) {
  EXPECT_THROW(export_torchscript(make_lively_network(kSmallNetwork, 3), {},
                                  file_.parent_path() / "no" / "such.pt"),
               std::runtime_error);
}

}  // namespace
}  // namespace baghzero
