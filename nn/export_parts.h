// What the exports have in common. Internal to nn; pulls in LibTorch.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include "nn/export.h"
#include "nn/frozen_network.h"

namespace baghzero {

// Names of input and outputs in every format.
inline constexpr const char* kPlanesName = "planes";
inline constexpr const char* kPolicyName = "policy_logits";
inline constexpr const char* kWdlName = "wdl";

struct NetworkOutputs {
  at::Tensor policy_logits;  // [N, kActionCount], to be masked by legality
  at::Tensor wdl;            // [N, 3] probabilities for the side to move
};
// Takes planes [N, kInputPlanes, 5, 5]; everything is fp32. Throws std::exception if
// what was read makes no sense.
using NetworkFunction = std::function<NetworkOutputs(const at::Tensor& planes)>;

// A network that leaves this program: without the heads that only training uses, and with scales
// multiplied into the convolutions before them.
struct ExportedNetwork {
  NetworkSettings architecture;
  at::ScalarType type;                                      // of the tensors: kFloat or kHalf
  std::vector<std::pair<std::string, at::Tensor>> tensors;  // named as by tensor_specs()
  at::Tensor policy_index;                                  // int64 [kActionCount]: cell of each
                                                            // action in the flattened policy planes
  nlohmann::ordered_json description;                       // what is said beside the tensors
};

// Contents of a TorchScript file, and the module that is in one.
std::string torchscript_bytes(const ExportedNetwork& network);
NetworkFunction read_torchscript(const std::filesystem::path& file);

// Contents of an ONNX file, and the network that is in one, computed by ATen.
std::string onnx_bytes(const ExportedNetwork& network);
NetworkFunction read_onnx(const std::filesystem::path& file);

// LibTorch 1.13 has no arithmetic in half precision on CPUs. There an operation is computed as
// devices that have it do: in single precision, its result rounded to half. widened() is what such
// an operation takes, narrowed() what it leaves behind.
inline at::Tensor widened(const at::Tensor& value) {
  return value.scalar_type() == at::kHalf ? value.to(at::kFloat) : value;
}
inline at::Tensor narrowed(const at::Tensor& value) {
  return value.scalar_type() == at::kFloat ? value.to(at::kHalf) : value;
}

}  // namespace baghzero
