// Kills real training runs at random instants and goes on with them, again and again.
#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <system_error>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nn/inference.h"
#include "selfplay/game_record.h"
#include "tests/cli/program.h"
#include "training/checkpoint.h"
#include "training/run_folder.h"
#include "training/run_store.h"
#include "training/sqlite.h"

namespace baghzero::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// Eight of these runs, so 208 kills.
constexpr int kRuns = 8;
constexpr int kKillsPerRun = 26;
// So many of them on runs of their own, whose beginning they hit.
constexpr int kKillsAtTheBeginning = 6;

// No end by itself, and gates that are played: an iteration takes milliseconds, its gate as well.
const std::vector<std::string> kSettings = {
    "--set", "run.generations=0", "--set", "gate.mode=fixed", "--set", "gate.threshold=0",
    "--set", "gate.max_pairs=3",  "--set", "training.reuse=1"};

std::size_t hash_of(std::string_view bytes) { return std::hash<std::string_view>{}(bytes); }
std::size_t hash_of(std::span<const std::byte> bytes) {
  return hash_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Rows that a program which still runs has committed.
struct Committed {
  std::int64_t games = 0;
  std::int64_t gate_games = 0;
};
Committed committed(const fs::path& run) {
  sqlite::Database database(run / "run.sqlite", sqlite::Access::ReadOnly);
  sqlite::Statement read = database.prepare(
      "SELECT (SELECT coalesce(max(id), 0) FROM games), (SELECT count(*) FROM gate_games)");
  if (!read.next()) return {};
  return {read.integer(0), read.integer(1)};
}

// Gate, pair and whether the candidate has the tigers.
using GateGame = std::tuple<std::int64_t, std::int64_t, bool>;

// What a run has on disk. Compared with what was there before the last kill, everything must be
// there still, and unchanged.
struct Holdings {
  std::vector<std::size_t> games;              // hashes of the records, by number
  std::map<GateGame, std::size_t> gate_games;  // hashes of the texts
  std::vector<std::size_t> models;             // hashes of the files, by generation
  std::int64_t gates = 0;
  std::optional<RunState> state;
};

// The database as a kill leaves it, with a log that is still to be recovered: looked at in a copy,
// so that it is the program which meets the log.
fs::path copied_database(const fs::path& run) {
  const fs::path copy = run.parent_path() / "copy";
  fs::remove_all(copy);
  fs::create_directories(copy);
  for (const char* name : {"run.sqlite", "run.sqlite-wal"})
    if (fs::exists(run / name)) fs::copy_file(run / name, copy / name);
  return copy / "run.sqlite";
}

void read_games(const fs::path& file, std::size_t known, Holdings& now) {
  sqlite::Database database(file, sqlite::Access::ReadWrite);
  sqlite::Statement check = database.prepare("PRAGMA integrity_check");
  ASSERT_TRUE(check.next());
  ASSERT_EQ(check.text(0), "ok");
  check.rewind();
  sqlite::Statement read = database.prepare("SELECT id, record FROM games ORDER BY id");
  while (read.next()) {
    now.games.push_back(hash_of(read.blob(1)));
    ASSERT_EQ(read.integer(0), static_cast<std::int64_t>(now.games.size()));
    if (now.games.size() > known) {
      ASSERT_NO_THROW(decode_game(read.blob(1)));
    }
  }
  sqlite::Statement of_gates =
      database.prepare("SELECT gate, pair, candidate_is_tiger, game FROM gate_games");
  while (of_gates.next())
    now.gate_games[{of_gates.integer(0), of_gates.integer(1), of_gates.integer(2) != 0}] =
        hash_of(of_gates.text(3));
}

void read_generations(const fs::path& run, const fs::path& file, std::size_t known, Holdings& now) {
  const RunStore store(file, RunStore::Mode::ReadOnly);
  std::int64_t samples = -1;
  for (const GenerationEntry& entry : store.generations()) {
    const auto number = static_cast<int>(now.models.size());
    ASSERT_EQ(entry.number, number);
    ASSERT_GT(entry.samples, samples);
    samples = entry.samples;
    now.models.push_back(hash_of(read_text(run / entry.file)));
    if (now.models.size() > known) {
      ASSERT_EQ(load_network(run / entry.file)->generation(), number);
    }
  }
  int promoted = 0;
  const std::vector<GateEntry> gates = store.gates();
  for (const GateEntry& gate : gates) {
    ASSERT_EQ(gate.opponent, promoted) << "gate " << gate.id;
    if (gate.promoted.value_or(false)) ++promoted;
    ASSERT_TRUE(gate.promoted || &gate == &gates.back()) << "gate " << gate.id;
  }
  now.gates = static_cast<std::int64_t>(gates.size());
  ASSERT_EQ(promoted, std::max(0, static_cast<int>(now.models.size()) - 1));
}

template <class Item>
void expect_begins_with(const std::vector<Item>& now, const std::vector<Item>& before) {
  ASSERT_GE(now.size(), before.size());
  EXPECT_TRUE(std::equal(before.begin(), before.end(), now.begin()));
}

// Reads everything and compares it with `before`, which it replaces.
void look_at(const fs::path& run, Holdings& before) {
  Holdings now;
  const fs::path file = copied_database(run);
  ASSERT_NO_FATAL_FAILURE(read_games(file, before.games.size(), now));
  ASSERT_NO_FATAL_FAILURE(read_generations(run, file, before.models.size(), now));
  ASSERT_NO_FATAL_FAILURE(expect_begins_with(now.games, before.games));
  ASSERT_NO_FATAL_FAILURE(expect_begins_with(now.models, before.models));
  EXPECT_TRUE(std::ranges::includes(now.gate_games, before.gate_games));
  EXPECT_GE(now.gates, before.gates);
  const LoadedState loaded = load_newest_state(run / "state");
  EXPECT_THAT(loaded.damaged, testing::IsEmpty());
  now.state = loaded.state;
  if (before.state) {
    ASSERT_TRUE(now.state.has_value());
    EXPECT_GE(now.state->trainer.samples, before.state->trainer.samples);
    EXPECT_GE(now.state->trainer.steps, before.state->trainer.steps);
    EXPECT_GE(now.state->last_game, before.state->last_game);
    EXPECT_GE(now.state->iteration, before.state->iteration);
    EXPECT_GE(now.state->generation, before.state->generation);
    EXPECT_GE(now.state->seconds, before.state->seconds);
  }
  if (now.state) {
    EXPECT_LE(now.state->last_game, static_cast<std::int64_t>(now.games.size()));
    EXPECT_LT(now.state->generation, static_cast<int>(now.models.size()));
  }
  before = std::move(now);
}

class KilledRun {
 public:
  explicit KilledRun(fs::path folder) : folder_(std::move(folder)), config_(tiny_config(folder_)) {}

  fs::path run() const { return folder_ / "run"; }
  std::vector<std::string> arguments(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"train", config_.string(), "--run", run().string()};
    if (RunFolder{run()}.holds_run()) words.emplace_back("--resume");
    words.insert(words.end(), kSettings.begin(), kSettings.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // Starts or goes on, and kills after `delay`. False if the run ended by itself before.
  bool kill_after(std::chrono::microseconds delay, const std::vector<std::string>& more = {}) {
    Program program(arguments(more), folder_);
    std::this_thread::sleep_for(delay);
    Committed before;
    if (RunFolder{run()}.holds_run()) before = committed(run());
    program.send(SIGKILL);
    const ProgramResult end = program.wait();
    if (end.exit_code == 0) return false;
    EXPECT_EQ(end.exit_code, 128 + SIGKILL) << end.err;
    if (RunFolder{run()}.holds_run()) {
      std::error_code no_log;
      const std::uintmax_t log = fs::file_size(run() / "run.sqlite-wal", no_log);
      if (!no_log && log > 0) ++logs_to_recover_;
      look_at(run(), holdings_);
      EXPECT_GE(static_cast<std::int64_t>(holdings_.games.size()), before.games);
      EXPECT_GE(static_cast<std::int64_t>(holdings_.gate_games.size()), before.gate_games);
    }
    return true;
  }
  ProgramResult finish(const std::vector<std::string>& more = {}) {
    Program program(arguments(more), folder_);
    ProgramResult result = program.wait();
    look_at(run(), holdings_);
    return result;
  }

  const Holdings& holdings() const { return holdings_; }
  // Kills after which the next start found a log of the database that nobody had recovered.
  int logs_to_recover() const { return logs_to_recover_; }

 private:
  fs::path folder_;
  fs::path config_;
  Holdings holdings_;
  int logs_to_recover_ = 0;
};

// From the start of the program to its second generation: what kills must be spread over.
std::chrono::microseconds time_to_a_generation() {
  const KilledRun probe(fresh_folder("kill_probe"));
  const auto begin = steady_clock::now();
  Program program(probe.arguments(), probe.run().parent_path());
  while (program.running() && !fs::exists(probe.run() / RunFolder::model_name(2)))
    std::this_thread::sleep_for(2ms);
  EXPECT_TRUE(program.running()) << program.err();
  return std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - begin);
}

class SlowKills : public testing::TestWithParam<int> {};

TEST_P(SlowKills, CostARunNothingThatWasCommitted) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const auto typical = time_to_a_generation();
  const auto delay = [&](double most) {
    return std::chrono::duration_cast<std::chrono::microseconds>(
        typical * std::uniform_real_distribution(0.0, most)(random));
  };
  const std::string schedule = GetParam() % 2 == 1 ? "overlap" : "alternate";
  const std::vector<std::string> more = {"--set", "training.schedule=" + schedule};
  for (int kill = 0; kill < kKillsAtTheBeginning; ++kill) {
    KilledRun run(fresh_folder("kill_first"));
    ASSERT_TRUE(run.kill_after(delay(1), more));
    if (HasFailure()) return;
  }
  KilledRun run(fresh_folder("kill"));
  for (int kill = kKillsAtTheBeginning; kill < kKillsPerRun; ++kill) {
    ASSERT_TRUE(run.kill_after(delay(2), more));
    if (HasFailure()) return;
  }
  EXPECT_GT(run.logs_to_recover(), (kKillsPerRun - kKillsAtTheBeginning) / 2);
  EXPECT_FALSE(run.holdings().gate_games.empty());
  const auto generations = static_cast<int>(run.holdings().models.size());
  const ProgramResult end =
      run.finish({"--set", "run.generations=" + std::to_string(generations + 1)});
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, testing::HasSubstr("Run finished: run.generations reached"));
  EXPECT_EQ(static_cast<int>(run.holdings().models.size()), generations + 2);
  const ProgramResult check = run_program({"check", run.run().string()});
  EXPECT_EQ(check.exit_code, 0) << check.out;
}

INSTANTIATE_TEST_SUITE_P(Runs, SlowKills, testing::Range(0, kRuns));

// Weights and games of a run that was killed are those of one that was not, to the last bit.
TEST(SlowKillsOfReproducibleRuns, ChangeNothing) {
  const std::vector<std::string> settings = {"--set", "run.reproducible=true", "--set",
                                             "run.generations=5"};
  KilledRun whole(fresh_folder("kill_none"));
  const auto begin = steady_clock::now();
  ASSERT_EQ(whole.finish(settings).exit_code, 0);
  const std::chrono::duration<double, std::micro> length = steady_clock::now() - begin;

  // The first five delays together are shorter than the run, which loses time by every kill.
  constexpr int kSurely = 5;
  std::mt19937 random(7);
  KilledRun parts(fresh_folder("kill_some"));
  int kills = 0;
  for (; kills < 12; ++kills) {
    const auto delay = length * std::uniform_real_distribution(0.0, 0.8 / kSurely)(random);
    if (!parts.kill_after(std::chrono::duration_cast<std::chrono::microseconds>(delay), settings))
      break;
    if (HasFailure()) return;
  }
  EXPECT_GE(kills, kSurely);
  ASSERT_EQ(parts.finish(settings).exit_code, 0);
  EXPECT_EQ(parts.holdings().games, whole.holdings().games);
  EXPECT_EQ(parts.holdings().gate_games, whole.holdings().gate_games);
  ASSERT_TRUE(parts.holdings().state && whole.holdings().state);
  EXPECT_TRUE(parts.holdings().state->trainer == whole.holdings().state->trainer);
}

}  // namespace
}  // namespace baghzero::test
