// Reading and writing of whole games as text.
#include <array>
#include <cctype>
#include <stdexcept>
#include <utility>

#include "engine/notation.h"

namespace baghzero {
namespace {

constexpr std::array<std::pair<std::string_view, Outcome>, 4> kResults = {{
    {"*", Outcome::Unfinished},
    {"1-0", Outcome::GoatsWin},
    {"0-1", Outcome::TigersWin},
    {"1/2-1/2", Outcome::Draw},
}};

// The number of a move as text counts it: that of the goat move it is or answers.
int move_number(const Game& game) {
  return game.goat_moves() + (game.side_to_move() == Side::Goat ? 1 : 0);
}

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("game text: " + why);
}

bool is_space(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

void skip_space(std::string_view& text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
}

// Removes what stands before and including the first `closing` and returns it without that mark.
std::string_view take_until(std::string_view& text, char closing, const char* what) {
  const std::size_t end = text.find(closing);
  if (end == std::string_view::npos) refuse(std::string(what) + " is not closed");
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end + 1);
  return taken;
}

struct Tag {
  std::string_view name;
  std::string_view value;
};

// Reads `name "value"]`; the opening bracket has been taken.
Tag take_tag(std::string_view& text) {
  skip_space(text);
  std::size_t length = 0;
  while (length < text.size() && !is_space(text[length]) && text[length] != '"' &&
         text[length] != ']')
    ++length;
  Tag tag{text.substr(0, length), {}};
  text.remove_prefix(length);
  skip_space(text);
  if (tag.name.empty() || text.empty() || text.front() != '"')
    refuse("a tag pair must have the form [Name \"value\"]");
  text.remove_prefix(1);
  tag.value = take_until(text, '"', "the value of a tag pair");
  skip_space(text);
  if (text.empty() || text.front() != ']')
    refuse("tag pair " + std::string(tag.name) + " is not closed");
  text.remove_prefix(1);
  return tag;
}

// Removes a leading move number such as "12." or "12..." from `word`, if one is there.
void skip_move_number(std::string_view& word) {
  std::size_t digits = 0;
  while (digits < word.size() && is_digit(word[digits])) ++digits;
  if (digits == 0 || digits == word.size() || word[digits] != '.') return;
  word.remove_prefix(digits);
  while (word.starts_with('.')) word.remove_prefix(1);
}

class Reader {
 public:
  Reader(std::string_view text, const Rules& rules) : rest_(text), rules_(rules), game_(rules) {}

  Game read() {
    for (skip_space(rest_); !rest_.empty(); skip_space(rest_)) {
      if (rest_.front() == '[') {
        rest_.remove_prefix(1);
        read_tag(take_tag(rest_));
      } else if (rest_.front() == '{') {
        rest_.remove_prefix(1);
        take_until(rest_, '}', "a comment");
      } else {
        read_word(take_word());
      }
    }
    finish();
    return std::move(game_);
  }

 private:
  std::string_view take_word() {
    std::size_t length = 0;
    while (length < rest_.size() && !is_space(rest_[length]) && rest_[length] != '{' &&
           rest_[length] != '[')
      ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }

  void read_tag(const Tag& tag) {
    if (tag.name != "FEN") return;
    if (game_.plies() > 0) refuse("the FEN tag pair must stand before the moves");
    game_ = game_from_fen(tag.value, rules_);
  }

  void read_word(std::string_view word) {
    skip_move_number(word);
    if (word.empty()) return;
    if (!result_.empty())
      refuse('"' + std::string(word) + "\" follows the result " + std::string(result_));
    for (const auto& [text, outcome] : kResults)
      if (word == text) {
        result_ = text;
        result_outcome_ = outcome;
        return;
      }
    if (end_marked_) refuse('"' + std::string(word) + "\" follows the end mark #");
    if (word.ends_with('#')) {
      end_marked_ = true;
      word.remove_suffix(1);
    }
    if (!word.empty()) play(word);
  }

  void play(std::string_view word) {
    const std::string where = "in move " + std::to_string(move_number(game_)) + ", ";
    const auto refuse_move = [&](const std::string& why) {
      refuse(where + std::string(word) + " is illegal: " + why);
    };
    if (game_.over()) refuse_move(game_.why_illegal(kNoAction));
    Action action = kNoAction;
    try {
      action = parse_move(game_.side_to_move(), word);
    } catch (const std::invalid_argument& error) {
      refuse(where + error.what());
    }
    const std::string why = game_.why_illegal(action);
    if (!why.empty()) refuse_move(why);
    game_.play(action);
  }

  void finish() {
    if (end_marked_ && !game_.over())
      refuse("the end is marked #, but the rules do not end the game there");
    if (result_.empty() || result_outcome_ == game_.outcome()) return;
    if (game_.over())
      refuse("the result is given as " + std::string(result_) + ", but by the rules it is " +
             std::string(result_text(game_.outcome())) + " (" +
             std::string(to_string(game_.termination())) + ")");
    game_.adjudicate(result_outcome_);
  }

  std::string_view rest_;
  Rules rules_;
  Game game_;
  bool end_marked_ = false;
  std::string_view result_;
  Outcome result_outcome_ = Outcome::Unfinished;
};

}  // namespace

std::string_view result_text(Outcome outcome) {
  for (const auto& [text, value] : kResults)
    if (value == outcome) return text;
  return "*";
}

std::string format_game(const Game& game) {
  std::string text;
  const bool normal_start =
      game.start() == Position(game.rules().goats) && game.start_goat_moves() == 0;
  if (!normal_start) text = "[FEN \"" + format_fen(game.start(), game.start_goat_moves()) + "\"]\n";

  Side side = game.start().side_to_move();
  int number = game.start_goat_moves();
  if (side == Side::Tiger && game.plies() > 0) text += std::to_string(number) + "... ";
  for (const Action action : game.moves()) {
    if (side == Side::Goat) text += std::to_string(++number) + ". ";
    text += format_move(side, action) + ' ';
    side = opponent(side);
  }
  if (game.over() && !is_verdict(game.termination())) {
    if (game.plies() > 0) text.pop_back();
    text += "# ";
  }
  return text += result_text(game.outcome());
}

Game parse_game(std::string_view text, const Rules& rules) { return Reader(text, rules).read(); }

}  // namespace baghzero
