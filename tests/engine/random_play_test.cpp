// Whole random games under every rule setting, followed move by move with plain rules and a map of
// all situations, and the statistics of random play.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "engine/notation.h"
#include "tests/engine/naive_rules.h"
#include "tests/engine/support.h"

namespace baghzero {
namespace {

using namespace testing_support;

struct Verdict {
  std::vector<std::string> moves;
  Outcome outcome = Outcome::Unfinished;
  Termination termination = Termination::None;
};

// A game kept with nothing but text and counters.
class PlainGame {
 public:
  PlainGame(const Rules& rules, const naive::State& start) : rules_(rules), state_(start) {
    if (state_.in_hand == 0) ++seen_[state_.situation()];
  }

  const naive::State& state() const { return state_; }

  void play(const std::string& move) {
    const bool movement = state_.in_hand == 0;
    const int captured = state_.captured;
    state_ = naive::after(state_, move);
    ++plies_;
    quiet_plies_ = movement && state_.captured == captured ? quiet_plies_ + 1 : 0;
    // Never cleared: that a capture puts earlier situations out of reach is for the engine to use.
    if (state_.in_hand == 0) ++seen_[state_.situation()];
  }

  Verdict verdict() const {
    if (state_.captured >= rules_.captures_to_win)
      return {{}, Outcome::TigersWin, Termination::Captures};
    const auto on_board = naive::moves(state_);
    const bool goats = state_.to_move == 'G';
    const Outcome lost = goats ? Outcome::TigersWin : Outcome::GoatsWin;
    if (on_board.empty())
      return {{}, lost, goats ? Termination::GoatsBlocked : Termination::TigersBlocked};
    std::vector<std::string> allowed;
    for (const std::string& move : on_board)
      if (rules_.repetition != Repetition::Forbidden ||
          !seen_.contains(naive::after(state_, move).situation()))
        allowed.push_back(move);
    if (allowed.empty()) return {{}, lost, Termination::RepetitionExhausted};
    const auto now = seen_.find(state_.situation());
    if (rules_.repetition == Repetition::Threefold && now != seen_.end() && now->second >= 3)
      return {{}, Outcome::Draw, Termination::Repetition};
    if (quiet_plies_ >= rules_.no_capture_limit)
      return {{}, Outcome::Draw, Termination::NoCaptureLimit};
    if (plies_ >= rules_.max_plies) return {{}, Outcome::Draw, Termination::MaxPlies};
    return {allowed, Outcome::Unfinished, Termination::None};
  }

 private:
  Rules rules_;
  naive::State state_;
  std::map<std::string, int> seen_;
  int plies_ = 0;
  int quiet_plies_ = 0;
};

void expect_invariants(const Game& game) {
  const Position& position = game.position();
  ASSERT_EQ(std::popcount(position.tigers()), kTigerCount);
  ASSERT_EQ(position.tigers() & position.goats(), 0U);
  ASSERT_EQ((position.tigers() | position.goats()) & ~kAllPoints, 0U);
  ASSERT_EQ(position.goats_in_hand() + position.captured() + std::popcount(position.goats()),
            game.rules().goats);
  ASSERT_LE(position.captured(), game.rules().captures_to_win);
  ASSERT_EQ(game.plies(), static_cast<int>(game.positions().size()) - 1);
  ASSERT_EQ(game.over(), game.legal().empty());
  ASSERT_TRUE(std::ranges::is_sorted(game.legal().span()));
  for (const Action action : game.legal()) {
    ASSERT_TRUE(is_board_legal(position, action));
    ASSERT_EQ(game.why_illegal(action), "");
  }
  const FenPosition read = parse_fen(format_fen(game), game.rules());
  ASSERT_EQ(read.position, position);
  ASSERT_EQ(read.goat_moves, game.goat_moves());
}

std::vector<std::string> legal_text(const Game& game) {
  std::vector<std::string> moves;
  for (const Action action : game.legal())
    moves.push_back(format_move(game.side_to_move(), action));
  std::ranges::sort(moves);
  return moves;
}

Rules random_rules(Random& random) {
  Rules rules;
  if (random.below(2) == 0) {
    rules.goats = 1 + static_cast<int>(random.below(21));
    rules.captures_to_win =
        1 + static_cast<int>(random.below(static_cast<std::uint32_t>(rules.goats)));
  }
  rules.repetition = static_cast<Repetition>(random.below(3));
  if (random.below(4) == 0) rules.no_capture_limit = 1 + static_cast<int>(random.below(30));
  if (random.below(4) == 0) rules.max_plies = 1 + static_cast<int>(random.below(100));
  return rules;
}

// The normal start, or a crowded board with few goats captured and none or few in hand.
Game random_start(const Rules& rules, Random& random) {
  if (random.below(2) == 0) return Game(rules);
  const auto fewer = [&](int bound) {
    return static_cast<int>(random.below(static_cast<std::uint32_t>(std::max(1, bound))));
  };
  const int captured = fewer(std::min(rules.captures_to_win, 3));
  const int in_hand = random.below(2) == 0 ? 0 : fewer(std::min(rules.goats - captured, 4));
  return {rules, random_placement(random, rules.goats - captured - in_hand, in_hand, captured),
          rules.goats - in_hand};
}

std::map<Termination, int> follow_random_games(std::uint64_t seed, int games) {
  Random random(seed);
  std::map<Termination, int> ends;
  for (int i = 0; i < games; ++i) {
    Game game = random_start(random_rules(random), random);
    PlainGame plain(game.rules(), naive::from_position(game.position()));
    SCOPED_TRACE(::testing::PrintToString(game.rules()));
    for (;;) {
      const Verdict verdict = plain.verdict();
      EXPECT_EQ(legal_text(game), verdict.moves) << format_game(game);
      EXPECT_EQ(game.outcome(), verdict.outcome) << format_game(game);
      EXPECT_EQ(game.termination(), verdict.termination) << format_game(game);
      EXPECT_EQ(naive::from_position(game.position()), plain.state()) << format_game(game);
      expect_invariants(game);
      if (::testing::Test::HasFailure()) return ends;
      if (game.over()) break;
      const Action action = random_action(game.legal(), random);
      plain.play(format_move(game.side_to_move(), action));
      game.play(action);
    }
    ++ends[game.termination()];
  }
  return ends;
}

TEST(RandomPlay, EveryGameAgreesWithPlainRules) {
  const auto ends = follow_random_games(51, 4'000);
  for (const Termination termination :
       {Termination::Captures, Termination::TigersBlocked, Termination::GoatsBlocked,
        Termination::RepetitionExhausted, Termination::Repetition, Termination::NoCaptureLimit,
        Termination::MaxPlies})
    EXPECT_TRUE(ends.contains(termination)) << to_string(termination) << " did not occur";
}

TEST(RandomPlaySlow, ManyGamesAgreeWithPlainRules) { follow_random_games(52, 60'000); }

TEST(RandomPlay, StatisticsOfTheStandardGame) {
  Rules rules;
  rules.repetition = Repetition::Threefold;
  rules.no_capture_limit = rules.max_plies = kNoLimit;
  constexpr int kGames = 40'000;
  Random random(53);
  std::array<int, 4> outcomes{};
  double plies = 0;
  double choices = 0;
  for (int i = 0; i < kGames; ++i) {
    Game game(rules);
    while (!game.over()) {
      choices += game.legal().size();
      game.play(random_action(game.legal(), random));
    }
    ++outcomes[static_cast<std::size_t>(game.outcome())];
    plies += game.plies();
  }
  // Shares known to one decimal of a percent, plus four standard deviations of this sample.
  const auto expect_share = [&](Outcome outcome, double known) {
    const double share = static_cast<double>(outcomes[static_cast<std::size_t>(outcome)]) / kGames;
    EXPECT_NEAR(share, known, 0.0005 + 4 * std::sqrt(known * (1 - known) / kGames))
        << to_string(outcome);
  };
  expect_share(Outcome::TigersWin, 0.982);
  expect_share(Outcome::GoatsWin, 0.016);
  expect_share(Outcome::Draw, 0.002);
  EXPECT_NEAR(plies / kGames, 50, 2);
  EXPECT_NEAR(choices / plies, 11, 0.5);
}

}  // namespace
}  // namespace baghzero
