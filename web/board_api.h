// What the page can ask of the program, apart from how it is carried: every request is a name and a
// JSON object, every answer a JSON object.
//
//   game                              the game, as game_as_json()
//   new       {side, visits, seconds, goats, captures_to_win, repetition}
//   settings  {side, visits, seconds} what is not given stays as it is
//   move      {move}                  a move of a person
//   reply                             the engine's move
//   undo                              back to the person's last decision
//   import    {text}                  game text or a FEN, under the rules in force
//   evaluation                        {"network", "perfect"}, null where unknown
//   hint                              the engine's analysis, as analysis_as_json()
//
// The first seven answer with the game. All but `game` need {version}, that of the game which the
// page shows: if it is another by now, nothing is done.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "engine/solver/probe.h"
#include "web/sessions.h"
#include "web/thinkers.h"

namespace baghzero {

// Status of a fault that passes: the page asks again.
inline constexpr int kBusy = 503;

// A request that changed nothing, with the HTTP status that says what kind of fault it was.
class RequestFault : public std::runtime_error {
 public:
  RequestFault(int status, const std::string& what) : std::runtime_error(what), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// All functions may be called from any thread.
class BoardApi {
 public:
  static constexpr int kMostProbing = 16;  // requests that look up, one after another

  // `database` may be null.
  BoardApi(Thinkers& thinkers, std::shared_ptr<const SolvedDatabase> database);

  static std::span<const std::string_view> names();
  // Throws RequestFault with a sentence for people: 400 for what is not understood, 409 for a
  // request about a game that has changed since or where it has no place, 422 for moves, texts and
  // settings that are not possible, 503 if the engine is busy.
  nlohmann::ordered_json answer(std::string_view name, const nlohmann::json& request,
                                Session& session);

 private:
  nlohmann::ordered_json reply(const nlohmann::json& request, Session& session);
  nlohmann::ordered_json evaluation(const nlohmann::json& request, Session& session);
  nlohmann::ordered_json hint(const nlohmann::json& request, Session& session);
  nlohmann::ordered_json solved(const Game& game);
  nlohmann::ordered_json describe(const Session& session) const;

  Thinkers& thinkers_;
  std::atomic<int> probing_{0};
  std::mutex probe_mutex_;  // guards the probe
  std::unique_ptr<SolvedProbe> probe_;
};

}  // namespace baghzero
