// Why a training step was not taken, for people (LibTorch; for trainer.cpp only).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "nn/network.h"
#include "training/settings.h"

namespace baghzero {

// One batch of a step whose loss or gradient was not finite.
struct RejectedBatch {
  std::span<const float> floats;  // see BatchSection
  HeadOutputs heads;              // of all rows, on any device
  int rows = 0;
  std::function<std::string(std::size_t)> name;  // what people call a row
};

// The first of these that holds, with the rows that it holds for, and what to do: an input or a
// target of a row is not finite, an answer of the network is not, the loss of a row is not, only
// the gradient or the sum of the losses is not. No full stop at the end.
std::string describe_rejection(const RejectedBatch& batch, const TrainingSettings& settings);

}  // namespace baghzero
