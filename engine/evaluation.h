// What is asked of a network (or its stand-in) and what it answers.
//
// The value convention of the whole project: a value is win/draw/loss for the SIDE TO MOVE. It is
// turned round in one place only, Wdl::flipped(), and only when the side to move changes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "engine/game.h"
#include "engine/position.h"

namespace baghzero {

// Probabilities (each 0..1, sum 1) of the side to move winning, drawing, losing.
struct Wdl {
  float win = 0;
  float draw = 0;
  float loss = 0;

  // Expected result in -1..1.
  constexpr float value() const { return win - loss; }
  // The same verdict seen by the other side.
  constexpr Wdl flipped() const { return {loss, draw, win}; }
  friend constexpr bool operator==(const Wdl&, const Wdl&) = default;
};

inline constexpr Wdl kWin{1, 0, 0};
inline constexpr Wdl kDraw{0, 1, 0};
inline constexpr Wdl kLoss{0, 0, 1};

// A finished game as seen by `side`.
constexpr Wdl outcome_for(Side side, Outcome outcome) {
  if (outcome == Outcome::Draw) return kDraw;
  return outcome == win_for(side) ? kWin : kLoss;
}

// Limits that end a game as a draw come into view this many plies before they strike, in steps of
// kLimitHorizon / kLimitSteps plies.
inline constexpr int kLimitHorizon = 32;
inline constexpr int kLimitSteps = 8;
static_assert(kLimitHorizon % kLimitSteps == 0);

// Everything an evaluator may look at. Two queries with equal keys get equal answers.
struct Query {
  Position position;
  ActionList legal;  // ascending, without actions that repetition bars
  // 0: no limit strikes within the next kLimitHorizon - 1 plies; kLimitSteps: one does within the
  // next three. See limit_proximity().
  std::uint8_t limit_proximity = 0;

  // Exact and complete: the position in one word; in the other which of the board's legal actions
  // (in ascending order) remain legal, as low bits, and the limit proximity above them.
  struct Key {
    std::uint64_t position = 0;
    std::uint64_t allowed = 0;
    friend constexpr bool operator==(const Key&, const Key&) = default;
    std::uint64_t hash() const { return mix_bits(position ^ mix_bits(allowed)); }
  };
};

// Steps of limit proximity, 0..kLimitSteps, when `plies_left` plies remain until the nearer limit.
constexpr std::uint8_t limit_proximity(int plies_left) {
  constexpr int kPliesPerStep = kLimitHorizon / kLimitSteps;
  if (plies_left >= kLimitHorizon) return 0;
  return static_cast<std::uint8_t>(kLimitSteps - (plies_left < 0 ? 0 : plies_left) / kPliesPerStep);
}

Query make_query(const Game& game);
// The image of a query: its position, legal actions (in ascending order again) and limits.
Query apply_symmetry(int symmetry, const Query& query);
Query::Key make_key(const Query& query);

// policy[i] belongs to query.legal[i]; non-negative, sums to 1 over them. Entries beyond are
// unspecified.
struct Evaluation {
  Wdl wdl;
  std::array<float, kMaxLegalActions> policy;
};

// Evaluates batches. Buffers belong to the caller; implementations allocate nothing per batch.
// An instance is used by one thread at a time. Throws std::runtime_error if an answer is not
// finite.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // queries.size() == evaluations.size(); any size from 1 to max_batch().
  virtual void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) = 0;
  virtual int max_batch() const = 0;

  // Overlapped use. submit() starts the evaluation of one batch in flight, `slot` 0..in_flight()-1;
  // the buffers belong to the evaluator until wait(slot) returns. Evaluators without a device of
  // their own do the work inside submit().
  virtual int in_flight() const { return 1; }
  virtual void submit(int slot, std::span<const Query> queries, std::span<Evaluation> evaluations) {
    (void)slot;
    evaluate(queries, evaluations);
  }
  virtual void wait(int slot) { (void)slot; }
};

// Uniform policy and an even value (a third each): search without knowledge, and a stand-in in
// tests.
class UniformEvaluator final : public Evaluator {
 public:
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override;
  int max_batch() const override { return 1 << 16; }
};

}  // namespace baghzero
