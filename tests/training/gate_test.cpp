#include "training/gate.h"

#include <atomic>
#include <stdexcept>
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
  const GateResult result = run_gate(
      random_player(), greedy_player(), gate_settings(GateMode::Always, 10), match_settings(), {},
      [&](const MatchGame&, const MatchGame&, const GateResult&) { ++calls; });
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

Trial run_trial(const GateSettings& gate, const MatchSettings& match,
                std::span<const MatchGame> played = {}, std::atomic<bool>* stop = nullptr,
                int stop_after = 0) {
  Trial trial;
  MatchSettings settings = match;
  settings.stop = stop;
  trial.result =
      run_gate(greedy_player(), random_player(), gate, settings, played,
               [&](const MatchGame& as_goat, const MatchGame& as_tiger, const GateResult& so_far) {
                 trial.games.push_back(as_goat);
                 trial.games.push_back(as_tiger);
                 EXPECT_EQ(so_far.report.pairs, as_goat.pair + 1);
                 if (stop && static_cast<int>(trial.games.size()) == 2 * stop_after) *stop = true;
               });
  return trial;
}

TEST(Gate, GoesOnAfterAnInterruption) {
  const GateSettings gate = gate_settings(GateMode::Fixed, 40);
  const Trial whole = run_trial(gate, match_settings());
  ASSERT_EQ(whole.games.size(), 80u);

  std::atomic<bool> stop{false};
  Trial first = run_trial(gate, match_settings(), {}, &stop, 7);
  EXPECT_EQ(first.result.verdict, GateVerdict::Interrupted);
  EXPECT_THAT(first.result.verdict_line, StartsWith("interrupted: "));
  EXPECT_THAT(first.result.verdict_line, HasSubstr("of 40 pairs)"));
  const auto kept = static_cast<int>(first.games.size());
  EXPECT_EQ(kept, 14);

  std::reverse(first.games.begin(), first.games.end());  // a store may return them in any order
  const Trial rest = run_trial(gate, match_settings(), first.games);
  EXPECT_EQ(static_cast<int>(rest.games.size()), 80 - kept);
  EXPECT_EQ(rest.games.front().pair, kept / 2);
  EXPECT_EQ(rest.result.verdict_line, whole.result.verdict_line);
  EXPECT_EQ(rest.result.report.pair_counts, whole.result.report.pair_counts);
}

TEST(Gate, PlaysAPairAgainOfWhichAGameIsMissing) {
  const GateSettings gate = gate_settings(GateMode::Fixed, 10);
  const Trial whole = run_trial(gate, match_settings());
  const std::span<const MatchGame> games(whole.games);
  const Trial half_a_pair = run_trial(gate, match_settings(), games.first(7));
  EXPECT_EQ(half_a_pair.games.front().pair, 3);
  EXPECT_EQ(half_a_pair.result.verdict_line, whole.result.verdict_line);
  const Trial gap = run_trial(gate, match_settings(), games.subspan(2));
  EXPECT_EQ(gap.games.front().pair, 0);
  EXPECT_EQ(gap.result.verdict_line, whole.result.verdict_line);
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
