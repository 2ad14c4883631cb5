#include "selfplay/match_file.h"

#include <algorithm>
#include <stdexcept>

#include "engine/notation.h"

namespace baghzero {
namespace {

bool follows(const Game& game, const Game& opening) {
  const auto moves = game.moves();
  const auto first_moves = opening.moves();
  return game.start() == opening.start() && moves.size() >= first_moves.size() &&
         std::ranges::equal(moves.first(first_moves.size()), first_moves);
}

// Why `game` is not the one of number `index` in this match; empty if it is.
std::string why_foreign(const FiledGame& game, std::size_t index, const std::string& first,
                        const std::string& second, std::span<const Game> openings) {
  const bool first_is_tiger = index % 2 != 0;
  if (index / 2 >= openings.size())
    return "there are more games than this match has; ask for more pairs";
  const std::string round = std::to_string(index / 2 + 1);
  if (game.tag("Round") != round || game.tag("First") != (first_is_tiger ? "tigers" : "goats"))
    return "the game of round " + round + " was expected, with the first player as " +
           (first_is_tiger ? "tigers" : "goats");
  if (game.tag("Goats") != tag_value(first_is_tiger ? second : first) ||
      game.tag("Tigers") != tag_value(first_is_tiger ? first : second))
    return "it was played by \"" + std::string(game.tag("Goats")) + "\" and \"" +
           std::string(game.tag("Tigers")) + "\", not by the players of this match";
  const Game& opening = openings[index / 2];
  if (!(game.game.rules() == opening.rules())) return "it was played by other rules";
  if (!follows(game.game, opening))
    return "it does not begin with the opening of its round: the seed or the openings differ";
  return "";
}

}  // namespace

FiledGame file_match_game(const MatchGame& game, const std::string& first,
                          const std::string& second) {
  FiledGame filed{.tags = {}, .game = game.game};
  filed.tags = {{"Round", std::to_string(game.pair + 1)},
                {"First", game.first_is_tiger ? "tigers" : "goats"},
                {"Goats", game.first_is_tiger ? second : first},
                {"Tigers", game.first_is_tiger ? first : second},
                {"Result", std::string(result_text(game.game.outcome()))},
                {"Termination", std::string(to_string(game.game.termination()))},
                {"Plies", std::to_string(game.game.plies())}};
  if (!game.forfeit.empty()) filed.tags.emplace_back("Forfeit", game.forfeit);
  return filed;
}

StoredMatch read_match(std::string_view text, const std::string& name, const std::string& first,
                       const std::string& second, std::span<const Game> openings) {
  StoredMatch stored;
  for (const GameText& part : split_games(text)) {
    if (!part.closed) break;  // its writing was cut short
    const std::string where = name + ":" + std::to_string(part.line) + ": ";
    FiledGame game;
    try {
      game = parse_filed_game(part.text, Rules{});
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(where + error.what());
    }
    const std::string why = why_foreign(game, stored.games.size(), first, second, openings);
    if (!why.empty()) throw std::invalid_argument(where + why);
    if (!game.game.over()) throw std::invalid_argument(where + "the game is not finished");
    const auto index = static_cast<int>(stored.games.size());
    std::string forfeit(game.tag("Forfeit"));
    stored.games.push_back({index / 2, index % 2 != 0, std::move(game.game), std::move(forfeit)});
    if (index % 2 != 0) stored.length = part.end;
  }
  if (stored.games.size() % 2 != 0) stored.games.pop_back();
  return stored;
}

}  // namespace baghzero
