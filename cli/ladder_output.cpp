#include "cli/ladder_output.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

#include "cli/output.h"
#include "engine/text.h"

namespace baghzero {
namespace {

template <class... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

const std::string& name_of(const LadderView& ladder, int player) {
  return ladder.names[static_cast<std::size_t>(player)];
}

std::size_t widest_name(const LadderView& ladder) {
  std::size_t width = 6;
  for (const std::string& name : ladder.names) width = std::max(width, name.size());
  return width;
}

std::string rating_table(const LadderView& ladder) {
  const std::size_t width = widest_name(ladder);
  const auto padded = [width](std::string name) {
    name.resize(std::max(width, name.size()), ' ');
    return name;
  };
  std::string text = "  #  " + padded("player");
  text += "     Elo    ±   as goat    ±  as tiger    ±   games  above the next\n";
  const std::vector<int> order = standings(ladder);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const PlayerRating& player = ladder.fit.players()[static_cast<std::size_t>(order[place])];
    text += formatted("%3zu  ", place + 1) + padded(name_of(ladder, order[place]));
    text +=
        formatted("  %+6.0f %4.0f    %+6.0f %4.0f    %+6.0f %4.0f  %6lld", player.overall.elo,
                  player.overall.error, player.as_goat.elo, player.as_goat.error,
                  player.as_tiger.elo, player.as_tiger.error, static_cast<long long>(player.games));
    if (place + 1 < order.size()) {
      const PlayerRating& next = ladder.fit.players()[static_cast<std::size_t>(order[place + 1])];
      text += formatted("  %4.0f ± %.0f", player.overall.elo - next.overall.elo,
                        ladder.fit.difference_error(order[place], order[place + 1]));
    }
    text += "\n";
  }
  return text;
}

std::string cross_table(const LadderView& ladder) {
  const std::vector<int> order = standings(ladder);
  const std::size_t width = widest_name(ladder);
  std::string text = "     ";
  text += std::string(width, ' ');
  for (std::size_t column = 0; column < order.size(); ++column)
    text += formatted("  %9zu", column + 1);
  text += "\n";
  for (std::size_t row = 0; row < order.size(); ++row) {
    std::string name = name_of(ladder, order[row]);
    name.resize(width, ' ');
    text += formatted("%3zu  ", row + 1) + name;
    for (const int opponent_index : order) {
      const std::int64_t games = ladder.results.games(order[row], opponent_index);
      if (opponent_index == order[row] || games == 0)
        text += "          .";
      else
        text +=
            formatted("  %3.0f %%/%-4lld", 100 * ladder.results.score(order[row], opponent_index),
                      static_cast<long long>(games));
    }
    while (text.back() == ' ') text.pop_back();
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<int> standings(const LadderView& ladder) {
  std::vector<int> order(ladder.names.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](int player) {
    return ladder.fit.players()[static_cast<std::size_t>(player)].overall.elo;
  });
  return order;
}

std::string triple_text(const LadderView& ladder, const IntransitiveTriple& triple) {
  const auto beats = [&](int winner, int loser) {
    std::string text = name_of(ladder, winner);
    return text.append(" beats ")
        .append(name_of(ladder, loser))
        .append(" (")
        .append(percent(ladder.results.score(winner, loser)))
        .append(")");
  };
  std::string text = beats(triple.a, triple.b);
  text.append(", ").append(beats(triple.b, triple.c)).append(", ");
  return text.append(beats(triple.c, triple.a));
}

std::string misfit_text(const LadderView& ladder, const Misfit& misfit) {
  std::string text = name_of(ladder, misfit.first);
  return text.append(" against ")
      .append(name_of(ladder, misfit.second))
      .append(": ")
      .append(percent(misfit.score))
      .append(" instead of ")
      .append(percent(misfit.expected))
      .append(formatted(" expected, %+.1f standard errors", misfit.deviation));
}

std::string ladder_as_text(const LadderView& ladder) {
  std::string text = rating_table(ladder);
  text += "\nElo with 95 % intervals; " + name_of(ladder, ladder.anchor) +
          " is the anchor. Goats are worth ";
  text += formatted("%+.0f ± %.0f Elo between equals", ladder.fit.goat_advantage().elo,
                    ladder.fit.goat_advantage().error);
  text += ", draws " + percent(ladder.fit.draw_share()) + " at even strength.\n";
  text += "\nScore of the row against the column, and games:\n" + cross_table(ladder) + "\n";
  const auto triples = intransitive_triples(ladder.results);
  if (triples.empty()) text += "No intransitive triples.\n";
  for (const IntransitiveTriple& triple : triples)
    text += "Intransitive: " + triple_text(ladder, triple) +
            formatted("; closest %.1f standard errors\n", triple.certainty);
  for (const Misfit& misfit : misfits(ladder.results, ladder.fit))
    text += "Not explained by the ratings: " + misfit_text(ladder, misfit) + "\n";
  return text;
}

std::string ladder_as_csv(const LadderView& ladder) {
  std::string text =
      "place,player,generation,elo,elo_error_95,as_goat,as_goat_error_95,as_tiger,"
      "as_tiger_error_95,games\n";
  const std::vector<int> order = standings(ladder);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto index = static_cast<std::size_t>(order[place]);
    const PlayerRating& player = ladder.fit.players()[index];
    std::string quoted = ladder.names[index];
    for (std::size_t at = 0; (at = quoted.find('"', at)) != std::string::npos; at += 2)
      quoted.insert(at, "\"");
    const auto generation = ladder.generations[index];
    text += formatted("%zu,", place + 1) + "\"" + quoted + "\",";
    text += generation ? std::to_string(*generation) : "";
    text +=
        formatted(",%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%lld\n", player.overall.elo, player.overall.error,
                  player.as_goat.elo, player.as_goat.error, player.as_tiger.elo,
                  player.as_tiger.error, static_cast<long long>(player.games));
  }
  return text;
}

}  // namespace baghzero
