// What the network evaluators of all devices share. Internal to nn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/evaluation.h"
#include "nn/inference.h"

namespace baghzero {

// Probabilities of `count` logits, in place. Up to kLanes - 1 floats beyond them are overwritten.
void softmax(float* logits, int count);

// Throws std::runtime_error naming the generation and the row of the first answer that is not
// finite.
void check_evaluations(std::span<const Query> queries, std::span<const Evaluation> evaluations,
                       int generation);

// Positions of random games, all plies: `count` different inputs for checks and measurements.
std::vector<Query> sample_queries(int count, std::uint64_t seed);

// Adds to network_rows_evaluated().
void count_evaluated_rows(std::size_t rows);

// Only with BAGHZERO_CUDA. `warning` as for make_network_evaluator.
std::unique_ptr<Evaluator> make_cuda_evaluator(NetworkPtr network,
                                               const InferenceSettings& settings, int device,
                                               std::string& warning);

}  // namespace baghzero
