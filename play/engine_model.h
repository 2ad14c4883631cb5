// What an engine thinks with: a network from a model file, or nothing but the rules.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/rules.h"
#include "nn/inference.h"
#include "play/analyst.h"

namespace baghzero {

struct EngineModel {
  NetworkPtr network;  // null: even values and policies, so that search alone decides
  Rules rules;         // those the network was trained under
  std::string name;    // for people
};

// What may be named instead of a model file: the network that is part of the program
// (networks/built-in.bzn), and none.
inline constexpr const char* kBuiltInModel = "built-in";
inline constexpr const char* kNoModel = "none";

// `model` is a file or one of the names above. Throws std::runtime_error naming the file and the
// fault, and std::invalid_argument for an empty name.
EngineModel load_engine_model(const std::string& model);

struct ThinkingSettings {
  int threads = 1;
  std::uint32_t max_nodes = SearchSettings{}.max_nodes;
  std::int64_t cache_mib = 48;  // evaluations remembered; 0: none
  bool symmetries = false;      // average the network over the board's symmetries
};

std::unique_ptr<Analyst> make_analyst(const EngineModel& model, const ThinkingSettings& settings);

}  // namespace baghzero
