#include "engine/perft.h"

#include <map>
#include <numeric>

#include "engine/notation.h"
#include "tests/engine/naive_rules.h"
#include "tests/engine/support.h"
#include "tests/support/table.h"

namespace baghzero {
namespace {

using namespace testing_support;

struct Row {
  std::string fen;
  int depth = 0;
  std::uint64_t off = 0;
  std::uint64_t forbidden = 0;
  bool has_forbidden = false;
};

std::vector<Row> perft_rows() {
  std::vector<Row> rows;
  for (const auto& fields : test::read_table("perft.csv"))
    rows.push_back({fields.at(0), std::stoi(fields.at(1)), std::stoull(fields.at(2)),
                    fields.at(3).empty() ? 0 : std::stoull(fields.at(3)), !fields.at(3).empty()});
  return rows;
}

Rules with(Repetition repetition) {
  Rules rules;
  rules.repetition = repetition;
  return rules;
}

// Rows with more leaves than this are counted by the slow tests only.
constexpr std::uint64_t kQuickLeaves = 12'000'000;

template <class Pick>
int check_rows(Pick pick) {
  int checked = 0;
  for (const Row& row : perft_rows()) {
    if (!pick(row)) continue;
    SCOPED_TRACE(row.fen + " at depth " + std::to_string(row.depth));
    EXPECT_EQ(perft(game_from_fen(row.fen, with(Repetition::Off)), row.depth), row.off);
    if (row.has_forbidden) {
      EXPECT_EQ(perft(game_from_fen(row.fen, with(Repetition::Forbidden)), row.depth),
                row.forbidden);
    }
    ++checked;
  }
  return checked;
}

TEST(Perft, CountsOfTheTable) {
  EXPECT_EQ(check_rows([](const Row& row) { return row.off <= kQuickLeaves; }), 116);
}

TEST(PerftSlow, LargeCountsOfTheTable) {
  EXPECT_EQ(check_rows([](const Row& row) { return row.off > kQuickLeaves; }), 7);
}

TEST(Perft, DepthZeroIsOneLeafAlsoWhenTheGameIsOver) {
  EXPECT_EQ(perft(Game(), 0), 1U);
  const Game over = game_from_fen("GBGGB/GG1GG/GGG1G/GG1GG/BGGGB B 18");
  ASSERT_TRUE(over.over());
  EXPECT_EQ(perft(over, 0), 1U);
  EXPECT_EQ(perft(over, 1), 0U);
  EXPECT_TRUE(perft_divide(over, 1).empty());
}

TEST(Perft, RefusesImpossibleDepths) {
  EXPECT_THROW(perft(Game(), -1), std::invalid_argument);
  EXPECT_THROW(perft_divide(Game(), 0), std::invalid_argument);
}

TEST(Perft, DivisionAddsUp) {
  for (const Row& row : perft_rows()) {
    if (row.off > 100'000) continue;
    for (const Repetition repetition : {Repetition::Off, Repetition::Forbidden}) {
      const Game game = game_from_fen(row.fen, with(repetition));
      const auto parts = perft_divide(game, row.depth);
      ASSERT_EQ(static_cast<int>(parts.size()), game.legal().size());
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        EXPECT_EQ(parts[i].action, game.legal()[static_cast<int>(i)]);
        sum += parts[i].leaves;
      }
      EXPECT_EQ(sum, perft(game, row.depth)) << row.fen << " at depth " << row.depth;
    }
  }
}

// Leaves counted with the plain rules and a map of all situations since the last placement.
std::uint64_t naive_leaves(const naive::State& state, const Rules& rules,
                           std::map<std::string, int>& seen, int depth) {
  if (depth == 0) return 1;
  if (state.captured >= rules.captures_to_win) return 0;
  const auto now = seen.find(state.situation());
  if (rules.repetition == Repetition::Threefold && now != seen.end() && now->second >= 3) return 0;
  std::uint64_t leaves = 0;
  for (const std::string& move : naive::moves(state)) {
    const naive::State next = naive::after(state, move);
    if (next.in_hand > 0) {
      leaves += naive_leaves(next, rules, seen, depth - 1);
      continue;
    }
    int& count = seen[next.situation()];
    if (rules.repetition == Repetition::Forbidden && count > 0) continue;
    ++count;
    leaves += naive_leaves(next, rules, seen, depth - 1);
    --seen[next.situation()];
  }
  return leaves;
}

// Mostly takes back the side's own last step, so that situations recur.
void play_to_and_fro(Game& game, Random& random) {
  Action action = random_action(game.legal(), random);
  if (game.plies() >= 2 && random.below(4) != 0) {
    const ActionInfo& last = action_info(game.moves()[game.plies() - 2]);
    if (last.kind == ActionKind::Step && game.legal().contains(step_action(last.to, last.from)))
      action = step_action(last.to, last.from);
  }
  game.play(action);
}

// From games with a history, so that early situations can recur within few plies.
void compare_with_naive(Repetition repetition, std::uint64_t seed) {
  Random random(seed);
  Rules rules = with(repetition);
  rules.captures_to_win = 3;
  int recurring = 0;
  for (int i = 0; i < 120; ++i) {
    const int in_hand = i % 3 == 0 ? 1 : 0;
    const int captured = i % 3 == 1 ? 1 : 2;
    Game game(rules, random_placement(random, 20 - in_hand - captured, in_hand, captured),
              20 - in_hand);
    const auto plies = static_cast<int>(random.below(16));
    while (game.plies() < plies && !game.over()) play_to_and_fro(game, random);
    if (game.over()) continue;
    std::map<std::string, int> seen;
    for (const Position& position : game.positions())
      if (!position.in_placement()) ++seen[naive::from_position(position).situation()];
    const naive::State state = naive::from_position(game.position());
    for (int depth = 1; depth <= 4; ++depth) {
      const std::uint64_t leaves = perft(game, depth);
      EXPECT_EQ(leaves, naive_leaves(state, rules, seen, depth)) << format_game(game);
      rules.repetition = Repetition::Off;
      std::map<std::string, int> nothing;
      recurring += leaves != naive_leaves(state, rules, nothing, depth) ? 1 : 0;
      rules.repetition = repetition;
    }
  }
  if (repetition != Repetition::Off) {
    EXPECT_GT(recurring, 10);
  }
}

TEST(Perft, ForbiddenRepetitionWithHistory) { compare_with_naive(Repetition::Forbidden, 11); }
TEST(Perft, ThreefoldRepetitionWithHistory) { compare_with_naive(Repetition::Threefold, 12); }
TEST(Perft, NoRepetitionRuleWithHistory) { compare_with_naive(Repetition::Off, 13); }

TEST(Perft, LimitsAreNotApplied) {
  Rules rules;
  rules.max_plies = 2;
  rules.no_capture_limit = 1;
  EXPECT_EQ(perft(Game(rules), 4), perft(Game(), 4));
}

TEST(Perft, FewerCapturesEndTheGameEarlier) {
  Rules rules;
  rules.captures_to_win = 1;
  // The only capture ends the game and has no leaves below.
  const Game game = game_from_fen("B3B/1G3/5/5/B3B B 1", rules);
  std::uint64_t expected = 0;
  for (const Action action : game.legal())
    if (!is_jump(action))
      expected +=
          static_cast<std::uint64_t>(count_board_legal_actions(game.position().after(action)));
  EXPECT_EQ(perft(game, 2), expected);
}

}  // namespace
}  // namespace baghzero
