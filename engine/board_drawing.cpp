// Boards drawn for people.
#include <array>

#include "engine/notation.h"

namespace baghzero {
namespace {

constexpr int kRows = BaghChalBoard::kRows;
constexpr int kColumns = BaghChalBoard::kColumns;

struct Glyphs {
  std::array<std::string_view, 16> crossing;  // by lines present: 1 up, 2 right, 4 down, 8 left
  std::string_view across;
  std::string_view down;
  std::string_view falling;  // diagonal from the upper left
  std::string_view rising;   // diagonal from the lower left
  std::string_view both;
  std::string_view mark;
};
constexpr Glyphs kUnicode = {
    {" ", "╵", "╶", "└", "╷", "│", "┌", "├", "╴", "┘", "─", "┴", "┐", "┤", "┬", "┼"},
    "───",
    "│",
    "╲",
    "╱",
    "╳",
    "•"};
constexpr Glyphs kAscii = {
    {" ", "+", "+", "+", "+", "+", "+", "+", "+", "+", "+", "+", "+", "+", "+", "+"},
    "---",
    "|",
    "\\",
    "/",
    "X",
    "*"};

// Whether a line joins two neighbouring places of the grid; places outside it are joined to none.
bool joined(int row, int column, int other_row, int other_column) {
  const auto outside = [](int r, int c) { return r < 0 || r >= kRows || c < 0 || c >= kColumns; };
  if (outside(row, column) || outside(other_row, other_column)) return false;
  return (neighbours(static_cast<Point>(row * kColumns + column)) &
          bit(static_cast<Point>(other_row * kColumns + other_column))) != 0;
}

std::string_view point_glyph(const Position& position, const Glyphs& glyphs, Bitboard marked,
                             int row, int column) {
  const Bitboard here = bit(static_cast<Point>(row * kColumns + column));
  if (position.tigers() & here) return "B";
  if (position.goats() & here) return "G";
  if (marked & here) return glyphs.mark;
  const int lines = (joined(row, column, row - 1, column) ? 1 : 0) |
                    (joined(row, column, row, column + 1) ? 2 : 0) |
                    (joined(row, column, row + 1, column) ? 4 : 0) |
                    (joined(row, column, row, column - 1) ? 8 : 0);
  return glyphs.crossing[lines];
}

std::string_view diagonal_glyph(const Glyphs& glyphs, int row, int column) {
  const bool falling = joined(row, column, row + 1, column + 1);
  const bool rising = joined(row + 1, column, row, column + 1);
  if (falling && rising) return glyphs.both;
  return falling ? glyphs.falling : rising ? glyphs.rising : " ";
}

}  // namespace

std::string draw_board(const Position& position, bool unicode, Bitboard marked) {
  const Glyphs& glyphs = unicode ? kUnicode : kAscii;
  std::string text = " ";
  for (int column = 0; column < kColumns; ++column)
    text += (column > 0 ? "   " : " ") + std::to_string(column + 1);
  text += '\n';
  for (int row = 0; row < kRows; ++row) {
    text += std::to_string(row + 1) + ' ';
    for (int column = 0; column < kColumns; ++column) {
      text += point_glyph(position, glyphs, marked, row, column);
      if (column + 1 < kColumns)
        text += joined(row, column, row, column + 1) ? glyphs.across : "   ";
    }
    text += '\n';
    if (row + 1 == kRows) break;
    text += "  ";
    for (int column = 0; column < kColumns; ++column) {
      text += joined(row, column, row + 1, column) ? glyphs.down : " ";
      if (column + 1 < kColumns)
        text.append(" ").append(diagonal_glyph(glyphs, row, column)) += ' ';
    }
    text += '\n';
  }
  const bool goats = position.side_to_move() == Side::Goat;
  return text + (goats ? "goats" : "tigers") + " to move, " +
         std::to_string(position.goats_in_hand()) + " in hand, " +
         std::to_string(position.captured()) + " captured\n";
}

}  // namespace baghzero
