// The board as a web page: a server that answers as long as it exists.
#pragma once

#include <memory>
#include <string>

#include "engine/solver/database.h"
#include "play/engine_model.h"
#include "web/sessions.h"

namespace baghzero {

struct BoardServerSettings {
  std::string host = "127.0.0.1";  // name or address to listen at
  int port = 8080;                 // 0: any free one
  ThinkingSettings thinking;
  PlaySettings start;                              // of new games
  std::shared_ptr<const SolvedDatabase> database;  // may be null
};

// Every browser has a session of its own, known by a cookie; the sessions used last are kept. What
// a request may cost is bounded. Requests that another site made a browser send, or that are wrong
// in any way, are answered with a 4xx and change nothing: see docs/engine.md.
class BoardServer {
 public:
  static constexpr int kMostSessions = 64;

  // Answers from here on, in threads of its own. Throws std::runtime_error if the address cannot be
  // listened at, and as make_analyst().
  BoardServer(const EngineModel& model, const BoardServerSettings& settings);
  ~BoardServer();
  BoardServer(const BoardServer&) = delete;
  BoardServer& operator=(const BoardServer&) = delete;

  int port() const;
  std::string address() const;  // "http://127.0.0.1:8080/"

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace baghzero
