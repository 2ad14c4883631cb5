// Frozen weights rearranged for the CPU: scales folded, filters transformed (nn/winograd.h), layers
// packed into panels (nn/gemm.h), channels padded with zeros to whole panels. Without LibTorch.
#pragma once

#include <vector>

#include "nn/frozen_network.h"
#include "nn/gemm.h"
#include "nn/simd.h"

namespace baghzero {

class CpuWeights {
 public:
  explicit CpuWeights(const FrozenWeights& network);

  struct Layer {
    int inputs = 0;   // depth of the products
    int outputs = 0;  // padded to whole panels
    AlignedFloats weight;
    AlignedFloats bias;  // [outputs]
  };
  struct Block {
    Layer first;  // convolutions: weight is 49 packed matrices, one after the other
    Layer second;
    Layer squeeze;  // empty without squeeze-and-excitation
    Layer excite;
  };

  int channels() const { return channels_; }  // padded
  bool squeezes() const { return squeezes_; }
  const Layer& stem() const { return stem_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const Layer& policy_hidden() const { return policy_hidden_; }
  const Layer& policy_planes() const { return policy_planes_; }  // unpacked: [plane][channels()]
  const Layer& value_hidden() const { return value_hidden_; }    // inputs: means, then maxima
  const Layer& wdl() const { return wdl_; }  // unpacked: [3][value_hidden outputs]

 private:
  int channels_;
  bool squeezes_;
  Layer stem_;
  std::vector<Block> blocks_;
  Layer policy_hidden_;
  Layer policy_planes_;
  Layer value_hidden_;
  Layer wdl_;
};

}  // namespace baghzero
