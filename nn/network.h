// The network that trains (LibTorch). Only nn and the trainer include this header.
//
// Playing never uses this class: evaluators run frozen copies of the weights. Both compute the same
// function; there is no training mode.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <torch/types.h>

#include "nn/inference.h"

namespace baghzero {

// Outputs for N rows. Logits are before softmax; values are for the side to move.
struct HeadOutputs {
  torch::Tensor policy;        // [N, 217] logits of all actions; mask the illegal ones
  torch::Tensor value;         // [N, 3] logits: win, draw, loss
  torch::Tensor captures;      // [N, 6] logits: goats captured at the end of the game (5: or more)
  torch::Tensor occupancy;     // [N, 25, 3] logits per point at the end: empty, goat, tiger
  torch::Tensor plies_left;    // [N] log1p of the plies until the end of the game
  torch::Tensor reply_policy;  // [N, 217] logits of the opponent's next action
};

struct NetworkParameter {
  std::string name;
  torch::Tensor value;  // a leaf that requires a gradient
  bool decays = false;  // whether weight decay applies (not to biases and scales)
};

class Network {
 public:
  // Copies the weights of `start` to `device`, e.g. at::kCPU or at::Device("cuda:0").
  explicit Network(const FrozenNetwork& start, const torch::Device& device = at::kCPU);

  const NetworkSettings& architecture() const { return settings_; }
  const torch::Device& device() const { return device_; }

  // `planes`: [N, 25, kInputPlanes] or [N, 25 * kInputPlanes], fp32 on device(), as written by
  // encode() row after row. With `auxiliary` false only policy and value are computed.
  HeadOutputs forward(const torch::Tensor& planes, bool auxiliary = true) const;

  // In the order of tensor_specs(). The tensors are handles: the optimizer changes them in place.
  std::span<const NetworkParameter> parameters() const { return parameters_; }

  // A frozen copy of the present weights.
  NetworkPtr freeze(int generation) const;

 private:
  const torch::Tensor& parameter(int index) const { return parameters_[index].value; }

  NetworkSettings settings_;
  torch::Device device_;
  std::vector<NetworkParameter> parameters_;
  torch::Tensor policy_index_;  // [217] cell of each action in the flattened policy planes
};

// "auto", "cpu", "cuda" or "cuda:N", as find_device() (nn/device.h) understands and refuses them.
torch::Device torch_device(const std::string& name);

// Lets LibTorch use `threads` threads for one operation while this object lives. LibTorch's setting
// belongs to the process, so only one thread may hold such objects; evaluators on the CPU do not
// use LibTorch and are not affected.
class IntraOpThreads {
 public:
  explicit IntraOpThreads(int threads);
  ~IntraOpThreads();
  IntraOpThreads(const IntraOpThreads&) = delete;
  IntraOpThreads& operator=(const IntraOpThreads&) = delete;

 private:
  int previous_;
};

// A frozen copy of `values`, e.g. averaged weights: one tensor per parameter of a network of this
// architecture, in order, on any device. Throws std::invalid_argument if one has a wrong size or is
// not finite.
NetworkPtr freeze(const NetworkSettings& settings, std::span<const torch::Tensor> values,
                  int generation);

}  // namespace baghzero
