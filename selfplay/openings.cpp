#include "selfplay/openings.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>

#include "engine/random.h"

namespace baghzero {
namespace {

// This many attempts in a row without a new opening mean that there are as good as none left.
constexpr int kPatience = 20'000;

bool goats_can_stay_safe(const Position& goats_to_move) {
  for (Action action : board_legal_actions(goats_to_move))
    if (capturable_goats(goats_to_move.after(action)) == 0) return true;
  return false;
}

bool tigers_cannot_force_a_capture(const Position& tigers_to_move) {
  if (capturable_goats(tigers_to_move) != 0) return false;
  for (Action action : board_legal_actions(tigers_to_move))
    if (!goats_can_stay_safe(tigers_to_move.after(action))) return false;
  return true;
}

// A random action that leaves no goat to be captured at once, if there is one. Tigers never find a
// goat to capture, since goats only move so.
std::optional<Action> random_calm_action(const Game& game, Random& random) {
  ActionList calm;
  for (Action action : game.legal())
    if (game.side_to_move() == Side::Tiger || capturable_goats(game.position().after(action)) == 0)
      calm.push_back(action);
  if (calm.empty()) return std::nullopt;
  return calm[static_cast<int>(random.below(static_cast<std::uint32_t>(calm.size())))];
}

std::optional<Game> try_opening(const Rules& rules, Random& random) {
  const int plies =
      kMinOpeningPlies + static_cast<int>(random.below(kMaxOpeningPlies - kMinOpeningPlies + 1));
  Game game(rules);
  for (int ply = 0; ply < plies; ++ply) {
    const std::optional<Action> action = random_calm_action(game, random);
    if (!action) return std::nullopt;
    game.play(*action);
  }
  if (game.over() || !is_quiet(game.position())) return std::nullopt;
  return game;
}

}  // namespace

bool is_quiet(const Position& position) {
  if (position.side_to_move() == Side::Tiger) return tigers_cannot_force_a_capture(position);
  for (Action action : board_legal_actions(position))
    if (tigers_cannot_force_a_capture(position.after(action))) return true;
  return false;
}

std::vector<Game> make_openings(const Rules& rules, int count, std::uint64_t seed) {
  if (count < 0)
    throw std::invalid_argument("the number of openings must not be negative, but is " +
                                std::to_string(count));
  Random random(seed);
  std::vector<Game> openings;
  std::unordered_set<std::uint64_t> seen;
  int failures = 0;
  while (static_cast<int>(openings.size()) < count) {
    std::optional<Game> opening = try_opening(rules, random);
    if (opening && seen.insert(canonical(opening->position()).position.key()).second) {
      openings.push_back(std::move(*opening));
      failures = 0;
    } else if (++failures == kPatience) {
      throw std::invalid_argument(
          "these rules have no " + std::to_string(count) + " distinct quiet openings of " +
          std::to_string(kMinOpeningPlies) + " to " + std::to_string(kMaxOpeningPlies) +
          " plies, only about " + std::to_string(openings.size()) + ": ask for fewer pairs");
    }
  }
  return openings;
}

}  // namespace baghzero
