// The page of a ladder: tables and inline SVG, no other file and no script.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "cli/ladder_output.h"
#include "cli/output.h"
#include "engine/text.h"

namespace baghzero {
namespace {

constexpr const char* kHead = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>BaghZero ladder</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; }
td, th { padding: .2em .7em; text-align: right; border-bottom: 1px solid #ddd; }
td:nth-child(2), th:nth-child(2) { text-align: left; }
svg { font-size: 12px; max-width: 100%; }
.overall { stroke: #222; fill: #222; }
.goat { stroke: #2a7fba; fill: #2a7fba; }
.tiger { stroke: #d9772b; fill: #d9772b; }
.grid { stroke: #ddd; }
.line { fill: none; stroke-width: 1.5; }
text { fill: #222; stroke: none; }
</style>
</head>
<body>
<h1>Ladder</h1>
)html";

struct Series {
  const char* style;
  const char* label;
  Rating PlayerRating::*rating;
};
constexpr std::array<Series, 3> kSeries = {{{"overall", "overall", &PlayerRating::overall},
                                            {"goat", "as goat", &PlayerRating::as_goat},
                                            {"tiger", "as tiger", &PlayerRating::as_tiger}}};

template <class... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '<')
      result += "&lt;";
    else if (letter == '&')
      result += "&amp;";
    else if (letter == '"')
      result += "&quot;";
    else
      result += letter;
  }
  return result;
}

// A linear scale from Elo to picture coordinates, with round marks.
struct Scale {
  double low = 0;
  double high = 1;
  double begin = 0;
  double end = 1;
  double step = 100;

  double at(double elo) const { return begin + (elo - low) / (high - low) * (end - begin); }
};

Scale scale_for(const LadderView& ladder, double begin, double end) {
  double low = INFINITY;
  double high = -INFINITY;
  for (const PlayerRating& player : ladder.fit.players())
    for (const Series& series : kSeries) {
      const Rating& rating = player.*series.rating;
      low = std::min(low, rating.elo - rating.error);
      high = std::max(high, rating.elo + rating.error);
    }
  Scale scale{.low = 0, .high = 0, .begin = begin, .end = end, .step = 50};
  while ((high - low) / scale.step > 12) scale.step *= 2;
  scale.low = scale.step * std::floor(low / scale.step);
  scale.high = scale.step * std::max(std::ceil(high / scale.step), scale.low / scale.step + 1);
  return scale;
}

std::string legend(double x) {
  std::string text;
  for (const Series& series : kSeries) {
    text += formatted("<circle class=\"%s\" cx=\"%.0f\" cy=\"10\" r=\"4\"/>", series.style, x);
    text += formatted("<text x=\"%.0f\" y=\"14\">%s</text>\n", x + 9, series.label);
    x += 90;
  }
  return text;
}

// Every player a row: three ratings with their intervals.
std::string rating_chart(const LadderView& ladder) {
  constexpr double kRow = 42;
  constexpr double kNames = 230;
  constexpr double kWidth = 900;
  const std::vector<int> order = ranking(ladder);
  const double height = 60 + kRow * static_cast<double>(order.size());
  const Scale scale = scale_for(ladder, kNames + 10, kWidth - 20);
  std::string svg =
      formatted("<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\">\n", kWidth, height, kWidth) +
      legend(kNames + 10);
  for (double elo = scale.low; elo <= scale.high + 1; elo += scale.step) {
    svg += formatted("<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"24\" y2=\"%.0f\"/>",
                     scale.at(elo), scale.at(elo), height - 24);
    svg += formatted("<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%.0f</text>\n",
                     scale.at(elo), height - 8, elo);
  }
  double y = 42;
  for (const int player : order) {
    svg += formatted("<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">", kNames, y + 8) +
           escaped(ladder.names[static_cast<std::size_t>(player)]) + "</text>\n";
    double offset = -6;
    for (const Series& series : kSeries) {
      const Rating& rating = ladder.fit.players()[static_cast<std::size_t>(player)].*series.rating;
      const double at = y + 4 + offset;
      svg += formatted("<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                       series.style, scale.at(rating.elo - rating.error),
                       scale.at(rating.elo + rating.error), at, at);
      svg += formatted("<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", series.style,
                       scale.at(rating.elo), at);
      offset += 10;
    }
    y += kRow;
  }
  return svg + "</svg>\n";
}

// Ratings over the generations of the run.
std::string generation_chart(const LadderView& ladder) {
  std::vector<std::pair<int, int>> points;  // generation, player
  for (std::size_t i = 0; i < ladder.generations.size(); ++i)
    if (ladder.generations[i]) points.emplace_back(*ladder.generations[i], static_cast<int>(i));
  if (points.size() < 2) return "";
  std::ranges::sort(points);
  constexpr double kWidth = 900;
  constexpr double kHeight = 360;
  const Scale scale = scale_for(ladder, kHeight - 30, 30);
  const auto x_of = [&](int generation) {
    const double share = static_cast<double>(generation - points.front().first) /
                         std::max(1, points.back().first - points.front().first);
    return 60 + share * (kWidth - 90);
  };
  std::string svg =
      formatted("<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\">\n", kWidth, kHeight, kWidth) +
      legend(70);
  for (double elo = scale.low; elo <= scale.high + 1; elo += scale.step) {
    svg += formatted("<line class=\"grid\" x1=\"60\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                     kWidth - 30, scale.at(elo), scale.at(elo));
    svg += formatted("<text x=\"52\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>\n",
                     scale.at(elo) + 4, elo);
  }
  for (const Series& series : kSeries) {
    std::string path;
    for (const auto& [generation, player] : points) {
      const Rating& rating = ladder.fit.players()[static_cast<std::size_t>(player)].*series.rating;
      const double x = x_of(generation);
      path += formatted("%s%.1f %.1f", path.empty() ? "M" : " L", x, scale.at(rating.elo));
      svg += formatted("<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                       series.style, x, x, scale.at(rating.elo - rating.error),
                       scale.at(rating.elo + rating.error));
      svg += formatted("<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", series.style, x,
                       scale.at(rating.elo));
    }
    svg += formatted("<path class=\"%s line\" style=\"fill:none\" d=\"", series.style) + path +
           "\"/>\n";
  }
  for (const auto& [generation, player] : points)
    svg += formatted("<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%d</text>\n",
                     x_of(generation), kHeight - 8, generation);
  return "<h2>Generations</h2>\n" + svg + "</svg>\n";
}

std::string rating_rows(const LadderView& ladder) {
  std::string text =
      "<table><tr><th>#</th><th>player</th><th>Elo</th><th>as goat</th><th>as tiger</th>"
      "<th>games</th></tr>\n";
  const std::vector<int> order = ranking(ladder);
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto index = static_cast<std::size_t>(order[rank]);
    const PlayerRating& player = ladder.fit.players()[index];
    text += formatted("<tr><td>%zu</td><td>", rank + 1) + escaped(ladder.names[index]) + "</td>";
    for (const Series& series : kSeries) {
      const Rating& rating = player.*series.rating;
      text += formatted("<td>%+.0f ± %.0f</td>", rating.elo, rating.error);
    }
    text += formatted("<td>%lld</td></tr>\n", static_cast<long long>(player.games));
  }
  return text + "</table>\n";
}

// Scores from blue (lost) through white to green (won).
std::string cell_colour(double score) {
  const double shade = std::abs(score - 0.5) * 2;
  return score >= 0.5 ? formatted("hsl(140 60%% %.0f%%)", 100 - 35 * shade)
                      : formatted("hsl(215 70%% %.0f%%)", 100 - 35 * shade);
}

std::string cross_rows(const LadderView& ladder) {
  const std::vector<int> order = ranking(ladder);
  std::string text = "<table><tr><th>#</th><th>score of row</th>";
  for (std::size_t column = 1; column <= order.size(); ++column)
    text += formatted("<th>%zu</th>", column);
  text += "</tr>\n";
  for (std::size_t row = 0; row < order.size(); ++row) {
    text += formatted("<tr><td>%zu</td><td>", row + 1) +
            escaped(ladder.names[static_cast<std::size_t>(order[row])]) + "</td>";
    for (const int column : order) {
      const std::int64_t games = ladder.results.games(order[row], column);
      if (column == order[row] || games == 0) {
        text += "<td></td>";
        continue;
      }
      const double score = ladder.results.score(order[row], column);
      text += "<td style=\"background:" + cell_colour(score) + "\"" +
              formatted(" title=\"%lld games\">%.0f %%</td>", static_cast<long long>(games),
                        100 * score);
    }
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

std::string trouble_list(const LadderView& ladder) {
  std::string items;
  for (const IntransitiveTriple& triple : intransitive_triples(ladder.results))
    items += "<li>" + escaped(triple_text(ladder, triple)) +
             formatted("; the closest of the three lies %.1f standard errors above 50 %%</li>\n",
                       triple.certainty);
  for (const Misfit& misfit : misfits(ladder.results, ladder.fit))
    items += "<li>" + escaped(misfit_text(ladder, misfit)) + "</li>\n";
  if (items.empty()) return "<p>No intransitive triples; the ratings explain all pairings.</p>\n";
  return "<ul>\n" + items + "</ul>\n";
}

}  // namespace

std::string ladder_as_html(const LadderView& ladder) {
  std::string page = kHead;
  page += "<p>Elo with 95 % intervals; the anchor is " +
          escaped(ladder.names[static_cast<std::size_t>(ladder.anchor)]) +
          formatted(". Goats are worth %+.0f ± %.0f Elo between equals, draws ",
                    ladder.fit.goat_advantage().elo, ladder.fit.goat_advantage().error) +
          percent(ladder.fit.draw_share()) + " at even strength.</p>\n";
  page += rating_chart(ladder) + rating_rows(ladder) + generation_chart(ladder);
  page += "<h2>Pairings</h2>\n" + cross_rows(ladder);
  page += "<h2>What one scale does not tell</h2>\n" + trouble_list(ladder);
  return page + "</body>\n</html>\n";
}

}  // namespace baghzero
