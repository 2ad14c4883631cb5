// Text forms: moves, FEN and game text, as written by the Python package `baghchal`, and boards for
// the terminal.
#pragma once

#include <string>
#include <string_view>

#include "engine/game.h"

namespace baghzero {

// "33" for point 12.
std::string point_name(Point point);

// `G33`, `G3334`, `B1122`, `Bx1131`. `side` is who plays the action.
std::string format_move(Side side, Action action);
// The action that `text` names for `side`. Throws std::invalid_argument naming the text and the
// fault; legality is not checked beyond the geometry of the board.
Action parse_move(Side side, std::string_view text);

// `rows side goat_moves`, e.g. "B3B/5/5/5/B3B G 0".
std::string format_fen(const Position& position, int goat_moves);
std::string format_fen(const Game& game);

struct FenPosition {
  Position position;
  int goat_moves = 0;
};
// Throws std::invalid_argument with one sentence that names the fault: wrong number of fields, rows
// or points, other letters, not four tigers, more goats on the board than moves made, a number of
// moves that is none, or more goats captured than `rules` allow (goats in hand and captured follow
// from rules.goats).
FenPosition parse_fen(std::string_view text, const Rules& rules = {});
// A game that starts at the position of `fen`.
Game game_from_fen(std::string_view fen, const Rules& rules = {});

// "1-0", "0-1", "1/2-1/2" or "*", as game text has them.
std::string_view result_text(Outcome outcome);

// "1. G33 B1122 2. G44 … Bx2244# 0-1": `#` after the last move marks an end by the rules, the
// result follows (`*` while unfinished). A game that was adjudicated or forfeited has its result
// without `#`. A game that did not start at the normal start carries a [FEN "…"] tag pair before
// the moves; where tigers move first, their move follows "n..." with n the number of the last goat
// move.
std::string format_game(const Game& game);
// Reads game text: any white space, tag pairs, {comments}, a missing end mark; move numbers are
// skipped, not checked. A result without `#` after moves that do not end the game adjudicates it.
// Throws std::invalid_argument naming the number and text of an illegal move and the reason, or an
// end mark that contradicts the rules.
Game parse_game(std::string_view text, const Rules& rules = {});

// A drawn board with lines and coordinates, for people; `unicode` false keeps to ASCII. Empty
// points of `marked` stand out.
std::string draw_board(const Position& position, bool unicode = true, Bitboard marked = 0);

}  // namespace baghzero
