// One rating scale for many players, fitted to all their games at once, and which games would
// improve it most.
//
// Every player has two ratings, as goat and as tiger. The game between goat i and tiger j has the
// strength difference d = goat_i - tiger_j + a, where a is what the goats' side is worth; then
//
//   P(goats win) : P(draw) : P(tigers win) = 10^(d/800) : n : 10^(-d/800)
//
// (Davidson, "On extending the Bradley-Terry model to accommodate ties", 1970), which without draws
// is the logistic Elo scale. The anchor's two ratings are given, so that a is the difference
// between its two sides and every other rating tells how much better than the anchor a player is in
// that role. The fit is the maximum of the posterior under a wide normal prior, which keeps it
// finite where a player has won or lost everything; errors come from its Hessian, games taken as
// independent.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace baghzero {

// Games between one goat player and one tiger player.
struct RatedGames {
  int goat = 0;   // index of the player
  int tiger = 0;  // may be the same one
  std::int64_t goat_wins = 0;
  std::int64_t draws = 0;
  std::int64_t tiger_wins = 0;
  std::int64_t games() const { return goat_wins + draws + tiger_wins; }
};

// The players that games link with `player`, itself among them, directly or through others,
// ascending. Ratings of the others say nothing beside its own.
std::vector<int> linked_players(int players, std::span<const RatedGames> games, int player);

struct RatingSettings {
  int anchor = 0;                 // index of the player whose ratings are given
  double anchor_rating = 0;       // Elo
  double prior_deviation = 1500;  // Elo, of every rating around the anchor's
};

struct Rating {
  double elo = 0;
  double error = 0;  // half the 95 % interval
};

struct PlayerRating {
  Rating overall;  // mean of both roles
  Rating as_goat;
  Rating as_tiger;
  std::int64_t games = 0;
};

class RatingFit {
 public:
  // Throws std::invalid_argument if an index is none of a player or a count is negative.
  RatingFit(int players, std::span<const RatedGames> games, const RatingSettings& settings = {});

  const std::vector<PlayerRating>& players() const { return players_; }
  Rating goat_advantage() const { return goat_advantage_; }
  // Probability of a draw between equally strong sides.
  double draw_share() const;
  // Score of the goats, 0..1, draws counting half.
  double expected_score(int goat, int tiger) const;
  // Score of `first` over two games with swapped roles.
  double expected_pair_score(int first, int second) const;
  // 95 % interval, as half of it, of the difference between two overall ratings.
  double difference_error(int first, int second) const;

  struct Pairing {
    int first = 0;
    int second = 0;
    friend bool operator==(const Pairing&, const Pairing&) = default;
  };
  // The pairing, first <= second, of which two games with swapped roles are expected to lower the
  // summed variance of all ratings most for their cost. A player may meet itself: that tells what
  // its two roles are worth to each other. `costs[first * players + second]` is the cost of one
  // such pair of games, positive or infinite; empty: all cost the same. Nothing if no pairing has a
  // finite cost or there is one player only.
  std::optional<Pairing> best_pairing(std::span<const double> costs = {}) const;

 private:
  int player_count() const { return static_cast<int>(players_.size()); }
  std::size_t parameters() const { return 2 * players_.size() + 2; }

  std::vector<PlayerRating> players_;
  Rating goat_advantage_;
  // In natural units: goat and tiger rating of every player, advantage, log of the draw weight.
  std::vector<double> solution_;
  std::vector<double> covariance_;  // parameters x parameters
};

}  // namespace baghzero
