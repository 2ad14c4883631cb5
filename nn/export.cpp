#include "nn/export.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "engine/durable_file.h"
#include "engine/text.h"
#include "nn/encoding.h"
#include "nn/evaluator_parts.h"
#include "nn/export_parts.h"
#include "nn/network.h"
#include "nn/network_json.h"

namespace baghzero {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = BaghChalBoard::kRows;
constexpr int kPositions = 1000;
constexpr int kBatch = 128;  // the last one is smaller: a file must take batches of any size
constexpr double kFp32Tolerance = 1e-4;
constexpr double kFp16Tolerance = 0.02;

// ---------------------------------------------------------------------------------------------
// What is exported

bool only_for_training(const std::string& tensor) {
  return std::ranges::any_of(
      std::initializer_list<const char*>{"reply.", "captures.", "plies_left.", "occupancy."},
      [&](const char* head) { return tensor.starts_with(head); });
}

at::Tensor tensor_of(const FrozenWeights& weights, const std::string& name,
                     const std::vector<std::int64_t>& shape) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  std::ranges::copy(weights.tensor(name), tensor.data_ptr<float>());
  return tensor;
}

nlohmann::ordered_json describe(const FrozenNetwork& network, const ModelFacts& facts,
                                ExportPrecision precision) {
  nlohmann::ordered_json description = model_description(network, facts);
  description["program"] = "BaghZero";
  description["program_version"] = BAGHZERO_VERSION;
  description["precision"] = precision == ExportPrecision::Fp16 ? "fp16" : "fp32";
  description["outputs"] = {kPolicyName, kWdlName};
  return description;
}

ExportedNetwork exported(const FrozenNetwork& network, const ModelFacts& facts,
                         ExportPrecision precision) {
  const FrozenWeights& weights = weights_of(network);
  ExportedNetwork result{network.architecture(),
                         precision == ExportPrecision::Fp16 ? at::kHalf : at::kFloat,
                         {},
                         at::empty({kActionCount}, at::kLong),
                         describe(network, facts, precision)};
  const std::vector<TensorSpec> specs = tensor_specs(network.architecture());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string& name = specs[i].name;
    if (only_for_training(name) || name.ends_with(".scale")) continue;
    at::Tensor value = tensor_of(weights, name, specs[i].shape);
    // A convolution's scale follows its weight.
    if (i + 1 < specs.size() && specs[i + 1].name.ends_with(".scale"))
      value = value * tensor_of(weights, specs[i + 1].name, {specs[i].shape[0], 1, 1, 1});
    result.tensors.emplace_back(name, value.to(result.type));
  }
  for (int action = 0; action < kActionCount; ++action)
    result.policy_index.data_ptr<std::int64_t>()[action] =
        kPolicyCells[action].plane * kPointCount + kPolicyCells[action].point;
  return result;
}

std::string bytes_of(const NetworkPtr& network, const ModelFacts& facts, ExportFormat format,
                     ExportPrecision precision) {
  switch (format) {
    case ExportFormat::TorchScript:
      return torchscript_bytes(exported(*network, facts, precision));
    case ExportFormat::Onnx:
      return onnx_bytes(exported(*network, facts, precision));
    case ExportFormat::Baghzero:
      break;
  }
  return model_file_bytes(*network, facts);
}

// ---------------------------------------------------------------------------------------------
// Comparison

// Answers to N positions as probabilities.
struct Answers {
  at::Tensor policy;  // [N, kActionCount], 0 for what is illegal
  at::Tensor wdl;     // [N, 3]
};

// [N, kInputPlanes, 5, 5]
at::Tensor planes_of(std::span<const Query> queries) {
  const auto rows = static_cast<std::int64_t>(queries.size());
  at::Tensor planes = at::empty({rows, kSide, kSide, kInputPlanes}, at::kFloat);
  float* row = planes.data_ptr<float>();
  for (const Query& query : queries) {
    encode(query, std::span<float, kInputSize>(row, std::size_t{kInputSize}));
    row += kInputSize;
  }
  return planes.permute({0, 3, 1, 2}).contiguous();
}

// [N, kActionCount]: 0 for legal actions, minus infinity for others.
at::Tensor legality_of(std::span<const Query> queries) {
  at::Tensor mask = at::full({static_cast<std::int64_t>(queries.size()), kActionCount},
                             -std::numeric_limits<float>::infinity());
  float* row = mask.data_ptr<float>();
  for (const Query& query : queries) {
    for (int i = 0; i < query.legal.size(); ++i) row[query.legal[i]] = 0;
    row += kActionCount;
  }
  return mask;
}

Answers answers_of(const NetworkFunction& network, std::span<const Query> queries) {
  std::vector<at::Tensor> policies;
  std::vector<at::Tensor> wdls;
  for (std::size_t begin = 0; begin < queries.size(); begin += kBatch) {
    const auto batch =
        queries.subspan(begin, std::min<std::size_t>(kBatch, queries.size() - begin));
    const NetworkOutputs outputs = network(planes_of(batch));
    policies.push_back(at::softmax(outputs.policy_logits + legality_of(batch), 1));
    wdls.push_back(outputs.wdl);
  }
  return {at::cat(policies), at::cat(wdls)};
}

// By this program's own arithmetic.
Answers answers_of(const NetworkPtr& network, std::span<const Query> queries) {
  std::vector<Evaluation> evaluations(queries.size());
  make_network_evaluator(network, {.device = "cpu", .max_batch = kPositions})
      ->evaluate(queries, evaluations);
  const auto rows = static_cast<std::int64_t>(queries.size());
  Answers answers{at::zeros({rows, kActionCount}), at::empty({rows, 3})};
  for (std::size_t row = 0; row < queries.size(); ++row) {
    const Evaluation& evaluation = evaluations[row];
    float* const policy = answers.policy.data_ptr<float>() + row * kActionCount;
    for (int i = 0; i < queries[row].legal.size(); ++i)
      policy[queries[row].legal[i]] = evaluation.policy[i];
    float* const wdl = answers.wdl.data_ptr<float>() + row * 3;
    wdl[0] = evaluation.wdl.win;
    wdl[1] = evaluation.wdl.draw;
    wdl[2] = evaluation.wdl.loss;
  }
  return answers;
}

// The network as it was loaded, in LibTorch.
NetworkFunction in_libtorch(const FrozenNetwork& frozen) {
  return [network = Network(frozen)](const at::Tensor& planes) -> NetworkOutputs {
    const HeadOutputs heads =
        network.forward(planes.permute({0, 2, 3, 1}).contiguous(), /*auxiliary=*/false);
    return {heads.policy, at::softmax(heads.value, 1)};
  };
}

Answers answers_of(const fs::path& file, ExportFormat format, std::span<const Query> queries) {
  switch (format) {
    case ExportFormat::TorchScript:
      return answers_of(read_torchscript(file), queries);
    case ExportFormat::Onnx:
      return answers_of(read_onnx(file), queries);
    case ExportFormat::Baghzero:
      break;
  }
  return answers_of(load_network(file), queries);
}

// Not a number if any probability is not.
double largest_difference(const Answers& a, const Answers& b) {
  return at::cat({(a.policy - b.policy).flatten(), (a.wdl - b.wdl).flatten()})
      .abs()
      .max()
      .item<double>();
}

// ---------------------------------------------------------------------------------------------
// Faults

[[noreturn]] void fail_reading(const fs::path& file, std::string_view fault) {
  throw std::runtime_error("cannot write " + file.string() +
                           ": what was written cannot be read back (" + on_one_line(fault) +
                           "); nothing is left of it");
}

std::string two_digits(double number) {
  std::ostringstream text;
  text.precision(2);
  text << number;
  return text.str();
}

}  // namespace

ExportCheck export_network(const NetworkPtr& network, const ModelFacts& facts, ExportFormat format,
                           ExportPrecision precision, const fs::path& file) {
  if (format == ExportFormat::Baghzero && precision == ExportPrecision::Fp16)
    throw std::invalid_argument("the tensors of model files are fp32");
  check_durable(file);
  const at::NoGradGuard no_gradients;
  const bool half = precision == ExportPrecision::Fp16;
  ExportCheck result{kPositions, 0, half ? kFp16Tolerance : kFp32Tolerance};
  const auto check = [&](const fs::path& temporary) {
    const std::vector<Query> queries = sample_queries(kPositions, 1);
    const Answers expected = answers_of(in_libtorch(*network), queries);
    try {
      result.largest_difference =
          largest_difference(answers_of(temporary, format, queries), expected);
    } catch (const c10::Error& error) {
      fail_reading(file, error.what_without_backtrace());
    } catch (const std::exception& error) {
      fail_reading(file, error.what());
    }
    if (!(result.largest_difference < result.tolerance))
      throw std::runtime_error(
          "cannot write " + file.string() +
          ": what was written gives other answers than the network that was loaded (off by " +
          two_digits(result.largest_difference) + " in a probability, the limit being " +
          two_digits(result.tolerance) + "); " +
          (half ? "it does not fit half precision, export it as fp32" : "nothing is left of it"));
  };
  write_durably(file, bytes_of(network, facts, format, precision), check);
  return result;
}

}  // namespace baghzero
