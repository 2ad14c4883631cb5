#include "training/gate.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace baghzero {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Player random_player() {
  Player player;
  player.name = "random";
  player.make_agent = make_random_agent;
  return player;
}
Player greedy_player() {
  Player player;
  player.name = "greedy";
  player.make_agent = make_greedy_agent;
  return player;
}

MatchSettings match_settings() {
  MatchSettings match;
  match.workers = 2;
  match.seed = 5;
  return match;
}

GateSettings gate_settings(GateMode mode, int max_pairs) {
  GateSettings gate;
  gate.mode = mode;
  gate.max_pairs = max_pairs;
  return gate;
}

TEST(Gate, SprtPromotesTheStrongerAndStopsEarly) {
  const GateSettings gate = gate_settings(GateMode::Sprt, 300);
  const GateResult result = run_gate(greedy_player(), random_player(), gate, match_settings());
  EXPECT_EQ(result.verdict, GateVerdict::Promoted);
  EXPECT_TRUE(result.promoted());
  EXPECT_EQ(result.sprt.decision, SprtDecision::AcceptH1);
  EXPECT_LT(result.report.pairs, 300);
  EXPECT_GT(result.report.as_tiger.score(), 0.5);
  EXPECT_THAT(result.verdict_line,
              AllOf(StartsWith("promoted: greedy against random: "), HasSubstr("(as tiger "),
                    HasSubstr(", as goat "), HasSubstr("LLR "), HasSubstr("[-2.25, 2.89]"),
                    HasSubstr("for Elo 50 against 0"), HasSubstr("games distinct"),
                    HasSubstr("(rule: sprt, accept H1)")));
}

TEST(Gate, SprtRejectsTheWeaker) {
  const GateSettings gate = gate_settings(GateMode::Sprt, 300);
  const GateResult result = run_gate(random_player(), greedy_player(), gate, match_settings());
  EXPECT_EQ(result.verdict, GateVerdict::Rejected);
  EXPECT_EQ(result.sprt.decision, SprtDecision::AcceptH0);
  EXPECT_LT(result.report.pairs, 300);
  EXPECT_THAT(result.verdict_line, AllOf(StartsWith("rejected: random against greedy"),
                                         HasSubstr("(rule: sprt, accept H0)")));
}

TEST(Gate, SprtFallsBackOnTheThresholdWhenPairsRunOut) {
  GateSettings gate = gate_settings(GateMode::Sprt, 6);
  gate.threshold = 0;
  const GateResult passed = run_gate(random_player(), random_player(), gate, match_settings());
  EXPECT_EQ(passed.report.pairs, 6);
  EXPECT_EQ(passed.sprt.decision, SprtDecision::Continue);
  EXPECT_EQ(passed.verdict, GateVerdict::Promoted);
  EXPECT_THAT(passed.verdict_line,
              HasSubstr("(rule: sprt, score reaches 0.0 % after all 6 pairs)"));
  gate.threshold = 1;
  const GateResult failed = run_gate(random_player(), random_player(), gate, match_settings());
  EXPECT_EQ(failed.verdict, GateVerdict::Rejected);
  EXPECT_THAT(failed.verdict_line,
              HasSubstr("(rule: sprt, score is below 100.0 % after all 6 pairs)"));
}

TEST(Gate, FixedPlaysAllPairsAndComparesTheScore) {
  GateSettings gate = gate_settings(GateMode::Fixed, 60);
  const GateResult better = run_gate(greedy_player(), random_player(), gate, match_settings());
  EXPECT_EQ(better.report.pairs, 60);
  EXPECT_EQ(better.verdict, GateVerdict::Promoted);
  const GateResult worse = run_gate(random_player(), greedy_player(), gate, match_settings());
  EXPECT_EQ(worse.report.pairs, 60);
  EXPECT_EQ(worse.verdict, GateVerdict::Rejected);
  EXPECT_NEAR(better.report.score() + worse.report.score(), 1, 0.1);
  EXPECT_THAT(better.verdict_line,
              AllOf(HasSubstr("Elo +"), HasSubstr("(rule: fixed, score reaches"),
                    ::testing::Not(HasSubstr("LLR"))));
  // The score needed is included.
  gate.threshold = better.report.score();
  EXPECT_TRUE(run_gate(greedy_player(), random_player(), gate, match_settings()).promoted());
}

TEST(Gate, AMatchOfLimitDrawsIsNoWin) {
  MatchSettings match = match_settings();
  match.rules.max_plies = 8;
  const GateResult result =
      run_gate(greedy_player(), random_player(), gate_settings(GateMode::Fixed, 10), match);
  EXPECT_EQ(result.report.score(), 0.5);
  EXPECT_EQ(result.verdict, GateVerdict::Rejected);
  EXPECT_THAT(result.verdict_line, HasSubstr("20 draws by a limit"));
}

TEST(Gate, AlwaysPromotesWithoutAGame) {
  int calls = 0;
  MatchSettings match = match_settings();
  match.on_games = [&](std::span<const MatchGame>) { ++calls; };
  const GateResult result =
      run_gate(random_player(), greedy_player(), gate_settings(GateMode::Always, 10), match, {},
               [&](const GateResult&) { ++calls; });
  EXPECT_TRUE(result.promoted());
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(result.report.pairs, 0);
  EXPECT_EQ(result.verdict_line, "promoted: random against greedy: no game played (rule: always)");
}

// What a store would keep of a gate, and how it went.
struct Trial {
  std::vector<MatchGame> games;
  GateResult result;
};

// Stopped by `stop` after so many games, if that is given.
Trial run_trial(const GateSettings& gate, const MatchSettings& match,
                std::span<const MatchGame> played = {}, std::atomic<bool>* stop = nullptr,
                std::size_t stop_after = 0) {
  Trial trial;
  MatchSettings settings = match;
  settings.stop = stop;
  settings.on_games = [&](std::span<const MatchGame> games) {
    trial.games.insert(trial.games.end(), games.begin(), games.end());
    if (stop && trial.games.size() >= stop_after) *stop = true;
  };
  int pairs = 0;
  trial.result = run_gate(greedy_player(), random_player(), gate, settings, played,
                          [&](const GateResult& so_far) {
                            EXPECT_EQ(so_far.report.pairs, ++pairs) << "stored pairs too, in order";
                          });
  return trial;
}

// The games of a trial in the order of pairs, however they ended.
std::vector<MatchGame> in_order(const Trial& trial) {
  std::vector<MatchGame> games = trial.games;
  std::ranges::sort(
      games, {}, [](const MatchGame& game) { return std::pair(game.pair, game.first_is_tiger); });
  return games;
}

TEST(Gate, GoesOnAfterAnInterruptionWithAllGamesThatHadEnded) {
  const GateSettings gate = gate_settings(GateMode::Fixed, 40);
  const Trial whole = run_trial(gate, match_settings());
  ASSERT_EQ(whole.games.size(), 80U);

  std::atomic<bool> stop{false};
  Trial first = run_trial(gate, match_settings(), {}, &stop, 14);
  EXPECT_EQ(first.result.verdict, GateVerdict::Interrupted);
  EXPECT_THAT(first.result.verdict_line, StartsWith("interrupted: "));
  EXPECT_THAT(first.result.verdict_line, HasSubstr("of 40 pairs)"));
  EXPECT_GE(first.games.size(), 14U);

  std::ranges::reverse(first.games);  // a store may return them in any order
  const Trial rest = run_trial(gate, match_settings(), first.games);
  EXPECT_EQ(rest.games.size(), 80 - first.games.size());
  EXPECT_EQ(rest.result.verdict_line, whole.result.verdict_line);
  EXPECT_EQ(rest.result.report.pair_counts, whole.result.report.pair_counts);
}

TEST(Gate, PlaysOnlyTheGamesThatAreMissing) {
  const GateSettings gate = gate_settings(GateMode::Fixed, 10);
  const Trial whole = run_trial(gate, match_settings());
  const std::vector<MatchGame> games = in_order(whole);
  const std::span<const MatchGame> all(games);
  const auto expect_rest = [&](std::span<const MatchGame> played) {
    const Trial rest = run_trial(gate, match_settings(), played);
    EXPECT_EQ(rest.games.size(), all.size() - played.size());
    EXPECT_EQ(rest.result.verdict_line, whole.result.verdict_line);
    for (const MatchGame& game : rest.games)
      EXPECT_TRUE(std::ranges::none_of(played, [&](const MatchGame& known) {
        return known.pair == game.pair && known.first_is_tiger == game.first_is_tiger;
      }));
  };
  expect_rest(all.first(7));    // half of the pair they end with
  expect_rest(all.subspan(1));  // the twin of the first game
  expect_rest(all.subspan(2));  // all but the first pair
  std::vector<MatchGame> every_third;
  for (std::size_t i = 0; i < games.size(); i += 3) every_third.push_back(games[i]);
  expect_rest(every_third);
}

// The same pairs are judged however many games of later ones have ended already.
TEST(Gate, ItsVerdictDoesNotDependOnWhichGamesEndFirst) {
  const GateSettings gate = gate_settings(GateMode::Sprt, 300);
  MatchSettings match = match_settings();
  match.workers = 1;
  const Trial alone = run_trial(gate, match);
  ASSERT_TRUE(alone.result.promoted());
  match.workers = 4;
  const Trial together = run_trial(gate, match);
  EXPECT_EQ(together.result.verdict_line, alone.result.verdict_line);

  const auto judged = static_cast<std::size_t>(2 * alone.result.report.pairs);
  std::vector<MatchGame> games = in_order(run_trial(gate_settings(GateMode::Fixed, 300), match));
  ASSERT_EQ(games.size(), 600U);
  const Trial known = run_trial(gate, match, games);
  EXPECT_EQ(known.result.verdict_line, alone.result.verdict_line);
  EXPECT_TRUE(known.games.empty());
  games.erase(games.begin());  // holds back all the others
  const Trial held_back = run_trial(gate, match, games);
  EXPECT_EQ(held_back.result.verdict_line, alone.result.verdict_line);
  EXPECT_EQ(held_back.games.size(), 1U);
  EXPECT_LT(judged, games.size());
}

TEST(Gate, DecidesFromStoredGamesAlone) {
  const GateSettings gate = gate_settings(GateMode::Sprt, 300);
  const Trial whole = run_trial(gate, match_settings());
  ASSERT_TRUE(whole.result.promoted());
  const Trial again = run_trial(gate, match_settings(), whole.games);
  EXPECT_TRUE(again.games.empty());
  EXPECT_EQ(again.result.verdict_line, whole.result.verdict_line);
}

TEST(Gate, RefusesGamesOfAnotherGate) {
  const GateSettings gate = gate_settings(GateMode::Fixed, 4);
  const Trial whole = run_trial(gate, match_settings());
  MatchSettings other_seed = match_settings();
  ++other_seed.seed;
  EXPECT_THROW(run_trial(gate, other_seed, whole.games), std::invalid_argument);
  MatchSettings other_rules = match_settings();
  other_rules.rules.max_plies = 100;
  EXPECT_THROW(run_trial(gate, other_rules, whole.games), std::invalid_argument);
  std::vector<MatchGame> unfinished = whole.games;
  unfinished[3].game.undo();
  EXPECT_THROW(run_trial(gate, match_settings(), unfinished), std::invalid_argument);
}

TEST(Gate, RefusesSettingsWithoutSense) {
  const auto message = [](auto change) -> std::string {
    GateSettings gate;
    change(gate);
    try {
      check_gate(gate);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([](GateSettings&) {}), "");
  EXPECT_THAT(message([](GateSettings& gate) { gate.visits = -1; }), StartsWith("gate.visits"));
  EXPECT_THAT(message([](GateSettings& gate) { gate.max_pairs = 0; }),
              StartsWith("gate.max_pairs"));
  EXPECT_THAT(message([](GateSettings& gate) { gate.threshold = 52; }),
              StartsWith("gate.threshold"));
  EXPECT_THAT(message([](GateSettings& gate) { gate.elo1 = -1; }), StartsWith("gate.elo1"));
  EXPECT_THAT(message([](GateSettings& gate) { gate.alpha = 0; }), StartsWith("gate.alpha"));
}

// Between players of equal strength a gate of this kind must seldom promote.
TEST(Gate, EqualPlayersSeldomPass) {
  GateSettings gate = gate_settings(GateMode::Sprt, 400);
  gate.elo1 = 120;
  int promoted = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    MatchSettings match = match_settings();
    match.seed = seed;
    promoted += run_gate(greedy_player(), greedy_player(), gate, match).promoted() ? 1 : 0;
  }
  EXPECT_LE(promoted, 5);  // expected are two of forty
}

}  // namespace
}  // namespace baghzero
