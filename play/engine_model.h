// What an engine thinks with: a network from a model file, or nothing but the rules.
#pragma once

#include <cstdint>
#include <filesystem>
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

// Throws std::runtime_error naming the file and the fault.
EngineModel load_engine_model(const std::filesystem::path& file);

struct ThinkingSettings {
  int threads = 1;
  std::uint32_t max_nodes = SearchSettings{}.max_nodes;
  std::int64_t cache_mib = 48;  // evaluations remembered; 0: none
  bool symmetries = false;      // average the network over the board's symmetries
};

std::unique_ptr<Analyst> make_analyst(const EngineModel& model, const ThinkingSettings& settings);

}  // namespace baghzero
