#include "training/run_store.h"

#include <fstream>
#include <limits>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "tests/training/temporary_folder.h"
#include "training/benchmark.h"
#include "training/targets.h"

namespace baghzero {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::message_of;
using testing::TemporaryFolder;

void execute(const std::filesystem::path& file, const char* sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(handle);
}

std::int64_t add(RunStore& store, const GameRecord& game) {
  return store.add_game(game, encode_game(game), count_rows(game));
}

TEST(RunStore, GamesComeBackAsTheyWereInOrder) {
  const TemporaryFolder folder;
  std::vector<GameRecord> games;
  {
    RunStore store(folder / "run.sqlite", RunStore::Mode::Create);
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      games.push_back(make_random_game({}, seed));
      EXPECT_EQ(add(store, games.back()), static_cast<std::int64_t>(seed));
    }
  }
  const RunStore store(folder / "run.sqlite", RunStore::Mode::ReadOnly);
  EXPECT_EQ(store.game_count(), 150);
  std::int64_t expected = 101;
  store.for_each_game(101, 0, [&](std::int64_t number, const GameRecord& game) {
    EXPECT_EQ(number, expected);
    EXPECT_EQ(encode_game(game), encode_game(games[number - 1]));
    ++expected;
  });
  EXPECT_EQ(expected, 151);
  int visited = 0;
  store.for_each_game(3, 5, [&](std::int64_t, const GameRecord&) { ++visited; });
  EXPECT_EQ(visited, 3);
}

TEST(RunStore, FindsTheGamesOfTheLastRows) {
  const TemporaryFolder folder;
  RunStore store(folder / "run.sqlite", RunStore::Mode::Create);
  const GameRecord game = make_random_game({}, 1);
  for (const int rows : {10, 20, 30, 40}) store.add_game(game, encode_game(game), rows);
  EXPECT_EQ(store.row_count(), 100);
  EXPECT_EQ(store.rows_after(2), 70);
  EXPECT_EQ(store.first_game_of_last_rows(40), 4);
  EXPECT_EQ(store.first_game_of_last_rows(41), 3);
  EXPECT_EQ(store.first_game_of_last_rows(100), 1);
  EXPECT_EQ(store.first_game_of_last_rows(1'000), 1);
}

TEST(RunStore, CountsHowLaterGamesEnded) {
  const TemporaryFolder folder;
  RunStore store(folder / "run.sqlite", RunStore::Mode::Create);
  std::int64_t plies = 0;
  std::map<Outcome, std::int64_t> outcomes;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const GameRecord game = make_random_game({}, seed);
    add(store, game);
    if (seed <= 10) continue;
    plies += static_cast<std::int64_t>(game.moves.size());
    ++outcomes[game.outcome];
  }
  const GameTally tally = store.tally_after(10);
  EXPECT_EQ(tally.games, 30);
  EXPECT_EQ(tally.plies, plies);
  EXPECT_EQ(tally.outcomes, outcomes);
  EXPECT_EQ(store.tally_after(40).games, 0);
}

TEST(RunStore, ANewDatabaseReplacesWhatACrashLeft) {
  const TemporaryFolder folder;
  const auto file = folder / "run.sqlite";
  std::ofstream(file).close();
  std::ofstream(folder / "run.sqlite.new") << "torn";
  RunStore store(file, RunStore::Mode::Create);
  EXPECT_EQ(store.game_count(), 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "run.sqlite.new"));
}

TEST(RunStore, TakesGamesFromManyThreads) {
  const TemporaryFolder folder;
  RunStore store(folder / "run.sqlite", RunStore::Mode::Create);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&store, t] {
      for (int i = 0; i < 40; ++i) add(store, make_random_game({}, static_cast<std::uint64_t>(t)));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store.game_count(), 160);
}

TEST(RunStore, AnotherProcessMayReadWhileItIsWritten) {
  const TemporaryFolder folder;
  RunStore store(folder / "run.sqlite", RunStore::Mode::Create);
  add(store, make_random_game({}, 1));
  store.commit();
  add(store, make_random_game({}, 2));
  const RunStore reader(folder / "run.sqlite", RunStore::Mode::ReadOnly);
  EXPECT_EQ(reader.game_count(), 1);
  store.commit();
  EXPECT_EQ(reader.game_count(), 2);
}

TEST(RunStore, GatesAreUnfinishedUntilTheyHaveAVerdict) {
  const TemporaryFolder folder;
  RunStore store(folder / "run.sqlite", RunStore::Mode::Create);
  GateEntry gate;
  gate.samples = 5'000;
  gate.opponent = 2;
  gate.mode = "sprt";
  gate.candidate_file = "models/candidate.bzn";
  gate.id = store.begin_gate(gate);
  store.add_gate_game(gate.id,
                      {0, true, "1. G33 B1122", Outcome::TigersWin, Termination::Captures});
  store.add_gate_game(gate.id, {0, false, "1. G33 *", Outcome::Draw, Termination::MaxPlies});
  ASSERT_TRUE(store.unfinished_gate().has_value());
  EXPECT_EQ(store.unfinished_gate()->opponent, 2);
  EXPECT_EQ(store.unfinished_gate()->candidate_file, "models/candidate.bzn");
  const auto games = store.gate_games(gate.id);
  ASSERT_EQ(games.size(), 2U);
  EXPECT_FALSE(games[0].candidate_is_tiger);
  EXPECT_EQ(games[0].termination, Termination::MaxPlies);
  EXPECT_EQ(games[1].text, "1. G33 B1122");

  gate.pairs = 1;
  gate.score = 0.75;
  gate.score_as_goat = 0.5;
  gate.score_as_tiger = 1;
  gate.llr = 1.5;
  gate.promoted = false;
  gate.verdict = "rejected";
  store.finish_gate(gate);
  EXPECT_FALSE(store.unfinished_gate().has_value());
  ASSERT_EQ(store.gates().size(), 1U);
  EXPECT_EQ(store.gates()[0].promoted, false);
  EXPECT_EQ(store.gates()[0].score_as_tiger, 1);
  EXPECT_EQ(store.gates()[0].verdict, "rejected");
}

TEST(RunStore, KeepsGenerationsMatchesMetricsEventsAndMeta) {
  const TemporaryFolder folder;
  {
    RunStore store(folder / "run.sqlite", RunStore::Mode::Create);
    store.add_generation({0, "models/gen-0000.bzn", 0, 0, 0});
    store.add_generation({1, "models/gen-0001.bzn", 900, 80, 7});
    MatchEntry match;
    match.first = "generation 1";
    match.second = "random";
    match.pairs = 2;
    match.wins = 3;
    match.draws = 1;
    match.score = 0.875;
    store.add_match(match);
    store.add_metrics(10, {{"loss/value", 0.5}, {"loss/policy", 2.0}});
    store.add_metrics(
        20, {{"loss/value", 0.25}, {"loss/policy", std::numeric_limits<double>::quiet_NaN()}});
    store.add_metrics(30, {{"loss/value", 0.125}, {"gate/score", 0.5}, {"rating/elo", 90}});
    store.add_metrics(40, {{"evaluation/random/score", 0.75}, {"perfect/value_right", 0.25}});
    store.drop_metrics_after(20);
    EXPECT_EQ(store.metrics_after(20),
              (std::map<std::int64_t, std::map<std::string, double>>{
                  {30, {{"gate/score", 0.5}, {"rating/elo", 90}}},
                  {40, {{"evaluation/random/score", 0.75}, {"perfect/value_right", 0.25}}}}));
    store.add_event("warning", "slow");
    store.set_meta("seconds", "12");
    store.set_meta("seconds", "13");
  }
  const RunStore store(folder / "run.sqlite", RunStore::Mode::ReadOnly);
  ASSERT_EQ(store.generations().size(), 2U);
  EXPECT_EQ(store.generations()[1].samples, 900);
  EXPECT_EQ(store.generations()[1].at, 7);
  EXPECT_GT(store.generations()[0].at, 0);
  ASSERT_EQ(store.matches().size(), 1U);
  EXPECT_EQ(store.matches()[0].score, 0.875);
  ASSERT_EQ(store.metrics("loss/value").size(), 2U);
  EXPECT_EQ(store.metrics("loss/value")[1].value, 0.25);
  EXPECT_EQ(store.metrics("loss/policy").size(), 1U);
  ASSERT_EQ(store.events().size(), 1U);
  EXPECT_EQ(store.events()[0].text, "slow");
  EXPECT_EQ(store.meta("seconds"), "13");
  EXPECT_EQ(store.meta("nothing"), std::nullopt);
}

std::vector<std::vector<std::byte>> records_of(const RunStore& store) {
  std::vector<std::vector<std::byte>> records;
  store.for_each_game(1, 0, [&records](std::int64_t, const GameRecord& game) {
    records.push_back(encode_game(game));
  });
  return records;
}

auto columns_of(const RunStore& store) {
  const GameTally tally = store.tally_after(0);
  std::vector<std::tuple<int, std::string, std::int64_t, std::int64_t>> generations;
  for (const GenerationEntry& entry : store.generations())
    generations.emplace_back(entry.number, entry.file, entry.samples, entry.games);
  return std::tuple(store.row_count(), tally.games, tally.plies, tally.outcomes, generations);
}

// One flipped byte at several places of every page in turn: what notices it names the file, and no
// record that is read is other than one that was stored, for records have checksums. Nothing else
// has: a number of a generation or a metric, or a column beside a record, is read as it stands
// unless the flip breaks what SQLite needs to find its way. A page that seems to hold fewer rows
// loses whole games without a word. Therefore the claim ends with the records.
TEST(RunStore, ADamagedPageIsNamedOrAltersNoRecord) {
  const TemporaryFolder folder;
  const auto file = folder / "run.sqlite";
  {
    RunStore store(file, RunStore::Mode::Create);
    for (std::uint64_t seed = 1; seed <= 60; ++seed) add(store, make_random_game({}, seed));
    store.add_generation({0, "models/gen-0000.bzn", 0, 0, 0});
  }
  const auto expected = records_of(RunStore(file, RunStore::Mode::ReadOnly));
  const auto columns = columns_of(RunStore(file, RunStore::Mode::ReadOnly));
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  constexpr std::size_t kPage = 4'096;
  int noticed = 0;
  int misread = 0;
  for (std::size_t page = 0; page * kPage < whole.size(); ++page) {
    for (const std::size_t offset : {0UL, 4UL, 5UL, 9UL, 100UL, 700UL, kPage - 900, kPage - 20}) {
      std::string damaged = whole;
      char& byte = damaged[page * kPage + offset];
      byte = static_cast<char>(byte ^ 0x55);
      std::ofstream(file, std::ios::binary) << damaged;
      std::vector<std::vector<std::byte>> found;
      const std::string message = message_of([&] {
        const RunStore store(file, RunStore::Mode::Resume);
        found = records_of(store);
        if (columns_of(store) != columns) ++misread;
      });
      if (!message.empty()) {
        ++noticed;
        EXPECT_THAT(message, HasSubstr(file.string())) << page << " " << offset;
        continue;
      }
      EXPECT_THAT(expected, IsSupersetOf(found)) << page << " " << offset;
    }
  }
  EXPECT_GT(noticed, 10);
  EXPECT_GT(misread, 0);  // else more could be claimed than is
}

TEST(RunStore, ATableThatIsMissingIsNamedAndNotMadeAnew) {
  const TemporaryFolder folder;
  const auto file = folder / "run.sqlite";
  { const RunStore store(file, RunStore::Mode::Create); }
  execute(file, "DROP TABLE events");
  for (const RunStore::Mode mode : {RunStore::Mode::Resume, RunStore::Mode::ReadOnly})
    EXPECT_THAT(message_of([&] { const RunStore store(file, mode); }),
                HasSubstr(file.string() + " lacks the table events"));
}

// What was measured of gates and generations stays when a run goes on from an older state.
TEST(RunStore, DropsTheMetricsOfWorkThatIsDoneAgain) {
  const TemporaryFolder folder;
  RunStore store(folder / "run.sqlite", RunStore::Mode::Create);
  store.add_metrics(20, {{"loss/value", 1}, {"gate/score", 1}, {"rating/elo", 1}});
  store.add_metrics(30, {{"loss/value", 2},
                         {"gate/score", 2},
                         {"evaluation/random/score", 2},
                         {"perfect/policy_errors", 2},
                         {"rating/elo", 2}});
  store.drop_metrics_after(20);
  EXPECT_EQ(store.metrics("loss/value").size(), 1U);
  for (const char* kept :
       {"gate/score", "evaluation/random/score", "perfect/policy_errors", "rating/elo"})
    EXPECT_EQ(store.metrics(kept).back().value, 2) << kept;
}

TEST(RunStore, PassesOverMetricsThatAreNoNumbers) {
  const TemporaryFolder folder;
  const auto file = folder / "run.sqlite";
  RunStore(file, RunStore::Mode::Create).add_metrics(1, {{"loss/value", 0.5}});
  execute(file,
          "INSERT INTO metrics VALUES ('loss/value', 2, 9e999), ('loss/value', 3, -9e999), "
          "('loss/value', 4, 'nothing')");
  const RunStore store(file, RunStore::Mode::ReadOnly);
  EXPECT_EQ(store.metrics("loss/value").size(), 1U);
  EXPECT_EQ(store.latest_metrics().at("loss/value").value, 0.5);
}

TEST(RunStore, ReadsGamesUpToTheLastNumberThereCanBe) {
  const TemporaryFolder folder;
  const auto file = folder / "run.sqlite";
  {
    RunStore store(file, RunStore::Mode::Create);
    add(store, make_random_game({}, 1));
    add(store, make_random_game({}, 2));
  }
  execute(file, "UPDATE games SET id = 9223372036854775807 WHERE id = 2");
  const RunStore store(file, RunStore::Mode::ReadOnly);
  std::vector<std::int64_t> numbers;
  store.for_each_game(1, 0,
                      [&](std::int64_t number, const GameRecord&) { numbers.push_back(number); });
  EXPECT_THAT(numbers, ElementsAre(1, std::numeric_limits<std::int64_t>::max()));
  numbers.clear();
  store.for_each_game_while(1, 0, [&](std::int64_t number, const GameRecord&) {
    numbers.push_back(number);
    return false;
  });
  EXPECT_THAT(numbers, ElementsAre(1));
}

TEST(RunStore, ADatabaseThatIsTakenAwayIsRescued) {
  for (const bool replaced : {false, true}) {
    const TemporaryFolder folder;
    const auto file = folder / "run.sqlite";
    RunStore store(file, RunStore::Mode::Create);
    add(store, make_random_game({}, 1));
    store.commit_durably();
    EXPECT_EQ(message_of([&] { store.require_in_place(); }), "");
    std::filesystem::remove(file);
    if (replaced) std::ofstream(file) << "another";
    add(store, make_random_game({}, 2));
    EXPECT_THAT(message_of([&] { store.require_in_place(); }),
                HasSubstr("all that it held is in " + file.string() + ".rescued"));
    EXPECT_EQ(RunStore(file.string() + ".rescued", RunStore::Mode::Resume).game_count(), 2);
  }
}

// A process that is killed later would take all with it that it wrote to a deleted log.
TEST(RunStore, ADatabaseWhoseLogIsDeletedIsRescued) {
  const TemporaryFolder folder;
  const auto file = folder / "run.sqlite";
  RunStore store(file, RunStore::Mode::Create);
  add(store, make_random_game({}, 1));
  store.commit();
  EXPECT_EQ(message_of([&] { store.require_in_place(); }), "");
  std::filesystem::remove(file.string() + "-wal");
  add(store, make_random_game({}, 2));
  EXPECT_THAT(message_of([&] { store.require_in_place(); }),
              HasSubstr("all that it held is in " + file.string() + ".rescued"));
  EXPECT_EQ(RunStore(file.string() + ".rescued", RunStore::Mode::Resume).game_count(), 2);
}

SuiteEntry suite_entry(int generation, int visits) {
  SuiteEntry entry;
  entry.generation = generation;
  entry.suite = "suite 1";
  entry.visits = visits;
  entry.moves.at(Side::Tiger, GamePhase::Movement) = {10, 7};
  if (visits == 0) entry.values.at(Side::Goat, GamePhase::Placements1To7) = {4, 3, 1.5};
  return entry;
}

TEST(RunStore, KeepsWhatGenerationsMadeOfASuite) {
  const TemporaryFolder folder;
  {
    RunStore store(folder / "run.sqlite", RunStore::Mode::Create);
    store.add_suite_result(suite_entry(3, 64));
    store.add_suite_result(suite_entry(3, 0));
    store.add_suite_result(suite_entry(3, 0));  // once more: it replaces
  }
  const RunStore store(folder / "run.sqlite", RunStore::Mode::ReadOnly);
  const std::vector<SuiteEntry> results = store.suite_results();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].visits, 0);
  EXPECT_EQ(results[1].visits, 64);
  for (const SuiteEntry& entry : results) {
    EXPECT_EQ(entry.generation, 3);
    EXPECT_EQ(entry.suite, "suite 1");
    EXPECT_EQ(entry.moves.at(Side::Tiger, GamePhase::Movement).kept, 7);
    EXPECT_EQ(entry.moves.total().positions, 10);
  }
  const ValueCounts& values = results[0].values.at(Side::Goat, GamePhase::Placements1To7);
  EXPECT_EQ(values.positions, 4);
  EXPECT_EQ(values.right, 3);
  EXPECT_EQ(values.cross_entropy, 1.5);
  EXPECT_EQ(results[1].values.total().positions, 0);
}

TEST(RunStore, ReadsRunsOfProgramsThatKnewNoSuites) {
  const TemporaryFolder folder;
  const auto file = folder / "run.sqlite";
  { const RunStore store(file, RunStore::Mode::Create); }
  execute(file,
          "DROP TABLE suite_results; DROP TABLE ladder_games; DROP TABLE ladder_ratings;"
          "UPDATE meta SET value = '1' WHERE key = 'schema_version'");
  EXPECT_TRUE(RunStore(file, RunStore::Mode::ReadOnly).suite_results().empty());
  RunStore(file, RunStore::Mode::Resume).add_suite_result(suite_entry(1, 0));
  EXPECT_EQ(RunStore(file, RunStore::Mode::ReadOnly).suite_results().size(), 1U);
}

TEST(RunStore, RefusesWithASentence) {
  const TemporaryFolder folder;
  const auto file = folder / "run.sqlite";
  const auto open = [&](RunStore::Mode mode) {
    return message_of([&] { const RunStore store(file, mode); });
  };
  EXPECT_THAT(open(RunStore::Mode::Resume), HasSubstr("no run database at " + file.string()));
  { const RunStore store(file, RunStore::Mode::Create); }
  EXPECT_THAT(open(RunStore::Mode::Create), HasSubstr("exists already"));
  EXPECT_THAT(message_of([&] {
                RunStore store(file, RunStore::Mode::ReadOnly);
                store.set_meta("a", "b");
              }),
              HasSubstr("reading only"));
  execute(file, "UPDATE meta SET value = '999' WHERE key = 'schema_version'");
  EXPECT_THAT(open(RunStore::Mode::Resume), HasSubstr("schema version 999"));
  std::ofstream(file) << "this is text, not a database, and long enough to be looked at by SQLite";
  EXPECT_THAT(open(RunStore::Mode::Resume), HasSubstr("no run database"));
}

}  // namespace
}  // namespace baghzero
