#include "selfplay/openings.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "engine/notation.h"
#include "selfplay/game_file.h"

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

struct OpeningLine {
  std::string_view text;
  int number = 1;
};

// Lines that are neither empty nor comments, or whole games where there are tags.
std::vector<OpeningLine> opening_lines(std::string_view text) {
  std::vector<OpeningLine> lines;
  if (text.starts_with('[') || text.find("\n[") != std::string_view::npos) {
    for (const GameText& game : split_games(text)) lines.push_back({game.text, game.line});
    return lines;
  }
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && line[begin] != '#') lines.push_back({line, number});
  }
  return lines;
}

Game parse_opening(std::string_view text, const Rules& rules) {
  // Only a FEN has slashes, except for the result of a drawn game, which is no opening.
  const bool fen = !text.starts_with('[') && text.find('/') != std::string_view::npos;
  Game game = fen ? game_from_fen(text, rules) : parse_filed_game(text, rules).game;
  if (game.over())
    throw std::invalid_argument("the game is over already (" +
                                std::string(to_string(game.termination())) + ")");
  return game;
}

}  // namespace

std::vector<Game> parse_openings(std::string_view text, const std::string& name,
                                 const Rules& rules) {
  std::vector<Game> openings;
  std::unordered_map<std::uint64_t, int> seen;  // canonical position -> line
  for (const OpeningLine& line : opening_lines(text)) {
    const std::string where = name + ":" + std::to_string(line.number) + ": ";
    try {
      openings.push_back(parse_opening(line.text, rules));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(where + error.what());
    }
    const std::uint64_t key = canonical(openings.back().position()).position.key();
    const auto [earlier, is_new] = seen.try_emplace(key, line.number);
    if (!is_new)
      throw std::invalid_argument(where + "the same opening as in line " +
                                  std::to_string(earlier->second) +
                                  ", up to a symmetry of the board");
  }
  if (openings.empty()) throw std::invalid_argument(name + ": there is no opening in it");
  return openings;
}

bool is_quiet(const Position& position) {
  if (position.side_to_move() == Side::Tiger) return tigers_cannot_force_a_capture(position);
  for (Action action : board_legal_actions(position))
    if (tigers_cannot_force_a_capture(position.after(action))) return true;
  return false;
}

std::optional<Game> OpeningSource::next() {
  for (int failures = 0; failures < kPatience; ++failures) {
    std::optional<Game> opening = try_opening(rules_, random_);
    if (opening && seen_.insert(canonical(opening->position()).position.key()).second)
      return opening;
  }
  return std::nullopt;
}

std::span<const Game> OpeningSupply::take(std::int64_t first, int count) {
  const auto begin = static_cast<std::size_t>(first);
  const auto end = begin + static_cast<std::size_t>(count);
  while (openings_.size() < end && !complete_) {
    if (std::optional<Game> opening = source_.next())
      openings_.push_back(std::move(*opening));
    else
      complete_ = true;
  }
  const std::span<const Game> rest =
      std::span(openings_).subspan(std::min(begin, openings_.size()));
  return rest.first(std::min(static_cast<std::size_t>(count), rest.size()));
}

std::vector<Game> make_openings(const Rules& rules, int count, std::uint64_t seed) {
  return make_openings_where(rules, count, seed, [](const Position&) { return true; });
}

std::vector<Game> make_openings_where(const Rules& rules, int count, std::uint64_t seed,
                                      const std::function<bool(const Position&)>& accepts) {
  if (count < 0)
    throw std::invalid_argument("the number of openings must not be negative, but is " +
                                std::to_string(count));
  OpeningSource source(rules, seed);
  std::vector<Game> openings;
  while (static_cast<int>(openings.size()) < count) {
    std::optional<Game> opening = source.next();
    if (!opening)
      throw std::invalid_argument(
          "these rules have no " + std::to_string(count) + " distinct quiet openings of " +
          std::to_string(kMinOpeningPlies) + " to " + std::to_string(kMaxOpeningPlies) +
          " plies, only about " + std::to_string(openings.size()) + ": ask for fewer pairs");
    if (accepts(opening->position())) openings.push_back(std::move(*opening));
  }
  return openings;
}

}  // namespace baghzero
