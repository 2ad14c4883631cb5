#include "cli/board_picture.h"

#include "cli/html.h"

namespace baghzero {
namespace {

constexpr double kSpacing = 34;
constexpr double kMargin = 17;
constexpr double kPiece = 11;

double x_of(Point point) { return kMargin + kSpacing * column_of(point); }
double y_of(Point point) { return kMargin + kSpacing * row_of(point); }

std::string between(const char* style, Point a, Point b) {
  return formatted("<line class=\"%s\" x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\"/>", style,
                   x_of(a), y_of(a), x_of(b), y_of(b));
}

std::string piece(const char* style, const char* letter, Point point) {
  return formatted("<circle class=\"%s piece\" cx=\"%.0f\" cy=\"%.0f\" r=\"%.0f\"/>", style,
                   x_of(point), y_of(point), kPiece) +
         formatted("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>", x_of(point),
                   y_of(point) + 4, letter);
}

double width() { return 2 * kMargin + kSpacing * (BaghChalBoard::kColumns - 1); }
double height() { return 2 * kMargin + kSpacing * (BaghChalBoard::kRows - 1); }

}  // namespace

std::string board_lines() {
  std::string svg =
      "<svg width=\"0\" height=\"0\" style=\"position:absolute\"><symbol id=\"board\">";
  for (Point a = 0; a < kPointCount; ++a)
    for (Point b = a + 1; b < kPointCount; ++b)
      if (neighbours(a) & bit(b)) svg += between("lines", a, b);
  return svg + "</symbol></svg>\n";
}

std::string board_picture(const Game& game, int ply) {
  const Position& position = game.positions()[static_cast<std::size_t>(ply)];
  std::string svg = formatted("<svg class=\"board\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\">",
                              width(), height(), width()) +
                    "<rect width=\"100%\" height=\"100%\" rx=\"6\"/><use href=\"#board\"/>";
  if (ply > 0) {
    const ActionInfo& last = action_info(game.moves()[static_cast<std::size_t>(ply) - 1]);
    if (last.kind != ActionKind::Placement) svg += between("last", last.from, last.to);
    svg += formatted("<circle class=\"last\" cx=\"%.0f\" cy=\"%.0f\" r=\"%.0f\"/>", x_of(last.to),
                     y_of(last.to), kPiece + 2);
  }
  for (Point point = 0; point < kPointCount; ++point) {
    if (position.tigers() & bit(point)) svg += piece("tiger", "T", point);
    if (position.goats() & bit(point)) svg += piece("goat", "G", point);
  }
  return svg + "</svg>\n";
}

}  // namespace baghzero
