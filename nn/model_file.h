// Model files (.bzn): one self-describing file per network, readable without LibTorch.
//
//   bytes 0..7    magic "BZNMODEL"
//   u32           format version
//   u32           length of the header in bytes
//   u64           length of the tensors in bytes
//   header        JSON: architecture, generation, rules, provenance, input planes, action order,
//                 the tensors' names and shapes, check positions with expected answers
//   tensors       fp32, one after the other in the order of the header
//   u64           XXH3-64 of everything before it
// All numbers are little-endian.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "engine/rules.h"
#include "nn/inference.h"

namespace baghzero {

// What a model file says beside the weights.
struct ModelFacts {
  Rules rules;                                    // the network was trained under
  std::map<std::string, std::string> provenance;  // free-form: run, date, version, samples, ...
};

// Writes as write_durably() does (engine/durable_file.h). Throws std::runtime_error naming the file
// and the fault.
void save_network(const FrozenNetwork& network, const std::filesystem::path& file,
                  const ModelFacts& facts = {});

// The bytes that save_network() writes.
std::string model_file_bytes(const FrozenNetwork& network, const ModelFacts& facts);

// A network and what its file says of it.
struct LoadedModel {
  NetworkPtr network;
  ModelFacts facts;
};
// Reads and verifies a model file as load_network() does (nn/inference.h).
LoadedModel load_model(const std::filesystem::path& file);
// The same of the bytes of a model file, which errors call `file`.
LoadedModel parse_model(std::string_view bytes, const std::filesystem::path& file);

}  // namespace baghzero
