// What came out of a match, from the first player's point of view.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>

#include "engine/game.h"

namespace baghzero {

struct MatchGame {
  int pair = 0;  // index of the opening; the two games of a pair swap roles
  bool first_is_tiger = false;
  Game game;
  std::string forfeit = {};  // why a player lost by no rule, as one sentence; empty: it did not
};

// Pairs by the points the first player made in them: bin i counts i/2 points of 2, a draw being
// half a point. The two games of a pair share an opening and are not independent; the pairs are.
using PairCounts = std::array<std::int64_t, 5>;

// Bin of a pair, 0..4. Throws std::invalid_argument if a game is unfinished.
int pair_bin(Outcome first_as_goat, Outcome first_as_tiger);

struct RoleTally {
  int wins = 0;
  int draws = 0;
  int losses = 0;
  int games() const { return wins + draws + losses; }
  // Wins plus half the draws, as a share of the games: 0..1; 0.5 if there are none.
  double score() const;
};

inline constexpr int kTerminationCount = static_cast<int>(Termination::Forfeit) + 1;

struct MatchReport {
  std::string first;
  std::string second;
  int pairs = 0;
  RoleTally as_goat;   // of the first player
  RoleTally as_tiger;  // of the first player
  PairCounts pair_counts{};
  std::array<int, kTerminationCount> terminations{};  // games, by Termination
  std::array<int, 2> forfeits{};  // games that first and second player forfeited
  double average_plies = 0;       // of a game, its opening included
  int distinct_games = 0;         // up to symmetry

  int games() const { return 2 * pairs; }
  RoleTally total() const;
  double score() const { return total().score(); }
  // Draws that are only a length limit; they count half a point like any draw.
  int limit_draws() const;
};

// One line: "A vs B: 62.5 % in 20 pairs (as goat +8 =2 -10, as tiger …), 40 distinct games, …".
std::string summary(const MatchReport& report);

// Counts games that differ: two are the same if a symmetry of the board maps start position and
// moves of one onto those of the other.
class DistinctGames {
 public:
  // Whether `game` was new.
  bool add(const Game& game);
  int size() const { return static_cast<int>(seen_.size()); }

 private:
  std::unordered_set<std::string> seen_;
};

// Collects the finished pairs of a match.
class MatchTally {
 public:
  MatchTally(std::string first, std::string second);
  // The two games of one pair. Throws std::invalid_argument if they are unfinished or not the two
  // sides of one pair.
  void add(const MatchGame& first_as_goat, const MatchGame& first_as_tiger);
  const MatchReport& report() const { return report_; }

 private:
  MatchReport report_;
  std::int64_t plies_ = 0;
  DistinctGames distinct_;
};

}  // namespace baghzero
