// The network's tensors: their names, shapes and initial values, in the one order that the trainer,
// frozen copies and model files share.
//
//   planes [25, kInputPlanes]
//     stem     3x3 convolution, relu
//     block i  relu(x + gate * (scale2 * conv2(relu(scale1 * conv1(x) + bias1)) + bias2)), where
//              gate = sigmoid(excite(relu(squeeze(mean over points)))) (squeeze-and-excitation, Hu
//              et al. 2018)
//     policy   1x1 convolution, relu, 1x1 convolution to kPolicyPlanes planes (and the same for the
//              opponent's reply)
//     value    mean and maximum over the points, hidden layer, relu, win/draw/loss logits;
//              goats captured at the end and plies left hang on the same hidden layer
//     occupancy  1x1 convolution from the tower to three classes per point
//
// There is no normalisation, so training and inference compute the same function. What keeps the
// tower trainable instead is Fixup (Zhang, Dauphin and Ma 2019): the last convolution of a block
// starts at zero, the first is scaled by blocks^-1/2, and every convolution has a learned scale and
// bias.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/settings.h"

namespace baghzero {

inline constexpr int kCapturesClasses = 6;   // goats captured at the end: 0..4, and 5 or more
inline constexpr int kOccupancyClasses = 3;  // a point at the end: empty, goat, tiger

struct TensorSpec {
  std::string name;
  std::vector<std::int64_t>
      shape;  // convolutions: output, input, row, column; layers: output, input
  float initial_mean = 0;
  float initial_deviation = 0;  // of a normal distribution; 0: constant
  bool decays = false;          // whether weight decay applies (weights, not biases and scales)

  std::int64_t size() const;
};

// Throws std::invalid_argument naming the setting if one is out of range.
void check_network_settings(const NetworkSettings& settings);
std::vector<TensorSpec> tensor_specs(const NetworkSettings& settings);

}  // namespace baghzero
