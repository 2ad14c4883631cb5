// The games of the browsers that play here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/game.h"
#include "play/persons.h"

namespace baghzero {

inline constexpr std::uint32_t kMostBoardVisits = 100'000;
inline constexpr double kLeastBoardSeconds = 0.05;
inline constexpr double kMostBoardSeconds = 30;

struct PlaySettings {
  Persons persons = Persons::Goats;
  std::uint32_t visits = 200;  // of the engine per move, 1..kMostBoardVisits
  double seconds = 2;          // per move at most, kLeastBoardSeconds..kMostBoardSeconds
};

struct Session {
  std::mutex mutex;  // guards what follows
  Game game;
  PlaySettings settings;
  std::uint64_t version = 1;  // grows with every change, so that stale requests are seen
};

// Sessions by secret names. A new one beyond the bound takes the place of the one that has been
// unused for longest. All functions may be called from any thread.
class SessionTable {
 public:
  // New sessions begin with this game and these settings.
  SessionTable(std::size_t most, const Rules& rules, const PlaySettings& settings);

  // Null if there is none of that name.
  std::shared_ptr<Session> find(std::string_view name);
  struct Named {
    std::string name;  // 128 random bits as 32 hexadecimal digits
    std::shared_ptr<Session> session;
  };
  Named create();

 private:
  const std::size_t most_;
  const Rules rules_;
  const PlaySettings settings_;
  std::mutex mutex_;           // guards the list
  std::list<Named> sessions_;  // lately used first; few enough to be searched
};

}  // namespace baghzero
