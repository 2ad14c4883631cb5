// Everything that configures a training run, one member per section of the TOML file.
#pragma once

#include "engine/rules.h"
#include "nn/settings.h"
#include "selfplay/settings.h"
#include "training/settings.h"
#include "training/solver_settings.h"

namespace baghzero {

struct RunConfig {
  Rules rules;                    // [rules]
  NetworkSettings network;        // [network]
  InferenceSettings inference;    // [inference]
  SelfPlaySettings selfplay;      // [selfplay], its search as [search]
  TrainingSettings training;      // [training]
  GateSettings gate;              // [gate]
  EvaluationSettings evaluation;  // [evaluation]
  RunSettings run;                // [run]
  SolverSettings solver;          // [solver]
};

// Whether games or searches ask the solved game for values.
bool uses_solved_movement(const RunConfig& config);
// Throws std::runtime_error naming solver.db if there is no solved movement phase in that folder,
// whether or not it is used.
void check_solved_game(const RunConfig& config);
// Loads the solved movement phase (about 90 MiB) for all that will use it, if the configuration
// asks for it. Throws as check_solved_game() and load_movement().
void load_solved_movement(RunConfig& config);

}  // namespace baghzero
