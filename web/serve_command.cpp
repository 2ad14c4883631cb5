#include "web/serve_command.h"

#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "play/commands.h"
#include "play/number_check.h"
#include "web/board_server.h"

namespace baghzero {
namespace {

// Every analysis begins from nothing: what it remembers is of use within it alone.
constexpr std::int64_t kCacheMib = 4;

struct Options {
  ThinkingOptions thinking;
  BoardServerSettings server;
  std::string side = "goat";
  std::string database;  // empty: the usual folder, if the solved game is there
};

// Waits for the signals that end a program. Threads started while it exists leave them to it.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~EndSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  void wait() const {
    int signal = 0;
    sigwait(&signals_, &signal);
  }

 private:
  sigset_t signals_;
  sigset_t before_;
};

std::shared_ptr<const SolvedDatabase> open_database(const std::string& folder) {
  if (!folder.empty()) return std::make_shared<SolvedDatabase>(folder);
  const auto usual = default_database_folder();
  if (!std::filesystem::exists(movement_file(usual, 0))) return nullptr;
  return std::make_shared<SolvedDatabase>(usual);
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

void run_serve(const Options& options) {
  BoardServerSettings settings = options.server;
  settings.start.persons = persons_from_string(options.side);
  settings.thinking = options.thinking.settings;
  settings.thinking.cache_mib = kCacheMib;
  settings.database = open_database(options.database);
  const EngineModel model = options.thinking.load();
  if (!is_loopback(settings.host))
    std::cerr << "Whoever reaches this machine at " << settings.host
              << " can play here and use its processor.\n";
  const EndSignals signals;
  const BoardServer server(model, settings);
  std::cout << "A board to play on: " << server.address() << "  (Ctrl-C ends)" << std::endl;
  signals.wait();
}

}  // namespace

void define_serve_command(CLI::App& command) {
  auto options = std::make_shared<Options>();
  command.description("Serve a web page with a board on which to play against a network");
  add_thinking_options(command, options->thinking);
  command.add_option("--db", options->database,
                     "Folder of the solved game, for perfect values (default: $BAGHZERO_DB, else "
                     "solved, if it is there)");
  command.add_option("--host", options->server.host, "Address to listen at")->capture_default_str();
  command.add_option("--port,-p", options->server.port, "Port to listen at; 0: any free one")
      ->check(number_between(0, 65535))
      ->capture_default_str();
  command.add_option("--side", options->side, "Side of persons in new games: goat, tiger or both")
      ->check(CLI::IsMember({"goat", "tiger", "both"}))
      ->capture_default_str();
  command
      .add_option("--visits,-v", options->server.start.visits,
                  "Simulations of the engine per move in new games: its strength")
      ->check(number_between(1U, kMostBoardVisits))
      ->capture_default_str();
  command
      .add_option("--seconds", options->server.start.seconds,
                  "Seconds per move at most in new games")
      ->check(number_between(kLeastBoardSeconds, kMostBoardSeconds))
      ->capture_default_str();
  command.footer(
      "The page can change side, level and rules. Every browser has a game of its own; games are\n"
      "gone when the program ends, but can be exported as text.\n\n"
      "Examples:\n"
      "  baghzero serve --model gen-0004.bzn\n"
      "  baghzero serve --model gen-0004.bzn --side tiger --db solved\n");
  command.callback([options] { run_serve(*options); });
}

void add_serve_command(CLI::App& app) { define_serve_command(*app.add_subcommand("serve", "")); }

}  // namespace baghzero
