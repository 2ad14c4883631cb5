// The network's forward pass on one core, without LibTorch.
//
// A batch is worked through in tiles of rows small enough for the caches. Every row's answer is
// bitwise independent of the rows beside it.
#pragma once

#include <memory>
#include <span>

#include "engine/evaluation.h"
#include "nn/cpu_weights.h"

namespace baghzero {

// Scratch memory for one thread, allocated once. The weights are shared.
class CpuNetwork {
 public:
  explicit CpuNetwork(std::shared_ptr<const CpuWeights> weights);

  // queries.size() == evaluations.size(), any size. Allocates nothing. Answers may be non-finite if
  // the weights overflow.
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations);

 private:
  void evaluate_tile(std::span<const Query> queries, std::span<Evaluation> evaluations);
  void encode_rows(std::span<const Query> queries);
  // tower, scratch -> spectrum -> products -> tower, scratch
  void transform_row(const float* points, int row);
  void convolve(const CpuWeights::Layer& layer, int input_stride, int rows);
  void activate(const CpuWeights::Layer& layer, int row, float* out);
  void finish_block(const CpuWeights::Block& block, int row);
  void answer_policies(std::span<const Query> queries, std::span<Evaluation> evaluations);
  void answer_values(std::span<Evaluation> evaluations);
  // Frequencies lie one cache line more apart than the rows need: at a power of two all 49 of a row
  // would fall into the same few sets of the first-level cache.
  int frequency_stride(int channels) const { return tile_rows_ * channels + 16; }
  float* tower_row(int row) { return tower_.data() + row * kPointCount * channels_; }

  std::shared_ptr<const CpuWeights> weights_;
  int channels_;
  int tile_rows_;
  AlignedFloats tower_;     // [row][25][channels]
  AlignedFloats spectrum_;  // [49][row][input channels] before the products
  AlignedFloats products_;  // [49][row][output channels] after them
  AlignedFloats scratch_;   // [25][channels] of the row at hand
  AlignedFloats gates_;     // means, gates and hidden units of squeeze-and-excitation
  AlignedFloats pooled_;    // [row][2 * channels]
  AlignedFloats hidden_;    // [row][value hidden]
};

}  // namespace baghzero
