// One game at a time: openings, late starts, search limits, temperature, records.
#include "selfplay/slot.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "stand_in.h"

namespace baghzero {
namespace {

GameRecord play_game(const SelfPlaySettings& settings, const Rules& rules, std::uint64_t index,
                     SelfPlayCounters& counters, std::uint64_t salt = 0) {
  GameSlot slot(settings, rules);
  slot.begin(index);
  while (slot.advance(counters) == SlotStatus::NeedsEvaluation)
    slot.supply(arbitrary_evaluation(slot.query(), salt), 3);
  return slot.take_record();
}

int opening_plies(const GameRecord& record) {
  int plies = 0;
  while (!record.moves[plies].searched) ++plies;
  return plies;
}

TEST(GameSlot, GamesReplayAndCanBeStored) {
  const SelfPlaySettings settings = quick_settings();
  for (const Repetition repetition :
       {Repetition::Forbidden, Repetition::Threefold, Repetition::Off}) {
    Rules rules;
    rules.repetition = repetition;
    rules.no_capture_limit = 40;
    SelfPlayCounters counters;
    std::uint64_t searched = 0;
    std::uint64_t full = 0;
    for (std::uint64_t index = 0; index < 40; ++index) {
      const GameRecord record = play_game(settings, rules, index, counters);
      EXPECT_EQ(record.seed, game_seed(settings.seed, index));
      EXPECT_EQ(record.rules, rules);
      EXPECT_EQ(record.first_generation, 3);
      EXPECT_EQ(record.last_generation, 3);
      EXPECT_TRUE(replay(record).over());
      EXPECT_EQ(decode_game(encode_game(record)).moves.size(), record.moves.size());
      for (const MoveRecord& move : record.moves) {
        searched += move.searched;
        full += move.full_search;
        EXPECT_LE(move.visits, move.full_search ? 12 : 4);
        EXPECT_EQ(move.policy.empty(), !move.full_search);
      }
    }
    EXPECT_EQ(counters.moves, searched);
    EXPECT_EQ(counters.full_searches, full);
    EXPECT_NEAR(static_cast<double>(full) / static_cast<double>(searched), 0.25, 0.05);
  }
}

TEST(GameSlot, EqualSeedAndIndexGiveEqualGames) {
  const SelfPlaySettings settings = quick_settings();
  SelfPlayCounters counters;
  const auto game = [&](std::uint64_t index, std::uint64_t salt) {
    return encode_game(play_game(settings, {}, index, counters, salt));
  };
  EXPECT_EQ(game(11, 0), game(11, 0));
  EXPECT_NE(game(11, 0), game(12, 0));
  EXPECT_NE(game(11, 0), game(11, 1));
}

TEST(GameSlot, OpeningLengthsFollowTheirMean) {
  SelfPlaySettings settings = quick_settings();
  settings.late_start_share = 0;
  settings.cheap_visits = settings.full_visits = 1;
  SelfPlayCounters counters;
  constexpr int kGames = 600;
  int total = 0;
  int none = 0;
  for (std::uint64_t index = 0; index < kGames; ++index) {
    const int plies = opening_plies(play_game(settings, {}, index, counters));
    total += plies;
    none += plies == 0;
  }
  EXPECT_NEAR(total / double{kGames}, settings.opening_plies_mean, 0.5);
  EXPECT_NEAR(none / double{kGames}, 1 / (1 + settings.opening_plies_mean), 0.06);
}

TEST(GameSlot, OpeningsNeverDecideTheGame) {
  SelfPlaySettings settings = quick_settings();
  settings.opening_plies_mean = 100;  // longer than most random games
  settings.late_start_share = 0;
  SelfPlayCounters counters;
  for (const double uniform : {0.0, 1.0}) {
    settings.random_opening_share = uniform;
    for (std::uint64_t index = 0; index < 30; ++index)
      EXPECT_TRUE(play_game(settings, {}, index, counters).moves.back().searched);
  }
}

// What a slot plays as its first ply when every policy strongly prefers the centre.
TEST(GameSlot, OpeningsFollowThePolicyOrChance) {
  SelfPlaySettings settings = quick_settings();
  settings.opening_plies_mean = 20;
  settings.late_start_share = 0;
  const Point centre = 12;
  for (const bool uniform : {false, true}) {
    settings.random_opening_share = uniform ? 1 : 0;
    int centre_first = 0;
    constexpr int kGames = 300;
    for (std::uint64_t index = 0; index < kGames; ++index) {
      const Rules rules;
      GameSlot slot(settings, rules);
      SelfPlayCounters counters;
      slot.begin(index);
      while (slot.advance(counters) == SlotStatus::NeedsEvaluation) {
        Evaluation evaluation = arbitrary_evaluation(slot.query(), 0);
        const ActionList& legal = slot.query().legal;
        const int place = legal.index_of(placement_action(centre));
        if (place >= 0)
          for (int i = 0; i < legal.size(); ++i)
            evaluation.policy[i] =
                i == place ? 0.96F : 0.04F / static_cast<float>(legal.size() - 1);
        slot.supply(evaluation, 0);
      }
      const GameRecord record = slot.take_record();
      if (!record.moves[0].searched) centre_first += record.moves[0].action == centre;
    }
    // 20/21 of the games have an opening. The flattened policy gives the centre about
    // sqrt(.96) / (sqrt(.96) + 20 * sqrt(.002)) = 0.52.
    const double share = centre_first / double{kGames} / (20.0 / 21);
    EXPECT_NEAR(share, uniform ? 1 / 21.0 : 0.52, uniform ? 0.04 : 0.09);
  }
}

TEST(GameSlot, LateStartsAreLegalAndVaried) {
  Random random(4);
  std::map<int, int> captures;
  int movement = 0;
  int goats_to_move = 0;
  constexpr int kStarts = 2000;
  for (int i = 0; i < kStarts; ++i) {
    const Rules rules;
    const Game game = random_late_start(rules, random);
    const Position& start = game.position();
    EXPECT_FALSE(game.over());
    EXPECT_EQ(std::popcount(start.tigers()), kTigerCount);
    EXPECT_EQ(start.tigers() & start.goats(), 0U);
    EXPECT_EQ(std::popcount(start.goats()) + start.captured() + start.goats_in_hand(), rules.goats);
    EXPECT_LE(start.goats_in_hand(), rules.goats / 2);
    ++captures[start.captured()];
    movement += !start.in_placement();
    goats_to_move += start.side_to_move() == Side::Goat;
  }
  EXPECT_EQ(captures.size(), 5U);
  EXPECT_NEAR(movement / double{kStarts}, 0.5, 0.1);
  EXPECT_NEAR(goats_to_move / double{kStarts}, 0.5, 0.1);
}

TEST(GameSlot, LateStartsExistUnderOddRulesToo) {
  Random random(4);
  for (const int goats : {1, 2, 21})
    for (const int captures : {1, goats}) {
      Rules rules;
      rules.goats = goats;
      rules.captures_to_win = captures;
      for (int i = 0; i < 50; ++i) EXPECT_FALSE(random_late_start(rules, random).over());
    }
}

TEST(GameSlot, LateStartShareIsKept) {
  SelfPlaySettings settings = quick_settings();
  settings.late_start_share = 0.3;
  settings.cheap_visits = settings.full_visits = 1;
  SelfPlayCounters counters;
  constexpr int kGames = 500;
  int late = 0;
  for (std::uint64_t index = 0; index < kGames; ++index)
    late += play_game(settings, {}, index, counters).start != Position();
  EXPECT_NEAR(late / double{kGames}, 0.3, 0.07);
}

TEST(GameSlot, TemperatureDecaysByHalves) {
  SelfPlaySettings settings;
  settings.temperature_start = 1.1;
  settings.temperature_end = 0.1;
  settings.temperature_halflife = 10;
  EXPECT_FLOAT_EQ(temperature_at(settings, 0), 1.1F);
  EXPECT_FLOAT_EQ(temperature_at(settings, 10), 0.6F);
  EXPECT_FLOAT_EQ(temperature_at(settings, 20), 0.35F);
  EXPECT_NEAR(temperature_at(settings, 1000), 0.1F, 1e-6);
}

TEST(GameSlot, RecordsTheGenerationsThatPlayed) {
  const SelfPlaySettings settings = quick_settings();
  const Rules rules;
  GameSlot slot(settings, rules);
  SelfPlayCounters counters;
  slot.begin(0);
  int generation = 4;
  while (slot.advance(counters) == SlotStatus::NeedsEvaluation) {
    slot.supply(arbitrary_evaluation(slot.query(), 0), generation);
    if (counters.moves > 2) generation = 5;
  }
  const GameRecord record = slot.take_record();
  EXPECT_EQ(record.first_generation, 4);
  EXPECT_EQ(record.last_generation, 5);
}

TEST(GameSlot, ChecksItsSettings) {
  const auto refused = [](const auto& change) {
    SelfPlaySettings settings;
    change(settings);
    EXPECT_THROW(check_self_play_settings(settings), std::invalid_argument);
  };
  EXPECT_NO_THROW(check_self_play_settings({}));
  refused([](SelfPlaySettings& s) { s.workers = -1; });
  refused([](SelfPlaySettings& s) { s.slots_per_worker = 0; });
  refused([](SelfPlaySettings& s) { s.full_visits = 0; });
  refused([](SelfPlaySettings& s) { s.full_visits = 70000; });
  refused([](SelfPlaySettings& s) { s.full_search_share = 1.1; });
  refused([](SelfPlaySettings& s) { s.temperature_halflife = 0; });
  refused([](SelfPlaySettings& s) { s.late_start_share = NAN; });
}

}  // namespace
}  // namespace baghzero
