#include "selfplay/ugi_agent.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/notation.h"
#include "selfplay/child_process.h"

namespace baghzero {
namespace {

using Clock = std::chrono::steady_clock;

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return text;
}

// The name in "option name NAME type TYPE …", in lower case; empty if the line is none.
std::string option_name(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  std::string name;
  if (!(words >> word) || word != "option" || !(words >> word) || word != "name") return name;
  while (words >> word && word != "type") name.append(name.empty() ? "" : " ").append(word);
  return lower_case(name);
}

std::string position_text(const Game& game) {
  const bool normal_start =
      game.start() == Position(game.rules().goats) && game.start_goat_moves() == 0;
  std::string text = "position ";
  if (normal_start)
    text.append("startpos");
  else
    text.append("fen ").append(format_fen(game.start(), game.start_goat_moves()));
  Side side = game.start().side_to_move();
  if (game.plies() > 0) text.append(" moves");
  for (const Action action : game.moves()) {
    text.append(" ").append(format_move(side, action));
    side = opponent(side);
  }
  return text;
}

Action read_move(const Game& game, const std::string& move) {
  const std::string where = "its move \"" + move + "\" in " + format_fen(game) + " is illegal: ";
  Action action = 0;
  try {
    action = parse_move(game.side_to_move(), move);
  } catch (const std::invalid_argument& error) {
    throw Forfeit(where + error.what());
  }
  if (const std::string why = game.why_illegal(action); !why.empty()) throw Forfeit(where + why);
  return action;
}

// A program that has said "ugiok". All faults leave as Forfeit.
class UgiProgram {
 public:
  UgiProgram(const UgiAgentSettings& settings, const std::function<bool()>& stopped)
      : settings_(settings), process_(settings.command) {
    interrupt_when(stopped);
    const auto deadline = Clock::now() + settings.timeout;
    send("ugi", deadline);
    await("ugiok", "ugi", deadline, [this](const std::string& line) {
      if (std::string name = option_name(line); !name.empty()) options_.insert(std::move(name));
    });
  }

  // Every function but leave() throws Interrupted once `stopped` says yes; what the program does
  // then is unknown, and it can only be ended.
  void interrupt_when(std::function<bool()> stopped) {
    process_.interrupt_when(std::move(stopped));
  }

  void new_game(const Rules& rules, std::uint64_t seed) {
    const auto deadline = Clock::now() + settings_.timeout;
    constexpr std::uint64_t kSeedMask = 0x7fffffff;  // options are often 32 bits wide
    set_option("Seed", std::to_string(seed & kSeedMask), deadline);
    // An engine may refuse fewer goats than the captures that it knows of at the moment.
    set_option("CapturesToWin", "1", deadline);
    set_option("Goats", std::to_string(rules.goats), deadline);
    set_option("CapturesToWin", std::to_string(rules.captures_to_win), deadline);
    set_option("Repetition", std::string(to_string(rules.repetition)), deadline);
    set_option("NoCaptureLimit", std::to_string(rules.no_capture_limit), deadline);
    set_option("MaxPlies", std::to_string(rules.max_plies), deadline);
    send("uginewgame\nisready", deadline);
    await("readyok", "isready", deadline);
  }

  // What it answers to the position of `game`.
  std::string ask(const Game& game) {
    std::string go = "go nodes ";
    auto patience = settings_.timeout;
    if (settings_.time.count() > 0) {
      go = "go movetime ";
      patience += settings_.time;
    }
    go.append(
        std::to_string(settings_.time.count() > 0 ? settings_.time.count() : settings_.nodes));
    const auto deadline = Clock::now() + patience;
    send(position_text(game) + "\n" + go, deadline);
    std::istringstream words(await("bestmove", go, deadline));
    std::string word;
    std::string move;
    words >> word >> move;
    return move;
  }

  void leave() {
    constexpr auto kTimeToLeave = std::chrono::seconds(1);
    const auto deadline = Clock::now() + kTimeToLeave;
    interrupt_when({});
    try {
      send("quit", deadline);
    } catch (const Forfeit&) {  // gone already
      return;
    }
    process_.leave(deadline);
  }

 private:
  void set_option(const std::string& name, const std::string& value, Clock::time_point deadline) {
    if (options_.contains(lower_case(name)))
      send("setoption name " + name + " value " + value, deadline);
  }

  void send(const std::string& lines, Clock::time_point deadline) {
    try {
      if (process_.write(lines + "\n", deadline)) return;
    } catch (const ChildEnded& end) {
      throw Forfeit(std::string("it ") + end.what());
    }
    throw Forfeit("it does not read what it is told");
  }

  // The first line that begins with the word `answer`; those before it are shown to `hear`.
  std::string await(const std::string& answer, const std::string& question,
                    Clock::time_point deadline,
                    const std::function<void(const std::string&)>& hear = {}) {
    const auto begin = Clock::now();
    try {
      while (Clock::now() < deadline) {
        const std::optional<std::string> line = process_.read_line(deadline);
        if (!line) break;
        if (line->substr(0, line->find(' ')) == answer) return *line;
        if (hear) hear(*line);
      }
    } catch (const ChildEnded& end) {
      throw Forfeit(std::string("it ") + end.what() + " before it answered \"" + question + "\"");
    }
    const auto waited = std::chrono::round<std::chrono::milliseconds>(deadline - begin);
    throw Forfeit("it did not answer \"" + question + "\" with \"" + answer + "\" within " +
                  std::to_string(waited.count()) + " ms");
  }

  const UgiAgentSettings& settings_;
  ChildProcess process_;
  std::set<std::string> options_;  // those it has, in lower case
};

// The programs of one player that wait for a game.
class UgiPool {
 public:
  explicit UgiPool(UgiAgentSettings settings) : settings_(std::move(settings)) {}
  ~UgiPool() {
    for (const auto& program : idle_) program->leave();
  }
  UgiPool(const UgiPool&) = delete;
  UgiPool& operator=(const UgiPool&) = delete;

  std::unique_ptr<UgiProgram> take(const std::function<bool()>& stopped) {
    {
      const std::lock_guard lock(mutex_);
      if (failed_starts_ >= kMostFailedStarts) throw Forfeit(last_failure_);
      if (!idle_.empty()) {
        auto program = std::move(idle_.back());
        idle_.pop_back();
        program->interrupt_when(stopped);
        return program;
      }
    }
    try {
      auto program = std::make_unique<UgiProgram>(settings_, stopped);
      const std::lock_guard lock(mutex_);
      failed_starts_ = 0;
      return program;
    } catch (const std::runtime_error& error) {
      const std::lock_guard lock(mutex_);
      ++failed_starts_;
      last_failure_ = error.what();
      throw Forfeit(last_failure_);
    }
  }
  void give_back(std::unique_ptr<UgiProgram> program) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(program));
  }
  const std::string& command() const { return settings_.command; }
  // Whether any program has answered with a move yet.
  bool has_answered() const { return has_answered_; }
  void note_answer() { has_answered_ = true; }

 private:
  static constexpr int kMostFailedStarts = 3;

  const UgiAgentSettings settings_;
  std::atomic<bool> has_answered_ = false;
  std::mutex mutex_;  // guards everything below
  std::vector<std::unique_ptr<UgiProgram>> idle_;
  int failed_starts_ = 0;  // in a row
  std::string last_failure_;
};

class UgiAgent final : public Agent {
 public:
  explicit UgiAgent(std::shared_ptr<UgiPool> pool) : pool_(std::move(pool)) {}
  ~UgiAgent() override { release(); }
  UgiAgent(const UgiAgent&) = delete;
  UgiAgent& operator=(const UgiAgent&) = delete;

  std::string name() const override { return "ugi:" + pool_->command(); }
  void new_game(std::uint64_t seed) override {
    release();
    seed_ = seed;
  }
  void interrupt_when(const std::function<bool()>& stopped) override { stopped_ = stopped; }
  Action choose(const Game& game) override {
    try {
      if (!program_) {
        program_ = pool_->take(stopped_);
        program_->new_game(game.rules(), seed_);
      }
      const std::string move = program_->ask(game);
      pool_->note_answer();
      return read_move(game, move);
    } catch (const Forfeit& forfeit) {
      program_.reset();
      if (pool_->has_answered()) throw;
      throw std::runtime_error("the engine \"" + pool_->command() + "\" has never played a move: " +
                               forfeit.what() + "; try the command by itself");
    } catch (const Interrupted&) {
      program_.reset();
      throw;
    }
  }

 private:
  void release() {
    if (program_) pool_->give_back(std::move(program_));
  }

  std::shared_ptr<UgiPool> pool_;
  std::unique_ptr<UgiProgram> program_;
  std::uint64_t seed_ = 0;
  std::function<bool()> stopped_;
};

}  // namespace

std::function<std::unique_ptr<Agent>()> make_ugi_agents(const UgiAgentSettings& settings) {
  if (settings.command.empty() || settings.nodes < 1 || settings.time.count() < 0 ||
      settings.timeout.count() < 1)
    throw std::invalid_argument(
        "an engine needs a command, a positive number of nodes or time, and a positive time-out");
  return [pool = std::make_shared<UgiPool>(settings)] { return std::make_unique<UgiAgent>(pool); };
}

}  // namespace baghzero
