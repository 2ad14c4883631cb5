#include "selfplay/openings.h"

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/notation.h"

namespace baghzero {
namespace {

// Independent of is_quiet(): can tigers capture before goats have had `goat_moves` moves, whatever
// goats do?
bool capture_is_forced(const Position& position, int goat_moves) {
  if (position.side_to_move() == Side::Tiger) {
    for (Action action : board_legal_actions(position))
      if (is_jump(action)) return true;
    if (goat_moves == 0) return false;
    for (Action action : board_legal_actions(position))
      if (capture_is_forced(position.after(action), goat_moves)) return true;
    return false;
  }
  if (goat_moves == 0) return false;
  for (Action action : board_legal_actions(position))
    if (!capture_is_forced(position.after(action), goat_moves - 1)) return false;
  return true;
}

TEST(Openings, AreDistinctUpToSymmetry) {
  const std::vector<Game> openings = make_openings({}, 2000, 3);
  ASSERT_EQ(openings.size(), 2000u);
  std::set<std::uint64_t> seen;
  for (const Game& opening : openings)
    EXPECT_TRUE(seen.insert(canonical(opening.position()).position.key()).second);
}

TEST(Openings, AreSuppliedAsLongAsThereAreAny) {
  Rules rules;
  rules.max_plies = kMinOpeningPlies + 1;  // leaves few
  OpeningSupply supply(rules, 3);
  const std::vector<Game> first = make_openings(rules, 6, 3);
  const std::span<const Game> taken = supply.take(2, 4);
  ASSERT_EQ(taken.size(), 4U);
  for (std::size_t i = 0; i < taken.size(); ++i)
    EXPECT_EQ(format_fen(taken[i]), format_fen(first[i + 2]));
  const auto all = static_cast<int>(supply.take(0, 100'000).size());
  EXPECT_GE(all, 6);
  EXPECT_THROW(make_openings(rules, all + 1, 3), std::invalid_argument);
  EXPECT_EQ(supply.take(all - 2, 5).size(), 2U);
  EXPECT_TRUE(supply.take(all + 2, 5).empty());
}

TEST(Openings, CanBeChosen) {
  const auto goats_turn = [](const Position& position) {
    return position.side_to_move() == Side::Goat;
  };
  std::vector<std::string> expected;
  for (const Game& opening : make_openings({}, 100, 3))
    if (goats_turn(opening.position())) expected.push_back(format_fen(opening));
  ASSERT_GT(expected.size(), 10u);
  ASSERT_LT(expected.size(), 100u);
  std::vector<std::string> chosen;
  for (const Game& opening :
       make_openings_where({}, static_cast<int>(expected.size()), 3, goats_turn))
    chosen.push_back(format_fen(opening));
  EXPECT_EQ(chosen, expected);
}

TEST(Openings, AreShortUnfinishedAndWithoutCaptures) {
  std::map<int, int> by_plies;
  for (const Game& opening : make_openings({}, 1000, 4)) {
    ++by_plies[opening.plies()];
    EXPECT_FALSE(opening.over());
    EXPECT_EQ(opening.position().captured(), 0);
    EXPECT_EQ(opening.start(), Position());
    for (Action action : opening.moves()) EXPECT_FALSE(is_jump(action));
  }
  EXPECT_EQ(by_plies.begin()->first, kMinOpeningPlies);
  EXPECT_EQ(by_plies.rbegin()->first, kMaxOpeningPlies);
  EXPECT_EQ(by_plies.size(), 5u) << "tigers and goats both get to move first";
}

TEST(Openings, LeaveGoatsTheirMaterialForTheMoment) {
  for (const Game& opening : make_openings({}, 200, 5)) {
    const bool tigers = opening.side_to_move() == Side::Tiger;
    EXPECT_FALSE(capture_is_forced(opening.position(), tigers ? 1 : 2)) << format_fen(opening);
  }
}

TEST(Openings, QuietMeansThatNoCaptureCanBeForcedInOneMove) {
  const auto quiet = [](const char* fen) { return is_quiet(parse_fen(fen).position); };
  EXPECT_TRUE(quiet("B3B/5/5/5/B3B G 0"));
  // The goat on 13 stands safely: behind it, seen from either corner, stands the other tiger.
  EXPECT_TRUE(quiet("B1G1B/5/5/5/B3B B 1"));
  // The goat on 12 can be taken at once, the one on 22 likewise.
  EXPECT_FALSE(quiet("BG2B/5/5/5/B3B B 1"));
  EXPECT_FALSE(quiet("B3B/1G3/5/5/B3B B 1"));
  // Goats to move cannot mend two threats with one placement, but may mend a single one.
  EXPECT_TRUE(quiet("B2GB/5/5/5/B3B G 1"));
  EXPECT_FALSE(quiet("BG1GB/5/5/5/BG1GB G 4"));
}

TEST(Openings, DependOnTheSeedAndOnNothingElse) {
  const std::vector<Game> longer = make_openings({}, 300, 6);
  const std::vector<Game> shorter = make_openings({}, 100, 6);
  for (std::size_t i = 0; i < shorter.size(); ++i)
    EXPECT_EQ(shorter[i].position(), longer[i].position());
  const std::vector<Game> other = make_openings({}, 100, 7);
  int equal = 0;
  for (std::size_t i = 0; i < other.size(); ++i)
    equal += other[i].position() == shorter[i].position() ? 1 : 0;
  EXPECT_LT(equal, 20);
}

TEST(Openings, CarryTheirRules) {
  Rules rules;
  rules.repetition = Repetition::Threefold;
  rules.max_plies = 77;
  for (const Game& opening : make_openings(rules, 5, 1)) EXPECT_EQ(opening.rules(), rules);
}

TEST(Openings, SayWhenThereAreNotEnough) {
  Rules rules;
  rules.goats = 1;
  rules.captures_to_win = 1;
  EXPECT_EQ(make_openings(rules, 0, 1).size(), 0u);
  try {
    make_openings(rules, 100'000, 1);
    FAIL() << "one goat cannot begin a game in so many ways";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("100000"), std::string::npos) << error.what();
  }
  EXPECT_THROW(make_openings(rules, -1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace baghzero
