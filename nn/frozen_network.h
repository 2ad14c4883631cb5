// Frozen weights in memory: fp32, immutable, without LibTorch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "nn/architecture.h"
#include "nn/inference.h"

namespace baghzero {

class CpuWeights;

class FrozenWeights final : public FrozenNetwork {
 public:
  // `tensors` in the order and sizes of tensor_specs(settings), row by row. Throws
  // std::invalid_argument naming the tensor if a size is wrong or a value is not finite.
  FrozenWeights(const NetworkSettings& settings, int generation,
                std::vector<std::vector<float>> tensors);
  ~FrozenWeights() override;

  const NetworkSettings& architecture() const override { return settings_; }
  int generation() const override { return generation_; }
  std::uint64_t identity() const override { return identity_; }

  std::span<const std::vector<float>> tensors() const { return tensors_; }
  // Throws std::invalid_argument if there is no such tensor.
  std::span<const float> tensor(std::string_view name) const;

  // The weights prepared for the CPU, made on first use and shared by all evaluators.
  std::shared_ptr<const CpuWeights> cpu_weights() const;

 private:
  struct Lazy;
  NetworkSettings settings_;
  int generation_;
  std::uint64_t identity_;
  std::vector<TensorSpec> specs_;
  std::vector<std::vector<float>> tensors_;
  std::unique_ptr<Lazy> lazy_;
};

// Every network of this program holds FrozenWeights. Throws std::invalid_argument for a stand-in.
const FrozenWeights& weights_of(const FrozenNetwork& network);

// The same weights under another number: what promotion makes of a candidate (generation -1).
NetworkPtr with_generation(const FrozenNetwork& network, int generation);

}  // namespace baghzero
