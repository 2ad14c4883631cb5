// Networks for other programs: as a model file, as a TorchScript module, as an ONNX model. What
// they take and return is said in docs/model-format.md.
#pragma once

#include <cstdint>
#include <filesystem>

#include "nn/inference.h"
#include "nn/model_file.h"

namespace baghzero {

enum class ExportFormat : std::uint8_t { Baghzero, TorchScript, Onnx };
enum class ExportPrecision : std::uint8_t { Fp32, Fp16 };  // of tensors and arithmetic

// What an export was compared on, and the largest difference of any probability.
struct ExportCheck {
  int positions = 0;
  double largest_difference = 0;
  double tolerance = 0;  // it lies below this
};

// Writes `network` under a temporary name, reads that file back, compares its answers to positions
// of random games with those of `network` in LibTorch, in fp32, and only then gives it its name. An
// older file is replaced then and not before. Throws std::invalid_argument for a model file in
// fp16, std::runtime_error naming the file and the fault if it cannot be written or read back or a
// probability differs by the tolerance (1e-4, with fp16 0.02) or more; nothing is left behind.
ExportCheck export_network(const NetworkPtr& network, const ModelFacts& facts, ExportFormat format,
                           ExportPrecision precision, const std::filesystem::path& file);

}  // namespace baghzero
