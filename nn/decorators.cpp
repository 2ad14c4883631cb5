// Evaluators around evaluators: the cache and symmetry averaging.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "nn/inference.h"

namespace baghzero {
namespace {

class CachedEvaluator final : public Evaluator {
 public:
  CachedEvaluator(std::unique_ptr<Evaluator> inner, std::shared_ptr<EvaluationCache> cache,
                  std::uint64_t network)
      : inner_(std::move(inner)),
        cache_(std::move(cache)),
        network_(network),
        batches_(static_cast<std::size_t>(inner_->in_flight())) {
    for (Batch& batch : batches_) {
      const auto rows = static_cast<std::size_t>(inner_->max_batch());
      batch.keys.resize(rows);
      batch.rows.resize(rows);
      batch.queries.resize(rows);
      batch.answers.resize(rows);
    }
  }

  int max_batch() const override { return inner_->max_batch(); }
  int in_flight() const override { return inner_->in_flight(); }

  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    submit(0, queries, evaluations);
    wait(0);
  }

  void submit(int slot, std::span<const Query> queries,
              std::span<Evaluation> evaluations) override {
    Batch& batch = batches_[slot];
    batch.missing = 0;
    batch.out = evaluations;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const Query::Key key = make_key(queries[i]);
      if (cache_->find(network_, key, queries[i].legal.size(), evaluations[i])) continue;
      batch.keys[batch.missing] = key;
      batch.rows[batch.missing] = i;
      batch.queries[batch.missing++] = queries[i];
    }
    if (batch.missing > 0)
      inner_->submit(slot, std::span(batch.queries).first(batch.missing),
                     std::span(batch.answers).first(batch.missing));
  }

  void wait(int slot) override {
    Batch& batch = batches_[slot];
    if (batch.missing == 0) return;
    inner_->wait(slot);
    for (std::size_t i = 0; i < batch.missing; ++i) {
      const int legal_count = batch.queries[i].legal.size();
      Evaluation& out = batch.out[batch.rows[i]];
      out.wdl = batch.answers[i].wdl;
      std::copy_n(batch.answers[i].policy.begin(), legal_count, out.policy.begin());
      cache_->insert(network_, batch.keys[i], legal_count, batch.answers[i]);
    }
    batch.missing = 0;
  }

 private:
  struct Batch {
    std::size_t missing = 0;  // rows that the inner evaluator works on
    std::span<Evaluation> out;
    std::vector<Query::Key> keys;
    std::vector<std::size_t> rows;
    std::vector<Query> queries;
    std::vector<Evaluation> answers;
  };
  std::unique_ptr<Evaluator> inner_;
  std::shared_ptr<EvaluationCache> cache_;
  std::uint64_t network_;
  std::vector<Batch> batches_;
};

class SymmetryEvaluator final : public Evaluator {
 public:
  explicit SymmetryEvaluator(std::unique_ptr<Evaluator> inner) : inner_(std::move(inner)) {
    if (inner_->max_batch() < kSymmetryCount)
      throw std::invalid_argument("Averaging over symmetries needs an evaluator for batches of " +
                                  std::to_string(kSymmetryCount) + " rows, not of " +
                                  std::to_string(inner_->max_batch()) + ".");
    const std::size_t rows = std::size_t{kSymmetryCount} * static_cast<std::size_t>(max_batch());
    queries_.resize(rows);
    answers_.resize(rows);
  }

  int max_batch() const override { return inner_->max_batch() / kSymmetryCount; }

  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    const std::size_t images = queries.size() * kSymmetryCount;
    for (std::size_t image = 0; image < images; ++image)
      queries_[image] =
          apply_symmetry(static_cast<int>(image % kSymmetryCount), queries[image / kSymmetryCount]);
    inner_->evaluate(std::span(queries_).first(images), std::span(answers_).first(images));
    for (std::size_t row = 0; row < queries.size(); ++row)
      average(queries[row], row * kSymmetryCount, evaluations[row]);
  }

 private:
  void average(const Query& query, std::size_t first, Evaluation& out) const {
    constexpr float kShare = 1.0F / kSymmetryCount;
    const int count = query.legal.size();
    out.wdl = {};
    std::fill_n(out.policy.begin(), count, 0.0F);
    for (int symmetry = 0; symmetry < kSymmetryCount; ++symmetry) {
      const Evaluation& answer = answers_[first + symmetry];
      out.wdl.win += kShare * answer.wdl.win;
      out.wdl.draw += kShare * answer.wdl.draw;
      out.wdl.loss += kShare * answer.wdl.loss;
      std::array<float, kActionCount> by_action;
      const ActionList& image = queries_[first + symmetry].legal;
      for (int i = 0; i < count; ++i) by_action[image[i]] = answer.policy[i];
      for (int i = 0; i < count; ++i)
        out.policy[i] += kShare * by_action[apply_symmetry_to_action(symmetry, query.legal[i])];
    }
  }

  std::unique_ptr<Evaluator> inner_;
  std::vector<Query> queries_;
  std::vector<Evaluation> answers_;
};

}  // namespace

std::unique_ptr<Evaluator> make_cached_evaluator(std::unique_ptr<Evaluator> inner,
                                                 std::shared_ptr<EvaluationCache> cache,
                                                 std::uint64_t network) {
  return std::make_unique<CachedEvaluator>(std::move(inner), std::move(cache), network);
}

std::unique_ptr<Evaluator> make_symmetry_evaluator(std::unique_ptr<Evaluator> inner) {
  return std::make_unique<SymmetryEvaluator>(std::move(inner));
}

}  // namespace baghzero
