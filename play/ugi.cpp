#include "play/ugi.h"

#include <algorithm>
#include <istream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "engine/notation.h"
#include "play/position_text.h"
#include "play/ugi_info.h"

namespace baghzero {
namespace {

constexpr std::string_view kNoMove = "bestmove (none)";

std::string_view result_word(Outcome outcome) {
  switch (outcome) {
    case Outcome::GoatsWin:
      return "p1win";
    case Outcome::TigersWin:
      return "p2win";
    case Outcome::Draw:
      return "draw";
    case Outcome::Unfinished:
      break;
  }
  return "none";
}

std::string_view true_or_false(bool value) { return value ? "true" : "false"; }

bool is_legal(const Game& game, std::string_view move) {
  try {
    return game.legal().contains(parse_move(game.side_to_move(), move));
  } catch (const std::invalid_argument&) {
    return false;
  }
}

// Only what can be printed on one line.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return text;
}

}  // namespace

UgiSession::UgiSession(std::ostream& out, UgiValues values)
    : out_(out), defaults_(values), values_(std::move(values)), game_(values_.rules) {
  model_ = load_engine_model(values_.model);
  if (model_.network) values_.rules = model_.rules;
  game_ = Game(values_.rules);
}

UgiSession::~UgiSession() { stop(); }

bool UgiSession::handle(std::string_view line) {
  const auto words = split_words(line);
  if (words.empty()) return true;
  const auto command_end =
      static_cast<std::size_t>(words[0].data() - line.data()) + words[0].size();
  try {
    return dispatch(words[0], line.substr(command_end));
  } catch (const std::bad_alloc&) {
    complain("out of memory; fewer MaxNodes or a smaller Hash need less");
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return true;
}

bool UgiSession::dispatch(std::string_view command, std::string_view rest) {
  if (command == "quit") {
    stop();
    return false;
  }
  if (command == "ugi") {
    introduce();
  } else if (command == "isready") {
    say("readyok");
  } else if (command == "stop") {
    stop();
  } else if (command == "query") {
    query(rest);
  } else if (command == "d") {
    show();
  } else if (command == "ponderhit") {
    say("info string this engine does not ponder; ponderhit ignored");
  } else if (command == "uginewgame" || command == "position" || command == "setoption" ||
             command == "go") {
    if (refuse_while_thinking(command)) return true;
    if (command == "uginewgame") {
      game_ = Game(values_.rules);
      if (analyst_) analyst_->forget();
    } else if (command == "position") {
      game_ = parse_position(rest, values_.rules);
    } else if (command == "setoption") {
      set_option(rest);
    } else {
      go(rest);
    }
  } else {
    say("info string unknown command \"" + std::string(command) + "\" ignored");
  }
  return true;
}

void UgiSession::introduce() {
  std::string text = "id name BaghZero " BAGHZERO_VERSION "\nid author BaghZero\n";
  for (const std::string& option : describe_ugi_options(defaults_)) text += option + '\n';
  const std::lock_guard lock(output_mutex_);
  out_ << text << "ugiok" << std::endl;
}

void UgiSession::set_option(std::string_view text) {
  UgiValues changed = values_;
  const UgiChange change = set_ugi_option(text, changed);
  if (change == UgiChange::Model) {
    model_ = load_engine_model(changed.model);
    if (model_.network) changed.rules = model_.rules;
  }
  values_ = std::move(changed);
  if (change != UgiChange::Nothing) analyst_.reset();
}

// Ends before the next line is read, so what follows "stop" finds the engine at rest.
void UgiSession::stop() {
  {
    const std::lock_guard lock(stop_mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  join();
}

void UgiSession::join() {
  if (thinker_.joinable()) thinker_.join();
}

void UgiSession::finish() {
  if (infinite_) stop();
  join();
}

bool UgiSession::refuse_while_thinking(std::string_view command) {
  if (thinking_) {
    complain(std::string(command) + " while thinking is ignored; \"stop\" comes first");
    return true;
  }
  join();
  return false;
}

void UgiSession::go(std::string_view text) {
  const auto words = split_words(text);
  const GoRequest request = parse_go(words);
  for (const std::string_view word : request.ignored)
    say("info string go " + std::string(word) + " is not supported; ignored");
  if (game_.over()) {
    say("info string the game is over (" + std::string(to_string(game_.termination())) + ")");
    say(std::string(kNoMove));
    return;
  }
  if (!model_.network)
    say("info string no model: the search knows the rules alone; setoption name Model value FILE");
  if (!analyst_) analyst_ = make_analyst(model_, values_.thinking);
  const SearchPlan plan =
      plan_search(request, game_.side_to_move(), values_.visits, values_.move_overhead);
  if (plan.fresh) analyst_->forget();
  stop_ = false;
  infinite_ = request.infinite;
  thinking_ = true;
  thinker_ = std::thread([this, game = game_, plan] { think(game, plan); });
}

void UgiSession::think(const Game& game, const SearchPlan& plan) {
  const Side side = game.side_to_move();
  const auto tell = [&](const Analysis& analysis) {
    for (const std::string& line : info_lines(analysis, side)) say(line);
  };
  std::string answer(kNoMove);
  try {
    const Analysis analysis = analyst_->analyse(game, plan.limits, values_.lines, stop_, tell);
    tell(analysis);
    answer = "bestmove " + format_move(side, analysis.lines.front().action);
  } catch (const std::exception& error) {
    complain(error.what());
  }
  if (infinite_) wait_for_stop();
  thinking_ = false;  // before the answer, upon which the next command may come
  say(answer);
}

void UgiSession::wait_for_stop() {
  std::unique_lock lock(stop_mutex_);
  stopped_.wait(lock, [this] { return stop_.load(); });
}

void UgiSession::query(std::string_view text) {
  const auto words = split_words(text);
  const std::string_view what = words.empty() ? "" : words[0];
  std::string answer;
  if (what == "gameover")
    answer = true_or_false(game_.over());
  else if (what == "p1turn")
    answer = true_or_false(game_.side_to_move() == Side::Goat);
  else if (what == "result")
    answer = result_word(game_.outcome());
  else if (what == "fen")
    answer = format_fen(game_);
  else if (what == "islegal")
    answer = true_or_false(words.size() == 2 && is_legal(game_, words[1]));
  else
    throw std::invalid_argument(
        "query knows gameover, p1turn, result, fen and islegal MOVE, not \"" + std::string(what) +
        "\"");
  say("response " + answer);
}

void UgiSession::show() {
  const std::lock_guard lock(output_mutex_);
  out_ << draw_board(game_.position()) << format_fen(game_) << std::endl;
}

void UgiSession::say(const std::string& line) {
  const std::lock_guard lock(output_mutex_);
  out_ << on_one_line(line) << std::endl;
}

void run_ugi(std::istream& in, std::ostream& out, UgiValues values) {
  UgiSession session(out, std::move(values));
  for (std::string line; std::getline(in, line);)
    if (!session.handle(line)) return;
  session.finish();
}

}  // namespace baghzero
