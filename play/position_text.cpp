#include "play/position_text.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "engine/notation.h"
#include "engine/text.h"

namespace baghzero {
namespace {

using Words = std::vector<std::string_view>;

std::string join(Words::const_iterator begin, Words::const_iterator end) {
  std::string text;
  for (auto word = begin; word != end; ++word) {
    if (!text.empty()) text += ' ';
    text += *word;
  }
  return text;
}

void play_moves(Game& game, Words::const_iterator begin, Words::const_iterator end) {
  for (auto word = begin; word != end; ++word) {
    try {
      game.play(parse_move(game.side_to_move(), *word));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("move " + std::to_string(word - begin + 1) + " (" +
                                  std::string(*word) + "): " + error.what());
    }
  }
}

}  // namespace

std::vector<std::string_view> split_words(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n\v\f";
  std::vector<std::string_view> words;
  for (auto begin = text.find_first_not_of(kWhite); begin != std::string_view::npos;
       begin = text.find_first_not_of(kWhite)) {
    text.remove_prefix(begin);
    words.push_back(text.substr(0, text.find_first_of(kWhite)));
    text.remove_prefix(words.back().size());
  }
  return words;
}

Game parse_position(std::string_view text, const Rules& rules) {
  const Words words = split_words(text);
  if (words.empty())
    throw std::invalid_argument("the position is missing; it is \"startpos\" or a FEN");
  auto word = words.begin();
  const auto moves = std::find(words.begin(), words.end(), "moves");
  const bool from_start = *word == "startpos";
  if (from_start || *word == "fen") ++word;
  if (from_start && word != moves)
    throw std::invalid_argument("after \"startpos\" only \"moves\" may follow, not " +
                                quoted(*word));
  Game game = from_start ? Game(rules) : game_from_fen(join(word, moves), rules);
  if (moves != words.end()) play_moves(game, moves + 1, words.end());
  return game;
}

}  // namespace baghzero
