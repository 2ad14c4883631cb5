// Runs whose wall clock is set forwards and backwards by hours, as by a person or by a time server
// that has been out of reach, and as it is between machines.
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "training/checkpoint.h"
#include "training/run_folder.h"
#include "training/run_store.h"
#include "training/sqlite.h"

namespace baghzero::test {
namespace {

using namespace std::chrono_literals;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// The longest that a run takes here, were the machine ever so slow; clocks are set by more.
constexpr double kLongest = 3'000;

fs::path faketime_library() {
  for (const auto& entry : fs::directory_iterator("/usr/lib"))
    for (const fs::path& folder : {entry.path(), fs::path("/usr/lib")})
      if (const fs::path file = folder / "faketime/libfaketimeMT.so.1"; fs::exists(file))
        return file;
  throw std::runtime_error("libfaketimeMT.so.1 is not there: install the package faketime");
}

// The wall clock of programs that are started meanwhile, which may be set while they run. Clocks
// that only ever go on are left alone, as they are where a clock is set.
class WallClock {
 public:
  explicit WallClock(const fs::path& folder) : file_(folder / "clock") {
    set(0h);
    setenv("LD_PRELOAD", faketime_library().c_str(), 1);
    setenv("FAKETIME_TIMESTAMP_FILE", file_.c_str(), 1);
    setenv("FAKETIME_NO_CACHE", "1", 1);
    setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1", 1);
    setenv("NO_FAKE_STAT", "1", 1);
  }
  ~WallClock() {
    for (const char* name : {"LD_PRELOAD", "FAKETIME_TIMESTAMP_FILE", "FAKETIME_NO_CACHE",
                             "FAKETIME_DONT_FAKE_MONOTONIC", "NO_FAKE_STAT"})
      unsetenv(name);
  }
  WallClock(const WallClock&) = delete;
  WallClock& operator=(const WallClock&) = delete;

  // So far ahead of the true time.
  void set(std::chrono::hours ahead) const {
    const fs::path unfinished = file_.string() + ".new";
    std::ofstream(unfinished) << (ahead < 0h ? "" : "+") << ahead.count() << "h\n";
    fs::rename(unfinished, file_);
  }

 private:
  fs::path file_;
};

int generations_in(const fs::path& run) {
  if (!RunFolder{run}.holds_run()) return 0;
  return static_cast<int>(
      RunStore(run / "run.sqlite", RunStore::Mode::ReadOnly).generations().size());
}

void await_generations(Program& program, const fs::path& run, int more) {
  const int wanted = generations_in(run) + more;
  while (program.running() && generations_in(run) < wanted) std::this_thread::sleep_for(20ms);
  ASSERT_TRUE(program.running()) << program.err();
}

std::int64_t number_from(const fs::path& run, const std::string& sql) {
  sqlite::Database database(run / "run.sqlite", sqlite::Access::ReadOnly);
  sqlite::Statement read = database.prepare(sql);
  EXPECT_TRUE(read.next()) << sql;
  return read.integer(0);
}

class ClockTest : public testing::TestWithParam<const char*> {};

// Forwards and backwards while it trains, then on a machine that is a day behind.
TEST_P(ClockTest, SettingTheClockCostsARunNothing) {
  const fs::path folder = fresh_folder(std::string("clock_") + GetParam());
  const fs::path run = folder / "run";
  const WallClock clock(folder);
  // Far more minutes than the run takes and fewer than the clock is set by.
  std::vector<std::string> arguments = {"train", tiny_config(folder).string(),
                                        "--run", run.string(),
                                        "--set", std::string("training.schedule=") + GetParam(),
                                        "--set", "gate.mode=fixed",
                                        "--set", "gate.threshold=0",
                                        "--set", "training.reuse=0.25",
                                        "--set", "run.minutes=50",
                                        "--set", "run.generations=0"};
  {
    Program program(arguments, folder);
    ASSERT_NO_FATAL_FAILURE(await_generations(program, run, 2));
    for (const auto ahead : {5h, -9h, 30h, 0h}) {
      clock.set(ahead);
      ASSERT_NO_FATAL_FAILURE(await_generations(program, run, 1));
      // Until it has told where it stands by the new clock.
      ProgramResult status;
      do status = run_program({"status", run.string()});
      while (program.running() && status.out.find("\n  time left ") == std::string::npos);
      EXPECT_THAT(status.out, ContainsRegex("\n  time left +[1-5]?[0-9] min [0-9]+ s to run.min"));
      EXPECT_THAT(status.out, Not(ContainsRegex("-[0-9.]+ (s|min|h) ")));
    }
    program.send(SIGTERM);
    const ProgramResult end = program.wait();
    EXPECT_EQ(end.exit_code, 0) << end.err;
    EXPECT_THAT(end.out, HasSubstr("Run stopped by SIGTERM"));
    EXPECT_THAT(end.err, Not(HasSubstr("has done nothing for")));
  }
  const std::int64_t games = number_from(run, "SELECT count(*) FROM games");
  const int generations = generations_in(run);
  // Else nothing of this would have been put to the test.
  EXPECT_GT(number_from(run, "SELECT max(at) - min(at) FROM events"), 30 * 3600);

  clock.set(-24h);
  arguments.back() = "run.generations=" + std::to_string(generations + 1);
  arguments.emplace_back("--resume");
  const ProgramResult end = run_program(arguments);
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("Run finished: run.generations reached"));
  EXPECT_EQ(generations_in(run), generations + 2);
  EXPECT_GE(number_from(run, "SELECT count(*) FROM games"), games);

  const ProgramResult check = run_program({"check", run.string()});
  EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
  EXPECT_EQ(
      run_program({"report", run.string(), "--out", (folder / "report.html").string()}).exit_code,
      0);
  const double seconds = load_newest_state(run / "state").state->seconds;
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, kLongest);
  for (const char* duration : {"name LIKE '%seconds' OR name LIKE '%per_second'",
                               "name = 'run/minutes'", "name LIKE '%_share'"}) {
    const std::string where = std::string(" FROM metrics WHERE (") + duration + ")";
    EXPECT_GT(number_from(run, "SELECT count(*)" + where), 0) << duration;
    EXPECT_EQ(number_from(run, "SELECT count(*)" + where + " AND value < 0"), 0) << duration;
  }
  EXPECT_EQ(number_from(run, "SELECT count(*) FROM metrics WHERE value > " +
                                 std::to_string(kLongest) + " AND name LIKE '%/seconds'"),
            0);
  EXPECT_EQ(number_from(run,
                        "SELECT count(*) FROM (SELECT value - lag(value) OVER (ORDER BY step) "
                        "AS more FROM metrics WHERE name = 'run/minutes') WHERE more < 0"),
            0);
}

INSTANTIATE_TEST_SUITE_P(Schedules, ClockTest, testing::Values("alternate", "overlap"));

}  // namespace
}  // namespace baghzero::test
