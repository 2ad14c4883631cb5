// Raw speed of the network without any game around it: the yardstick that self-play and training
// are measured against.
#pragma once

#include <span>
#include <string>
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

// Rows per second of bare forward and backward passes with all heads (no optimizer, no data
// preparation). `threads` 0: all cores. Throws std::runtime_error if the device does not exist.
double measure_training(const NetworkSettings& settings, const std::string& device, int batch,
                        int threads, double seconds);

}  // namespace baghzero
