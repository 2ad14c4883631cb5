#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "training/run_folder.h"
#include "training/run_store.h"
#include "training/sqlite.h"

namespace baghzero::test {
namespace {

using testing::HasSubstr;

std::vector<std::vector<std::byte>> games_of(const fs::path& run) {
  const RunStore store(run / "run.sqlite", RunStore::Mode::ReadOnly);
  std::vector<std::vector<std::byte>> games;
  store.for_each_game(
      1, 0, [&](std::int64_t, const GameRecord& game) { games.push_back(encode_game(game)); });
  return games;
}

// Out of a run, through NumPy, and back into the run, which has lost most of its games meanwhile.
TEST(GameArraysProgram, GamesGoThroughNumpyAndBack) {
  const fs::path folder = fresh_folder("arrays");
  const fs::path run = folder / "run";
  const ProgramResult trained = run_program(
      {"train", tiny_config(folder).string(), "--run", run.string(), "--set", "run.generations=2"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const auto games = games_of(run);
  ASSERT_GT(games.size(), 10U);

  const std::string out = (folder / "out").string();
  const ProgramResult exported =
      run_program({"export-games", run.string(), "--out", out, "--games-per-file", "10"});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_THAT(exported.out, HasSubstr(std::to_string(games.size()) + " games in "));
  // Another export has other files, beside which these would be read twice.
  expect_error(run_program({"export-games", run.string(), "--out", out}), 1,
               out + " holds exported games already, games-");
  for (const auto& entry : fs::directory_iterator(out))
    EXPECT_EQ(entry.path().extension(), ".npz") << entry.path();
  const std::string again = (folder / "again").string();
  const std::string command = "/usr/bin/python3 " BAGHZERO_SOURCE_DIR
                              "/tests/data/rewrite_games.py " +
                              out + " " + again + " " + std::to_string(games.size());
  ASSERT_EQ(std::system(command.c_str()), 0) << command;

  sqlite::Database(run / "run.sqlite", sqlite::Access::ReadWrite)
      .execute("DELETE FROM games WHERE id > 4");
  const ProgramResult imported = run_program({"import-games", run.string(), again});
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr(std::to_string(games.size() - 4) + " games imported from "));
  EXPECT_THAT(imported.out, HasSubstr("; 4 games left out: they were there already\n"));
  EXPECT_EQ(games_of(run), games);
  EXPECT_EQ(run_program({"check", run.string()}).exit_code, 0);

  // Games of generations that a run does not have must be asked for.
  const fs::path other = folder / "other";
  fs::copy(run, other, fs::copy_options::recursive);
  sqlite::Database(other / "run.sqlite", sqlite::Access::ReadWrite)
      .execute("DELETE FROM generations WHERE number > 0; DELETE FROM games");
  const ProgramResult refused = run_program({"import-games", other.string(), again});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("which the run does not have (--foreign takes it all the same)"
                                     "; nothing was imported"));
  EXPECT_TRUE(games_of(other).empty());
  EXPECT_EQ(run_program({"import-games", other.string(), again, "--foreign"}).exit_code, 0);
  EXPECT_EQ(games_of(other).size(), games.size());
}

}  // namespace
}  // namespace baghzero::test
