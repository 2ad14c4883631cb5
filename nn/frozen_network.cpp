#include "nn/frozen_network.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numbers>
#include <stdexcept>
#include <string>

#include "engine/random.h"
#include "nn/cpu_weights.h"

namespace baghzero {
namespace {

std::uint64_t next_identity() {
  static std::atomic<std::uint64_t> counter{0};
  return ++counter;
}

float normal(Random& random) {  // Box and Muller (1958)
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return static_cast<float>(radius * std::cos(2 * std::numbers::pi * random.uniform()));
}

}  // namespace

struct FrozenWeights::Lazy {
  std::once_flag once;
  std::shared_ptr<const CpuWeights> cpu;
};

FrozenWeights::FrozenWeights(const NetworkSettings& settings, int generation,
                             std::vector<std::vector<float>> tensors)
    : settings_(settings),
      generation_(generation),
      identity_(next_identity()),
      specs_(tensor_specs(settings)),
      tensors_(std::move(tensors)),
      lazy_(std::make_unique<Lazy>()) {
  if (tensors_.size() != specs_.size())
    throw std::invalid_argument("A network of this architecture has " +
                                std::to_string(specs_.size()) + " tensors, not " +
                                std::to_string(tensors_.size()) + ".");
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (std::ssize(tensors_[i]) != specs_[i].size())
      throw std::invalid_argument("Tensor " + specs_[i].name + " must have " +
                                  std::to_string(specs_[i].size()) + " values, not " +
                                  std::to_string(tensors_[i].size()) + ".");
    if (!std::ranges::all_of(tensors_[i], [](float x) { return std::isfinite(x); }))
      throw std::invalid_argument("Tensor " + specs_[i].name +
                                  " holds a value that is not finite.");
  }
}

FrozenWeights::~FrozenWeights() = default;

std::span<const float> FrozenWeights::tensor(std::string_view name) const {
  for (std::size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i].name == name) return tensors_[i];
  throw std::invalid_argument("There is no tensor named " + std::string(name) + ".");
}

std::shared_ptr<const CpuWeights> FrozenWeights::cpu_weights() const {
  std::call_once(lazy_->once, [this] { lazy_->cpu = std::make_shared<const CpuWeights>(*this); });
  return lazy_->cpu;
}

const FrozenWeights& weights_of(const FrozenNetwork& network) {
  if (const auto* weights = dynamic_cast<const FrozenWeights*>(&network)) return *weights;
  throw std::invalid_argument("This network is a stand-in without weights.");
}

NetworkPtr with_generation(const FrozenNetwork& network, int generation) {
  const auto tensors = weights_of(network).tensors();
  return std::make_shared<FrozenWeights>(
      network.architecture(), generation,
      std::vector<std::vector<float>>(tensors.begin(), tensors.end()));
}

NetworkPtr make_random_network(const NetworkSettings& settings, std::uint64_t seed) {
  std::vector<std::vector<float>> tensors;
  std::uint64_t stream = 0;
  for (const TensorSpec& spec : tensor_specs(settings)) {
    Random random(seed, stream++);
    std::vector<float>& tensor =
        tensors.emplace_back(static_cast<std::size_t>(spec.size()), spec.initial_mean);
    if (spec.initial_deviation > 0)
      for (float& value : tensor) value += spec.initial_deviation * normal(random);
  }
  return std::make_shared<FrozenWeights>(settings, 0, std::move(tensors));
}

}  // namespace baghzero
