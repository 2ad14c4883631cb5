#include "nn/torchscript.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <torch/script.h>

#include "engine/durable_file.h"
#include "nn/encoding.h"
#include "nn/evaluator_parts.h"
#include "nn/frozen_network.h"

namespace baghzero {
namespace {

constexpr int kSide = BaghChalBoard::kRows;

at::Tensor tensor_of(const FrozenWeights& weights, const std::string& name,
                     std::vector<std::int64_t> shape) {
  const std::span<const float> values = weights.tensor(name);
  at::Tensor tensor = at::empty(shape, at::kFloat);
  std::ranges::copy(values, tensor.data_ptr<float>());
  return tensor;
}

// Attributes of a module may not have dots in their names.
std::string attribute(std::string name) {
  std::ranges::replace(name, '.', '_');
  return name;
}

// The weights that playing needs; scales are folded into the convolutions before them.
void register_weights(torch::jit::Module& module, const FrozenWeights& weights) {
  for (const TensorSpec& spec : tensor_specs(weights.architecture())) {
    const std::string& name = spec.name;
    if (name.ends_with(".scale")) continue;
    at::Tensor value = tensor_of(weights, name, spec.shape);
    const std::string stem = name.substr(0, name.rfind('.'));
    if (stem.ends_with(".conv1") || stem.ends_with(".conv2")) {
      const std::int64_t outputs = spec.shape[0];
      if (name.ends_with(".weight"))
        value = value * tensor_of(weights, stem + ".scale", {outputs, 1, 1, 1});
    }
    for (const char* auxiliary : {"reply.", "captures.", "plies_left.", "occupancy."})
      if (name.starts_with(auxiliary)) value = at::Tensor();
    if (value.defined()) module.register_parameter(attribute(name), value, false);
  }
  std::vector<std::int64_t> index;
  for (const PolicyCell& cell : kPolicyCells)
    index.push_back(cell.plane * kPointCount + cell.point);
  module.register_buffer("policy_index", torch::tensor(index, at::kLong));
}

std::string convolve(const std::string& x, const std::string& name) {
  return "torch.conv2d(" + x + ", self." + name + "_weight, self." + name +
         "_bias, [1, 1], [1, 1])";
}
std::string convolve_points(const std::string& x, const std::string& name) {
  return "torch.conv2d(" + x + ", self." + name + "_weight, self." + name + "_bias)";
}
std::string connect(const std::string& x, const std::string& name) {
  return "torch.linear(" + x + ", self." + name + "_weight, self." + name + "_bias)";
}

// The formula of nn/architecture.h.
std::string forward_source(const NetworkSettings& settings) {
  std::string text = "def forward(self, planes):\n";
  const auto line = [&text](const std::string& statement) {
    text.append("    ").append(statement).append("\n");
  };
  line("x = torch.relu(" + convolve("planes", "stem") + ")");
  for (int block = 0; block < settings.blocks; ++block) {
    const std::string name = "block_" + std::to_string(block) + "_";
    line("y = torch.relu(" + convolve("x", name + "conv1") + ")");
    line("y = " + convolve("y", name + "conv2"));
    if (settings.squeeze_channels > 0) {
      line("s = torch.relu(" + connect("torch.mean(y, [2, 3])", name + "squeeze") + ")");
      line("s = torch.sigmoid(" + connect("s", name + "excite") + ")");
      line("y = y * torch.unsqueeze(torch.unsqueeze(s, 2), 3)");
    }
    line("x = torch.relu(x + y)");
  }
  line("p = torch.relu(" + convolve_points("x", "policy_hidden") + ")");
  line("p = torch.flatten(" + convolve_points("p", "policy_planes") + ", 1)");
  line("policy = torch.index_select(p, 1, self.policy_index)");
  line("pooled = torch.cat([torch.mean(x, [2, 3]), torch.amax(x, [2, 3])], 1)");
  line("v = torch.relu(" + connect("pooled", "value_hidden") + ")");
  line("return policy, torch.softmax(" + connect("v", "value_wdl") + ", 1)");
  return text;
}

std::string description(const FrozenNetwork& network, const ModelFacts& facts) {
  const Rules& rules = facts.rules;
  nlohmann::ordered_json json = {{"generation", network.generation()},
                                 {"rules",
                                  {{"goats", rules.goats},
                                   {"captures_to_win", rules.captures_to_win},
                                   {"repetition", std::string(to_string(rules.repetition))},
                                   {"no_capture_limit", rules.no_capture_limit},
                                   {"max_plies", rules.max_plies}}},
                                 {"provenance", facts.provenance},
                                 {"input_planes", kPlaneNames},
                                 {"outputs", {"policy_logits", "wdl"}}};
  return json.dump(1);
}

// Largest difference between the answers of the module and of this program for one batch.
double compare(torch::jit::Module& module, std::span<const Query> queries, Evaluator& evaluator) {
  const auto rows = static_cast<std::int64_t>(queries.size());
  at::Tensor planes = at::empty({rows, kSide, kSide, kInputPlanes}, at::kFloat);
  for (std::size_t row = 0; row < queries.size(); ++row)
    encode(queries[row], std::span<float, kInputSize>(planes.data_ptr<float>() + row * kInputSize,
                                                      std::size_t{kInputSize}));
  std::vector<Evaluation> answers(queries.size());
  evaluator.evaluate(queries, answers);
  const auto outputs = module.forward({planes.permute({0, 3, 1, 2}).contiguous()}).toTuple();
  const at::Tensor policy = outputs->elements()[0].toTensor().contiguous();
  const at::Tensor wdl = outputs->elements()[1].toTensor().contiguous();
  double worst = 0;
  const auto differ = [&worst](double a, double b) {
    const double difference = std::abs(a - b);
    if (!(difference <= worst)) worst = difference;  // not a number counts
  };
  for (std::size_t row = 0; row < queries.size(); ++row) {
    const float* const values = wdl.data_ptr<float>() + row * 3;
    differ(values[0], answers[row].wdl.win);
    differ(values[1], answers[row].wdl.draw);
    differ(values[2], answers[row].wdl.loss);
    const ActionList& legal = queries[row].legal;
    std::array<float, kMaxLegalActions + 64> shares;  // softmax() may write past the count
    for (int i = 0; i < legal.size(); ++i)
      shares[i] = policy.data_ptr<float>()[row * kActionCount + legal[i]];
    softmax(shares.data(), legal.size());
    for (int i = 0; i < legal.size(); ++i) differ(shares[i], answers[row].policy[i]);
  }
  return worst;
}

}  // namespace

ExportCheck export_torchscript(const NetworkPtr& network, const ModelFacts& facts,
                               const std::filesystem::path& file) {
  constexpr int kPositions = 1000;
  constexpr double kTolerance = 1e-4;
  const at::NoGradGuard no_gradients;
  torch::jit::Module module("baghzero");
  register_weights(module, weights_of(*network));
  module.define(forward_source(network->architecture()));
  module.eval();
  std::ostringstream written;
  module.save(written, {{"baghzero.json", description(*network, facts)}});

  std::istringstream bytes(written.str());
  torch::jit::Module read = torch::jit::load(bytes);
  const auto evaluator =
      make_network_evaluator(network, {.device = "cpu", .max_batch = kPositions});
  const ExportCheck check{kPositions, compare(read, sample_queries(kPositions, 1), *evaluator)};
  if (!(check.largest_difference < kTolerance))
    throw std::runtime_error("The TorchScript module for " + file.string() +
                             " does not compute what this program computes (off by " +
                             std::to_string(check.largest_difference) + "); nothing was written.");
  write_durably(file, written.str());
  return check;
}

}  // namespace baghzero
