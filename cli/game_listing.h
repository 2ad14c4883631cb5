// What `baghzero games` shows of games: lines, boards, JSON, statistics of openings.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/game_source.h"

namespace baghzero {

// What a game must be like to be shown; nothing set: every game.
struct GameFilter {
  std::optional<int> first_generation;  // played by this generation ...
  std::optional<int> last_generation;   // ... to this one
  std::optional<Termination> termination;
  std::optional<Outcome> outcome;
  int min_plies = 0;
  int max_plies = kNoLimit;

  bool accepts(const SourcedGame& game) const;
};

// "3" or "3-7". Throws std::invalid_argument naming the text.
void parse_generations(const std::string& text, GameFilter& filter);
// "goats", "tigers", "draw" or "unfinished", also as 1-0, 0-1, 1/2-1/2 and *. Throws
// std::invalid_argument naming the text and the accepted ones.
Outcome parse_result(const std::string& text);

// One line a game: number, generations or players, result, termination, plies, first moves.
std::string listing_header();
std::string listing_line(const SourcedGame& game);

// The board before every move and at the end, with the moves between; `ply` 0..plies() shows that
// position alone. Throws std::invalid_argument for a ply that the game does not have.
std::string game_on_boards(const SourcedGame& game, std::optional<int> ply, bool unicode);

// One JSON object without an end of line.
std::string game_as_json(const SourcedGame& game);

// How games went on after their first plies, openings that a symmetry of the board maps onto each
// other counted as one.
class OpeningStatistics {
 public:
  explicit OpeningStatistics(int plies) : plies_(plies) {}
  // Games shorter than that are left out.
  void add(const Game& game);
  // The most frequent `count` openings as a table.
  std::string table(int count) const;

 private:
  struct Line {
    std::string moves;  // of the first game with it
    std::int64_t games = 0;
    std::int64_t goat_wins = 0;
    std::int64_t draws = 0;
    std::int64_t tiger_wins = 0;
  };
  const int plies_;
  std::int64_t games_ = 0;
  std::map<std::uint64_t, Line> lines_;  // by the key of the canonical position
};

}  // namespace baghzero
