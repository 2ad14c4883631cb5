#include "selfplay/ladder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace baghzero {
namespace {

double goat_score(const RatedGames& games) {
  return (static_cast<double>(games.goat_wins) + 0.5 * static_cast<double>(games.draws)) /
         static_cast<double>(games.games());
}

// What a pair of games takes, by pairing: in seconds what it has taken, guessed from other matches
// of the two players before their first one; or one and the same.
class PairCosts {
 public:
  PairCosts(int players, bool by_time)
      : players_(static_cast<std::size_t>(players)),
        by_time_(by_time),
        of_player_(players_),
        of_pairing_(players_ * players_),
        excluded_(players_ * players_) {}

  void add(const RatingFit::Pairing& pairing, int pairs, double seconds) {
    for (Spent* spent : {&all_, &of_player_[index(pairing.first)],
                         &of_player_[index(pairing.second)], &of_pairing_[index(pairing)]}) {
      spent->seconds += seconds;
      spent->pairs += pairs;
    }
  }
  // No other pair of this pairing can be played.
  void exclude(const RatingFit::Pairing& pairing) { excluded_[index(pairing)] = true; }

  // As RatingFit::best_pairing() wants them.
  std::vector<double> table() const {
    std::vector<double> costs(players_ * players_, 1);
    for (std::size_t first = 0; first < players_; ++first)
      for (std::size_t second = first; second < players_; ++second) {
        double& cost = costs[first * players_ + second];
        if (by_time_) cost = seconds(first, second);
        if (excluded_[first * players_ + second]) cost = std::numeric_limits<double>::infinity();
      }
    return costs;
  }

 private:
  struct Spent {
    double seconds = 0;
    int pairs = 0;
    double mean_or(double guess) const { return pairs > 0 ? seconds / pairs : guess; }
  };
  static std::size_t index(int player) { return static_cast<std::size_t>(player); }
  std::size_t index(const RatingFit::Pairing& pairing) const {
    return index(pairing.first) * players_ + index(pairing.second);
  }
  double seconds(std::size_t first, std::size_t second) const {
    constexpr double kLeast = 1e-3;
    const double usual = all_.mean_or(1);
    const double guess =
        std::max(of_player_[first].mean_or(usual), of_player_[second].mean_or(usual));
    return std::max(of_pairing_[first * players_ + second].mean_or(guess), kLeast);
  }

  std::size_t players_;
  bool by_time_;
  Spent all_;
  std::vector<Spent> of_player_;
  std::vector<Spent> of_pairing_;
  std::vector<bool> excluded_;
};

void check_ladder(std::span<const Player> players, const ResultTable& results,
                  const LadderSettings& settings) {
  if (players.size() < 2)
    throw std::invalid_argument("a ladder needs two players at least, not " +
                                std::to_string(players.size()));
  const auto count = static_cast<int>(players.size());
  if (results.players() != count || (settings.unrated && settings.unrated->players() != count))
    throw std::invalid_argument("the results of a ladder are those of other players");
  if (settings.pairs_per_match < 1 || settings.pairs < 0 || settings.time.count() < 0 ||
      (settings.pairs == 0 && settings.time.count() == 0))
    throw std::invalid_argument("a ladder needs a limit of pairs or of time, and whole matches");
}

}  // namespace

ResultTable::ResultTable(int players)
    : players_(players), table_(static_cast<std::size_t>(players) * players) {
  for (int goat = 0; goat < players; ++goat)
    for (int tiger = 0; tiger < players; ++tiger) {
      at(goat, tiger).goat = goat;
      at(goat, tiger).tiger = tiger;
    }
}

RatedGames& ResultTable::at(int goat, int tiger) {
  if (goat < 0 || goat >= players_ || tiger < 0 || tiger >= players_)
    throw std::invalid_argument("no such player in the table of results");
  return table_[static_cast<std::size_t>(goat * players_ + tiger)];
}

const RatedGames& ResultTable::between(int goat, int tiger) const {
  return table_.at(static_cast<std::size_t>(goat * players_ + tiger));
}

void ResultTable::add(int goat, int tiger, Outcome outcome) {
  if (outcome == Outcome::Unfinished)
    throw std::invalid_argument("an unfinished game cannot be rated");
  RatedGames& games = at(goat, tiger);
  ++(outcome == Outcome::Draw       ? games.draws
     : outcome == Outcome::GoatsWin ? games.goat_wins
                                    : games.tiger_wins);
}

void ResultTable::add(const RatedGames& games) {
  RatedGames& entry = at(games.goat, games.tiger);
  entry.goat_wins += games.goat_wins;
  entry.draws += games.draws;
  entry.tiger_wins += games.tiger_wins;
}

std::vector<RatedGames> ResultTable::all() const {
  std::vector<RatedGames> played;
  for (const RatedGames& games : table_)
    if (games.games() > 0) played.push_back(games);
  return played;
}

std::int64_t ResultTable::games(int first, int second) const {
  return between(first, second).games() + (first == second ? 0 : between(second, first).games());
}

double ResultTable::score(int first, int second) const {
  const RatedGames& as_goat = between(first, second);
  const RatedGames& as_tiger = between(second, first);
  if (games(first, second) == 0) return 0.5;
  if (as_tiger.games() == 0) return goat_score(as_goat);
  if (as_goat.games() == 0) return 1 - goat_score(as_tiger);
  return (goat_score(as_goat) + 1 - goat_score(as_tiger)) / 2;
}

double ResultTable::score_error(int first, int second) const {
  const std::int64_t count = games(first, second);
  if (count == 0) return 0.5;
  // One virtual game at either end, so that equal results do not claim certainty.
  const double share =
      (score(first, second) * static_cast<double>(count) + 1) / static_cast<double>(count + 2);
  return std::sqrt(share * (1 - share) / static_cast<double>(count));
}

std::vector<IntransitiveTriple> intransitive_triples(const ResultTable& results, double certainty) {
  const int players = results.players();
  // Standard errors by which `first` lies above an even score; far below without games.
  const auto lead = [&](int first, int second) {
    if (results.games(first, second) == 0) return -1e9;
    return (results.score(first, second) - 0.5) / results.score_error(first, second);
  };
  std::vector<IntransitiveTriple> triples;
  for (int a = 0; a < players; ++a)
    for (int b = a + 1; b < players; ++b)
      for (int c = a + 1; c < players; ++c) {
        if (b == c) continue;
        const double closest = std::min({lead(a, b), lead(b, c), lead(c, a)});
        if (closest >= certainty) triples.push_back({a, b, c, closest});
      }
  std::ranges::stable_sort(triples, std::greater<>(), &IntransitiveTriple::certainty);
  return triples;
}

std::vector<Misfit> misfits(const ResultTable& results, const RatingFit& fit, double deviation) {
  std::vector<Misfit> found;
  for (int first = 0; first < results.players(); ++first)
    for (int second = first + 1; second < results.players(); ++second) {
      if (results.games(first, second) == 0) continue;
      Misfit misfit{.first = first, .second = second};
      misfit.score = results.score(first, second);
      misfit.expected = fit.expected_pair_score(first, second);
      misfit.deviation = (misfit.score - misfit.expected) / results.score_error(first, second);
      if (std::abs(misfit.deviation) >= deviation) found.push_back(misfit);
    }
  std::ranges::stable_sort(found, std::greater<>(),
                           [](const Misfit& misfit) { return std::abs(misfit.deviation); });
  return found;
}

RatingFit play_ladder(std::span<const Player> players, ResultTable& results,
                      const LadderSettings& settings,
                      const std::function<void(const LadderProgress&)>& on_match) {
  check_ladder(players, results, settings);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto count = static_cast<int>(players.size());
  const bool by_time = settings.time.count() > 0;
  const auto stopped = [&] { return settings.match.stop && settings.match.stop->load(); };
  PairCosts costs(count, by_time);
  OpeningSupply openings(settings.match.rules, settings.match.seed);
  // Not only once a pairing comes up, with much played before.
  for (const Player& player : players)
    require_playable(player, openings.take(0, settings.pairs_per_match));
  MatchSettings match = settings.match;
  if (std::ranges::any_of(players, [](const Player& player) { return player.network != nullptr; }))
    match.cache = make_match_cache(match.inference);
  std::int64_t played = 0;
  RatingFit fit(count, results.all(), settings.rating);
  while (!stopped() && (settings.pairs == 0 || played < settings.pairs) &&
         (!by_time || Clock::now() - begin < settings.time)) {
    const std::optional<RatingFit::Pairing> pairing = fit.best_pairing(costs.table());
    if (!pairing) break;
    const int first = pairing->first;
    const int second = pairing->second;
    std::int64_t games_before = results.games(first, second);
    if (settings.unrated) games_before += settings.unrated->games(first, second);
    match.first_pair = static_cast<int>(games_before / 2);
    int pairs = settings.pairs_per_match;
    if (settings.pairs > 0)
      pairs = static_cast<int>(std::min<std::int64_t>(pairs, settings.pairs - played));
    const std::span<const Game> next = openings.take(match.first_pair, pairs);
    if (static_cast<int>(next.size()) < pairs) costs.exclude(*pairing);
    if (next.empty()) continue;
    ResultTable games(count);
    const auto match_begin = Clock::now();
    play_match(players[static_cast<std::size_t>(first)], players[static_cast<std::size_t>(second)],
               next, match, [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
                 games.add(first, second, as_goat.game.outcome());
                 games.add(second, first, as_tiger.game.outcome());
                 ++played;
                 return true;
               });
    costs.add(*pairing, static_cast<int>(next.size()),
              std::chrono::duration<double>(Clock::now() - match_begin).count());
    const std::vector<RatedGames> of_match = games.all();
    for (const RatedGames& counts : of_match) results.add(counts);
    fit = RatingFit(count, results.all(), settings.rating);
    if (on_match) on_match({fit, played, of_match});
  }
  return fit;
}

}  // namespace baghzero
