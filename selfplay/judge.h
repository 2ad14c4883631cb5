// Players against the solved game: the mistakes in their games, and their moves in the suite.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "engine/solver/judgement.h"
#include "engine/solver/suite.h"
#include "selfplay/match.h"

namespace baghzero {

// A player as an agent that plays one game at a time.
std::unique_ptr<Agent> make_agent_of(const Player& player, const InferenceSettings& inference,
                                     const WarningSink& on_warning = {});

// Judges the moves of one player, game by game, and what the bare policy of its network would have
// played in the same positions. Used by one thread.
class GameJudge {
 public:
  GameJudge(std::shared_ptr<const SolvedDatabase> database, const Player& player,
            const InferenceSettings& inference, const WarningSink& on_warning = {});
  // The moves of `side` from ply `first_ply` on. Throws std::runtime_error if layers that the
  // values need are missing.
  void add(const Game& game, Side side, int first_ply);

  const MistakeTally& played() const { return played_; }
  // Nothing is counted if the player has no network.
  const MistakeTally& policy() const { return policy_; }
  bool has_policy() const { return evaluator_ != nullptr; }

 private:
  SolvedProbe probe_;
  std::unique_ptr<Evaluator> evaluator_;
  Random random_{0};  // policy_action() asks for one; at temperature 0 it draws nothing
  MistakeTally played_;
  MistakeTally policy_;
};

struct SuiteCounts {
  std::int64_t positions = 0;  // in which value can be given away
  std::int64_t kept = 0;       // in which the player's move keeps it
  SuiteCounts& operator+=(const SuiteCounts& other) {
    positions += other.positions;
    kept += other.kept;
    return *this;
  }
};

class SuiteReport {
 public:
  SuiteCounts& counts(Side side, GamePhase phase) {
    return counts_[static_cast<int>(side)][static_cast<int>(phase)];
  }
  const SuiteCounts& counts(Side side, GamePhase phase) const {
    return counts_[static_cast<int>(side)][static_cast<int>(phase)];
  }
  SuiteCounts total() const;
  // Positions in which the player could play no move for a reason outside the game (Forfeit); they
  // count as not kept.
  std::int64_t forfeits() const { return forfeits_; }
  void count_forfeit() { ++forfeits_; }
  SuiteReport& operator+=(const SuiteReport& other);

 private:
  std::int64_t forfeits_ = 0;
  std::array<std::array<SuiteCounts, kGamePhases>, 2> counts_{};
};

// Lets the player move in every position in which value can be given away. Randomness of a
// position depends on its place in the suite alone. `control.progress` is told the share done; if
// stopped, the report covers the positions done. `on_warning`, if given, is told of forfeits.
SuiteReport run_suite(const Player& player, const InferenceSettings& inference, const Rules& rules,
                      std::span<const SuitePosition> suite, const SolveControl& control,
                      const WarningSink& on_warning = {});

}  // namespace baghzero
