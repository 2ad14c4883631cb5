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

void expect_own(const std::filesystem::path& file, const char* what, const std::string& found,
                const std::string& own) {
  if (found == own) return;
  throw std::runtime_error("Model file " + file.string() + " " + what + " " + found +
                           ", but this run has " + own +
                           ": restore the model of this run, or begin a new run");
}

void expect_own_kind(const std::filesystem::path& file, const LoadedModel& model,
                     const RunConfig& config) {
  expect_own(file, "was made under", rules_identity(model.facts.rules),
             rules_identity(config.rules));
  expect_own(file, "holds a network of", network_identity(model.network->architecture()),
             network_identity(config.network));
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
  const LoadedModel model = load_needed_model(file);
  expect_own(file, "holds", "generation " + std::to_string(model.network->generation()),
             "generation " + std::to_string(number));
  expect_own_kind(file, model, config);
  return model.network;
}

NetworkPtr load_candidate(const std::filesystem::path& root, const GateEntry& gate,
                          const RunConfig& config) {
  if (gate.candidate_file != RunFolder::candidate_name())
    throw std::runtime_error("the database names " + gate.candidate_file + " instead of " +
                             RunFolder::candidate_name());
  const std::filesystem::path file = root / gate.candidate_file;
  const LoadedModel model = load_model(file);
  const auto samples = model.facts.provenance.find("samples");
  if (samples == model.facts.provenance.end() || samples->second != std::to_string(gate.samples))
    throw std::runtime_error("Model file " + file.string() + " holds another network");
  expect_own_kind(file, model, config);
  return model.network;
}

}  // namespace baghzero
