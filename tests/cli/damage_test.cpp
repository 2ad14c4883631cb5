// What disks, people and power cuts do to a run: it is named in a sentence, and nothing is lost.
#include <chrono>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/config.h"
#include "tests/cli/program.h"
#include "tests/cli/small_disk.h"
#include "training/run_folder.h"
#include "training/run_store.h"
#include "training/sqlite.h"

namespace baghzero::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

// A run of one generation.
fs::path trained_run(const std::string& name) {
  const fs::path folder = fresh_folder(name);
  const fs::path run = folder / "run";
  const ProgramResult result =
      run_program({"train", tiny_config(folder).string(), "--run", run.string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return run;
}

// On to a second generation.
ProgramResult go_on(const fs::path& run) {
  return run_program({"train", "--resume", "--run", run.string(), "--set", "run.generations=2"});
}

std::int64_t games_in(const fs::path& run) {
  return RunStore(run / "run.sqlite", RunStore::Mode::ReadOnly).game_count();
}

// The program's own complaint: exactly one line that begins with its name.
std::string complaint(const ProgramResult& result) {
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const std::size_t at = result.err.find("baghzero: error: ");
  if (at == std::string::npos) return "no complaint in: " + result.err;
  const std::string line = result.err.substr(at);
  EXPECT_THAT(line, EndsWith("\n"));
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
  return line;
}

void flip_a_byte(const fs::path& file, std::size_t at) {
  std::string bytes = read_text(file);
  ASSERT_LT(at, bytes.size());
  bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
  std::ofstream(file, std::ios::binary) << bytes;
}

void overwrite(const fs::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

fs::path newest_state(const fs::path& run) {
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(run / "state"))
    newest = std::max(newest, entry.path());
  return newest;
}

TEST(Damage, ANewestStateThatIsCutShortOrFlippedIsNamedAndTheOneBeforeUsed) {
  for (const bool cut : {true, false}) {
    const fs::path run = trained_run("state");
    const fs::path state = newest_state(run);
    if (cut)
      fs::resize_file(state, fs::file_size(state) / 2);
    else
      flip_a_byte(state, fs::file_size(state) / 2);
    const std::int64_t games = games_in(run);
    const ProgramResult result = go_on(run);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("warning: " + state.string() + " is damaged"),
                                  HasSubstr("passed over for the state before it")));
    EXPECT_GT(games_in(run), games);
  }
}

TEST(Damage, LostGamesAreNamed) {
  const fs::path run = trained_run("lost_games");
  sqlite::Database(run / "run.sqlite", sqlite::Access::ReadWrite)
      .execute("DELETE FROM games WHERE id > 3");
  const ProgramResult check = run_program({"check", run.string()});
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_THAT(check.out + check.err,
              HasSubstr("there are 3 games, but a generation was made after"));
}

TEST(Damage, CheckNamesMissingTablesAndMetricsThatAreNoNumbers) {
  const fs::path run = trained_run("tables");
  sqlite::Database(run / "run.sqlite", sqlite::Access::ReadWrite)
      .execute(
          "DROP TABLE matches; INSERT INTO metrics VALUES ('loss/value', 1, 9e999), "
          "('loss/value', 2, 'nothing')");
  const ProgramResult check = run_program({"check", run.string()});
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_THAT(check.out + check.err,
              AllOf(HasSubstr("run.sqlite lacks the table matches"),
                    HasSubstr("the metric loss/value has 2 values that are no finite number")));
}

TEST(Damage, ADatabaseThatIsDeletedDuringTrainingIsRescued) {
  const fs::path folder = fresh_folder("deleted_database");
  const fs::path run = folder / "run";
  Program program(
      {"train", tiny_config(folder).string(), "--run", run.string(), "--set", "run.generations=0"},
      folder);
  while (program.running() && !fs::exists(run / RunFolder::model_name(1)))
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ASSERT_TRUE(program.running()) << program.err();
  const std::int64_t games = games_in(run);
  for (const char* name : {"run.sqlite", "run.sqlite-wal", "run.sqlite-shm"})
    fs::remove(run / name);
  const fs::path rescued = run / "run.sqlite.rescued";
  EXPECT_THAT(complaint(program.wait()),
              AllOf(HasSubstr("was moved, deleted or replaced while it was in use"),
                    HasSubstr(rescued.string())));
  fs::rename(rescued, run / "run.sqlite");
  EXPECT_GE(games_in(run), games);
  EXPECT_EQ(run_program({"check", run.string()}).exit_code, 0);
  const ProgramResult resumed =
      run_program({"train", "--resume", "--run", run.string(), "--set", "run.generations=1"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

TEST(Damage, NothingIsWrittenBesideADatabaseOfAnotherProgram) {
  const fs::path run = fresh_folder("foreign_database");
  sqlite::Database(run / "run.sqlite", sqlite::Access::Create).execute("CREATE TABLE other (x)");
  std::ofstream(run / "games-1.npz") << "none";
  EXPECT_THAT(
      complaint(run_program({"import-games", run.string(), (run / "games-1.npz").string()})),
      HasSubstr("is no run database"));
  EXPECT_FALSE(fs::exists(run / "lock"));
}

TEST(Damage, AReportDoesNotReplaceTheDatabase) {
  const fs::path run = trained_run("report_over_database");
  const fs::path database = run / "run.sqlite";
  EXPECT_THAT(complaint(run_program({"report", run.string(), "--out", database.string()})),
              HasSubstr(database.string() + " is no text and is not overwritten"));
  EXPECT_EQ(run_program({"check", run.string()}).exit_code, 0);
}

TEST(Damage, AModelIsNamedAndServesAgainOnceRestored) {
  const fs::path run = trained_run("model");
  const fs::path model = run / RunFolder::model_name(1);
  const std::string whole = read_text(model);
  flip_a_byte(model, whole.size() / 2);
  EXPECT_THAT(complaint(go_on(run)),
              AllOf(HasSubstr(model.string()), HasSubstr("checksum"), HasSubstr("restore a copy")));
  fs::resize_file(model, whole.size() / 3);
  EXPECT_THAT(complaint(go_on(run)), HasSubstr(model.string()));
  fs::remove(model);
  EXPECT_THAT(complaint(go_on(run)), AllOf(HasSubstr(model.string()), HasSubstr("No such file")));
  overwrite(model, whole);
  EXPECT_EQ(go_on(run).exit_code, 0);
}

TEST(Damage, AStoredGameIsNamedAndServesAgainOnceRestored) {
  const fs::path run = trained_run("game");
  const fs::path database = run / "run.sqlite";
  const std::string whole = read_text(database);
  const std::size_t game = whole.rfind("BZG");  // the mark of a stored game
  ASSERT_NE(game, std::string::npos);
  flip_a_byte(database, game + 20);
  EXPECT_THAT(complaint(go_on(run)), AllOf(HasSubstr("game "), HasSubstr(database.string()),
                                           HasSubstr("checksum"), HasSubstr("restore a copy")));
  overwrite(database, whole);
  EXPECT_EQ(go_on(run).exit_code, 0);
}

TEST(Damage, CheckFindsNothingInAWholeRunAndNamesWhatIsWrongWithABrokenOne) {
  const fs::path run = trained_run("check");
  const ProgramResult whole = run_program({"check", run.string()});
  EXPECT_EQ(whole.exit_code, 0) << whole.out << whole.err;
  EXPECT_THAT(whole.out, AllOf(testing::StartsWith(std::to_string(games_in(run)) + " games, "),
                               HasSubstr("2 models, 2 states: no fault found\n")));

  sqlite::Database(run / "run.sqlite", sqlite::Access::ReadWrite)
      .execute(
          "UPDATE games SET plies = plies + 1 WHERE id = 3;"
          "UPDATE games SET record = zeroblob(40) WHERE id = 4;"
          "DELETE FROM games WHERE id = 5;"
          "UPDATE games SET last_generation = 9 WHERE id = 6;"
          "UPDATE gates SET opponent = 3;"
          "INSERT INTO gate_games VALUES (1, 0, 1, 'draw', 'max_plies', '1. G33 B1133 *')");
  flip_a_byte(newest_state(run), 200);
  flip_a_byte(run / RunFolder::model_name(1), 3'000);
  std::ofstream(run / "run.toml", std::ios::app) << "\n[nonsense]\n";
  const ProgramResult broken = run_program({"check", run.string()});
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_THAT(broken.out,
              AllOf(HasSubstr("game 3: the column plies contradicts the record\n"),
                    HasSubstr("game 4: these bytes are not a stored game"),
                    HasSubstr("but there are " + std::to_string(games_in(run) - 1) + "\n"),
                    HasSubstr("game 6: the column last_generation contradicts the record\n"),
                    HasSubstr("gate 1 was against generation 3 instead of 0\n"),
                    HasSubstr("gate 1, pair 0: "), HasSubstr("gen-0001.bzn is damaged"),
                    HasSubstr(newest_state(run).string() +
                              " cannot be used: its checksum does not match\n"),
                    HasSubstr("nonsense"), HasSubstr("2 states: 9 faults\n")));
}

TEST(Damage, AStoredConfigurationThatDoesNotParseIsNamedAsThat) {
  const fs::path run = trained_run("configuration");
  const std::string whole = read_text(run / "run.toml");
  overwrite(run / "run.toml", "[run]\nseed = \n");
  for (const char* command : {"status", "report"})
    EXPECT_THAT(
        complaint(run_program({command, run.string()})),
        AllOf(HasSubstr("run.toml:2: "), HasSubstr("(the stored configuration of the run; a "
                                                   "copy is in its database: sqlite3")));
  EXPECT_THAT(complaint(go_on(run)), HasSubstr("(the stored configuration of the run; "));
  EXPECT_THAT(run_program({"check", run.string()}).out,
              HasSubstr("(the stored configuration of the run; "));
  fs::remove(run / "run.toml");
  EXPECT_THAT(complaint(run_program({"status", run.string()})),
              HasSubstr("run.toml is missing (the stored configuration of the run; "));
  // The copy serves.
  overwrite(run / "run.toml",
            *RunStore(run / "run.sqlite", RunStore::Mode::ReadOnly).meta("configuration"));
  EXPECT_EQ(read_text(run / "run.toml"), whole);
  EXPECT_EQ(go_on(run).exit_code, 0);
}

// An emptied one would else mean a run with all defaults.
TEST(Damage, AnEditedConfigurationDoesNotCount) {
  const fs::path run = trained_run("edited");
  const std::string whole = read_text(run / "run.toml");
  overwrite(run / "run.toml", "");
  EXPECT_THAT(run_program({"check", run.string()}).out,
              AllOf(HasSubstr("run.toml differs from the configuration in the database ("),
                    HasSubstr("gate.mode")));
  const ProgramResult result = go_on(run);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("run.toml was changed ("));
  RunConfig expected = parse_config(whole, "whole");
  expected.run.generations = 2;
  EXPECT_THAT(differing_keys(load_config(run / "run.toml"), expected), testing::IsEmpty());
  EXPECT_EQ(run_program({"check", run.string()}).exit_code, 0);
}

TEST(Damage, AListOfGamesThatFailsBeginsWithNoHead) {
  const fs::path run = trained_run("listing");
  sqlite::Database(run / "run.sqlite", sqlite::Access::ReadWrite)
      .execute("UPDATE games SET record = zeroblob(40) WHERE id = 1");
  const ProgramResult result = run_program({"games", run.string()});
  EXPECT_THAT(complaint(result), HasSubstr("game 1 in "));
  EXPECT_EQ(result.out, "");
}

TEST(Damage, AForeignDatabaseIsRefusedAndLeftAlone) {
  const fs::path run = trained_run("foreign");
  constexpr std::string_view kText = "accounts of the year, and nothing that could be a database";
  overwrite(run / "run.sqlite", kText);
  EXPECT_THAT(complaint(go_on(run)), HasSubstr("no run database"));
  EXPECT_EQ(read_text(run / "run.sqlite"), kText);
}

TEST(Damage, ForeignFilesInItsFoldersAreNoneOfItsBusiness) {
  const fs::path run = trained_run("strangers");
  for (const char* name : {"models/notes.txt", "state/notes.txt", "notes.txt"})
    overwrite(run / name, "mine");
  EXPECT_EQ(go_on(run).exit_code, 0);
  for (const char* name : {"models/notes.txt", "state/notes.txt", "notes.txt"})
    EXPECT_EQ(read_text(run / name), "mine");
}

TEST(Damage, DeletedFilesAreNamed) {
  const fs::path run = trained_run("deleted");
  fs::rename(run / "run.toml", run / "moved.toml");
  fs::rename(run / "state", run / "moved");
  EXPECT_THAT(complaint(go_on(run)), HasSubstr("no state in "));
  fs::remove_all(run / "state");
  fs::rename(run / "moved", run / "state");
  const ProgramResult result = go_on(run);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("run.toml was changed (it is missing)"));
  RunConfig expected = load_config(run / "moved.toml");
  expected.run.generations = 2;
  EXPECT_THAT(differing_keys(load_config(run / "run.toml"), expected), testing::IsEmpty());
}

// Without the database's copy, too.
TEST(Damage, ARunWithoutAnyConfigurationAsksForOne) {
  const fs::path run = trained_run("unconfigured");
  fs::remove(run / "run.toml");
  sqlite::Database(run / "run.sqlite", sqlite::Access::ReadWrite)
      .execute("DELETE FROM meta WHERE key = 'configuration'");
  EXPECT_THAT(complaint(go_on(run)),
              AllOf(HasSubstr("run.toml is missing"), HasSubstr("train CONFIG --resume --run")));
}

// Root may write anywhere unless a capability is taken from it. (Somebody else might not even reach
// the folder.)
TEST(Damage, AFolderThatMayNotBeWrittenToIsNamed) {
  const fs::path run = trained_run("read_only");
  const fs::path folder = run.parent_path();
  const std::int64_t games = games_in(run);
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    fs::permissions(entry,
                    fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write,
                    fs::perm_options::remove);
  const std::string without_privilege =
      ::geteuid() == 0 ? "setpriv --bounding-set=-dac_override " : "";
  const std::string command = without_privilege + BAGHZERO_BINARY " train --resume --run " +
                              run.string() + " --set run.generations=2 2>" +
                              (folder / "err").string();
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(read_text(folder / "err"), AllOf(HasSubstr("cannot open " + (run / "lock").string()),
                                               HasSubstr("may be written to")));
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    fs::permissions(entry, fs::perms::owner_write, fs::perm_options::add);
  EXPECT_EQ(games_in(run), games);
}

TEST(Damage, AFullDiskIsNamedAndTheRunGoesOnOnceThereIsRoom) {
  const fs::path folder = fresh_folder("full");
  const fs::path disk_folder = folder / "disk";
  fs::create_directories(disk_folder);
  SmallDisk disk(disk_folder);
  const fs::path run = disk_folder / "run";
  const auto train = [&](const std::string& more) {
    const std::string command =
        disk.prefix() + BAGHZERO_BINARY " train " + tiny_config(folder).string() + " --run " +
        run.string() + more + " >" + (folder / "out").string() + " 2>" + (folder / "err").string();
    const int status = std::system(command.c_str());
    return ProgramResult{WEXITSTATUS(status), read_text(folder / "out"), read_text(folder / "err")};
  };
  const std::string line = complaint(train(" --set run.generations=0"));
  EXPECT_THAT(line, AllOf(HasSubstr(run.string()), HasSubstr("space")));
  disk.grow();
  const std::int64_t games = games_in(run);
  EXPECT_GT(games, 0);
  const RunStore store(run / "run.sqlite", RunStore::Mode::ReadOnly);
  const int generations = static_cast<int>(store.generations().size());
  const ProgramResult rest =
      train(" --resume --set run.generations=" + std::to_string(generations + 1));
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_GT(games_in(run), games);
}

}  // namespace
}  // namespace baghzero::test
