#include "training/flat_parameters.h"

namespace baghzero {

FlatParameters::FlatParameters(const std::vector<Network>& replicas) {
  const at::NoGradGuard no_grad;
  const auto parameters = replicas.front().parameters();
  parts_.resize(parameters.size());
  std::int64_t total = 0;
  for (const bool decays : {true, false}) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].decays != decays) continue;
      const at::Tensor& value = parameters[i].value;
      parts_[i] = {total, value.sizes().vec(), value.strides().vec()};
      total += value.numel();
    }
    if (decays) decaying_ = total;
  }
  const auto options = at::TensorOptions().dtype(at::kFloat).device(replicas.front().device());
  weights = at::empty({total}, options);
  for (std::size_t i = 0; i < parts_.size(); ++i)
    view(weights, parts_[i]).copy_(parameters[i].value);
  average = weights.clone();
  first_moment = at::zeros({total}, options);
  second_moment = at::zeros({total}, options);
  for (const Network& replica : replicas) {
    const at::Tensor& gradient = gradients.emplace_back(at::zeros({total}, options));
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const at::Tensor& value = replica.parameters()[i].value;
      value.set_data(view(weights, parts_[i]));
      value.mutable_grad() = view(gradient, parts_[i]);
    }
  }
}

at::Tensor FlatParameters::view(const at::Tensor& flat, const Part& part) {
  return flat.as_strided(part.sizes, part.strides, part.offset);
}

std::vector<at::Tensor> FlatParameters::shaped(const at::Tensor& flat) const {
  std::vector<at::Tensor> views;
  for (const Part& part : parts_) views.push_back(view(flat, part));
  return views;
}

}  // namespace baghzero
