#include "cli/game_listing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "engine/notation.h"
#include "engine/text.h"

namespace baghzero {
namespace {

constexpr std::array<std::pair<std::string_view, Outcome>, 8> kResultNames = {
    {{"goats", Outcome::GoatsWin},
     {"tigers", Outcome::TigersWin},
     {"draw", Outcome::Draw},
     {"unfinished", Outcome::Unfinished},
     {"1-0", Outcome::GoatsWin},
     {"0-1", Outcome::TigersWin},
     {"1/2-1/2", Outcome::Draw},
     {"*", Outcome::Unfinished}}};

std::string_view result_name(Outcome outcome) {
  for (const auto& [name, value] : kResultNames)
    if (value == outcome) return name;
  return "";
}

std::string who_played(const SourcedGame& game) {
  if (game.first_generation) {
    std::string text = std::to_string(*game.first_generation);
    if (game.last_generation != game.first_generation)
      text.append("-").append(std::to_string(*game.last_generation));
    return text;
  }
  std::string text(game.filed.tag("Goats"));
  if (!text.empty()) text.append(" - ").append(game.filed.tag("Tigers"));
  return text;
}

std::string moves_text(const Game& game, int from, int to) {
  std::string text;
  Side side = game.start().side_to_move();
  for (int ply = 0; ply < to; ++ply, side = opponent(side)) {
    if (ply < from) continue;
    if (!text.empty()) text.append(" ");
    text.append(format_move(side, game.moves()[static_cast<std::size_t>(ply)]));
  }
  return text;
}

std::string listing_row(const std::string& number, const std::string& players,
                        std::string_view result, std::string_view termination,
                        const std::string& plies, const std::string& moves) {
  std::string row;
  const auto add = [&row](std::string_view text, std::size_t width, bool right) {
    const std::string padding(width > text.size() ? width - text.size() : 0, ' ');
    row.append(right ? padding : "").append(text).append(right ? "" : padding).append("  ");
  };
  add(number, 8, true);
  add(players, 24, false);
  add(result, 10, false);
  add(termination, 19, false);
  add(plies, 5, true);
  return row.append(moves).append("\n");
}

}  // namespace

bool GameFilter::accepts(const SourcedGame& game) const {
  if (first_generation && (!game.first_generation || *game.last_generation < *first_generation ||
                           *game.first_generation > last_generation.value_or(*first_generation)))
    return false;
  return (!termination || game.game().termination() == *termination) &&
         (!outcome || game.game().outcome() == *outcome) && game.game().plies() >= min_plies &&
         game.game().plies() <= max_plies;
}

void parse_generations(const std::string& text, GameFilter& filter) {
  int first = 0;
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, first);
  int last = first;
  if (error == std::errc{} && at != end && *at == '-') {
    const auto second = std::from_chars(at + 1, end, last);
    at = second.ptr;
    error = second.ec;
  }
  if (error != std::errc{} || at != end || first < 0 || last < first)
    throw std::invalid_argument("\"" + text + "\" is neither a generation nor a range such as 3-7");
  filter.first_generation = first;
  filter.last_generation = last;
}

Outcome parse_result(const std::string& text) {
  for (const auto& [name, outcome] : kResultNames)
    if (text == name) return outcome;
  throw std::invalid_argument("\"" + text +
                              "\" is no result; known are goats, tigers, draw and unfinished");
}

std::string listing_header() {
  return listing_row("game", "generation or players", "won by", "termination", "plies",
                     "first moves");
}

std::string listing_line(const SourcedGame& game) {
  constexpr int kFirstMoves = 6;
  return listing_row(std::to_string(game.number), who_played(game),
                     result_name(game.game().outcome()), to_string(game.game().termination()),
                     std::to_string(game.game().plies()),
                     moves_text(game.game(), 0, std::min(kFirstMoves, game.game().plies())));
}

std::string game_on_boards(const SourcedGame& sourced, std::optional<int> ply, bool unicode) {
  const Game& game = sourced.game();
  if (ply && (*ply < 0 || *ply > game.plies()))
    throw std::invalid_argument("game " + std::to_string(sourced.number) + " has plies 0 to " +
                                std::to_string(game.plies()) + ", not " + std::to_string(*ply));
  std::string text = listing_line(sourced);
  for (int at = ply.value_or(0); at <= ply.value_or(game.plies()); ++at) {
    text.append("\n");
    if (at > 0)
      text.append("after ply ")
          .append(std::to_string(at))
          .append(", ")
          .append(moves_text(game, at - 1, at) + "\n");
    text.append(draw_board(game.positions()[static_cast<std::size_t>(at)], unicode));
  }
  if (game.over() && ply.value_or(game.plies()) == game.plies())
    text.append("\nresult: ")
        .append(result_name(game.outcome()))
        .append(" (")
        .append(to_string(game.termination()))
        .append(")\n");
  return text;
}

std::string game_as_json(const SourcedGame& sourced) {
  const Game& game = sourced.game();
  nlohmann::ordered_json json = {{"game", sourced.number}};
  for (const auto& [name, value] : sourced.filed.tags) json["tags"][name] = value;
  if (sourced.first_generation) {
    json["first_generation"] = *sourced.first_generation;
    json["last_generation"] = *sourced.last_generation;
  }
  json["start"] = format_fen(game.start(), game.start_goat_moves());
  json["outcome"] = to_string(game.outcome());
  json["termination"] = to_string(game.termination());
  json["plies"] = game.plies();
  auto moves = nlohmann::ordered_json::array();
  for (int ply = 0; ply < game.plies(); ++ply) moves.push_back(moves_text(game, ply, ply + 1));
  json["moves"] = std::move(moves);
  return json.dump();
}

void OpeningStatistics::add(const Game& game) {
  if (game.plies() < plies_) return;
  ++games_;
  const Position& position = game.positions()[static_cast<std::size_t>(plies_)];
  Line& line = lines_[canonical(position).position.key()];
  if (line.games++ == 0) line.moves = moves_text(game, 0, plies_);
  line.goat_wins += game.outcome() == Outcome::GoatsWin ? 1 : 0;
  line.draws += game.outcome() == Outcome::Draw ? 1 : 0;
  line.tiger_wins += game.outcome() == Outcome::TigersWin ? 1 : 0;
}

std::string OpeningStatistics::table(int count) const {
  std::vector<const Line*> sorted;
  for (const auto& [key, line] : lines_) sorted.push_back(&line);
  std::ranges::stable_sort(sorted, std::greater<>(), &Line::games);
  std::string text = grouped(games_);
  text.append(" games, ")
      .append(grouped(static_cast<std::int64_t>(lines_.size())))
      .append(" openings of ")
      .append(std::to_string(plies_))
      .append(" plies up to symmetry\n     games    share    goats    draws   tigers  moves\n");
  for (std::size_t i = 0; i < std::min(sorted.size(), static_cast<std::size_t>(count)); ++i) {
    const Line& line = *sorted[i];
    const auto share = [](std::int64_t part, std::int64_t whole) {
      return percent(static_cast<double>(part) / static_cast<double>(whole));
    };
    std::array<char, 128> row{};
    std::snprintf(row.data(), row.size(), "%10s  %7s  %7s  %7s  %7s  ", grouped(line.games).c_str(),
                  share(line.games, games_).c_str(), share(line.goat_wins, line.games).c_str(),
                  share(line.draws, line.games).c_str(),
                  share(line.tiger_wins, line.games).c_str());
    text.append(row.data()).append(line.moves).append("\n");
  }
  return text;
}

}  // namespace baghzero
