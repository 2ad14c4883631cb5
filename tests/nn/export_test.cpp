#include "nn/export.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>
#include <torch/version.h>
#include <unistd.h>

#include "nn/encoding.h"
#include "nn/export_parts.h"
#include "tests/nn/sample_networks.h"

namespace baghzero {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr NetworkSettings kUngated{
    .blocks = 1, .channels = 9, .squeeze_channels = 0, .value_hidden = 5};

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Its first convolution multiplies a plane that is 0 in all positions compared by what is infinite
// in half precision.
NetworkPtr network_beyond_half() {
  const auto network = make_lively_network(kSmallNetwork, 3);
  std::vector<std::vector<float>> tensors(network->tensors().begin(), network->tensors().end());
  const auto plane = static_cast<std::size_t>(Plane::LimitProximity);
  tensors[0].at(plane * 9) = 1e6F;  // stem.weight [output, plane, row, column]
  return std::make_shared<FrozenWeights>(kSmallNetwork, 7, std::move(tensors));
}

class Export : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  std::string refusal(const NetworkPtr& network, ExportFormat format, ExportPrecision precision,
                      const fs::path& file) const {
    try {
      export_network(network, {}, format, precision, file);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "nothing was refused";
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("baghzero_export_" + std::to_string(::getpid()));
  const fs::path file_ = folder_ / "model";
};

struct Kind {
  ExportFormat format;
  ExportPrecision precision;
};
class ExportKinds : public Export, public testing::WithParamInterface<Kind> {};

TEST_P(ExportKinds, ComputesWhatLibTorchComputes) {
  for (const NetworkSettings& settings : {kSmallNetwork, kUngated}) {
    const ExportCheck check = export_network(make_lively_network(settings, 3, 12), {},
                                             GetParam().format, GetParam().precision, file_);
    EXPECT_EQ(check.positions, 1000);
    EXPECT_LT(check.largest_difference, check.tolerance);
    // Half precision shows; that it does not shows that it was not used.
    if (GetParam().precision == ExportPrecision::Fp16) {
      EXPECT_GT(check.largest_difference, 1e-4);
    } else {
      EXPECT_LE(check.tolerance, 1e-4);
    }
    EXPECT_EQ(files(), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExportKinds,
                         testing::Values(Kind{ExportFormat::Baghzero, ExportPrecision::Fp32},
                                         Kind{ExportFormat::TorchScript, ExportPrecision::Fp32},
                                         Kind{ExportFormat::TorchScript, ExportPrecision::Fp16},
                                         Kind{ExportFormat::Onnx, ExportPrecision::Fp32},
                                         Kind{ExportFormat::Onnx, ExportPrecision::Fp16}));

TEST_F(Export, AModelFileIsTheSameAgain) {
  const auto network = make_lively_network(kSmallNetwork, 3, 12);
  const ModelFacts facts{.rules = {}, .provenance = {{"run", "some"}}};
  save_network(*network, file_, facts);
  export_network(network, facts, ExportFormat::Baghzero, ExportPrecision::Fp32, folder_ / "again");
  EXPECT_EQ(read_text(folder_ / "again"), read_text(file_));
}

TEST_F(Export, ModelFilesAreNeverHalf) {
  EXPECT_THROW(export_network(make_lively_network(kSmallNetwork, 3), {}, ExportFormat::Baghzero,
                              ExportPrecision::Fp16, file_),
               std::invalid_argument);
  EXPECT_EQ(files(), 0);
}

TEST_F(Export, ATorchScriptModuleSaysWhatItIs) {
  for (const ExportPrecision precision : {ExportPrecision::Fp32, ExportPrecision::Fp16}) {
    const bool half = precision == ExportPrecision::Fp16;
    export_network(make_lively_network(kSmallNetwork, 3, 12), {}, ExportFormat::TorchScript,
                   precision, file_);
    torch::jit::ExtraFilesMap extra = {{"baghzero.json", ""}};
    torch::jit::Module module = torch::jit::load(file_.string(), c10::nullopt, extra);
    const auto description = nlohmann::json::parse(extra["baghzero.json"]);
    EXPECT_EQ(description.at("generation"), 12);
    EXPECT_EQ(description.at("precision"), half ? "fp16" : "fp32");
    EXPECT_EQ(description.at("architecture").at("channels"), kSmallNetwork.channels);
    EXPECT_EQ(description.at("rules").at("goats"), 20);
    EXPECT_EQ(description.at("input_planes").size(), kInputPlanes);
    for (const at::Tensor& parameter : module.parameters())
      EXPECT_EQ(parameter.scalar_type(), half ? at::kHalf : at::kFloat);
#if TORCH_VERSION_MAJOR < 2
    if (half) continue;  // this LibTorch has no arithmetic in half precision on CPUs
#endif
    const auto outputs = module.forward({torch::zeros({3, kInputPlanes, 5, 5})}).toTuple();
    const at::Tensor policy = outputs->elements()[0].toTensor();
    const at::Tensor wdl = outputs->elements()[1].toTensor();
    EXPECT_EQ(policy.sizes(), (std::vector<std::int64_t>{3, 217}));
    EXPECT_EQ(wdl.sizes(), (std::vector<std::int64_t>{3, 3}));
    EXPECT_EQ(policy.scalar_type(), at::kFloat);
    EXPECT_EQ(wdl.scalar_type(), at::kFloat);
  }
}

TEST_F(Export, WhatDiffersIsRefusedAndTheOlderFileStays) {
  std::ofstream(file_) << "older";
  for (const ExportFormat format : {ExportFormat::TorchScript, ExportFormat::Onnx}) {
    EXPECT_THAT(refusal(network_beyond_half(), format, ExportPrecision::Fp16, file_),
                AllOf(HasSubstr(file_.string()), HasSubstr("does not fit half precision")));
    EXPECT_EQ(read_text(file_), "older");
    EXPECT_EQ(files(), 1);
  }
  const ExportCheck check =
      export_network(network_beyond_half(), {}, ExportFormat::Onnx, ExportPrecision::Fp32, file_);
  EXPECT_LT(check.largest_difference, check.tolerance);
  EXPECT_NE(read_text(file_), "older");
}

TEST_F(Export, WhatCannotBeWrittenIsNamed) {
  const auto network = make_lively_network(kSmallNetwork, 3);
  for (const ExportFormat format :
       {ExportFormat::Baghzero, ExportFormat::TorchScript, ExportFormat::Onnx}) {
    EXPECT_THAT(refusal(network, format, ExportPrecision::Fp32, folder_ / "no" / "such"),
                HasSubstr("there is no folder " + (folder_ / "no").string()));
    EXPECT_THAT(refusal(network, format, ExportPrecision::Fp32, folder_),
                HasSubstr(folder_.string() + ": it is there and is no regular file"));
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(Export, ACutOnnxFileIsNotTakenForAWholeOne) {
  export_network(make_lively_network(kSmallNetwork, 3), {}, ExportFormat::Onnx,
                 ExportPrecision::Fp32, file_);
  const std::uintmax_t whole = fs::file_size(file_);
  for (const std::uintmax_t size : {whole / 2, whole / 3, whole / 5}) {
    fs::resize_file(file_, size);
    EXPECT_THROW(read_onnx(file_), std::exception);
  }
}

}  // namespace
}  // namespace baghzero
