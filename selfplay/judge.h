// Players against the solved game: the mistakes in their games, and their moves in the suite.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

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

using SuiteReport = ByRoleAndPhase<SuiteCounts>;
// Share of the positions in which value is given away; there must be some.
double error_share(const SuiteCounts& counts);
// The same of all and by role, as "6.1 % (goat 4.0 %, tiger 8.2 %)".
std::string errors_text(const SuiteReport& moves);
// Share of the positions whose true result the network thinks most likely; there must be some.
double right_share(const ValueCounts& values);
// Mean cross-entropy of its values with the true results, in nats.
double mean_cross_entropy(const ValueCounts& values);

// Lets the player move in every position in which value can be given away. Randomness of a
// position depends on its place in the suite alone. `control.progress` is told the share done; if
// stopped, the report covers the positions done. `on_warning`, if given, is told of forfeits.
SuiteReport run_suite(const Player& player, const InferenceSettings& inference, const Rules& rules,
                      std::span<const SuitePosition> suite, const SolveControl& control,
                      const WarningSink& on_warning = {});
// The same with an agent of the player for each of `control.threads`. To make them takes seconds on
// some devices, which is nothing that the player should pay for where time is limited. `on_forfeit`
// is told the reason of each forfeit.
SuiteReport run_suite(std::span<const std::unique_ptr<Agent>> agents, const Rules& rules,
                      std::span<const SuitePosition> suite, const SolveControl& control,
                      const WarningSink& on_forfeit = {});

// What the network of a player makes of the suite by itself, without search: its most probable
// moves, as above, and its values, of all positions.
struct BareReport {
  SuiteReport policy;
  ByRoleAndPhase<ValueCounts> values;
};
BareReport run_suite_bare(const Player& player, const InferenceSettings& inference,
                          const Rules& rules, std::span<const SuitePosition> suite,
                          const SolveControl& control, const WarningSink& on_warning = {});
// The same with an evaluator of the network for each of `control.threads`.
BareReport run_suite_bare(std::span<const std::unique_ptr<Evaluator>> evaluators,
                          const Rules& rules, std::span<const SuitePosition> suite,
                          const SolveControl& control);

struct Suite {
  std::string title;  // see suite_title()
  std::vector<SuitePosition> positions;
};
// Throws std::runtime_error naming the file.
Suite load_suite(const std::string& file);

}  // namespace baghzero
