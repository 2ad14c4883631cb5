#include "training/game_arrays.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/random.h"
#include "tests/training/temporary_folder.h"
#include "training/benchmark.h"

namespace baghzero {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

// Games with searches and policies of many shares, as stored: what encoding rounds is rounded.
std::vector<GameRecord> some_games(int count) {
  std::vector<GameRecord> games;
  for (int i = 1; i <= count; ++i)
    games.push_back(decode_game(encode_game(make_random_game({}, static_cast<std::uint64_t>(i)))));
  return games;
}

std::vector<std::vector<std::byte>> encoded(std::span<const GameRecord> games) {
  std::vector<std::vector<std::byte>> all;
  for (const GameRecord& game : games) all.push_back(encode_game(game));
  return all;
}

TEST(GameArrays, GamesComeBackByteForByteThroughAFile) {
  const TemporaryFolder folder;
  const std::vector<GameRecord> games = some_games(40);
  write_npz(folder / "games.npz", games_to_arrays(games));
  EXPECT_EQ(encoded(games_from_arrays(read_npz(folder / "games.npz"))), encoded(games));
  write_npz(folder / "games.npz", games_to_arrays({}));
  EXPECT_TRUE(games_from_arrays(read_npz(folder / "games.npz")).empty());
}

TEST(GameArrays, PositionsAreThoseOfTheGame) {
  const std::vector<GameRecord> games = some_games(2);
  const NpyArrays arrays = games_to_arrays(games);
  const auto tigers = arrays.at("tigers").values<std::uint32_t>();
  const auto legal = arrays.at("legal").values<std::uint8_t>(28);
  const auto offsets = arrays.at("move_offsets").values<std::int64_t>();
  ASSERT_EQ(offsets.size(), 3U);
  const Game game = replay(games[1]);
  ASSERT_EQ(offsets[2] - offsets[1], game.plies());
  for (int ply = 0; ply < game.plies(); ++ply) {
    const auto at = static_cast<std::size_t>(offsets[1] + ply);
    EXPECT_EQ(tigers[at], game.positions()[static_cast<std::size_t>(ply)].tigers());
    const Action action = game.moves()[static_cast<std::size_t>(ply)];
    EXPECT_NE(legal[at * 28 + action / 8U] & 0x80U >> action % 8U, 0U);
  }
}

TEST(GameArrays, WhatDoesNotFitTogetherIsNamed) {
  const NpyArrays whole = games_to_arrays(some_games(2));
  const auto fault = [](const NpyArrays& arrays) {
    return message_of([&] { (void)games_from_arrays(arrays); });
  };
  NpyArrays arrays = whole;
  arrays.erase("action");
  EXPECT_THAT(fault(arrays), HasSubstr("the array action is missing"));
  arrays = whole;
  arrays["visits"] = arrays["action"];
  EXPECT_THAT(fault(arrays), HasSubstr("the array visits is not of type <u2"));
  arrays = whole;
  arrays["seed"].bytes.resize(8);
  EXPECT_THAT(fault(arrays), HasSubstr("the array seed has 1 values instead of 2"));
  arrays = whole;
  auto offsets = whole.at("move_offsets").values<std::int64_t>();
  offsets[1] = 1'000'000;
  arrays["move_offsets"] = NpyArray::of(std::span<const std::int64_t>(offsets));
  EXPECT_THAT(fault(arrays), HasSubstr("move_offsets goes back"));
  auto actions = whole.at("action").values<std::uint8_t>();
  actions[3] = 217;
  arrays = whole;
  arrays["action"] = NpyArray::of(std::span<const std::uint8_t>(actions));
  EXPECT_THAT(fault(arrays), HasSubstr("only 217 actions"));
}

TEST(Npz, DamagedAndForeignFilesAreNamed) {
  const TemporaryFolder folder;
  const auto file = folder / "games.npz";
  const auto fault = [&] { return message_of([&] { (void)read_npz(file); }); };
  EXPECT_THAT(fault(), HasSubstr(file.string() + " cannot be opened"));
  write_npz(file, games_to_arrays(some_games(5)));
  std::ifstream in(file, std::ios::binary);
  std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string cut = whole.substr(0, whole.size() / 2);
  std::ofstream(file, std::ios::binary) << cut;
  EXPECT_THAT(fault(), HasSubstr(file.string()));
  whole[whole.size() / 2] = static_cast<char>(whole[whole.size() / 2] ^ 1);
  std::ofstream(file, std::ios::binary) << whole;
  EXPECT_THAT(fault(), HasSubstr(file.string() + " is damaged"));
  std::ofstream(file, std::ios::binary) << "no archive";
  EXPECT_THAT(fault(), HasSubstr(file.string()));
  EXPECT_THAT(message_of([&] { write_npz(folder / "no" / "where.npz", games_to_arrays({})); }),
              HasSubstr("where.npz.tmp: No such file"));
}

}  // namespace
}  // namespace baghzero
