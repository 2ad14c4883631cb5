#include "selfplay/match_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <utility>

#include "engine/text.h"

namespace baghzero {
namespace {

int half_points(Side first, Outcome outcome) {
  if (outcome == Outcome::Unfinished)
    throw std::invalid_argument("an unfinished game cannot be counted in a match");
  if (outcome == Outcome::Draw) return 1;
  return outcome == win_for(first) ? 2 : 0;
}

void count(RoleTally& tally, int half_points_won) {
  ++(half_points_won == 2 ? tally.wins : half_points_won == 1 ? tally.draws : tally.losses);
}

std::string to_text(const RoleTally& tally) {
  char text[64];
  std::snprintf(text, sizeof text, "+%d =%d -%d", tally.wins, tally.draws, tally.losses);
  return text;
}

// Start and moves as bytes, under the symmetry that makes them smallest. Symmetries drop out at the
// first byte in which another gives a smaller one, most of them within a few moves.
std::string canonical_text(const Game& game) {
  std::array<int, kSymmetryCount> symmetries{};
  std::array<std::uint64_t, kSymmetryCount> starts{};
  for (int symmetry = 0; symmetry < kSymmetryCount; ++symmetry)
    starts[static_cast<std::size_t>(symmetry)] = apply_symmetry(symmetry, game.start()).key();
  const std::uint64_t start = *std::ranges::min_element(starts);
  int left = 0;
  for (int symmetry = 0; symmetry < kSymmetryCount; ++symmetry)
    if (starts[static_cast<std::size_t>(symmetry)] == start)
      symmetries[static_cast<std::size_t>(left++)] = symmetry;

  std::string text;
  text.reserve(sizeof start + game.moves().size());
  for (std::size_t byte = 0; byte < sizeof start; ++byte)
    text.push_back(static_cast<char>(start >> (8 * byte) & 0xff));
  for (const Action action : game.moves()) {
    const std::span<int> candidates = std::span(symmetries).first(static_cast<std::size_t>(left));
    const auto image = [action](int symmetry) {
      return apply_symmetry_to_action(symmetry, action);
    };
    const Action smallest = image(*std::ranges::min_element(candidates, {}, image));
    left = 0;
    for (const int symmetry : candidates)
      if (image(symmetry) == smallest) symmetries[static_cast<std::size_t>(left++)] = symmetry;
    text.push_back(static_cast<char>(smallest));
  }
  return text;
}

}  // namespace

int pair_bin(Outcome first_as_goat, Outcome first_as_tiger) {
  return half_points(Side::Goat, first_as_goat) + half_points(Side::Tiger, first_as_tiger);
}

double RoleTally::score() const { return games() == 0 ? 0.5 : (wins + 0.5 * draws) / games(); }

RoleTally MatchReport::total() const {
  return {as_goat.wins + as_tiger.wins, as_goat.draws + as_tiger.draws,
          as_goat.losses + as_tiger.losses};
}

int MatchReport::limit_draws() const {
  return terminations[static_cast<std::size_t>(Termination::NoCaptureLimit)] +
         terminations[static_cast<std::size_t>(Termination::MaxPlies)];
}

std::string summary(const MatchReport& report) {
  return report.first + " vs " + report.second + ": " + percent(report.score()) + " in " +
         counted(report.pairs, "pair") + " (as goat " + percent(report.as_goat.score()) + " " +
         to_text(report.as_goat) + ", as tiger " + percent(report.as_tiger.score()) + " " +
         to_text(report.as_tiger) + "), " + std::to_string(report.distinct_games) + " of " +
         std::to_string(report.games()) + " games distinct, " +
         counted(report.limit_draws(), "draw") + " by a limit, " +
         decimal(report.average_plies, 1) + " plies on average";
}

bool DistinctGames::add(const Game& game) { return seen_.insert(canonical_text(game)).second; }

MatchTally::MatchTally(std::string first, std::string second) {
  report_.first = std::move(first);
  report_.second = std::move(second);
}

void MatchTally::add(const MatchGame& first_as_goat, const MatchGame& first_as_tiger) {
  if (first_as_goat.first_is_tiger || !first_as_tiger.first_is_tiger ||
      first_as_goat.pair != first_as_tiger.pair)
    throw std::invalid_argument("a pair must be the two games of one opening, goat game first");
  const int goat_points = half_points(Side::Goat, first_as_goat.game.outcome());
  const int tiger_points = half_points(Side::Tiger, first_as_tiger.game.outcome());
  const int bin = goat_points + tiger_points;
  count(report_.as_goat, goat_points);
  count(report_.as_tiger, tiger_points);
  ++report_.pair_counts[static_cast<std::size_t>(bin)];
  ++report_.pairs;
  for (const Game* game : {&first_as_goat.game, &first_as_tiger.game}) {
    ++report_.terminations[static_cast<std::size_t>(game->termination())];
    if (game->termination() == Termination::Forfeit) {
      const Side first = game == &first_as_goat.game ? Side::Goat : Side::Tiger;
      ++report_.forfeits[game->outcome() == win_for(first) ? 1 : 0];
    }
    plies_ += game->plies();
    distinct_.add(*game);
  }
  report_.average_plies = static_cast<double>(plies_) / report_.games();
  report_.distinct_games = distinct_.size();
}

}  // namespace baghzero
