// What an ONNX file computes, by ATen: just the operators that this program writes.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <protozero/pbf_message.hpp>

#include "nn/export_parts.h"
#include "nn/onnx_format.h"

namespace baghzero {
namespace {

template <class Tag>
using Reader = protozero::pbf_message<Tag>;
using Integers = std::vector<std::int64_t>;
using Attributes = std::map<std::string, Integers>;
using Tensors = std::vector<at::Tensor>;

struct Operation {
  std::string type;
  std::vector<std::string> inputs;
  std::string result;
  Attributes attributes;
};

struct Program {
  std::map<std::string, at::Tensor> constants;
  std::vector<Operation> operations;
};

// ---------------------------------------------------------------------------------------------
// Reading

template <class Range>
Integers integers(const Range& range) {
  return {range.begin(), range.end()};
}

at::ScalarType scalar_type(std::int64_t type) {
  switch (static_cast<onnx::TensorType>(type)) {
    case onnx::TensorType::Fp32:
      return at::kFloat;
    case onnx::TensorType::Fp16:
      return at::kHalf;
    case onnx::TensorType::Int64:
      return at::kLong;
  }
  throw std::runtime_error("a tensor is of type " + std::to_string(type));
}

void read_attribute(Reader<onnx::Attribute> reader, Attributes& attributes) {
  std::string name;
  Integers values;
  while (reader.next()) {
    switch (reader.tag()) {
      case onnx::Attribute::Name:
        name = reader.get_string();
        break;
      case onnx::Attribute::Integer:
        values = {reader.get_int64()};
        break;
      case onnx::Attribute::Integers:
        values = integers(reader.get_packed_int64());
        break;
      default:
        reader.skip();
    }
  }
  attributes[name] = values;
}

Operation read_node(Reader<onnx::Node> reader) {
  Operation operation;
  while (reader.next()) {
    switch (reader.tag()) {
      case onnx::Node::Inputs:
        operation.inputs.push_back(reader.get_string());
        break;
      case onnx::Node::Outputs:
        operation.result = reader.get_string();
        break;
      case onnx::Node::Operator:
        operation.type = reader.get_string();
        break;
      case onnx::Node::Attributes:
        read_attribute(reader.get_message(), operation.attributes);
        break;
      default:
        reader.skip();
    }
  }
  return operation;
}

void read_tensor(Reader<onnx::Tensor> reader, std::map<std::string, at::Tensor>& constants) {
  Integers shape;
  std::int64_t type = 0;
  std::string name;
  protozero::data_view data;
  while (reader.next()) {
    switch (reader.tag()) {
      case onnx::Tensor::Dimensions:
        shape = integers(reader.get_packed_int64());
        break;
      case onnx::Tensor::Type:
        type = reader.get_enum();
        break;
      case onnx::Tensor::Name:
        name = reader.get_string();
        break;
      case onnx::Tensor::RawData:
        data = reader.get_view();
        break;
      default:
        reader.skip();
    }
  }
  at::Tensor tensor = at::empty(shape, scalar_type(type));
  if (data.size() != tensor.nbytes())
    throw std::runtime_error("the tensor " + name + " has " + std::to_string(data.size()) +
                             " bytes instead of " + std::to_string(tensor.nbytes()));
  std::memcpy(tensor.data_ptr(), data.data(), data.size());
  constants[name] = tensor;
}

void read_graph(Reader<onnx::Graph> reader, Program& program) {
  while (reader.next()) {
    switch (reader.tag()) {
      case onnx::Graph::Nodes:
        program.operations.push_back(read_node(reader.get_message()));
        break;
      case onnx::Graph::Initializers:
        read_tensor(reader.get_message(), program.constants);
        break;
      default:
        reader.skip();
    }
  }
}

Program read_program(const std::string& bytes) {
  Program program;
  Reader<onnx::Model> reader(bytes);
  while (reader.next(onnx::Model::Graph, protozero::pbf_wire_type::length_delimited))
    read_graph(reader.get_message(), program);
  return program;
}

// ---------------------------------------------------------------------------------------------
// Computing

at::Tensor compute(const Operation& operation, const Tensors& x) {
  const std::string& type = operation.type;
  const auto attribute = [&](const char* name) { return operation.attributes.at(name).at(0); };
  if (type == "Conv") {
    const auto pads = operation.attributes.find("pads");
    const std::int64_t margin = pads == operation.attributes.end() ? 0 : pads->second.at(0);
    return at::conv2d(x.at(0), x.at(1), x.at(2), {1, 1}, {margin, margin});
  }
  if (type == "Gemm" && attribute("transB") == 1) return at::linear(x.at(0), x.at(1), x.at(2));
  if (type == "Relu") return at::relu(x.at(0));
  if (type == "Sigmoid") return at::sigmoid(x.at(0));
  if (type == "Add") return x.at(0) + x.at(1);
  if (type == "Mul") return x.at(0) * x.at(1);
  if (type == "GlobalAveragePool") return at::mean(x.at(0), {2, 3}, /*keepdim=*/true);
  if (type == "GlobalMaxPool") return at::amax(x.at(0), {2, 3}, /*keepdim=*/true);
  if (type == "Concat") return at::cat(x, attribute("axis"));
  if (type == "Flatten") return at::flatten(x.at(0), attribute("axis"));
  if (type == "Gather") return at::index_select(x.at(0), attribute("axis"), x.at(1));
  if (type == "Softmax") return at::softmax(x.at(0), attribute("axis"));
  throw std::runtime_error("its operator " + type + " is unknown here");
}

at::Tensor compute_as_typed(const Operation& operation, Tensors inputs) {
  if (operation.type == "Cast")
    return inputs.at(0).to(scalar_type(operation.attributes.at("to").at(0)));
  const bool half = inputs.at(0).scalar_type() == at::kHalf;
  std::ranges::transform(inputs, inputs.begin(), widened);
  const at::Tensor result = compute(operation, inputs);
  return half ? narrowed(result) : result;
}

NetworkOutputs run(const Program& program, const at::Tensor& planes) {
  std::map<std::string, at::Tensor> values = program.constants;
  values[kPlanesName] = planes;
  for (const Operation& operation : program.operations) {
    Tensors inputs;
    for (const std::string& name : operation.inputs) inputs.push_back(values.at(name));
    values[operation.result] = compute_as_typed(operation, std::move(inputs));
  }
  return {values.at(kPolicyName), values.at(kWdlName)};
}

}  // namespace

NetworkFunction read_onnx(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file.string() + " cannot be opened");
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return [program = read_program(bytes)](const at::Tensor& planes) { return run(program, planes); };
}

}  // namespace baghzero
