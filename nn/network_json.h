// Networks as JSON: their shape in model files and trainer states (nlohmann-json finds these), and
// what is said of them in every file that holds one.
#pragma once

#include <nlohmann/json.hpp>

#include "nn/inference.h"
#include "nn/settings.h"

namespace baghzero {

struct ModelFacts;

// The keys architecture, generation, rules, provenance, input_planes and actions of
// docs/model-format.md.
nlohmann::ordered_json model_description(const FrozenNetwork& network, const ModelFacts& facts);

template <class Json>
void to_json(Json& json, const NetworkSettings& network) {
  json = {{"blocks", network.blocks},
          {"channels", network.channels},
          {"squeeze_channels", network.squeeze_channels},
          {"value_hidden", network.value_hidden}};
}

template <class Json>
void from_json(const Json& json, NetworkSettings& network) {
  json.at("blocks").get_to(network.blocks);
  json.at("channels").get_to(network.channels);
  json.at("squeeze_channels").get_to(network.squeeze_channels);
  json.at("value_hidden").get_to(network.value_hidden);
}

}  // namespace baghzero
