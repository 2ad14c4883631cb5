// Stored games: exact round trips, and nothing but intact bytes is ever read.
#include "selfplay/game_record.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/random.h"
#include "selfplay/byte_stream.h"
#include "selfplay/record_codec.h"
#include "selfplay/slot.h"

namespace baghzero {
namespace {

constexpr float kPrecision = 1.0F / 65535;

MoveRecord random_move(const ActionList& legal, Random& random) {
  MoveRecord move;
  move.action = legal[static_cast<int>(random.below(static_cast<std::uint32_t>(legal.size())))];
  move.searched = random.below(4) != 0;
  if (!move.searched) return move;
  move.visits = static_cast<std::uint16_t>(random.below(1 << 16));
  const auto win = static_cast<float>(random.uniform());
  const auto loss = (1 - win) * static_cast<float>(random.below(3)) / 2;
  move.root_wdl = {win, 1 - win - loss, loss};
  move.full_search = random.below(3) == 0;
  if (!move.full_search) return move;
  float sum = 0;
  for (Action action : legal)
    if (random.below(2) == 0 || action == move.action) {
      move.policy.push_back({action, static_cast<float>(std::pow(random.uniform(), 6))});
      sum += move.policy.back().share;
    }
  for (PolicyShare& entry : move.policy) entry.share /= sum;
  return move;
}

// A random game under these rules; one in four is left unfinished or adjudicated.
GameRecord random_record(const Rules& rules, Random& random) {
  GameRecord record;
  record.first_generation = static_cast<std::int32_t>(random.below(50)) - 1;
  record.last_generation = static_cast<std::int32_t>(random()) | 1;
  record.seed = random();
  record.rules = rules;
  Game game = random.below(3) == 0 ? random_late_start(rules, random) : Game(rules);
  record.start = game.start();
  record.start_goat_moves = game.start_goat_moves();
  const std::uint32_t most = random.below(4) == 0 ? random.below(60) : 10000;
  while (!game.over() && record.moves.size() < most) {
    record.moves.push_back(random_move(game.legal(), random));
    game.play(record.moves.back().action);
  }
  if (!game.over() && random.below(2) == 0) game.adjudicate(Outcome::GoatsWin);
  record.outcome = game.outcome();
  record.termination = game.termination();
  return record;
}

void expect_near(const Wdl& a, const Wdl& b) {
  EXPECT_NEAR(a.win, b.win, kPrecision);
  EXPECT_NEAR(a.draw, b.draw, 2 * kPrecision);
  EXPECT_NEAR(a.loss, b.loss, 2 * kPrecision);
}

void expect_same_policy(const std::vector<PolicyShare>& stored,
                        const std::vector<PolicyShare>& original) {
  auto entry = stored.begin();
  double sum = 0;
  for (const PolicyShare& expected : original) {
    if (entry == stored.end() || entry->action != expected.action) {
      EXPECT_LT(expected.share, kPrecision);  // rounded away
      continue;
    }
    EXPECT_NEAR(entry->share, expected.share, 1.01 * kPrecision);
    sum += entry->share;
    ++entry;
  }
  EXPECT_EQ(entry, stored.end());
  EXPECT_NEAR(sum, original.empty() ? 0 : 1, 1e-6);
}

void expect_same_game(const GameRecord& stored, const GameRecord& original) {
  EXPECT_EQ(stored.first_generation, original.first_generation);
  EXPECT_EQ(stored.last_generation, original.last_generation);
  EXPECT_EQ(stored.seed, original.seed);
  EXPECT_EQ(stored.rules, original.rules);
  EXPECT_EQ(stored.start, original.start);
  EXPECT_EQ(stored.start_goat_moves, original.start_goat_moves);
  EXPECT_EQ(stored.outcome, original.outcome);
  EXPECT_EQ(stored.termination, original.termination);
  ASSERT_EQ(stored.moves.size(), original.moves.size());
  for (std::size_t i = 0; i < stored.moves.size(); ++i) {
    const MoveRecord& a = stored.moves[i];
    const MoveRecord& b = original.moves[i];
    EXPECT_EQ(a.action, b.action);
    EXPECT_EQ(a.searched, b.searched);
    EXPECT_EQ(a.full_search, b.full_search);
    EXPECT_EQ(a.visits, b.visits);
    if (a.searched) expect_near(a.root_wdl, b.root_wdl);
    expect_same_policy(a.policy, b.policy);
  }
}

std::vector<Rules> rule_settings() {
  std::vector<Rules> settings;
  for (const Repetition repetition :
       {Repetition::Forbidden, Repetition::Threefold, Repetition::Off})
    for (const int goats : {1, 5, 20, 21})
      for (const int captures : {1, std::min(goats, 5), goats})
        settings.push_back({goats, captures, repetition, 60, goats == 20 ? 600 : 90});
  return settings;
}

GameRecord sample_record() {
  Random random(3);
  return random_record({}, random);
}

std::string fault_of(const std::vector<std::byte>& bytes) {
  try {
    decode_game(bytes);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(GameRecord, RoundTripsRandomGamesUnderAllRules) {
  Random random(1);
  for (const Rules& rules : rule_settings())
    for (int i = 0; i < 12; ++i) {
      const GameRecord record = random_record(rules, random);
      const auto bytes = encode_game(record);
      const GameRecord stored = decode_game(bytes);
      expect_same_game(stored, record);
      EXPECT_EQ(encode_game(stored), bytes) << "storing a stored game must not change it";
      EXPECT_EQ(replay(stored).position(), replay(record).position());
    }
}

TEST(GameRecord, IsCompact) {
  const GameRecord record = sample_record();
  std::size_t shares = 0;
  for (const MoveRecord& move : record.moves) shares += move.policy.size();
  EXPECT_LT(encode_game(record).size(), 80 + 9 * record.moves.size() + 3 * shares);
}

TEST(GameRecord, RefusesEveryTruncation) {
  const auto bytes = encode_game(sample_record());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(decode_game(std::span(bytes).first(size)), std::runtime_error) << size;
}

TEST(GameRecord, RefusesAddedBytes) {
  auto bytes = encode_game(sample_record());
  bytes.push_back(std::byte{0});
  EXPECT_THROW(decode_game(bytes), std::runtime_error);
}

TEST(GameRecord, RefusesEveryFlippedBit) {
  Random random(5);
  for (int game = 0; game < 4; ++game) {
    auto bytes = encode_game(random_record({}, random));
    for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
      const std::byte flip{static_cast<unsigned char>(1U << i % 8)};
      bytes[i / 8] ^= flip;
      EXPECT_THROW(decode_game(bytes), std::runtime_error) << "bit " << i;
      bytes[i / 8] ^= flip;
    }
    EXPECT_NO_THROW(decode_game(bytes));
  }
}

TEST(GameRecord, NamesTheFault) {
  auto bytes = encode_game(sample_record());
  EXPECT_THAT(fault_of(std::vector(20, std::byte{'x'})), testing::HasSubstr("not a stored game"));
  bytes[3] = std::byte{2};
  EXPECT_THAT(fault_of(bytes), testing::HasSubstr("format version 2"));
  bytes[3] = std::byte{1};
  bytes[10] ^= std::byte{1};
  EXPECT_THAT(fault_of(bytes), testing::HasSubstr("checksum"));
}

// A compressed frame that claims a gibibyte of content, under a correct checksum.
TEST(GameRecord, RefusesToUnpackMoreThanAGameCanHold) {
  std::vector<std::byte> bytes;
  for (const int value : std::initializer_list<int>{
           'B', 'Z', 'G', 1, 0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0x40, 0, 0, 0, 0, 1, 0, 0})
    bytes.push_back(static_cast<std::byte>(value));
  ByteWriter tail;
  tail.word(std::uint64_t{XXH3_64bits(bytes.data(), bytes.size())});
  bytes.insert(bytes.end(), tail.bytes().begin(), tail.bytes().end());
  EXPECT_THAT(fault_of(bytes), testing::HasSubstr("malformed"));
}

// Content with a correct checksum may still have been made by an enemy.
TEST(GameRecord, DamagedContentIsRefusedOrReplays) {
  Random random(9);
  int accepted = 0;
  for (int game = 0; game < 12; ++game) {
    const auto content = encode_record_content(random_record({}, random));
    for (int attempt = 0; attempt < 3000; ++attempt) {
      auto damaged = content;
      for (std::uint32_t hits = 1 + random.below(3); hits > 0; --hits) {
        const auto place = random.below(static_cast<std::uint32_t>(damaged.size()));
        switch (random.below(4)) {
          case 0:
            damaged[place] = std::byte{static_cast<unsigned char>(random())};
            break;
          case 1:
            damaged[place] ^= std::byte{static_cast<unsigned char>(1U << random.below(8))};
            break;
          case 2:
            damaged.erase(damaged.begin() + place);
            break;
          default:
            damaged.insert(damaged.begin() + place, std::byte{255});
            break;
        }
        if (damaged.empty()) damaged.push_back({});
      }
      try {
        const GameRecord record = decode_record_content(damaged);
        ++accepted;
        EXPECT_NO_THROW(replay(record));
        EXPECT_EQ(encode_record_content(record), damaged) << "two spellings of one game";
      } catch (const std::runtime_error&) {
      }
    }
  }
  EXPECT_GT(accepted, 100);  // such as other seeds, visits or values
}

TEST(GameRecord, RefusesRecordsThatContradictThemselves) {
  const GameRecord sound = sample_record();
  const auto full = std::ranges::find_if(sound.moves, [](const MoveRecord& move) {
    return move.full_search && move.policy.size() > 1;
  });
  ASSERT_NE(full, sound.moves.end());
  const auto place = static_cast<std::size_t>(full - sound.moves.begin());

  const auto refused = [&](const auto& change) {
    GameRecord record = sound;
    change(record, record.moves[place]);
    EXPECT_THROW(encode_game(record), std::invalid_argument);
  };
  refused([](GameRecord&, MoveRecord& move) { move.action = kActionCount - 1; });
  refused([](GameRecord&, MoveRecord& move) { move.policy[0].share += 0.1F; });
  refused([](GameRecord&, MoveRecord& move) { move.policy[0].share = NAN; });
  refused([](GameRecord&, MoveRecord& move) { std::swap(move.policy[0], move.policy[1]); });
  refused([](GameRecord&, MoveRecord& move) { move.policy.clear(); });
  refused([](GameRecord&, MoveRecord& move) { move.full_search = false; });
  refused([](GameRecord&, MoveRecord& move) { move.searched = false; });
  refused([](GameRecord&, MoveRecord& move) { move.root_wdl.win = 2; });
  refused([](GameRecord&, MoveRecord& move) { move.root_wdl.loss = NAN; });
  refused([](GameRecord& record, MoveRecord&) { record.moves.pop_back(); });
  refused([](GameRecord& record, MoveRecord&) { record.outcome = Outcome::Draw; });
  refused([](GameRecord& record, MoveRecord&) { record.rules.goats = 22; });
  refused([](GameRecord& record, MoveRecord&) { record.start_goat_moves = 1; });
  refused([](GameRecord& record, MoveRecord&) { record.start_goat_moves = -1; });
}

TEST(GameRecord, ReplayNamesThePlyOfAnIllegalMove) {
  GameRecord record = sample_record();
  record.moves[5].action = record.moves[3].action;
  try {
    replay(record);
    FAIL() << "an illegal move was accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("ply 5"));
  }
}

}  // namespace
}  // namespace baghzero
