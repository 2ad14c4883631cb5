#include "selfplay/ratings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>

#include "engine/normal_quantile.h"

namespace baghzero {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kEloPerUnit = 400 / std::numbers::ln10;
// The anchor is held by a prior so narrow that no number of games moves it.
constexpr double kAnchorDeviation = 1e-4;
// Draws are rare between players of this game; a third at equal strength lies one deviation away.
constexpr double kDrawPriorMean = -1.5;
constexpr double kDrawPriorDeviation = 1.5;
constexpr int kMostIterations = 200;

int goat_index(int player) { return 2 * player; }
int tiger_index(int player) { return 2 * player + 1; }

// Probabilities at strength difference x (natural units) and log draw weight, and derivatives of
// the log of their common denominator.
struct Odds {
  double log_total;
  double win;
  double draw;
  double loss;
  Odds(double x, double log_draw) {
    const double top = std::max({x / 2, -x / 2, log_draw});
    const double w = std::exp(x / 2 - top);
    const double l = std::exp(-x / 2 - top);
    const double d = std::exp(log_draw - top);
    log_total = top + std::log(w + d + l);
    win = w / (w + d + l);
    draw = d / (w + d + l);
    loss = l / (w + d + l);
  }
  double slope() const { return (win - loss) / 2; }
  double curvature() const { return (win + loss) / 4 - slope() * slope(); }
  double score() const { return win + draw / 2; }
};

// The posterior as a function of all parameters: goat and tiger ratings, advantage, log draw
// weight.
class Posterior {
 public:
  Posterior(int players, std::span<const RatedGames> games, const RatingSettings& settings)
      : games_(games), mean_(2 * players + 2), precision_(2 * players + 2) {
    const double deviation = settings.prior_deviation / kEloPerUnit;
    mean_.setConstant(settings.anchor_rating / kEloPerUnit);
    precision_.setConstant(1 / (deviation * deviation));
    mean_[advantage()] = 0;
    mean_[log_draw()] = kDrawPriorMean;
    precision_[log_draw()] = 1 / (kDrawPriorDeviation * kDrawPriorDeviation);
    for (const int index : {goat_index(settings.anchor), tiger_index(settings.anchor)})
      precision_[index] = 1 / (kAnchorDeviation * kAnchorDeviation);
  }

  Eigen::Index advantage() const { return mean_.size() - 2; }
  Eigen::Index log_draw() const { return mean_.size() - 1; }
  const VectorXd& mean() const { return mean_; }

  Odds odds(const VectorXd& at, int goat, int tiger) const {
    return {at[goat_index(goat)] - at[tiger_index(tiger)] + at[advantage()], at[log_draw()]};
  }

  double log_value(const VectorXd& at) const {
    double value = -0.5 * (at - mean_).cwiseAbs2().dot(precision_);
    for (const RatedGames& game : games_) {
      const double x = at[goat_index(game.goat)] - at[tiger_index(game.tiger)] + at[advantage()];
      value += 0.5 * static_cast<double>(game.goat_wins - game.tiger_wins) * x +
               static_cast<double>(game.draws) * at[log_draw()] -
               static_cast<double>(game.games()) * odds(at, game.goat, game.tiger).log_total;
    }
    return value;
  }

  // Gradient of the logarithm, and its negative second derivative.
  void derivatives(const VectorXd& at, VectorXd& gradient, MatrixXd& information) const {
    gradient = -(at - mean_).cwiseProduct(precision_);
    information = precision_.asDiagonal();
    for (const RatedGames& game : games_) {
      const Odds odds_here = odds(at, game.goat, game.tiger);
      const auto count = static_cast<double>(game.games());
      const double slope =
          0.5 * static_cast<double>(game.goat_wins - game.tiger_wins) - count * odds_here.slope();
      const std::array<std::pair<Eigen::Index, double>, 3> terms = {
          {{goat_index(game.goat), 1.0}, {tiger_index(game.tiger), -1.0}, {advantage(), 1.0}}};
      for (const auto& [row, row_sign] : terms) {
        gradient[row] += row_sign * slope;
        for (const auto& [column, column_sign] : terms)
          information(row, column) += row_sign * column_sign * count * odds_here.curvature();
        const double mixed = -row_sign * count * odds_here.draw * odds_here.slope();
        information(row, log_draw()) += mixed;
        information(log_draw(), row) += mixed;
      }
      gradient[log_draw()] += static_cast<double>(game.draws) - count * odds_here.draw;
      information(log_draw(), log_draw()) += count * odds_here.draw * (1 - odds_here.draw);
    }
  }

 private:
  std::span<const RatedGames> games_;
  VectorXd mean_;
  VectorXd precision_;
};

// Newton's method; the posterior is log-concave, so a step that does not rise is only too long.
VectorXd maximise(const Posterior& posterior) {
  VectorXd at = posterior.mean();
  VectorXd gradient;
  MatrixXd information;
  double value = posterior.log_value(at);
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    posterior.derivatives(at, gradient, information);
    VectorXd step = information.llt().solve(gradient);
    double next = posterior.log_value(at + step);
    while (!(next >= value) && step.norm() > 1e-12) {
      step /= 2;
      next = posterior.log_value(at + step);
    }
    at += step;
    value = next;
    if (step.norm() < 1e-9) break;
  }
  return at;
}

using PairColumns = Eigen::Matrix<double, Eigen::Dynamic, 2>;

// The two strength differences at which the games of a pair are played, as functions of the
// parameters: one column each.
PairColumns pair_directions(int first, int second, Eigen::Index parameters) {
  PairColumns directions = PairColumns::Zero(parameters, 2);
  directions(goat_index(first), 0) = 1;
  directions(tiger_index(second), 0) = -1;
  directions(goat_index(second), 1) = 1;
  directions(tiger_index(first), 1) = -1;
  directions.row(parameters - 2).setOnes();
  return directions;
}

// The variance with which one game each tells them.
Eigen::Matrix2d pair_noise(int first, int second, std::span<const double> solution) {
  const auto variance = [&](int goat, int tiger) {
    const double x = solution[static_cast<std::size_t>(goat_index(goat))] -
                     solution[static_cast<std::size_t>(tiger_index(tiger))] +
                     solution[solution.size() - 2];
    return 1 / std::max(1e-9, Odds(x, solution.back()).curvature());
  };
  return Eigen::Vector2d(variance(first, second), variance(second, first)).asDiagonal();
}

void check_games(int players, std::span<const RatedGames> games, const RatingSettings& settings) {
  const auto is_player = [players](int index) { return index >= 0 && index < players; };
  if (!is_player(settings.anchor))
    throw std::invalid_argument("the anchor of a rating is none of its " + std::to_string(players) +
                                " players");
  for (const RatedGames& game : games)
    if (!is_player(game.goat) || !is_player(game.tiger) || game.goat_wins < 0 || game.draws < 0 ||
        game.tiger_wins < 0)
      throw std::invalid_argument(
          "rated games name a player that does not exist or negative counts");
}

}  // namespace

std::vector<int> linked_players(int players, std::span<const RatedGames> games, int player) {
  std::vector<std::vector<int>> met(static_cast<std::size_t>(players));
  for (const RatedGames& game : games) {
    if (game.games() == 0) continue;
    met.at(static_cast<std::size_t>(game.goat)).push_back(game.tiger);
    met.at(static_cast<std::size_t>(game.tiger)).push_back(game.goat);
  }
  std::vector<int> linked = {player};
  std::vector<bool> known(met.size());
  known.at(static_cast<std::size_t>(player)) = true;
  for (std::size_t i = 0; i < linked.size(); ++i)
    for (const int other : met[static_cast<std::size_t>(linked[i])]) {
      if (known[static_cast<std::size_t>(other)]) continue;
      known[static_cast<std::size_t>(other)] = true;
      linked.push_back(other);
    }
  std::ranges::sort(linked);
  return linked;
}

RatingFit::RatingFit(int players, std::span<const RatedGames> games, const RatingSettings& settings)
    : players_(static_cast<std::size_t>(players)) {
  check_games(players, games, settings);
  const Posterior posterior(players, games, settings);
  const VectorXd at = maximise(posterior);
  VectorXd gradient;
  MatrixXd information;
  posterior.derivatives(at, gradient, information);
  const MatrixXd covariance =
      information.llt().solve(MatrixXd::Identity(information.rows(), information.cols()));
  solution_.assign(at.begin(), at.end());
  covariance_.assign(covariance.data(), covariance.data() + covariance.size());

  const auto rating = [](double value, double variance) {
    return Rating{kEloPerUnit * value,
                  kNormal975 * kEloPerUnit * std::sqrt(std::max(0.0, variance))};
  };
  for (int i = 0; i < players; ++i) {
    const int goat = goat_index(i);
    const int tiger = tiger_index(i);
    PlayerRating& player = players_[static_cast<std::size_t>(i)];
    player.as_goat = rating(at[goat], covariance(goat, goat));
    player.as_tiger = rating(at[tiger], covariance(tiger, tiger));
    player.overall = rating(
        (at[goat] + at[tiger]) / 2,
        (covariance(goat, goat) + covariance(tiger, tiger) + 2 * covariance(goat, tiger)) / 4);
  }
  PlayerRating& anchor = players_[static_cast<std::size_t>(settings.anchor)];
  anchor.overall = anchor.as_goat = anchor.as_tiger = {settings.anchor_rating, 0};
  const Eigen::Index advantage = posterior.advantage();
  goat_advantage_ = rating(at[advantage], covariance(advantage, advantage));
  for (const RatedGames& game : games) {
    players_[static_cast<std::size_t>(game.goat)].games += game.games();
    if (game.tiger != game.goat)
      players_[static_cast<std::size_t>(game.tiger)].games += game.games();
  }
}

double RatingFit::draw_share() const { return Odds(0, solution_.back()).draw; }

double RatingFit::expected_score(int goat, int tiger) const {
  const auto& at = solution_;
  const double x = at[static_cast<std::size_t>(goat_index(goat))] -
                   at[static_cast<std::size_t>(tiger_index(tiger))] + at[at.size() - 2];
  return Odds(x, at.back()).score();
}

double RatingFit::expected_pair_score(int first, int second) const {
  return (expected_score(first, second) + 1 - expected_score(second, first)) / 2;
}

double RatingFit::difference_error(int first, int second) const {
  const auto size = static_cast<Eigen::Index>(parameters());
  const Eigen::Map<const MatrixXd> covariance(covariance_.data(), size, size);
  VectorXd weights = VectorXd::Zero(size);
  for (const auto& [player, sign] : {std::pair(first, 0.5), std::pair(second, -0.5)}) {
    weights[goat_index(player)] += sign;
    weights[tiger_index(player)] += sign;
  }
  return kNormal975 * kEloPerUnit * std::sqrt(std::max(0.0, weights.dot(covariance * weights)));
}

std::optional<RatingFit::Pairing> RatingFit::best_pairing(std::span<const double> costs) const {
  const auto size = static_cast<Eigen::Index>(parameters());
  const int players = player_count();
  if (players < 2) return std::nullopt;
  const Eigen::Map<const MatrixXd> covariance(covariance_.data(), size, size);
  std::optional<Pairing> best;
  double best_gain = 0;
  for (int first = 0; first < players; ++first)
    for (int second = first; second < players; ++second) {
      const double cost =
          costs.empty() ? 1 : costs[static_cast<std::size_t>(first * players + second)];
      const PairColumns directions = pair_directions(first, second, size);
      const PairColumns spread = covariance * directions;
      const Eigen::Matrix2d inverse =
          (pair_noise(first, second, solution_) + directions.transpose() * spread).inverse();
      // Trace over the ratings alone: neither the advantage nor the draw weight is asked for.
      const auto ratings = spread.topRows(size - 2);
      const double gain = (ratings * inverse).cwiseProduct(ratings).sum() / cost;
      if (gain <= best_gain) continue;
      best_gain = gain;
      best = {first, second};
    }
  return best;
}

}  // namespace baghzero
