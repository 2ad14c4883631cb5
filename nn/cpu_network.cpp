#include "nn/cpu_network.h"

#include <algorithm>
#include <array>

#include "nn/encoding.h"
#include "nn/evaluator_parts.h"
#include "nn/gemm.h"
#include "nn/winograd.h"

namespace baghzero {
namespace {

constexpr int kInputStride = round_up(kInputPlanes, kLanes);

// A layer's transformed weights pass through the caches once per tile. Where they fit into the
// second level beside it, a small tile is best; else they come from further away and should serve
// more rows.
int choose_tile_rows(int channels) {
  constexpr int kSecondLevelShare = 256 << 10;
  const int layer_bytes = kFrequencies * channels * channels * static_cast<int>(sizeof(float));
  return layer_bytes <= kSecondLevelShare ? 24 : 96;
}

// out = a b + bias for one row.
void connect(const CpuWeights::Layer& layer, const float* in, float* out) {
  multiply(in, 0, layer.weight.data(), out, 0, 1, layer.inputs, layer.outputs);
  for (int i = 0; i < layer.outputs; i += kLanes)
    store(out + i, load(out + i) + load(layer.bias.data() + i));
}

float dot(const float* a, const float* b, int size) {
  Vec total = {};
  for (int i = 0; i < size; i += kLanes) total += load(a + i) * load(b + i);
  return sum(total);
}

Vec sigmoid(Vec x) { return 1.0F / (1.0F + exp(-x)); }

}  // namespace

CpuNetwork::CpuNetwork(std::shared_ptr<const CpuWeights> weights)
    : weights_(std::move(weights)),
      channels_(weights_->channels()),
      tile_rows_(choose_tile_rows(channels_)),
      tower_(static_cast<std::size_t>(tile_rows_ * kPointCount * channels_)),
      spectrum_(static_cast<std::size_t>(kFrequencies *
                                         frequency_stride(std::max(channels_, kInputStride)))),
      products_(static_cast<std::size_t>(kFrequencies * frequency_stride(channels_))),
      scratch_(static_cast<std::size_t>(kPointCount * std::max(channels_, kInputStride))),
      gates_(static_cast<std::size_t>(
          2 * channels_ + (weights_->squeezes() ? weights_->blocks()[0].squeeze.outputs : 0))),
      pooled_(static_cast<std::size_t>(tile_rows_ * 2 * channels_)),
      hidden_(static_cast<std::size_t>(tile_rows_ * weights_->value_hidden().outputs)) {}

void CpuNetwork::evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) {
  const auto largest = static_cast<std::size_t>(tile_rows_);
  const std::size_t tiles = (queries.size() + largest - 1) / largest;
  std::size_t begin = 0;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const std::size_t left = tiles - tile;
    const std::size_t rows = (queries.size() - begin + left - 1) / left;
    evaluate_tile(queries.subspan(begin, rows), evaluations.subspan(begin, rows));
    begin += rows;
  }
}

void CpuNetwork::evaluate_tile(std::span<const Query> queries, std::span<Evaluation> evaluations) {
  const int rows = static_cast<int>(queries.size());
  encode_rows(queries);
  convolve(weights_->stem(), kInputStride, rows);
  for (int row = 0; row < rows; ++row) {
    activate(weights_->stem(), row, tower_row(row));
    transform_row(tower_row(row), row);
  }
  for (const CpuWeights::Block& block : weights_->blocks()) {
    convolve(block.first, channels_, rows);
    for (int row = 0; row < rows; ++row) {
      activate(block.first, row, scratch_.data());
      transform_row(scratch_.data(), row);
    }
    convolve(block.second, channels_, rows);
    for (int row = 0; row < rows; ++row) {
      finish_block(block, row);
      transform_row(tower_row(row), row);
    }
  }
  answer_policies(queries, evaluations);
  answer_values(evaluations);
}

void CpuNetwork::encode_rows(std::span<const Query> queries) {
  for (int row = 0; row < static_cast<int>(queries.size()); ++row) {
    expand(plane_bits(queries[row]), {scratch_.data(), scratch_.size()}, kInputStride);
    for (int plane = 0; plane < kInputStride; plane += kLanes)
      transform_input(scratch_.data() + plane, kInputStride,
                      spectrum_.data() + row * kInputStride + plane,
                      frequency_stride(kInputStride));
  }
}

void CpuNetwork::transform_row(const float* points, int row) {
  for (int c = 0; c < channels_; c += kLanes)
    transform_input(points + c, channels_, spectrum_.data() + row * channels_ + c,
                    frequency_stride(channels_));
}

void CpuNetwork::convolve(const CpuWeights::Layer& layer, int input_stride, int rows) {
  const int matrix_size = layer.inputs * layer.outputs;
  for (int f = 0; f < kFrequencies; ++f)
    multiply(spectrum_.data() + f * frequency_stride(input_stride), input_stride,
             layer.weight.data() + f * matrix_size,
             products_.data() + f * frequency_stride(channels_), channels_, rows, layer.inputs,
             layer.outputs);
}

void CpuNetwork::activate(const CpuWeights::Layer& layer, int row, float* out) {
  for (int c = 0; c < channels_; c += kLanes) {
    const Vec bias = load(layer.bias.data() + c);
    transform_output(products_.data() + row * channels_ + c, frequency_stride(channels_),
                     [&](int point, Vec v) { store(out + point * channels_ + c, relu(v + bias)); });
  }
}

void CpuNetwork::finish_block(const CpuWeights::Block& block, int row) {
  float* const means = gates_.data();
  float* const gates = means + channels_;
  float* const squeezed = gates + channels_;
  for (int c = 0; c < channels_; c += kLanes) {
    const Vec bias = load(block.second.bias.data() + c);
    Vec total = {};
    transform_output(products_.data() + row * channels_ + c, frequency_stride(channels_),
                     [&](int point, Vec v) {
                       v += bias;
                       total += v;
                       store(scratch_.data() + point * channels_ + c, v);
                     });
    store(means + c, total * (1.0F / kPointCount));
    store(gates + c, broadcast(1));
  }
  if (weights_->squeezes()) {
    connect(block.squeeze, means, squeezed);
    for (int i = 0; i < block.squeeze.outputs; i += kLanes)
      store(squeezed + i, relu(load(squeezed + i)));
    connect(block.excite, squeezed, gates);
    for (int c = 0; c < channels_; c += kLanes) store(gates + c, sigmoid(load(gates + c)));
  }
  float* const tower = tower_row(row);
  for (int point = 0; point < kPointCount; ++point)
    for (int c = 0; c < channels_; c += kLanes) {
      const int at = point * channels_ + c;
      store(tower + at, relu(load(tower + at) + load(gates + c) * load(scratch_.data() + at)));
    }
}

void CpuNetwork::answer_policies(std::span<const Query> queries,
                                 std::span<Evaluation> evaluations) {
  // The products are no longer needed; their memory holds the hidden layer of all points.
  static_assert(kFrequencies >= kPointCount);
  const CpuWeights::Layer& layer = weights_->policy_hidden();
  const CpuWeights::Layer& planes = weights_->policy_planes();
  float* const hidden = products_.data();
  const int rows = static_cast<int>(queries.size());
  multiply(tower_.data(), channels_, layer.weight.data(), hidden, channels_, rows * kPointCount,
           channels_, channels_);
  for (int i = 0; i < rows * kPointCount * channels_; i += channels_)
    for (int c = 0; c < channels_; c += kLanes)
      store(hidden + i + c, relu(load(hidden + i + c) + load(layer.bias.data() + c)));
  std::array<float, round_up(kMaxLegalActions, kLanes)> logits;
  for (int row = 0; row < rows; ++row) {
    const ActionList& legal = queries[row].legal;
    if (legal.empty()) continue;
    for (int i = 0; i < legal.size(); ++i) {
      const PolicyCell cell = kPolicyCells[legal[i]];
      logits[i] =
          planes.bias[cell.plane] + dot(hidden + (row * kPointCount + cell.point) * channels_,
                                        planes.weight.data() + cell.plane * channels_, channels_);
    }
    softmax(logits.data(), legal.size());
    std::copy_n(logits.begin(), legal.size(), evaluations[row].policy.begin());
  }
}

void CpuNetwork::answer_values(std::span<Evaluation> evaluations) {
  const int rows = static_cast<int>(evaluations.size());
  for (int row = 0; row < rows; ++row)
    for (int c = 0; c < channels_; c += kLanes) {
      const float* const points = tower_row(row) + c;
      Vec total = load(points);
      Vec highest = total;
      for (int point = 1; point < kPointCount; ++point) {
        const Vec v = load(points + point * channels_);
        total += v;
        highest = max(highest, v);
      }
      float* const pooled = pooled_.data() + row * 2 * channels_ + c;
      store(pooled, total * (1.0F / kPointCount));
      store(pooled + channels_, highest);
    }
  const CpuWeights::Layer& layer = weights_->value_hidden();
  const CpuWeights::Layer& wdl = weights_->wdl();
  multiply(pooled_.data(), 2 * channels_, layer.weight.data(), hidden_.data(), layer.outputs, rows,
           layer.inputs, layer.outputs);
  for (int row = 0; row < rows; ++row) {
    float* const hidden = hidden_.data() + row * layer.outputs;
    for (int i = 0; i < layer.outputs; i += kLanes)
      store(hidden + i, relu(load(hidden + i) + load(layer.bias.data() + i)));
    std::array<float, round_up(3, kLanes)> logits;
    for (int i = 0; i < 3; ++i)
      logits[i] = wdl.bias[i] + dot(hidden, wdl.weight.data() + i * wdl.inputs, wdl.inputs);
    softmax(logits.data(), 3);
    evaluations[row].wdl = {logits[0], logits[1], logits[2]};
  }
}

}  // namespace baghzero
