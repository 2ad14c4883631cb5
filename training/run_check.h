// Looks for faults in all that a run has stored: the database, its games, models and states.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace baghzero {

struct RunFindings {
  std::vector<std::string> faults;  // one sentence each
  std::int64_t games = 0;           // what was looked at
  std::int64_t gate_games = 0;
  std::int64_t models = 0;
  std::int64_t states = 0;
};

// Reads everything and changes nothing; the run may train meanwhile. Of every game: its checksum,
// whether it replays legally to the result it claims, its policies and values, and whether the
// columns beside it say the same. Of the database: its pages, the numbers of games and generations,
// and whether gates and generations fit together. Of models and states: whether they can be loaded,
// belong to this run, and know of no game or generation that the database lacks.
// `progress` is called now and then with the games done and their number.
RunFindings check_stored_run(const std::filesystem::path& root,
                             const std::function<void(std::int64_t, std::int64_t)>& progress);

}  // namespace baghzero
