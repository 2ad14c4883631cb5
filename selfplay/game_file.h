// Files of many games as text, PGN-like: tag pairs, then the moves as in notation.h, then an empty
// line. People, other programs and `baghzero games` read them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/game.h"

namespace baghzero {

struct FiledGame {
  // In order; without FEN, which belongs to the game itself, and without Rules.
  std::vector<std::pair<std::string, std::string>> tags;
  Game game;

  // The value of the first tag of that name; empty if there is none.
  std::string_view tag(std::string_view name) const;
};

// "goats=20 captures_to_win=5 repetition=forbidden no_capture_limit=150 max_plies=600".
std::string format_rules(const Rules& rules);

// One game with its tags and an empty line at the end. Rules other than the default ones are
// written as a tag: [Rules "goats=20 captures_to_win=5 …"]; values as tag_value() has them.
std::string format_filed_game(const FiledGame& game);
// `text` as it stands in a tag: quotes become apostrophes, line ends and the like blanks.
std::string tag_value(std::string text);

// The text of one game in a file and where it lies.
struct GameText {
  std::string_view text;
  int line = 1;         // of its first character
  std::size_t end = 0;  // offset behind the game and its empty line
  bool closed = false;  // an empty line or another game follows: it was written to its end
};
// Splits a file into games: a game ends at an empty line after moves, or where tags follow moves.
std::vector<GameText> split_games(std::string_view text);

// Reads one game; the rules are those of its Rules tag, else `rules`, and a verdict is a forfeit if
// its tag Termination says so. Throws std::invalid_argument saying why.
FiledGame parse_filed_game(std::string_view text, const Rules& rules = {});

// All games of a file. Throws std::invalid_argument beginning with "NAME:LINE: ".
std::vector<FiledGame> parse_game_file(std::string_view text, const std::string& name,
                                       const Rules& rules = {});

// The whole file; throws std::runtime_error naming it.
std::string read_text_file(const std::string& file);

}  // namespace baghzero
