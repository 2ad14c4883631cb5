// The page of a ladder: tables and inline SVG, no other file and no script.
#include <algorithm>
#include <array>
#include <cmath>

#include "cli/charts.h"
#include "cli/html.h"
#include "cli/ladder_output.h"
#include "engine/text.h"

namespace baghzero {
namespace {

struct Series {
  const char* style;
  const char* label;
  Rating PlayerRating::*rating;
};
constexpr std::array<Series, 3> kSeries = {{{"overall", "overall", &PlayerRating::overall},
                                            {"goat", "as goat", &PlayerRating::as_goat},
                                            {"tiger", "as tiger", &PlayerRating::as_tiger}}};

constexpr double kLeastStep = 50;  // of marks, in Elo

// Holds every rating with its interval.
Scale scale_for(const LadderView& ladder, double begin, double end) {
  double low = INFINITY;
  double high = -INFINITY;
  for (const PlayerRating& player : ladder.fit.players())
    for (const Series& series : kSeries) {
      const Rating& rating = player.*series.rating;
      low = std::min(low, rating.elo - rating.error);
      high = std::max(high, rating.elo + rating.error);
    }
  return make_scale(low, high, begin, end, 12, kLeastStep);
}

std::vector<ChartSeries> named_series() {
  std::vector<ChartSeries> named;
  for (const Series& series : kSeries) named.push_back({series.style, series.label, {}});
  return named;
}

// Every player a row: three ratings with their intervals.
std::string rating_chart(const LadderView& ladder) {
  constexpr double kRow = 42;
  constexpr double kNames = 230;
  constexpr double kWidth = 900;
  const std::vector<int> order = standings(ladder);
  const double height = 60 + kRow * static_cast<double>(order.size());
  const Scale scale = scale_for(ladder, kNames + 10, kWidth - 20);
  std::string svg =
      formatted("<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\">\n", kWidth, height, kWidth) +
      chart_legend(named_series(), kNames + 10);
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
  std::vector<std::pair<int, std::size_t>> players;  // generation, player
  for (std::size_t i = 0; i < ladder.generations.size(); ++i)
    if (ladder.generations[i]) players.emplace_back(*ladder.generations[i], i);
  if (players.size() < 2) return "";
  std::ranges::sort(players);
  LineChart chart{.series = named_series(),
                  .width = 900,
                  .height = 360,
                  .x_label = "generation",
                  .y_label = "Elo",
                  .least_x_step = 1,
                  .dots = true};
  for (std::size_t i = 0; i < kSeries.size(); ++i)
    for (const auto& [generation, player] : players) {
      const Rating& rating = ladder.fit.players()[player].*kSeries[i].rating;
      chart.series[i].points.push_back({static_cast<double>(generation), rating.elo, rating.error});
    }
  return "<h2>Generations</h2>\n" + line_chart(chart);
}

std::string rating_rows(const LadderView& ladder) {
  std::string text =
      "<table><tr><th>#</th><th>player</th><th>Elo</th><th>as goat</th><th>as tiger</th>"
      "<th>games</th></tr>\n";
  const std::vector<int> order = standings(ladder);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto index = static_cast<std::size_t>(order[place]);
    const PlayerRating& player = ladder.fit.players()[index];
    text += formatted("<tr><td>%zu</td><td>", place + 1) + escaped(ladder.names[index]) + "</td>";
    for (const Series& series : kSeries) {
      const Rating& rating = player.*series.rating;
      text += formatted("<td>%+.0f ± %.0f</td>", rating.elo, rating.error);
    }
    text += formatted("<td>%lld</td></tr>\n", static_cast<long long>(player.games));
  }
  return text + "</table>\n";
}

// Scores from blue (lost) through nothing to green (won).
std::string cell_colour(double score) {
  return formatted("hsl(%d 65%% 45%% / %.2f)", score >= 0.5 ? 140 : 215, std::abs(score - 0.5));
}

std::string cross_rows(const LadderView& ladder) {
  const std::vector<int> order = standings(ladder);
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
  std::string page = html_begin("BaghZero ladder");
  page += "<p>Elo with 95 % intervals; the anchor is " +
          escaped(ladder.names[static_cast<std::size_t>(ladder.anchor)]) +
          formatted(". Goats are worth %+.0f ± %.0f Elo between equals, draws ",
                    ladder.fit.goat_advantage().elo, ladder.fit.goat_advantage().error) +
          percent(ladder.fit.draw_share()) + " at even strength.</p>\n";
  page += rating_chart(ladder) + rating_rows(ladder) + generation_chart(ladder);
  page += "<h2>Pairings</h2>\n" + cross_rows(ladder);
  page += "<h2>What one scale does not tell</h2>\n" + trouble_list(ladder);
  return page + html_end();
}

}  // namespace baghzero
