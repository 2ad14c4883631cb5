#include "nn/architecture.h"

#include <cmath>
#include <stdexcept>

#include "nn/encoding.h"

namespace baghzero {
namespace {

// The heads start close to zero: all moves about equally likely, all results too, but networks of
// different seeds differ.
constexpr float kHeadDeviation = 0.1F;

void check_range(const char* key, int value, int low, int high) {
  if (value < low || value > high)
    throw std::invalid_argument("network." + std::string(key) + " is " + std::to_string(value) +
                                "; it must lie between " + std::to_string(low) + " and " +
                                std::to_string(high) + ".");
}

// Keeps the variance of relu activations (He et al. 2015).
float he_deviation(std::int64_t fan_in) { return std::sqrt(2.0F / static_cast<float>(fan_in)); }

class SpecList {
 public:
  void weight(std::string name, std::vector<std::int64_t> shape, float gain) {
    std::int64_t fan_in = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) fan_in *= shape[i];
    specs_.push_back({std::move(name), std::move(shape), 0, gain * he_deviation(fan_in), true});
  }
  void constant(std::string name, std::int64_t size, float value) {
    specs_.push_back({std::move(name), {size}, value, 0, false});
  }
  std::vector<TensorSpec> take() { return std::move(specs_); }

 private:
  std::vector<TensorSpec> specs_;
};

}  // namespace

std::int64_t TensorSpec::size() const {
  std::int64_t product = 1;
  for (std::int64_t extent : shape) product *= extent;
  return product;
}

void check_network_settings(const NetworkSettings& settings) {
  check_range("blocks", settings.blocks, 1, 100);
  check_range("channels", settings.channels, 1, 1024);
  check_range("squeeze_channels", settings.squeeze_channels, 0, 1024);
  check_range("value_hidden", settings.value_hidden, 1, 4096);
}

std::vector<TensorSpec> tensor_specs(const NetworkSettings& settings) {
  check_network_settings(settings);
  const std::int64_t channels = settings.channels;
  const std::int64_t squeeze = settings.squeeze_channels;
  const std::int64_t hidden = settings.value_hidden;
  SpecList list;
  list.weight("stem.weight", {channels, kInputPlanes, 3, 3}, 1);
  list.constant("stem.bias", channels, 0);
  for (int i = 0; i < settings.blocks; ++i) {
    const std::string block = "block." + std::to_string(i) + ".";
    const float fixup = 1 / std::sqrt(static_cast<float>(settings.blocks));
    for (const auto& [name, gain] : {std::pair{"conv1", fixup}, std::pair{"conv2", 0.0F}}) {
      list.weight(block + name + ".weight", {channels, channels, 3, 3}, gain);
      list.constant(block + name + ".scale", channels, 1);
      list.constant(block + name + ".bias", channels, 0);
    }
    if (squeeze == 0) continue;
    list.weight(block + "squeeze.weight", {squeeze, channels}, 1);
    list.constant(block + "squeeze.bias", squeeze, 0);
    list.weight(block + "excite.weight", {channels, squeeze}, kHeadDeviation);
    list.constant(block + "excite.bias", channels, 0);
  }
  list.weight("policy.hidden.weight", {channels, channels, 1, 1}, 1);
  list.constant("policy.hidden.bias", channels, 0);
  for (const char* head : {"policy.planes", "reply.planes"}) {
    list.weight(std::string(head) + ".weight", {kPolicyPlanes, channels, 1, 1}, kHeadDeviation);
    list.constant(std::string(head) + ".bias", kPolicyPlanes, 0);
  }
  list.weight("value.hidden.weight", {hidden, 2 * channels}, 1);
  list.constant("value.hidden.bias", hidden, 0);
  list.weight("value.wdl.weight", {3, hidden}, kHeadDeviation);
  list.constant("value.wdl.bias", 3, 0);
  list.weight("captures.weight", {kCapturesClasses, hidden}, kHeadDeviation);
  list.constant("captures.bias", kCapturesClasses, 0);
  list.weight("plies_left.weight", {1, hidden}, kHeadDeviation);
  list.constant("plies_left.bias", 1, 3);  // log1p of some twenty plies: a plausible first guess
  list.weight("occupancy.weight", {kOccupancyClasses, channels, 1, 1}, kHeadDeviation);
  list.constant("occupancy.bias", kOccupancyClasses, 0);
  return list.take();
}

}  // namespace baghzero
