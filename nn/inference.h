// Networks for playing: frozen weights, evaluators on CPU and CUDA, the cache and symmetry
// decorators. This header does not pull in LibTorch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "engine/evaluation.h"
#include "nn/settings.h"

namespace baghzero {

// Immutable weights with the facts stored beside them. Shared freely between threads; the trainer
// makes a new one instead of changing it.
class FrozenNetwork {
 public:
  virtual ~FrozenNetwork() = default;
  virtual const NetworkSettings& architecture() const = 0;
  virtual int generation() const = 0;  // -1 for a candidate
  // Unique per object within the process: part of every cache key.
  virtual std::uint64_t identity() const = 0;
};
using NetworkPtr = std::shared_ptr<const FrozenNetwork>;

// Loads a model file (.bzn), verifies its checksum and replays its check positions. Throws
// std::runtime_error naming the file and the fault.
NetworkPtr load_network(const std::filesystem::path& file);
// A freshly initialised network; equal seeds give equal weights.
NetworkPtr make_random_network(const NetworkSettings& settings, std::uint64_t seed);

// An evaluator of its own on `settings.device`, for one thread at a time. Keeps `network` alive; on
// the CPU evaluators share its weights, on CUDA each has a replica. Throws std::runtime_error if
// the device does not exist or does not compute what the CPU computes. If `warning` is given, it
// receives a sentence when the evaluator is not what was asked for (bf16 too inexact, so fp32).
std::unique_ptr<Evaluator> make_network_evaluator(NetworkPtr network,
                                                  const InferenceSettings& settings,
                                                  std::string* warning = nullptr);

// Rows that network evaluators of this process have really computed (padding excluded).
std::uint64_t network_rows_evaluated();

// A fixed-size table of evaluations, shared by all threads; sharded, one short lock per shard.
// Entries are compared in full: network identity and the whole query key. A full bucket of four
// gives up its entries in turn. Nothing is allocated after construction.
class EvaluationCache {
 public:
  // `entries` is rounded down to a power of two, but to 4 at least; each takes 192 bytes. Throws
  // std::invalid_argument if it is not positive.
  explicit EvaluationCache(std::int64_t entries);
  ~EvaluationCache();
  EvaluationCache(const EvaluationCache&) = delete;
  EvaluationCache& operator=(const EvaluationCache&) = delete;

  bool find(std::uint64_t network, const Query::Key& key, int legal_count, Evaluation& out);
  void insert(std::uint64_t network, const Query::Key& key, int legal_count,
              const Evaluation& evaluation);
  // A hint that find() or insert() for this key will follow soon, to hide the latency of memory.
  void prefetch(std::uint64_t network, const Query::Key& key) const;
  struct Counters {
    std::uint64_t lookups = 0;
    std::uint64_t hits = 0;
  };
  Counters counters() const;

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

// Answers from `cache` and asks `inner` for the rest of a batch only.
std::unique_ptr<Evaluator> make_cached_evaluator(std::unique_ptr<Evaluator> inner,
                                                 std::shared_ptr<EvaluationCache> cache,
                                                 std::uint64_t network);
// Averages `inner` over all symmetries of the board (stronger, kSymmetryCount times the cost).
std::unique_ptr<Evaluator> make_symmetry_evaluator(std::unique_ptr<Evaluator> inner);

// "cpu", or "cuda:0 (name)": what "auto" stands for on this machine. Throws as
// make_network_evaluator does.
std::string describe_device(const InferenceSettings& settings);

}  // namespace baghzero
