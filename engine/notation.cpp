#include "engine/notation.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "engine/text.h"

namespace baghzero {
namespace {

constexpr char kGoatLetter = 'G';
constexpr char kTigerLetter = 'B';

char side_letter(Side side) { return side == Side::Goat ? kGoatLetter : kTigerLetter; }

[[noreturn]] void refuse_move(std::string_view text, std::string_view why) {
  throw std::invalid_argument("move " + quoted(text) + ": " + std::string(why));
}

[[noreturn]] void refuse_fen(std::string_view text, const std::string& why) {
  throw std::invalid_argument("FEN " + quoted(text) + ": " + why);
}

// The point named by two digits, or kNoPoint.
Point point_from_name(std::string_view name) {
  const int row = name[0] - '1';
  const int column = name[1] - '1';
  if (row < 0 || row >= BaghChalBoard::kRows || column < 0 || column >= BaghChalBoard::kColumns)
    return kNoPoint;
  return static_cast<Point>(row * BaghChalBoard::kColumns + column);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

struct Occupancy {
  Bitboard tigers = 0;
  Bitboard goats = 0;
};

Occupancy parse_rows(std::string_view fen, std::string_view text) {
  const auto rows = split(text, '/');
  if (rows.size() != BaghChalBoard::kRows)
    refuse_fen(fen, counted(static_cast<std::int64_t>(rows.size()), "row") +
                        " given, but the board has " + std::to_string(BaghChalBoard::kRows));
  Occupancy board;
  for (int row = 0; row < BaghChalBoard::kRows; ++row) {
    int column = 0;
    for (const char letter : rows[row]) {
      const bool run = letter >= '1' && letter <= '9';
      if (!run && letter != kGoatLetter && letter != kTigerLetter)
        refuse_fen(fen, quoted({&letter, 1}) + " in row " + std::to_string(row + 1) +
                            "; rows are written with B (tiger), G (goat) and digits 1 to 5");
      if (!run && column < BaghChalBoard::kColumns) {
        const Bitboard here = bit(static_cast<Point>(row * BaghChalBoard::kColumns + column));
        (letter == kTigerLetter ? board.tigers : board.goats) |= here;
      }
      column += run ? letter - '0' : 1;
    }
    if (column != BaghChalBoard::kColumns)
      refuse_fen(fen, "row " + std::to_string(row + 1) + " has " + counted(column, "point") +
                          " instead of " + std::to_string(BaghChalBoard::kColumns));
  }
  return board;
}

Side parse_side(std::string_view fen, std::string_view text) {
  if (text == "G") return Side::Goat;
  if (text == "B") return Side::Tiger;
  refuse_fen(fen, "the side to move is " + quoted(text) + ", but must be G (goats) or B (tigers)");
}

int parse_goat_moves(std::string_view fen, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    refuse_fen(fen, "the number of goat moves, " + quoted(text) + ", is too large");
  if (error != std::errc{} || end != text.data() + text.size())
    refuse_fen(fen, "the number of goat moves is " + quoted(text) + ", which is not a number");
  if (value < 0) refuse_fen(fen, "the number of goat moves, " + quoted(text) + ", is negative");
  return value;
}

}  // namespace

std::string point_name(Point point) {
  return {static_cast<char>('1' + row_of(point)), static_cast<char>('1' + column_of(point))};
}

std::string format_move(Side side, Action action) {
  const ActionInfo& info = action_info(action);
  std::string text(1, side_letter(side));
  if (info.kind == ActionKind::Jump) text += 'x';
  if (info.from != kNoPoint) text += point_name(info.from);
  return text += point_name(info.to);
}

Action parse_move(Side side, std::string_view text) {
  std::string_view rest = text;
  if (rest.empty() || (rest[0] != kGoatLetter && rest[0] != kTigerLetter))
    refuse_move(text, "it must begin with G (goat) or B (tiger)");
  if (rest[0] != side_letter(side))
    refuse_move(text, side == Side::Goat ? "goats are to move" : "tigers are to move");
  rest.remove_prefix(1);
  const bool capture = rest.starts_with('x');
  if (capture) rest.remove_prefix(1);
  if (capture && side == Side::Goat) refuse_move(text, "goats never capture");
  if (rest.size() != 4 && (rest.size() != 2 || side == Side::Tiger || capture))
    refuse_move(text, "the forms are G33, G3334, B1122 and Bx1131");

  const Point first = point_from_name(rest);
  const Point second = rest.size() == 4 ? point_from_name(rest.substr(2)) : first;
  if (first == kNoPoint || second == kNoPoint)
    refuse_move(text, "points are named by row and column, 11 to 55");
  if (rest.size() == 2) return placement_action(first);
  const Action action = capture ? jump_action(first, second) : step_action(first, second);
  if (action != kNoAction) return action;
  const std::string points = point_name(first) + " to " + point_name(second);
  if (capture) refuse_move(text, "no line allows a jump from " + points);
  const bool jump = side == Side::Tiger && jump_action(first, second) != kNoAction;
  refuse_move(text, "no line joins " + points + (jump ? " directly; a capture is written Bx" : ""));
}

std::string format_fen(const Position& position, int goat_moves) {
  std::string text;
  for (int row = 0; row < BaghChalBoard::kRows; ++row) {
    if (row > 0) text += '/';
    int run = 0;
    const auto end_run = [&] {
      if (run > 0) text += static_cast<char>('0' + run);
      run = 0;
    };
    for (int column = 0; column < BaghChalBoard::kColumns; ++column) {
      const Bitboard here = bit(static_cast<Point>(row * BaghChalBoard::kColumns + column));
      if (position.empty() & here) {
        ++run;
        continue;
      }
      end_run();
      text += position.tigers() & here ? kTigerLetter : kGoatLetter;
    }
    end_run();
  }
  return text + ' ' + side_letter(position.side_to_move()) + ' ' + std::to_string(goat_moves);
}

std::string format_fen(const Game& game) { return format_fen(game.position(), game.goat_moves()); }

FenPosition parse_fen(std::string_view text, const Rules& rules) {
  check_rules(rules);
  const auto fields = split(text, ' ');
  if (fields.size() != 3)
    refuse_fen(text, counted(static_cast<std::int64_t>(fields.size()), "field") +
                         " given, but the form is `rows side goat_moves`, three fields with one "
                         "blank between them");
  const Occupancy board = parse_rows(text, fields[0]);
  const Side side = parse_side(text, fields[1]);
  const int goat_moves = parse_goat_moves(text, fields[2]);

  const int tigers = std::popcount(board.tigers);
  if (tigers != kTigerCount)
    refuse_fen(text, counted(tigers, "tiger") + " on the board, but there are always " +
                         std::to_string(kTigerCount));
  const int placed = std::min(rules.goats, goat_moves);
  const int on_board = std::popcount(board.goats);
  if (on_board > placed)
    refuse_fen(text, counted(on_board, "goat") + " on the board, but only " +
                         std::to_string(placed) + " can have been placed in " +
                         counted(goat_moves, "goat move"));
  const int captured = placed - on_board;
  if (captured > rules.captures_to_win)
    refuse_fen(text, counted(captured, "goat") + " captured (" + std::to_string(placed) +
                         " placed, " + std::to_string(on_board) + " on the board), but " +
                         std::to_string(rules.captures_to_win) + " end the game");
  return {Position(board.tigers, board.goats, rules.goats - placed, captured, side), goat_moves};
}

Game game_from_fen(std::string_view fen, const Rules& rules) {
  const FenPosition parsed = parse_fen(fen, rules);
  return Game(rules, parsed.position, parsed.goat_moves);
}

}  // namespace baghzero
