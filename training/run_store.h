// The database of a run: `run.sqlite`, in WAL mode, with one writing process. Other processes may
// read it at any time with any SQLite tool. Its tables (run_schema.h has their versions):
//
//   meta         key, value: "schema_version", and what the run keeps there: its identity, its
//                configuration, how often it was started
//   games        one self-play game per row; `record` is encode_game() of selfplay/game_record.h,
//                the other columns repeat what is useful in queries; `rows` counts training rows
//   generations  promoted networks: number, model file, samples trained and games seen until then
//   gates        gates of candidates; `verdict` is NULL while a gate is unfinished
//   gate_games   their games, as game text; role-swapped twins share `pair`
//   matches      any other match, such as the closing ones: scores as the first player saw them
//   suite_results  what a generation made of a suite of solved positions (engine/solver/suite.h,
//                `suite` is its first line), by role and phase: in `kept` of `positions` it kept
//                the value with that many `visits` (0: bare policy); of `valued` positions its
//                value was right in `value_right`, `cross_entropy` is summed in nats (0 where
//                visits are not)
//   metrics      (step, name, value): `step` counts training samples
//   events       what was reported to people: level "info" or "warning", and the text
//
// and those of ladder_store.h.
//
// Times (`at`) are seconds since 1970 (UTC).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "selfplay/game_record.h"
#include "selfplay/judge.h"
#include "selfplay/ladder.h"

namespace baghzero {

// Of several games.
struct GameTally {
  std::int64_t games = 0;
  std::int64_t plies = 0;
  std::map<Outcome, std::int64_t> outcomes;
  std::map<Termination, std::int64_t> terminations;
};

struct GenerationEntry {
  int number = 0;
  std::string file;  // relative to the run's folder
  std::int64_t samples = 0;
  std::int64_t games = 0;
  std::int64_t at = 0;
};

struct GateEntry {
  std::int64_t id = 0;
  std::int64_t samples = 0;  // of the candidate
  int opponent = 0;          // generation
  std::string mode;          // "sprt", "fixed", "always"
  int pairs = 0;
  double score = 0;  // 0..1, as are the two below: the candidate's
  double score_as_goat = 0;
  double score_as_tiger = 0;
  double llr = 0;
  std::optional<bool> promoted;  // nothing while the gate is unfinished
  std::string verdict;           // the sentence shown to people
  std::string candidate_file;    // model file of the candidate, relative to the run's folder
};

struct GateGameEntry {
  int pair = 0;
  bool candidate_is_tiger = false;
  std::string text;  // game text (notation.h)
  Outcome outcome = Outcome::Unfinished;
  Termination termination = Termination::None;
};

struct MatchEntry {
  std::string first;
  std::string second;
  int pairs = 0;
  int wins = 0;  // games, as the first player saw them
  int draws = 0;
  int losses = 0;
  double score = 0;  // 0..1
  double score_as_goat = 0;
  double score_as_tiger = 0;
  std::int64_t at = 0;
};

// What a generation made of a suite.
struct SuiteEntry {
  int generation = 0;
  std::string suite;
  int visits = 0;  // 0: the bare policy
  SuiteReport moves;
  ByRoleAndPhase<ValueCounts> values;  // with 0 visits only
};

struct MetricEntry {
  std::int64_t step = 0;
  std::string name;
  double value = 0;
};

struct EventEntry {
  std::int64_t at = 0;
  std::string level;
  std::string text;
};

// Every member may be called from any thread; one lock guards the connection. Writes gather in a
// transaction that is committed by commit(), by the destructor, and by itself every few dozen
// games. Errors are std::runtime_error: a sentence with the file, the cause and what to do.
class RunStore {
 public:
  enum class Mode : std::uint8_t {
    Create,    // there must be no file, or an empty one
    Resume,    // it must exist and is written to
    ReadOnly,  // it must exist; writing throws
  };
  // Refuses files of a newer schema version and files that are no run database. A new database
  // appears whole, under its name at once: a crash leaves a run or nothing.
  RunStore(const std::filesystem::path& file, Mode mode);
  ~RunStore();
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;

  void commit();
  // The same, and all that was committed so far outlasts a power cut. What commit() stores outlasts
  // the end of the process in any way; it does not wait for the disk.
  void commit_durably();
  // Throws std::runtime_error if the file was moved, deleted or replaced meanwhile, after a copy of
  // all that is stored was written beside it; the sentence names it.
  void require_in_place();

  // `encoded` is encode_game(record), `rows` the number of its training rows. Returns the game's
  // number; they are numbered from 1.
  std::int64_t add_game(const GameRecord& record, std::span<const std::byte> encoded,
                        std::int64_t rows);
  std::int64_t game_count() const;
  std::int64_t row_count() const;
  // Number of the first game such that it and all later ones hold at least `rows` training rows;
  // 1 if there are fewer. For refilling a window.
  std::int64_t first_game_of_last_rows(std::int64_t rows) const;
  // Training rows of all games after number `game`.
  std::int64_t rows_after(std::int64_t game) const;
  // Lengths and ends of all games after number `game`.
  GameTally tally_after(std::int64_t game) const;
  using GameVisitor = std::function<void(std::int64_t number, const GameRecord& record)>;
  using GameCondition = std::function<bool(std::int64_t number, const GameRecord& record)>;
  // Calls `visit` for games first..last in order; `last` 0: to the end.
  void for_each_game(std::int64_t first, std::int64_t last, const GameVisitor& visit) const;
  // The same until `visit` says no.
  void for_each_game_while(std::int64_t first, std::int64_t last, const GameCondition& visit) const;

  void add_generation(const GenerationEntry& entry);
  std::vector<GenerationEntry> generations() const;

  // A gate is begun, its games are added, and it is finished with the whole entry.
  std::int64_t begin_gate(const GateEntry& entry);
  void add_gate_game(std::int64_t gate, const GateGameEntry& game);
  void finish_gate(const GateEntry& entry);
  std::vector<GateEntry> gates() const;
  std::optional<GateEntry> unfinished_gate() const;
  std::vector<GateGameEntry> gate_games(std::int64_t gate) const;

  void add_match(const MatchEntry& entry);
  std::vector<MatchEntry> matches() const;

  // As in ladder_store.h, for games that the run plays itself.
  ResultTable ladder_games(const std::string& rules, std::span<const std::string> players) const;
  NamedGames all_ladder_games(const std::string& rules) const;
  void add_ladder_games(const std::string& rules, std::span<const std::string> players,
                        std::span<const RatedGames> games);

  // Replaces an entry of the same generation, suite and visits.
  void add_suite_result(const SuiteEntry& entry);
  std::vector<SuiteEntry> suite_results() const;  // by generation, suite, visits

  // Values that are not finite are left out.
  void add_metrics(std::int64_t step, const std::map<std::string, double>& values);
  std::vector<MetricEntry> metrics(const std::string& name) const;  // by step
  // The newest value of every metric, by name.
  std::map<std::string, MetricEntry> latest_metrics() const;
  // All values beyond `step`, by their step.
  std::map<std::int64_t, std::map<std::string, double>> metrics_after(std::int64_t step) const;
  // Removes metrics beyond `step`: those of work that was lost and is done again after a resume.
  // What was measured of gates and generations stays, as these do.
  void drop_metrics_after(std::int64_t step);

  void add_event(const std::string& level, const std::string& text);
  std::vector<EventEntry> events() const;

  void set_meta(const std::string& key, const std::string& value);
  std::optional<std::string> meta(const std::string& key) const;
  // The same as a whole number, not negative; nothing if the value is empty, too. Throws
  // std::runtime_error if it is no such number.
  std::optional<std::int64_t> meta_number(const std::string& key) const;

 private:
  class Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace baghzero
