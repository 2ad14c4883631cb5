// Everything that configures a training run, one member per section of the TOML file.
#pragma once

#include "engine/rules.h"
#include "nn/settings.h"
#include "selfplay/settings.h"
#include "training/settings.h"

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
};

}  // namespace baghzero
