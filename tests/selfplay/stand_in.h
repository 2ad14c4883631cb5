// Stand-ins for what self-play works with: networks, evaluators and sinks.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/evaluation.h"
#include "engine/random.h"
#include "nn/inference.h"
#include "selfplay/game_record.h"
#include "selfplay/self_play.h"

namespace baghzero {

// A name without weights.
class StandInNetwork final : public FrozenNetwork {
 public:
  StandInNetwork(int generation, std::uint64_t identity)
      : generation_(generation), identity_(identity) {}
  const NetworkSettings& architecture() const override { return settings_; }
  int generation() const override { return generation_; }
  std::uint64_t identity() const override { return identity_; }

 private:
  NetworkSettings settings_;
  int generation_;
  std::uint64_t identity_;
};

inline NetworkPtr stand_in_network(int generation) {
  return std::make_shared<StandInNetwork>(generation,
                                          1000 + static_cast<std::uint64_t>(generation));
}

// An arbitrary but fixed answer to every query, different for every `salt`; never looks at the rest
// of a batch.
inline Evaluation arbitrary_evaluation(const Query& query, std::uint64_t salt) {
  Random random(make_key(query).hash(), salt);
  Evaluation evaluation{};
  float sum = 0;
  for (int i = 0; i < query.legal.size(); ++i)
    sum += evaluation.policy[i] = 0.02F + static_cast<float>(random.uniform());
  for (int i = 0; i < query.legal.size(); ++i) evaluation.policy[i] /= sum;
  const auto win = static_cast<float>(random.uniform());
  const auto draw = (1 - win) * static_cast<float>(random.uniform());
  evaluation.wdl = {win, draw, 1 - win - draw};
  return evaluation;
}

class ArbitraryEvaluator : public Evaluator {
 public:
  ArbitraryEvaluator(std::uint64_t salt, int max_batch) : salt_(salt), max_batch_(max_batch) {}
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    for (std::size_t i = 0; i < queries.size(); ++i)
      evaluations[i] = arbitrary_evaluation(queries[i], salt_);
  }
  int max_batch() const override { return max_batch_; }

 private:
  std::uint64_t salt_;
  int max_batch_;
};

class CollectingSink final : public GameSink {
 public:
  void put(GameRecord record) override {
    const std::scoped_lock lock(mutex_);
    games_.push_back(std::move(record));
  }
  std::vector<GameRecord> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(games_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<GameRecord> games_;
};

// Few visits, so that games are quick.
inline SelfPlaySettings quick_settings() {
  SelfPlaySettings settings;
  settings.workers = 1;
  settings.slots_per_worker = 8;
  settings.full_visits = 12;
  settings.cheap_visits = 4;
  settings.seed = 7;
  return settings;
}

}  // namespace baghzero
