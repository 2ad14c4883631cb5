// A rating of many players by matches between those pairs of them that tell most.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "selfplay/match.h"
#include "selfplay/ratings.h"

namespace baghzero {

// All games between the players of a ladder, by who was goat and who was tiger.
class ResultTable {
 public:
  explicit ResultTable(int players);
  int players() const { return players_; }

  // Throw std::invalid_argument for an unfinished game and for players that do not exist.
  void add(int goat, int tiger, Outcome outcome);
  void add(const RatedGames& games);

  const RatedGames& between(int goat, int tiger) const;
  // Those with at least one game.
  std::vector<RatedGames> all() const;
  // Games between two players, whoever was goat.
  std::int64_t games(int first, int second) const;
  // Score of `first` against `second`, 0..1, both roles counting alike; 0.5 without games.
  double score(int first, int second) const;
  // Standard error of that score, at most what independent games without draws would have.
  double score_error(int first, int second) const;

 private:
  RatedGames& at(int goat, int tiger);
  int players_;
  std::vector<RatedGames> table_;
};

// Games between players who are known by their names.
struct NamedGames {
  std::vector<std::string> players;
  std::vector<RatedGames> games;  // of indices into `players`
};

// a beats b beats c beats a.
struct IntransitiveTriple {
  int a = 0;
  int b = 0;
  int c = 0;
  // By how many standard errors the closest of the three lies above an even score.
  double certainty = 0;
};
// The triples whose three scores all lie at least `certainty` standard errors above 1/2, the most
// certain first. `a` is the smallest index of its triple.
std::vector<IntransitiveTriple> intransitive_triples(const ResultTable& results,
                                                     double certainty = 1);

// A pairing whose score is not what the ratings say.
struct Misfit {
  int first = 0;
  int second = 0;
  double score = 0;      // of `first`
  double expected = 0;   // by the ratings
  double deviation = 0;  // in standard errors
};
// Those that deviate by at least `deviation` standard errors, the worst first.
std::vector<Misfit> misfits(const ResultTable& results, const RatingFit& fit, double deviation = 3);

// The seed of ladders that are given none, and of the evaluations of a run: whoever of them lets
// two players meet again goes on with the openings behind those that were played.
inline constexpr std::uint64_t kLadderSeed = 1;

struct LadderSettings {
  MatchSettings match;  // `first_pair` is set by the ladder
  RatingSettings rating;
  std::int64_t pairs = 0;            // to play at most; 0: no such limit
  std::chrono::milliseconds time{};  // to begin matches in; 0: no such limit
  int pairs_per_match = 4;           // played at once once a pairing has been chosen
  // Optional: games that are not rated, but whose openings have been played.
  const ResultTable* unrated = nullptr;
};

// What a ladder tells after each of its matches.
struct LadderProgress {
  const RatingFit& fit;
  std::int64_t pairs = 0;             // played so far
  std::span<const RatedGames> games;  // of the match, all of them new
};

// Plays matches until the budget is spent, *match.stop, or no pairing has an opening left, adding
// to `results`, which may hold games of earlier ladders; the n-th pair between two players uses the
// n-th opening of match.seed. With a limit of time pairings are weighed by what their games have
// been seen to take. `on_match` is called after every match, also one that was stopped. Throws what
// play_match() throws, and std::invalid_argument for fewer than two players, a table of another
// size, or no limit.
RatingFit play_ladder(std::span<const Player> players, ResultTable& results,
                      const LadderSettings& settings,
                      const std::function<void(const LadderProgress&)>& on_match = {});

}  // namespace baghzero
