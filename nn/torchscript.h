// Networks for programs that have PyTorch or LibTorch, as TorchScript modules.
#pragma once

#include <filesystem>

#include "nn/inference.h"
#include "nn/model_file.h"

namespace baghzero {

// What an export was compared on, and the largest difference of any probability.
struct ExportCheck {
  int positions = 0;
  double largest_difference = 0;
};

// Writes a module whose forward(planes), with planes [N, kInputPlanes, 5, 5] as in
// docs/model-format.md, returns the policy logits of all actions [N, kActionCount], to be masked by
// legality, and win, draw, loss for the side to move [N, 3], which add up to 1. The extra file
// "baghzero.json" holds generation, rules, provenance and the names of planes and outputs. The
// module is read back and compared with this program's own evaluator before the file appears.
// Throws std::runtime_error naming the file and the fault, also if a difference reaches 1e-4.
ExportCheck export_torchscript(const NetworkPtr& network, const ModelFacts& facts,
                               const std::filesystem::path& file);

}  // namespace baghzero
