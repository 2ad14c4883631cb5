// Raw speed of the network without any game around it: the yardstick of self-play.
#pragma once

#include <span>
#include <vector>

#include "nn/inference.h"

namespace baghzero {

struct InferenceRate {
  int batch = 0;
  double evals_per_second = 0;      // of all replicas together, by wall clock
  double evals_per_cpu_second = 0;  // per second of processor time of the replicas' threads
};

// Measures each batch size for about `seconds` with `replicas` evaluators, one thread each, on
// varied positions and without a cache.
std::vector<InferenceRate> measure_inference(const NetworkPtr& network,
                                             const InferenceSettings& settings,
                                             std::span<const int> batches, int replicas,
                                             double seconds);

// Evaluations per second of one evaluator, measured for about `seconds` in batches of `batch`.
double measure_evaluator(Evaluator& evaluator, int batch, double seconds);

}  // namespace baghzero
