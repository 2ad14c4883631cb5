#include "training/run_ownership.h"

#include <stdexcept>
#include <string>

#include "nn/model_file.h"
#include "training/run_folder.h"

namespace baghzero {
namespace {

LoadedModel load_needed_model(const std::filesystem::path& file) {
  try {
    return load_model(file);
  } catch (const std::runtime_error& fault) {
    throw std::runtime_error(std::string(fault.what()) +
                             " Self-play needs this model: restore a copy, or begin a new run");
  }
}

}  // namespace

void refuse_foreign_state(const RunState& state, const std::filesystem::path& file,
                          const RunConfig& config) {
  const auto expect = [&file](const std::string& found, const std::string& own) {
    if (found == own) return;
    throw std::runtime_error(file.string() + " is a state of a run with " + found +
                             ", but this run has " + own +
                             ": restore the state of this run, or move the file away to go on "
                             "from the state before it");
  };
  if (!state.identity.empty()) expect(state.identity, run_identity(config));
  expect(network_identity(state.network), network_identity(config.network));
}

NetworkPtr load_generation(const std::filesystem::path& file, int number, const RunConfig& config) {
  const auto [network, facts] = load_needed_model(file);
  const auto expect = [&file](const char* what, const std::string& found, const std::string& own) {
    if (found == own) return;
    throw std::runtime_error("Model file " + file.string() + " " + what + " " + found +
                             ", but this run has " + own +
                             ": restore the model of this run, or begin a new run");
  };
  expect("holds", "generation " + std::to_string(network->generation()),
         "generation " + std::to_string(number));
  expect("was made under", rules_identity(facts.rules), rules_identity(config.rules));
  expect("holds a network of", network_identity(network->architecture()),
         network_identity(config.network));
  return network;
}

}  // namespace baghzero
