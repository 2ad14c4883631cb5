// The file of `--games`: games are appended as they finish, and an interrupted match goes on from
// it.
#pragma once

#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "selfplay/match_file.h"

namespace baghzero {

class MatchGames {
 public:
  // Without a file name nothing is written. A file that exists is only touched with `resume`: its
  // complete pairs are kept, whatever follows them is cut off. Throws std::runtime_error or
  // std::invalid_argument naming the file.
  MatchGames(const std::string& file, bool resume, const std::string& first,
             const std::string& second, std::span<const Game> openings);

  // The games found in the file, pair after pair.
  std::vector<MatchGame> take_played() { return std::move(played_); }
  void add(const MatchGame& game);

 private:
  void check() const;

  std::string file_;
  std::string first_;
  std::string second_;
  std::vector<MatchGame> played_;
  std::ofstream stream_;
};

}  // namespace baghzero
