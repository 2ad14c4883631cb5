// Networks for PyTorch and LibTorch.
#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <unordered_map>

#include <torch/script.h>

#include "nn/export_parts.h"

namespace baghzero {
namespace {

// Attributes of a module may not have dots in their names.
std::string attribute(std::string name) {
  std::ranges::replace(name, '.', '_');
  return name;
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

// The formula of nn/architecture.h. In half precision what comes in is made half, and what goes out
// has the type of what came in.
std::string forward_source(const NetworkSettings& settings, bool half) {
  const std::string outward = half ? ".type_as(planes)" : "";
  std::string text = "def forward(self, planes):\n";
  const auto line = [&text](const std::string& statement) {
    text.append("    ").append(statement).append("\n");
  };
  line(half ? "x = planes.type_as(self.stem_weight)" : "x = planes");
  line("x = torch.relu(" + convolve("x", "stem") + ")");
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
  line("v = " + connect("v", "value_wdl"));
  line("return policy" + outward + ", torch.softmax(v" + outward + ", 1)");
  return text;
}

NetworkOutputs outputs_of(const c10::IValue& result) {
  const auto tuple = result.toTuple();
  return {tuple->elements().at(0).toTensor(), tuple->elements().at(1).toTensor()};
}

// ---------------------------------------------------------------------------------------------
// Modules in half precision. LibTorch 1.13 cannot run them on a CPU, so every version computes
// their graph here, one operation at a time.

template <class Convert>
c10::IValue converted(const c10::IValue& value, const Convert& convert) {
  if (value.isTensor()) return convert(value.toTensor());
  if (!value.isTensorList()) return value;
  c10::List<at::Tensor> list;
  for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(convert(tensor));
  return list;
}

bool holds_half(const c10::IValue& value) {
  const auto is_half = [](const at::Tensor& tensor) { return tensor.scalar_type() == at::kHalf; };
  if (value.isTensorList()) return std::ranges::any_of(value.toTensorVector(), is_half);
  return value.isTensor() && is_half(value.toTensor());
}

c10::IValue result_of(const torch::jit::Node& node, std::vector<c10::IValue> inputs) {
  switch (node.kind()) {
    case c10::prim::Constant:
      return torch::jit::toIValue(node.output()).value();
    case c10::prim::GetAttr:
      return inputs.at(0).toObject()->getAttr(node.s(c10::attr::name));
    case c10::prim::TupleConstruct:
      return c10::ivalue::Tuple::create(std::move(inputs));
    case c10::prim::ListConstruct: {
      const auto type = node.output()->type()->expect<c10::ListType>();
      c10::impl::GenericList list(type->getElementType());
      for (c10::IValue& input : inputs) list.push_back(std::move(input));
      return list;
    }
    default:
      break;
  }
  const bool conversion = node.kind() == c10::aten::type_as;
  const bool half = !conversion && std::ranges::any_of(inputs, holds_half);
  if (half)
    for (c10::IValue& input : inputs) input = converted(input, widened);
  torch::jit::Stack stack = std::move(inputs);
  node.getOperation()(stack);
  return half ? converted(stack.at(0), narrowed) : stack.at(0);
}

NetworkOutputs run_in_half(const torch::jit::Module& module, const at::Tensor& planes) {
  const auto graph = module.get_method("forward").graph();
  std::unordered_map<const torch::jit::Value*, c10::IValue> values = {
      {graph->inputs().at(0), module._ivalue()}, {graph->inputs().at(1), planes}};
  for (const torch::jit::Node* node : graph->nodes()) {
    std::vector<c10::IValue> inputs;
    for (const torch::jit::Value* input : node->inputs()) inputs.push_back(values.at(input));
    values[node->output()] = result_of(*node, std::move(inputs));
  }
  return outputs_of(values.at(graph->outputs().at(0)));
}

}  // namespace

std::string torchscript_bytes(const ExportedNetwork& network) {
  torch::jit::Module module("baghzero");
  for (const auto& [name, tensor] : network.tensors)
    module.register_parameter(attribute(name), tensor, false);
  module.register_buffer("policy_index", network.policy_index);
  module.define(forward_source(network.architecture, network.type == at::kHalf));
  module.eval();
  std::ostringstream written;
  module.save(written, {{"baghzero.json", network.description.dump(1)}});
  return written.str();
}

NetworkFunction read_torchscript(const std::filesystem::path& file) {
  torch::jit::Module module = torch::jit::load(file.string());
  const bool half = module.attr("stem_weight").toTensor().scalar_type() == at::kHalf;
  return [module, half](const at::Tensor& planes) mutable {
    return half ? run_in_half(module, planes) : outputs_of(module.forward({planes}));
  };
}

}  // namespace baghzero
