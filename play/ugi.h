// The Universal Game Interface, UCI for other games: the engine reads commands line by line and
// thinks in a thread of its own, so that it always listens. Goats are the first player.
// After kz04px's description (github.com/kz04px/cutegames, ugi.md).
#pragma once

#include <atomic>
#include <condition_variable>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "engine/game.h"
#include "play/analyst.h"
#include "play/engine_model.h"
#include "play/time_control.h"
#include "play/ugi_options.h"

namespace baghzero {

class UgiSession {
 public:
  // Answers go to `out`, whole lines, flushed. `values` are the options' defaults; a model file
  // named there is loaded at once (throws std::runtime_error).
  UgiSession(std::ostream& out, UgiValues values);
  ~UgiSession();  // stops a search, which still answers
  UgiSession(const UgiSession&) = delete;
  UgiSession& operator=(const UgiSession&) = delete;

  // Handles one line. False after "quit", when the session is over. What is wrong with a line is
  // told in an "info string" and changes nothing.
  bool handle(std::string_view line);
  // No line will follow: lets a search with an end finish and stops an infinite one.
  void finish();

 private:
  bool dispatch(std::string_view command, std::string_view rest);
  void introduce();
  void set_option(std::string_view text);
  void go(std::string_view text);
  void stop();
  void query(std::string_view text);
  void show();

  bool refuse_while_thinking(std::string_view command);
  void think(const Game& game, const SearchPlan& plan);
  void wait_for_stop();
  void join();

  void say(const std::string& line);
  void complain(const std::string& fault) { say("info string error: " + fault); }

  std::mutex output_mutex_;
  std::ostream& out_;

  const UgiValues defaults_;
  UgiValues values_;
  EngineModel model_;
  std::unique_ptr<Analyst> analyst_;  // made when first needed
  Game game_;

  std::thread thinker_;
  std::atomic<bool> thinking_{false};
  std::atomic<bool> stop_{false};
  std::atomic<bool> infinite_{false};
  std::mutex stop_mutex_;
  std::condition_variable stopped_;
};

// Runs a session over two streams until "quit" or the end of input.
void run_ugi(std::istream& in, std::ostream& out, UgiValues values);

}  // namespace baghzero
