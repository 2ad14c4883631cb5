#include "nn/cpu_weights.h"

#include <algorithm>
#include <string>

#include "nn/encoding.h"
#include "nn/winograd.h"

namespace baghzero {
namespace {

using Layer = CpuWeights::Layer;

void copy_bias(std::span<const float> bias, Layer& layer) {
  layer.bias = AlignedFloats(layer.outputs);
  std::ranges::copy(bias, layer.bias.data());
}

Layer make_convolution(const FrozenWeights& network, const std::string& name, bool scaled) {
  const auto weight = network.tensor(name + ".weight");  // [output, input, 3, 3]
  const auto bias = network.tensor(name + ".bias");
  const auto scales = scaled ? network.tensor(name + ".scale") : std::span<const float>();
  const int outputs = static_cast<int>(bias.size());
  Layer layer;
  layer.inputs = static_cast<int>(weight.size()) / outputs / 9;
  layer.outputs = round_up(outputs, kPanel);
  const int matrix_size = layer.inputs * layer.outputs;
  layer.weight = AlignedFloats(static_cast<std::size_t>(kFrequencies * matrix_size));
  copy_bias(bias, layer);

  // A vector of filters at a time: the outputs of one input, padded to whole panels.
  const int stride = layer.outputs;
  AlignedFloats taps(static_cast<std::size_t>(9 * stride));
  AlignedFloats matrices(
      static_cast<std::size_t>(kFrequencies * matrix_size));  // [f][input][output]
  for (int input = 0; input < layer.inputs; ++input) {
    for (int output = 0; output < outputs; ++output) {
      const float scale = scales.empty() ? 1.0F : scales[output];
      for (int tap = 0; tap < 9; ++tap)
        taps[tap * stride + output] = scale * weight[(output * layer.inputs + input) * 9 + tap];
    }
    for (int output = 0; output < stride; output += kLanes)
      transform_filter(taps.data() + output, stride, matrices.data() + input * stride + output,
                       matrix_size);
  }
  const auto size = static_cast<std::size_t>(matrix_size);
  for (int f = 0; f < kFrequencies; ++f)
    pack_panels({matrices.data() + f * matrix_size, size}, layer.inputs, stride,
                {layer.weight.data() + f * matrix_size, size});
  return layer;
}

// A fully connected layer of `groups` groups of inputs, each padded to whole panels.
Layer make_connection(const FrozenWeights& network, const std::string& name, int groups) {
  const auto weight = network.tensor(name + ".weight");  // [output, input]
  const auto bias = network.tensor(name + ".bias");
  const int outputs = static_cast<int>(bias.size());
  const int inputs = static_cast<int>(weight.size()) / outputs;
  const int group = inputs / groups;
  const int padded_group = round_up(group, kPanel);
  Layer layer;
  layer.inputs = groups * padded_group;
  layer.outputs = round_up(outputs, kPanel);
  std::vector<float> matrix(static_cast<std::size_t>(layer.inputs * outputs));
  for (int output = 0; output < outputs; ++output)
    for (int input = 0; input < inputs; ++input)
      matrix[(input / group * padded_group + input % group) * outputs + output] =
          weight[output * inputs + input];
  layer.weight = AlignedFloats(static_cast<std::size_t>(layer.inputs * layer.outputs));
  pack_panels(matrix, layer.inputs, outputs, {layer.weight.data(), layer.weight.size()});
  copy_bias(bias, layer);
  return layer;
}

// A layer used output by output: rows of weights, padded with zeros to whole panels.
Layer make_rows(const FrozenWeights& network, const std::string& name) {
  const auto weight = network.tensor(name + ".weight");
  const auto bias = network.tensor(name + ".bias");
  Layer layer;
  layer.outputs = static_cast<int>(bias.size());
  const int inputs = static_cast<int>(weight.size()) / layer.outputs;
  layer.inputs = round_up(inputs, kPanel);
  layer.weight = AlignedFloats(static_cast<std::size_t>(layer.inputs * layer.outputs));
  for (int output = 0; output < layer.outputs; ++output)
    std::ranges::copy(weight.subspan(output * inputs, inputs),
                      layer.weight.data() + output * layer.inputs);
  copy_bias(bias, layer);
  return layer;
}

}  // namespace

CpuWeights::CpuWeights(const FrozenWeights& network)
    : channels_(round_up(network.architecture().channels, kPanel)),
      squeezes_(network.architecture().squeeze_channels > 0),
      stem_(make_convolution(network, "stem", false)),
      policy_hidden_(make_connection(network, "policy.hidden", 1)),
      policy_planes_(make_rows(network, "policy.planes")),
      value_hidden_(make_connection(network, "value.hidden", 2)),
      wdl_(make_rows(network, "value.wdl")) {
  for (int i = 0; i < network.architecture().blocks; ++i) {
    const std::string name = "block." + std::to_string(i) + ".";
    Block& block = blocks_.emplace_back();
    block.first = make_convolution(network, name + "conv1", true);
    block.second = make_convolution(network, name + "conv2", true);
    if (!squeezes_) continue;
    block.squeeze = make_connection(network, name + "squeeze", 1);
    block.excite = make_connection(network, name + "excite", 1);
  }
}

}  // namespace baghzero
