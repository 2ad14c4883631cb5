// The training network's 3x3 convolutions on the CPU, forward and backward, by nn/winograd.h.
#pragma once

#include <torch/types.h>

namespace baghzero {

// Convolution with zero padding of x [N, inputs, 5, 5] with weight [outputs, inputs, 3, 3] and bias
// [outputs], differentiable once. On the CPU in fp32, with numbers of channels that fill whole
// vectors, three times as fast as at::conv2d and equal to it within about 1e-5; otherwise it is
// at::conv2d. Uses LibTorch's intra-op threads; the result does not depend on their number.
torch::Tensor convolve_3x3(const torch::Tensor& x, const torch::Tensor& weight,
                           const torch::Tensor& bias);

}  // namespace baghzero
