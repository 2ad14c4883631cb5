// Parameters, gradients and everything an optimizer keeps, each as one flat vector (LibTorch; for
// trainer.cpp only).
#pragma once

#include <vector>

#include <ATen/ATen.h>

#include "nn/network.h"

namespace baghzero {

// The parameters of several replicas of one network become views of one flat vector of weights, and
// their gradients views of one flat vector each: an update is a few vector operations, however many
// tensors the network has, and every replica sees it at once. Parameters with weight decay come
// first.
class FlatParameters {
 public:
  explicit FlatParameters(const std::vector<Network>& replicas);

  at::Tensor decaying_weights() const { return weights.narrow(0, 0, decaying_); }
  // Views of `flat` shaped as the network's parameters, in their order.
  std::vector<at::Tensor> shaped(const at::Tensor& flat) const;

  at::Tensor weights;
  at::Tensor average;
  at::Tensor first_moment;
  at::Tensor second_moment;
  std::vector<at::Tensor> gradients;  // one per replica

 private:
  struct Part {
    std::int64_t offset = 0;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;
  };
  static at::Tensor view(const at::Tensor& flat, const Part& part);

  std::vector<Part> parts_;  // in the order of Network::parameters()
  std::int64_t decaying_ = 0;
};

}  // namespace baghzero
