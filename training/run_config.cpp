#include "training/run_config.h"

#include <memory>
#include <stdexcept>
#include <string>

#include "engine/solver/database.h"

namespace baghzero {

bool uses_solved_movement(const RunConfig& config) {
  return config.selfplay.search.solver || config.selfplay.adjudicate == Adjudicate::Solver;
}

void check_solved_game(const RunConfig& config) {
  if (config.solver.db.empty()) return;
  try {
    const SolvedDatabase database(config.solver.db);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string("solver.db: ") + error.what());
  }
}

void load_solved_movement(RunConfig& config) {
  if (!uses_solved_movement(config)) return;
  check_solved_game(config);
  config.selfplay.search.solved =
      std::make_shared<const MovementTable>(load_movement(config.solver.db));
}

}  // namespace baghzero
