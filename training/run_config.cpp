#include "training/run_config.h"

#include <memory>

#include "engine/solver/database.h"

namespace baghzero {

bool uses_solved_movement(const RunConfig& config) {
  return config.selfplay.search.solver || config.selfplay.adjudicate == Adjudicate::Solver;
}

void load_solved_movement(RunConfig& config) {
  if (uses_solved_movement(config))
    config.selfplay.search.solved =
        std::make_shared<const MovementTable>(load_movement(config.solver.db));
}

}  // namespace baghzero
