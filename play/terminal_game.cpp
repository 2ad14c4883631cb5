#include "play/terminal_game.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "engine/notation.h"
#include "engine/text.h"
#include "play/position_text.h"

namespace baghzero {
namespace {

constexpr std::string_view kHelp =
    "  33          goats place a goat on row 3, column 3\n"
    "  3334        move from row 3, column 3 to row 3, column 4; tigers jump with 1131\n"
    "  33          with a piece of yours on it: show where it can go\n"
    "  moves       all legal moves            hint        what the engine would play\n"
    "  undo        take back                  level N     the engine's simulations per move\n"
    "  side X      you play goat, tiger or both\n"
    "  new         another game               game        the moves so far, and the position\n"
    "  rules       the rules in short         quit\n";

std::string_view name_of(Side side) { return side == Side::Goat ? "goats" : "tigers"; }

// Digits of "33", "G33", "bx11-31"; empty if the text is anything else.
std::string digits_of(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9')
      digits += c;
    else if (std::string_view("gGbBxX-").find(c) == std::string_view::npos)
      return "";
  }
  return digits;
}

std::string move_text(Side side, const std::string& digits) {
  if (side == Side::Goat) return "G" + digits;
  try {
    return format_move(side, parse_move(side, "Bx" + digits));
  } catch (const std::invalid_argument&) {
    return "B" + digits;
  }
}

std::string describe(const AnalysisLine& line) {
  const std::string plies = std::to_string(line.proof_plies);
  if (line.proof == Proof::Win) return "wins in " + plies + " plies";
  if (line.proof == Proof::Loss) return "loses in " + plies + " plies";
  if (line.proof == Proof::Draw) return "draws";
  return "win " + percent(line.wdl.win, 0) + ", draw " + percent(line.wdl.draw, 0) + ", loss " +
         percent(line.wdl.loss, 0);
}

}  // namespace

TerminalGame::TerminalGame(std::istream& in, std::ostream& out, std::unique_ptr<Analyst> analyst,
                           std::string opponent, const TerminalGameSettings& settings)
    : in_(in),
      out_(out),
      analyst_(std::move(analyst)),
      opponent_(std::move(opponent)),
      settings_(settings),
      game_(settings.rules) {}

void TerminalGame::run() {
  out_ << "Bagh-Chal against " << opponent_ << ". \"help\" lists what can be typed.\n";
  for (;;) {
    if (!game_.over() && !plays(settings_.persons, game_.side_to_move())) {
      engine_move();
      continue;
    }
    if (!drawn_) show_board();
    if (!read_entry()) return;
  }
}

void TerminalGame::engine_move() {
  const Analysis analysis = analyst_->analyse(game_, {.visits = settings_.visits}, 1, never_);
  const Side side = game_.side_to_move();
  const Action action = analysis.lines.front().action;
  out_ << name_of(side) << " play " << format_move(side, action)
       << (is_jump(action) ? ", a capture" : "") << "\n";
  play(action);
}

void TerminalGame::play(Action action) {
  game_.play(action);
  drawn_ = false;
  if (game_.over()) announce_end();
}

bool TerminalGame::read_entry() {
  out_ << (game_.over() ? "new, undo or quit" : name_of(game_.side_to_move())) << "> "
       << std::flush;
  std::string line;
  if (!std::getline(in_, line)) {
    out_ << "\n";
    return false;
  }
  try {
    return obey(line);
  } catch (const std::invalid_argument& error) {
    out_ << error.what() << "\n";
  }
  return true;
}

bool TerminalGame::obey(std::string_view text) {
  const auto words = split_words(text);
  if (words.empty()) return true;
  std::string command(words[0]);
  std::ranges::transform(command, command.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (command == "quit" || command == "exit" || command == "q") return false;
  if (command == "help" || command == "?") {
    out_ << kHelp;
  } else if (command == "moves") {
    list_moves();
  } else if (command == "hint") {
    hint();
  } else if (command == "undo") {
    take_back(game_, settings_.persons);
    drawn_ = false;
  } else if (command == "new") {
    game_ = Game(settings_.rules);
    drawn_ = false;
  } else if (command == "game") {
    out_ << format_game(game_) << "\n" << format_fen(game_) << "\n";
  } else if (command == "rules") {
    explain_rules();
  } else if (!obey_setting(command, words.size() > 1 ? words[1] : "")) {
    enter_points(words[0]);
  }
  return true;
}

bool TerminalGame::obey_setting(std::string_view command, std::string_view value) {
  if (command == "side") {
    settings_.persons = persons_from_string(value);
    return true;
  }
  if (command != "level") return false;
  std::uint32_t visits = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), visits);
  if (error != std::errc{} || end != value.data() + value.size() || visits < 1 ||
      visits > kMaxVisits)
    throw std::invalid_argument("a level is a number of simulations from 1 to " +
                                std::to_string(kMaxVisits));
  settings_.visits = visits;
  out_ << opponent_ << " now thinks for " << visits << " simulations per move\n";
  return true;
}

void TerminalGame::enter_points(std::string_view text) {
  const std::string digits = digits_of(text);
  if (digits.size() != 2 && digits.size() != 4)
    throw std::invalid_argument("\"" + std::string(text) + "\" is not understood; try \"help\"");
  const Side side = game_.side_to_move();
  if (digits.size() == 2) {
    const Point point = action_info(parse_move(Side::Goat, "G" + digits)).to;
    const Bitboard own = side == Side::Goat ? game_.position().goats() : game_.position().tigers();
    if (own & bit(point)) return show_targets(point);
    if (side == Side::Tiger || !game_.position().in_placement())
      throw std::invalid_argument("none of your pieces stands on " + digits);
  }
  const Action action = parse_move(side, move_text(side, digits));
  const std::string fault = game_.why_illegal(action);
  if (!fault.empty())
    throw std::invalid_argument(format_move(side, action) + " is not possible: " + fault);
  play(action);
}

void TerminalGame::show_targets(Point from) {
  Bitboard targets = 0;
  for (const Action action : game_.legal())
    if (action_info(action).from == from) targets |= bit(action_info(action).to);
  if (targets) {
    show_board(targets);
    return;
  }
  const bool placing = game_.side_to_move() == Side::Goat && game_.position().in_placement();
  out_ << "the piece on " << point_name(from)
       << (placing ? " must wait until all goats have been placed\n" : " cannot move\n");
}

void TerminalGame::show_board(Bitboard marked) {
  out_ << "\n" << draw_board(game_.position(), settings_.unicode, marked) << std::flush;
  drawn_ = true;
}

void TerminalGame::hint() {
  if (game_.over()) throw std::invalid_argument("the game is over");
  constexpr int kHints = 3;
  const Analysis analysis = analyst_->analyse(game_, {.visits = settings_.visits}, kHints, never_);
  for (const AnalysisLine& line : analysis.lines)
    out_ << "  " << format_move(game_.side_to_move(), line.action) << "  " << describe(line)
         << "\n";
}

void TerminalGame::list_moves() {
  constexpr int kPerLine = 10;
  int listed = 0;
  for (const Action action : game_.legal())
    out_ << (listed++ % kPerLine == 0 && listed > 1 ? "\n  "
             : listed == 1                          ? "  "
                                                    : " ")
         << format_move(game_.side_to_move(), action);
  out_ << (listed == 0 ? "there is none\n" : "\n");
}

void TerminalGame::announce_end() {
  show_board();
  const Outcome outcome = game_.outcome();
  out_ << (outcome == Outcome::Draw       ? "a draw: "
           : outcome == Outcome::GoatsWin ? "the goats win: "
                                          : "the tigers win: ")
       << explain(game_.termination()) << "\n";
}

void TerminalGame::explain_rules() {
  const Rules& rules = game_.rules();
  out_ << "Goats place " << rules.goats
       << " goats one at a time on empty points, then move them along lines to empty points.\n"
          "Tigers move along a line, or jump over a goat to the empty point behind it, which "
          "captures it.\n"
          "Tigers win with "
       << rules.captures_to_win
       << " captures. A side that cannot move loses: goats win by blocking all tigers.\n";
  if (rules.repetition == Repetition::Forbidden)
    out_ << "Once all goats are placed, no move may bring back an earlier situation.\n";
  if (rules.repetition == Repetition::Threefold)
    out_ << "Once all goats are placed, a situation that occurs three times is a draw.\n";
  out_ << rules.no_capture_limit << " plies without a capture then, or " << rules.max_plies
       << " plies in all, are a draw.\n";
}

}  // namespace baghzero
