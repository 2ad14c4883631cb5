// Networks for ONNX Runtime and whatever else reads ONNX.
#include <bit>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/pbf_builder.hpp>

#include "nn/encoding.h"
#include "nn/export_parts.h"
#include "nn/onnx_format.h"

namespace baghzero {
namespace {

static_assert(std::endian::native == std::endian::little, "raw data of tensors is little-endian");

template <class Tag>
using Builder = protozero::pbf_builder<Tag>;
using Names = std::vector<std::string>;

onnx::TensorType type_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return onnx::TensorType::Fp32;
    case at::kHalf:
      return onnx::TensorType::Fp16;
    case at::kLong:
      return onnx::TensorType::Int64;
    default:
      throw std::invalid_argument("a tensor of a type that is not exported");
  }
}

std::string attribute_bytes(const std::string& name, std::int64_t value) {
  std::string bytes;
  Builder<onnx::Attribute> attribute(bytes);
  attribute.add_string(onnx::Attribute::Name, name);
  attribute.add_int64(onnx::Attribute::Integer, value);
  attribute.add_enum(onnx::Attribute::Type, static_cast<int>(onnx::AttributeType::Integer));
  return bytes;
}

std::string attribute_bytes(const std::string& name, const std::vector<std::int64_t>& values) {
  std::string bytes;
  Builder<onnx::Attribute> attribute(bytes);
  attribute.add_string(onnx::Attribute::Name, name);
  attribute.add_packed_int64(onnx::Attribute::Integers, values.begin(), values.end());
  attribute.add_enum(onnx::Attribute::Type, static_cast<int>(onnx::AttributeType::Integers));
  return bytes;
}

// Tensors whose first dimension is the number of positions, which the file leaves open.
std::string value_bytes(const std::string& name, const std::vector<std::int64_t>& row_shape,
                        const std::string& meaning) {
  std::string shape;
  Builder<onnx::Shape> shape_builder(shape);
  std::string batch;
  Builder<onnx::Dimension>(batch).add_string(onnx::Dimension::Name, "batch");
  shape_builder.add_message(onnx::Shape::Dimensions, batch);
  for (const std::int64_t extent : row_shape) {
    std::string dimension;
    Builder<onnx::Dimension>(dimension).add_int64(onnx::Dimension::Extent, extent);
    shape_builder.add_message(onnx::Shape::Dimensions, dimension);
  }
  std::string tensor;
  Builder<onnx::TensorValue> tensor_builder(tensor);
  tensor_builder.add_enum(onnx::TensorValue::ElementType, static_cast<int>(onnx::TensorType::Fp32));
  tensor_builder.add_message(onnx::TensorValue::Shape, shape);
  std::string type;
  Builder<onnx::ValueType>(type).add_message(onnx::ValueType::Tensor, tensor);
  std::string bytes;
  Builder<onnx::Value> value(bytes);
  value.add_string(onnx::Value::Name, name);
  value.add_message(onnx::Value::Type, type);
  value.add_string(onnx::Value::DocString, meaning);
  return bytes;
}

class GraphWriter {
 public:
  GraphWriter() { graph_.add_string(onnx::Graph::Name, "baghzero"); }

  void tensor(const std::string& name, const at::Tensor& value) {
    const at::Tensor whole = value.contiguous();
    const at::IntArrayRef shape = whole.sizes();
    std::string bytes;
    Builder<onnx::Tensor> tensor(bytes);
    tensor.add_packed_int64(onnx::Tensor::Dimensions, shape.begin(), shape.end());
    tensor.add_enum(onnx::Tensor::Type, static_cast<int>(type_of(whole)));
    tensor.add_string(onnx::Tensor::Name, name);
    tensor.add_bytes(onnx::Tensor::RawData, static_cast<const char*>(whole.data_ptr()),
                     whole.nbytes());
    graph_.add_message(onnx::Graph::Initializers, bytes);
  }

  void input(const std::string& value) { graph_.add_message(onnx::Graph::Inputs, value); }
  void output(const std::string& value) { graph_.add_message(onnx::Graph::Outputs, value); }

  // Adds an operation that is named as its result; returns that name.
  std::string add(const std::string& type, const Names& inputs, const std::string& result,
                  const Names& attributes = {}) {
    std::string bytes;
    Builder<onnx::Node> node(bytes);
    for (const std::string& input : inputs) node.add_string(onnx::Node::Inputs, input);
    node.add_string(onnx::Node::Outputs, result);
    node.add_string(onnx::Node::Name, result);
    node.add_string(onnx::Node::Operator, type);
    for (const std::string& attribute : attributes)
      node.add_message(onnx::Node::Attributes, attribute);
    graph_.add_message(onnx::Graph::Nodes, bytes);
    return result;
  }

  std::string relu(const std::string& x) { return add("Relu", {x}, x + ".relu"); }
  std::string flatten(const std::string& x) {
    return add("Flatten", {x}, x + ".flat", {attribute_bytes("axis", 1)});
  }
  std::string convolve(const std::string& x, const std::string& name) {
    return add("Conv", with_weights(x, name), name,
               {attribute_bytes("pads", std::vector<std::int64_t>{1, 1, 1, 1})});
  }
  std::string convolve_points(const std::string& x, const std::string& name) {
    return add("Conv", with_weights(x, name), name);
  }
  std::string connect(const std::string& x, const std::string& name) {
    return add("Gemm", with_weights(x, name), name, {attribute_bytes("transB", 1)});
  }
  std::string cast(const std::string& x, const std::string& result, onnx::TensorType type) {
    return add("Cast", {x}, result, {attribute_bytes("to", static_cast<std::int64_t>(type))});
  }

  const std::string& bytes() const { return bytes_; }

 private:
  static Names with_weights(const std::string& x, const std::string& name) {
    return {x, name + ".weight", name + ".bias"};
  }

  std::string bytes_;
  Builder<onnx::Graph> graph_{bytes_};
};

// The layers of squeeze-and-excitation are convolutions here, on one point: then the gate has the
// shape that it is multiplied in.
bool is_gate_weight(const std::string& name) {
  return name.ends_with(".squeeze.weight") || name.ends_with(".excite.weight");
}

std::string add_block(GraphWriter& graph, const std::string& x, const std::string& name,
                      bool gated) {
  std::string y = graph.relu(graph.convolve(x, name + ".conv1"));
  y = graph.convolve(y, name + ".conv2");
  if (gated) {
    std::string s = graph.add("GlobalAveragePool", {y}, name + ".mean");
    s = graph.relu(graph.convolve_points(s, name + ".squeeze"));
    s = graph.add("Sigmoid", {graph.convolve_points(s, name + ".excite")}, name + ".gate");
    y = graph.add("Mul", {y, s}, name + ".gated");
  }
  return graph.relu(graph.add("Add", {x, y}, name + ".sum"));
}

// The formula of nn/architecture.h. In half precision only the operations between the two casts are
// half: input, outputs and the last softmax stay in single precision.
void add_operations(GraphWriter& graph, const ExportedNetwork& network) {
  const bool half = network.type == at::kHalf;
  std::string x = kPlanesName;
  if (half) x = graph.cast(x, "planes.half", onnx::TensorType::Fp16);
  x = graph.relu(graph.convolve(x, "stem"));
  for (int block = 0; block < network.architecture.blocks; ++block)
    x = add_block(graph, x, "block." + std::to_string(block),
                  network.architecture.squeeze_channels > 0);

  const auto widen = [&](const std::string& logits) {
    return half ? graph.cast(logits, logits + ".single", onnx::TensorType::Fp32) : logits;
  };
  std::string p = graph.relu(graph.convolve_points(x, "policy.hidden"));
  p = widen(graph.flatten(graph.convolve_points(p, "policy.planes")));
  graph.add("Gather", {p, "policy.index"}, kPolicyName, {attribute_bytes("axis", 1)});

  const std::string mean = graph.add("GlobalAveragePool", {x}, "value.mean");
  const std::string highest = graph.add("GlobalMaxPool", {x}, "value.max");
  std::string v =
      graph.add("Concat", {mean, highest}, "value.pooled", {attribute_bytes("axis", 1)});
  v = graph.relu(graph.connect(graph.flatten(v), "value.hidden"));
  v = widen(graph.connect(v, "value.wdl"));
  graph.add("Softmax", {v}, kWdlName, {attribute_bytes("axis", 1)});
}

std::string graph_bytes(const ExportedNetwork& network) {
  GraphWriter graph;
  constexpr std::int64_t kSide = BaghChalBoard::kRows;
  graph.input(value_bytes(kPlanesName, {kInputPlanes, kSide, kSide},
                          "Input planes, named in the metadata."));
  graph.output(value_bytes(kPolicyName, {kActionCount},
                           "Logits of all actions; the softmax is over the legal ones."));
  graph.output(
      value_bytes(kWdlName, {3}, "Probabilities of win, draw, loss for the side to move."));
  for (const auto& [name, value] : network.tensors)
    graph.tensor(name, is_gate_weight(name) ? value.unsqueeze(2).unsqueeze(3) : value);
  graph.tensor("policy.index", network.policy_index);
  add_operations(graph, network);
  return graph.bytes();
}

}  // namespace

std::string onnx_bytes(const ExportedNetwork& network) {
  std::string operator_set;
  Builder<onnx::OperatorSet>(operator_set)
      .add_int64(onnx::OperatorSet::Version, onnx::kOperatorSet);
  std::string bytes;
  Builder<onnx::Model> model(bytes);
  model.add_int64(onnx::Model::IrVersion, onnx::kIrVersion);
  model.add_string(onnx::Model::ProducerName, network.description.at("program").get<std::string>());
  model.add_string(onnx::Model::ProducerVersion,
                   network.description.at("program_version").get<std::string>());
  model.add_string(onnx::Model::DocString, "Policy and value of Bagh-Chal positions.");
  model.add_message(onnx::Model::OperatorSets, operator_set);
  model.add_message(onnx::Model::Graph, graph_bytes(network));
  for (const auto& [key, value] : network.description.items()) {
    std::string entry;
    Builder<onnx::MetadataEntry> builder(entry);
    builder.add_string(onnx::MetadataEntry::Key, key);
    builder.add_string(onnx::MetadataEntry::Value,
                       value.is_string() ? value.get<std::string>() : value.dump());
    model.add_message(onnx::Model::Metadata, entry);
  }
  return bytes;
}

}  // namespace baghzero
