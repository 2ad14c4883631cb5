#include "nn/network.h"

#include <algorithm>
#include <mutex>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <malloc.h>

#include "nn/architecture.h"
#include "nn/device.h"
#include "nn/encoding.h"
#include "nn/frozen_network.h"
#include "nn/winograd_convolution.h"

namespace baghzero {
namespace {

constexpr int kSide = BaghChalBoard::kRows;
static_assert(BaghChalBoard::kRows == BaghChalBoard::kColumns);

// Activations are large enough for glibc to map and unmap them one by one; the page faults cost
// more than the arithmetic. Keeping freed memory halves the time of a step.
void keep_freed_memory() {
  static std::once_flag once;
  std::call_once(once, [] {
    constexpr int kLarge = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, kLarge);
    mallopt(M_TRIM_THRESHOLD, kLarge);
  });
}

// Hands out the parameters in the order of tensor_specs().
class Reader {
 public:
  explicit Reader(std::span<const NetworkParameter> parameters) : parameters_(parameters) {}
  const at::Tensor& next() { return parameters_[index_++].value; }

  at::Tensor convolve(const at::Tensor& x, bool scaled) {
    at::Tensor weight = next();
    if (scaled) weight = weight * next().view({-1, 1, 1, 1});
    return convolve_3x3(x, weight, next());
  }
  at::Tensor convolve_points(const at::Tensor& x) {
    const at::Tensor& weight = next();
    return at::conv2d(x, weight, next());
  }
  at::Tensor connect(const at::Tensor& x) {
    const at::Tensor& weight = next();
    return at::linear(x, weight, next());
  }
  void skip(int tensors) { index_ += tensors; }

 private:
  std::span<const NetworkParameter> parameters_;
  int index_ = 0;
};

}  // namespace

Network::Network(const FrozenNetwork& start, const torch::Device& device)
    : settings_(start.architecture()), device_(device) {
  keep_freed_memory();
  const auto tensors = weights_of(start).tensors();
  const auto specs = tensor_specs(settings_);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    at::Tensor value = torch::empty(specs[i].shape, at::kFloat);
    std::ranges::copy(tensors[i], value.data_ptr<float>());
    value = value.to(device_);
    if (specs[i].shape.size() == 4) value = value.contiguous(at::MemoryFormat::ChannelsLast);
    parameters_.push_back({specs[i].name, value.set_requires_grad(true), specs[i].decays});
  }
  std::vector<std::int64_t> index;
  for (const PolicyCell& cell : kPolicyCells)
    index.push_back(cell.plane * kPointCount + cell.point);
  policy_index_ = torch::tensor(index, at::kLong).to(device_);
}

HeadOutputs Network::forward(const torch::Tensor& planes, bool auxiliary) const {
  Reader reader(parameters_);
  const at::Tensor input = planes.view({-1, kSide, kSide, kInputPlanes}).permute({0, 3, 1, 2});
  const std::int64_t rows = input.size(0);
  at::Tensor x = at::relu(reader.convolve(input, false));
  for (int block = 0; block < settings_.blocks; ++block) {
    at::Tensor y = at::relu(reader.convolve(x, true));
    y = reader.convolve(y, true);
    if (settings_.squeeze_channels > 0) {
      const at::Tensor squeezed = at::relu(reader.connect(y.mean({2, 3})));
      y = y * at::sigmoid(reader.connect(squeezed)).view({rows, -1, 1, 1});
    }
    x = at::relu(x + y);
  }
  const auto gather = [&](const at::Tensor& policy_planes) {
    return policy_planes.reshape({rows, kPolicyPlanes * kPointCount})
        .index_select(1, policy_index_);
  };
  HeadOutputs heads;
  const at::Tensor hidden = at::relu(reader.convolve_points(x));
  heads.policy = gather(reader.convolve_points(hidden));
  if (auxiliary)
    heads.reply_policy = gather(reader.convolve_points(hidden));
  else
    reader.skip(2);
  const at::Tensor pooled = at::cat({x.mean({2, 3}), x.amax({2, 3})}, 1);
  const at::Tensor value_hidden = at::relu(reader.connect(pooled));
  heads.value = reader.connect(value_hidden);
  if (!auxiliary) return heads;
  heads.captures = reader.connect(value_hidden);
  heads.plies_left = reader.connect(value_hidden).squeeze(1);
  heads.occupancy = reader.convolve_points(x).flatten(2).transpose(1, 2);
  return heads;
}

torch::Device torch_device(const std::string& name) {
  const Device device = find_device(name);
  if (!device.cuda) return at::kCPU;
  return {at::kCUDA, static_cast<c10::DeviceIndex>(device.index)};
}

IntraOpThreads::IntraOpThreads(int threads) : previous_(at::get_num_threads()) {
  at::set_num_threads(threads);
}
IntraOpThreads::~IntraOpThreads() { at::set_num_threads(previous_); }

NetworkPtr Network::freeze(int generation) const {
  std::vector<at::Tensor> values;
  for (const NetworkParameter& parameter : parameters_) values.push_back(parameter.value);
  return baghzero::freeze(settings_, values, generation);
}

NetworkPtr freeze(const NetworkSettings& settings, std::span<const torch::Tensor> values,
                  int generation) {
  std::vector<std::vector<float>> tensors;
  for (const at::Tensor& value : values) {
    const at::Tensor copy =
        value.detach().to(at::kCPU, at::kFloat).contiguous(at::MemoryFormat::Contiguous);
    const float* data = copy.data_ptr<float>();
    tensors.emplace_back(data, data + copy.numel());
  }
  return std::make_shared<FrozenWeights>(settings, generation, std::move(tensors));
}

}  // namespace baghzero
