#include "play/engine_model.h"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/board.h"
#include "nn/model_file.h"
#include "play/built_in_network.h"

namespace baghzero {
namespace {

constexpr std::int64_t kCacheEntryBytes = 192;  // see EvaluationCache

EvaluatorFactory evaluator_factory(const EngineModel& model, const ThinkingSettings& settings) {
  if (!model.network) return [] { return std::make_unique<UniformEvaluator>(); };
  std::shared_ptr<EvaluationCache> cache;
  if (settings.cache_mib > 0)
    cache = std::make_shared<EvaluationCache>((settings.cache_mib << 20) / kCacheEntryBytes);
  return [network = model.network, symmetries = settings.symmetries, cache] {
    InferenceSettings inference;
    inference.device = "cpu";  // quicker than any other for single positions
    inference.max_batch = symmetries ? kSymmetryCount : 1;
    auto evaluator = make_network_evaluator(network, inference);
    if (symmetries) evaluator = make_symmetry_evaluator(std::move(evaluator));
    if (cache) evaluator = make_cached_evaluator(std::move(evaluator), cache, network->identity());
    return evaluator;
  };
}

}  // namespace

EngineModel load_engine_model(const std::string& name) {
  EngineModel model;
  if (name == kNoModel) return model;
  if (name.empty())
    throw std::invalid_argument("the model has no name: name a model file, \"" +
                                std::string(kBuiltInModel) + "\" or \"" + kNoModel + "\"");
  const LoadedModel loaded = name == kBuiltInModel
                                 ? parse_model(built_in_network(), "built into the program")
                                 : load_model(name);
  model.network = loaded.network;
  model.rules = loaded.facts.rules;
  const NetworkSettings& shape = model.network->architecture();
  model.name = std::filesystem::path(name).filename().string();
  model.name += " (generation " + std::to_string(model.network->generation()) + ", " +
                std::to_string(shape.blocks) + " blocks of " + std::to_string(shape.channels) + ")";
  return model;
}

std::unique_ptr<Analyst> make_analyst(const EngineModel& model, const ThinkingSettings& settings) {
  SearchSettings search;
  search.max_nodes = settings.max_nodes;
  return std::make_unique<Analyst>(search, evaluator_factory(model, settings), settings.threads);
}

}  // namespace baghzero
