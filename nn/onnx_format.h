// The fields of ONNX files (Protocol Buffers) that this program writes and reads: numbers of
// onnx.proto, IR version 8. Internal to nn.
#pragma once

#include <cstdint>

#include <protozero/types.hpp>

namespace baghzero::onnx {

inline constexpr std::int64_t kIrVersion = 8;
inline constexpr std::int64_t kOperatorSet = 17;  // the latest that IR version 8 has

enum class Model : protozero::pbf_tag_type {
  IrVersion = 1,
  ProducerName = 2,
  ProducerVersion = 3,
  DocString = 6,
  Graph = 7,
  OperatorSets = 8,
  Metadata = 14,
};
enum class OperatorSet : protozero::pbf_tag_type { Version = 2 };
enum class MetadataEntry : protozero::pbf_tag_type { Key = 1, Value = 2 };
enum class Graph : protozero::pbf_tag_type {
  Nodes = 1,
  Name = 2,
  Initializers = 5,
  Inputs = 11,
  Outputs = 12,
};
enum class Node : protozero::pbf_tag_type {
  Inputs = 1,
  Outputs = 2,
  Name = 3,
  Operator = 4,
  Attributes = 5,
};
enum class Attribute : protozero::pbf_tag_type { Name = 1, Integer = 3, Integers = 8, Type = 20 };
enum class AttributeType : std::int32_t { Integer = 2, Integers = 7 };
enum class Tensor : protozero::pbf_tag_type { Dimensions = 1, Type = 2, Name = 8, RawData = 9 };
enum class TensorType : std::int32_t { Fp32 = 1, Int64 = 7, Fp16 = 10 };
// The type of an input or output: Value > ValueType > TensorValue > Shape > Dimension.
enum class Value : protozero::pbf_tag_type { Name = 1, Type = 2, DocString = 3 };
enum class ValueType : protozero::pbf_tag_type { Tensor = 1 };
enum class TensorValue : protozero::pbf_tag_type { ElementType = 1, Shape = 2 };
enum class Shape : protozero::pbf_tag_type { Dimensions = 1 };
enum class Dimension : protozero::pbf_tag_type { Extent = 1, Name = 2 };

}  // namespace baghzero::onnx
