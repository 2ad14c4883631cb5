#include "selfplay/game_file.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "engine/notation.h"

namespace baghzero {
namespace {

int whole_number(std::string_view name, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument("the rule " + std::string(name) + " is no number: \"" +
                                std::string(text) + "\"");
  return value;
}

void set_rule(Rules& rules, std::string_view setting) {
  const auto equals = std::min(setting.find('='), setting.size());
  const std::string_view name = setting.substr(0, equals);
  const std::string_view value = setting.substr(std::min(equals + 1, setting.size()));
  if (name == "goats")
    rules.goats = whole_number(name, value);
  else if (name == "captures_to_win")
    rules.captures_to_win = whole_number(name, value);
  else if (name == "repetition")
    rules.repetition = repetition_from_string(value);
  else if (name == "no_capture_limit")
    rules.no_capture_limit = whole_number(name, value);
  else if (name == "max_plies")
    rules.max_plies = whole_number(name, value);
  else
    throw std::invalid_argument("unknown rule \"" + std::string(name) + "\"");
}

Rules parse_rules(std::string_view text) {
  Rules rules;
  while (!text.empty()) {
    const std::string_view setting = text.substr(0, text.find(' '));
    if (!setting.empty()) set_rule(rules, setting);
    text.remove_prefix(std::min(setting.size() + 1, text.size()));
  }
  check_rules(rules);
  return rules;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// A tag pair that fills its line: [Name "value"].
bool read_tag(std::string_view line, std::pair<std::string, std::string>& tag) {
  const auto open = line.find('"');
  const auto close = line.rfind('"');
  if (!line.starts_with('[') || open == std::string_view::npos || close <= open) return false;
  const auto begin = line.find_first_not_of(" \t", 1);
  const std::string_view name = line.substr(begin, line.find_first_of(" \t\"", begin) - begin);
  tag = {std::string(name), std::string(line.substr(open + 1, close - open - 1))};
  return true;
}

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    visit(text.substr(begin, end - begin), begin, std::min(end + 1, text.size()));
    begin = end + 1;
  }
}

}  // namespace

std::string format_rules(const Rules& rules) {
  std::string text = "goats=";
  text.append(std::to_string(rules.goats))
      .append(" captures_to_win=")
      .append(std::to_string(rules.captures_to_win))
      .append(" repetition=")
      .append(to_string(rules.repetition))
      .append(" no_capture_limit=")
      .append(std::to_string(rules.no_capture_limit))
      .append(" max_plies=")
      .append(std::to_string(rules.max_plies));
  return text;
}

std::string_view FiledGame::tag(std::string_view name) const {
  for (const auto& [key, value] : tags)
    if (key == name) return value;
  return {};
}

std::string tag_value(std::string text) {
  std::ranges::replace(text, '"', '\'');
  std::ranges::replace_if(
      text, [](unsigned char letter) { return letter < ' '; }, ' ');
  return text;
}

std::string format_filed_game(const FiledGame& game) {
  std::string text;
  const auto add = [&text](std::string_view name, const std::string& value) {
    text.append("[").append(name).append(" \"").append(tag_value(value)).append("\"]\n");
  };
  for (const auto& [name, value] : game.tags) add(name, value);
  if (!(game.game.rules() == Rules{})) add("Rules", format_rules(game.game.rules()));
  return text.append(format_game(game.game)).append("\n\n");
}

std::vector<GameText> split_games(std::string_view text) {
  std::vector<GameText> games;
  std::size_t begin = 0;
  int line_number = 0;
  int first_line = 1;
  bool has_content = false;
  bool has_moves = false;
  const auto finish = [&](std::size_t content_end, std::size_t end, bool closed) {
    if (has_content)
      games.push_back({text.substr(begin, content_end - begin), first_line, end, closed});
    has_content = has_moves = false;
  };
  for_each_line(text, [&](std::string_view line, std::size_t line_begin, std::size_t line_end) {
    ++line_number;
    const bool complete = line_end > line_begin + line.size();  // with its line feed
    if (is_blank(line)) {
      if (has_moves && complete) finish(line_begin, line_end, true);
      return;
    }
    if (line.starts_with('[') && has_moves) finish(line_begin, line_begin, true);
    if (!has_content) {
      begin = line_begin;
      first_line = line_number;
    }
    has_content = true;
    has_moves = has_moves || !line.starts_with('[');
  });
  finish(text.size(), text.size(), false);
  return games;
}

FiledGame parse_filed_game(std::string_view text, const Rules& rules) {
  FiledGame filed;
  Rules used = rules;
  for_each_line(text, [&](std::string_view line, std::size_t, std::size_t) {
    std::pair<std::string, std::string> tag;
    if (!read_tag(line, tag)) return;
    if (tag.first == "Rules")
      used = parse_rules(tag.second);
    else if (tag.first != "FEN")
      filed.tags.push_back(std::move(tag));
  });
  filed.game = parse_game(text, used);
  // Moves and result alone do not tell a forfeit from another verdict.
  const bool has_loser =
      filed.game.outcome() == Outcome::GoatsWin || filed.game.outcome() == Outcome::TigersWin;
  if (filed.game.termination() == Termination::Adjudicated && has_loser &&
      filed.tag("Termination") == to_string(Termination::Forfeit))
    filed.game.forfeit(filed.game.outcome() == Outcome::GoatsWin ? Side::Tiger : Side::Goat);
  return filed;
}

std::vector<FiledGame> parse_game_file(std::string_view text, const std::string& name,
                                       const Rules& rules) {
  std::vector<FiledGame> games;
  for (const GameText& game : split_games(text)) {
    try {
      games.push_back(parse_filed_game(game.text, rules));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(name + ":" + std::to_string(game.line) + ": " + error.what());
    }
  }
  return games;
}

std::string read_text_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || stream.bad())
    throw std::runtime_error("cannot read " + file + ": check the name and whether it is readable");
  return text;
}

}  // namespace baghzero
