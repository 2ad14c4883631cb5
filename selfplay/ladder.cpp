#include "selfplay/ladder.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace baghzero {
namespace {

double goat_score(const RatedGames& games) {
  return (static_cast<double>(games.goat_wins) + 0.5 * static_cast<double>(games.draws)) /
         static_cast<double>(games.games());
}

// What pairs have taken, in seconds: that of two players is known after their first match, and
// guessed from their other matches before.
class PairCosts {
 public:
  explicit PairCosts(int players)
      : players_(static_cast<std::size_t>(players)), seconds_(players_), pairs_(players_) {}

  void add(const RatingFit::Pairing& pairing, int pairs, double seconds) {
    for (const int player : {pairing.first, pairing.second}) {
      seconds_[static_cast<std::size_t>(player)] += seconds;
      pairs_[static_cast<std::size_t>(player)] += pairs;
    }
  }
  std::vector<double> table() const {
    constexpr double kLeast = 1e-3;
    double usual = 0;
    int known = 0;
    for (std::size_t i = 0; i < players_; ++i)
      if (pairs_[i] > 0) {
        usual += seconds_[i] / pairs_[i];
        ++known;
      }
    usual = known > 0 ? usual / known : 1;
    const auto cost = [&](std::size_t i) {
      return pairs_[i] > 0 ? seconds_[i] / pairs_[i] : usual;
    };
    std::vector<double> costs(players_ * players_);
    for (std::size_t i = 0; i < players_; ++i)
      for (std::size_t j = 0; j < players_; ++j)
        costs[i * players_ + j] = std::max({cost(i), cost(j), kLeast});
    return costs;
  }

 private:
  std::size_t players_;
  std::vector<double> seconds_;
  std::vector<int> pairs_;
};

// The openings of a seed, made as they are needed.
class OpeningSupply {
 public:
  explicit OpeningSupply(const MatchSettings& match) : rules_(match.rules), seed_(match.seed) {}
  std::span<const Game> take(std::int64_t first, int count) {
    const auto end = static_cast<std::size_t>(first + count);
    if (openings_.size() < end)
      openings_ =
          make_openings(rules_, static_cast<int>(std::max(end, 2 * openings_.size())), seed_);
    return std::span(openings_).subspan(static_cast<std::size_t>(first),
                                        static_cast<std::size_t>(count));
  }

 private:
  Rules rules_;
  std::uint64_t seed_;
  std::vector<Game> openings_;
};

void check_ladder(std::span<const Player> players, const ResultTable& results,
                  const LadderSettings& settings) {
  if (players.size() < 2)
    throw std::invalid_argument("a ladder needs two players at least, not " +
                                std::to_string(players.size()));
  if (results.players() != static_cast<int>(players.size()))
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
                      const std::function<void(const RatingFit&, std::int64_t pairs)>& on_match) {
  check_ladder(players, results, settings);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto count = static_cast<int>(players.size());
  const auto stopped = [&] { return settings.match.stop && settings.match.stop->load(); };
  PairCosts costs(count);
  OpeningSupply openings(settings.match);
  std::int64_t played = 0;
  RatingFit fit(count, results.all(), settings.rating);
  while (!stopped() && (settings.pairs == 0 || played < settings.pairs) &&
         (settings.time.count() == 0 || Clock::now() - begin < settings.time)) {
    const bool by_time = settings.time.count() > 0;
    const RatingFit::Pairing pairing =
        fit.best_pairings(1, by_time ? costs.table() : std::vector<double>{}).front();
    const std::int64_t left =
        settings.pairs == 0 ? settings.pairs_per_match : settings.pairs - played;
    const int pairs = static_cast<int>(std::min<std::int64_t>(settings.pairs_per_match, left));
    MatchSettings match = settings.match;
    match.first_pair = static_cast<int>(results.games(pairing.first, pairing.second) / 2);
    const auto match_begin = Clock::now();
    play_match(players[static_cast<std::size_t>(pairing.first)],
               players[static_cast<std::size_t>(pairing.second)],
               openings.take(match.first_pair, pairs), match,
               [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
                 results.add(pairing.first, pairing.second, as_goat.game.outcome());
                 results.add(pairing.second, pairing.first, as_tiger.game.outcome());
                 ++played;
                 return true;
               });
    costs.add(pairing, pairs, std::chrono::duration<double>(Clock::now() - match_begin).count());
    fit = RatingFit(count, results.all(), settings.rating);
    if (on_match) on_match(fit, played);
  }
  return fit;
}

}  // namespace baghzero
