#include "training/run_store.h"

#include <charconv>
#include <mutex>
#include <stdexcept>

#include "engine/wall_clock.h"
#include "training/ladder_store.h"
#include "training/run_store_connection.h"

namespace baghzero {
namespace {

using sqlite::Statement;

// Games that one read brings into memory.
constexpr int kGamesPerPage = 256;

// Other programs may have put anything into the table; `check` names what is no number.
constexpr std::string_view kIsFinite = "typeof(value) = 'real' AND abs(value) < 9e999";

GameRecord decode_stored(const std::filesystem::path& file, std::int64_t number,
                         std::span<const std::byte> blob) {
  try {
    return decode_game(blob);
  } catch (const std::exception& error) {
    throw std::runtime_error("game " + std::to_string(number) + " in " + file.string() +
                             " cannot be used: " + error.what() +
                             "; restore a copy or begin a new run");
  }
}

}  // namespace

RunStore::RunStore(const std::filesystem::path& file, Mode mode)
    : connection_(std::make_unique<Connection>(file, mode)) {}

RunStore::~RunStore() {
  try {
    commit();
  } catch (const std::exception&) {
    // Whoever needs to know calls commit(); here nobody is left to be told.
    return;
  }
}

void RunStore::commit() {
  const std::lock_guard lock(connection_->mutex());
  connection_->commit();
}

void RunStore::commit_durably() {
  const std::lock_guard lock(connection_->mutex());
  connection_->commit_durably();
}

void RunStore::require_in_place() {
  const std::lock_guard lock(connection_->mutex());
  connection_->require_in_place();
}

// Games -----------------------------------------------------------------------------------------

std::int64_t RunStore::add_game(const GameRecord& record, std::span<const std::byte> encoded,
                                std::int64_t rows) {
  const std::lock_guard lock(connection_->mutex());
  return connection_->insert_game(record, encoded, rows);
}

std::int64_t RunStore::game_count() const {
  const std::lock_guard lock(connection_->mutex());
  Statement read = connection_->prepare("SELECT coalesce(max(id), 0) FROM games");
  read.next();
  return read.integer(0);
}

std::int64_t RunStore::row_count() const { return rows_after(0); }

std::int64_t RunStore::rows_after(std::int64_t game) const {
  const std::lock_guard lock(connection_->mutex());
  Statement read = connection_->prepare("SELECT coalesce(sum(rows), 0) FROM games WHERE id > ?1");
  read.start(game);
  read.next();
  return read.integer(0);
}

GameTally RunStore::tally_after(std::int64_t game) const {
  const std::lock_guard lock(connection_->mutex());
  Statement read = connection_->prepare(
      "SELECT outcome, termination, count(*), sum(plies) FROM games WHERE id > ?1 "
      "GROUP BY outcome, termination");
  GameTally tally;
  for (read.start(game); read.next();) {
    const std::int64_t games = read.integer(2);
    tally.games += games;
    tally.plies += read.integer(3);
    tally.outcomes[outcome_from_string(read.text(0))] += games;
    tally.terminations[termination_from_string(read.text(1))] += games;
  }
  return tally;
}

std::int64_t RunStore::first_game_of_last_rows(std::int64_t rows) const {
  const std::lock_guard lock(connection_->mutex());
  Statement read = connection_->prepare("SELECT id, rows FROM games ORDER BY id DESC");
  std::int64_t first = 1;
  std::int64_t seen = 0;
  while (seen < rows && read.next()) {
    first = read.integer(0);
    seen += read.integer(1);
  }
  return seen < rows ? 1 : first;
}

void RunStore::for_each_game(std::int64_t first, std::int64_t last,
                             const GameVisitor& visit) const {
  for_each_game_while(first, last, [&visit](std::int64_t number, const GameRecord& record) {
    visit(number, record);
    return true;
  });
}

void RunStore::for_each_game_while(std::int64_t first, std::int64_t last,
                                   const GameCondition& visit) const {
  struct Stored {
    std::int64_t number;
    std::vector<std::byte> blob;
  };
  std::vector<Stored> page;
  std::int64_t before = first - 1;
  do {
    page.clear();
    {
      const std::lock_guard lock(connection_->mutex());
      Statement read = connection_->prepare(
          "SELECT id, record FROM games WHERE id > ?1 AND (?2 = 0 OR id <= ?2) ORDER BY id "
          "LIMIT ?3");
      for (read.start(before, last, kGamesPerPage); read.next();) {
        const std::span<const std::byte> blob = read.blob(1);
        page.push_back({read.integer(0), {blob.begin(), blob.end()}});
      }
    }
    for (const Stored& game : page) {
      if (!visit(game.number, decode_stored(connection_->file(), game.number, game.blob))) return;
      before = game.number;
    }
  } while (!page.empty());
}

// Generations, gates, matches -------------------------------------------------------------------

void RunStore::add_generation(const GenerationEntry& entry) {
  const std::lock_guard lock(connection_->mutex());
  connection_->begin_write();
  connection_->prepare("INSERT INTO generations VALUES (?1,?2,?3,?4,?5)")
      .run(entry.number, entry.file, entry.samples, entry.games,
           entry.at ? entry.at : seconds_since_1970());
}

std::vector<GenerationEntry> RunStore::generations() const {
  const std::lock_guard lock(connection_->mutex());
  Statement read = connection_->prepare(
      "SELECT number, file, samples, games, at FROM generations ORDER BY number");
  std::vector<GenerationEntry> entries;
  while (read.next())
    entries.push_back({static_cast<int>(read.integer(0)), read.text(1), read.integer(2),
                       read.integer(3), read.integer(4)});
  return entries;
}

std::int64_t RunStore::begin_gate(const GateEntry& entry) {
  const std::lock_guard lock(connection_->mutex());
  connection_->begin_write();
  connection_->prepare("INSERT INTO gates VALUES (NULL,?1,?2,?3,0,0,0,0,0,NULL,NULL,?4,?5)")
      .run(entry.samples, entry.opponent, entry.mode, entry.candidate_file, seconds_since_1970());
  return connection_->database().last_insert_id();
}

void RunStore::add_gate_game(std::int64_t gate, const GateGameEntry& game) {
  const std::lock_guard lock(connection_->mutex());
  connection_->begin_write();
  connection_->prepare("INSERT INTO gate_games VALUES (?1,?2,?3,?4,?5,?6)")
      .run(gate, game.pair, game.candidate_is_tiger ? 1 : 0, to_string(game.outcome),
           to_string(game.termination), game.text);
}

void RunStore::finish_gate(const GateEntry& entry) {
  const std::lock_guard lock(connection_->mutex());
  connection_->begin_write();
  std::optional<std::int64_t> promoted;
  if (entry.promoted) promoted = *entry.promoted ? 1 : 0;
  connection_
      ->prepare(
          "UPDATE gates SET pairs = ?2, score = ?3, score_as_goat = ?4, score_as_tiger = ?5, "
          "llr = ?6, promoted = ?7, verdict = ?8 WHERE id = ?1")
      .run(entry.id, entry.pairs, entry.score, entry.score_as_goat, entry.score_as_tiger, entry.llr,
           promoted, entry.verdict);
}

std::vector<GateEntry> RunStore::gates() const {
  const std::lock_guard lock(connection_->mutex());
  Statement read = connection_->prepare(
      "SELECT id, samples, opponent, mode, pairs, score, score_as_goat, score_as_tiger, llr, "
      "promoted, verdict, candidate_file FROM gates ORDER BY id");
  std::vector<GateEntry> entries;
  while (read.next()) {
    GateEntry entry;
    entry.id = read.integer(0);
    entry.samples = read.integer(1);
    entry.opponent = static_cast<int>(read.integer(2));
    entry.mode = read.text(3);
    entry.pairs = static_cast<int>(read.integer(4));
    entry.score = read.real(5);
    entry.score_as_goat = read.real(6);
    entry.score_as_tiger = read.real(7);
    entry.llr = read.real(8);
    if (!read.is_null(9)) entry.promoted = read.integer(9) != 0;
    entry.verdict = read.text(10);
    entry.candidate_file = read.text(11);
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::optional<GateEntry> RunStore::unfinished_gate() const {
  for (const GateEntry& entry : gates())
    if (!entry.promoted) return entry;
  return std::nullopt;
}

std::vector<GateGameEntry> RunStore::gate_games(std::int64_t gate) const {
  const std::lock_guard lock(connection_->mutex());
  Statement read = connection_->prepare(
      "SELECT pair, candidate_is_tiger, game, outcome, termination FROM gate_games "
      "WHERE gate = ?1 ORDER BY pair, candidate_is_tiger");
  std::vector<GateGameEntry> games;
  for (read.start(gate); read.next();)
    games.push_back({static_cast<int>(read.integer(0)), read.integer(1) != 0, read.text(2),
                     outcome_from_string(read.text(3)), termination_from_string(read.text(4))});
  return games;
}

void RunStore::add_match(const MatchEntry& entry) {
  const std::lock_guard lock(connection_->mutex());
  connection_->begin_write();
  connection_->prepare("INSERT INTO matches VALUES (NULL,?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)")
      .run(entry.first, entry.second, entry.pairs, entry.wins, entry.draws, entry.losses,
           entry.score, entry.score_as_goat, entry.score_as_tiger,
           entry.at ? entry.at : seconds_since_1970());
}

std::vector<MatchEntry> RunStore::matches() const {
  const std::lock_guard lock(connection_->mutex());
  Statement read = connection_->prepare(
      "SELECT first, second, pairs, wins, draws, losses, score, score_as_goat, score_as_tiger, at "
      "FROM matches ORDER BY id");
  std::vector<MatchEntry> entries;
  while (read.next()) {
    MatchEntry entry;
    entry.first = read.text(0);
    entry.second = read.text(1);
    entry.pairs = static_cast<int>(read.integer(2));
    entry.wins = static_cast<int>(read.integer(3));
    entry.draws = static_cast<int>(read.integer(4));
    entry.losses = static_cast<int>(read.integer(5));
    entry.score = read.real(6);
    entry.score_as_goat = read.real(7);
    entry.score_as_tiger = read.real(8);
    entry.at = read.integer(9);
    entries.push_back(std::move(entry));
  }
  return entries;
}

ResultTable RunStore::ladder_games(const std::string& rules,
                                   std::span<const std::string> players) const {
  const std::lock_guard lock(connection_->mutex());
  return read_ladder_games(connection_->database(), rules, players);
}

NamedGames RunStore::all_ladder_games(const std::string& rules) const {
  const std::lock_guard lock(connection_->mutex());
  return read_all_ladder_games(connection_->database(), rules);
}

void RunStore::add_ladder_games(const std::string& rules, std::span<const std::string> players,
                                std::span<const RatedGames> games) {
  const std::lock_guard lock(connection_->mutex());
  connection_->begin_write();
  baghzero::add_ladder_games(connection_->database(), rules, players, games);
}

void RunStore::add_suite_result(const SuiteEntry& entry) {
  const std::lock_guard lock(connection_->mutex());
  connection_->begin_write();
  for (const Side side : kSides)
    for (const GamePhase phase : kPhases) {
      const SuiteCounts& moves = entry.moves.at(side, phase);
      const ValueCounts& values = entry.values.at(side, phase);
      connection_
          ->prepare(
              "INSERT OR REPLACE INTO suite_results VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)")
          .run(entry.generation, entry.suite, entry.visits, to_string(side), to_string(phase),
               moves.positions, moves.kept, values.positions, values.right, values.cross_entropy,
               seconds_since_1970());
    }
}

std::vector<SuiteEntry> RunStore::suite_results() const {
  const std::lock_guard lock(connection_->mutex());
  std::vector<SuiteEntry> entries;
  // A run that no later program has resumed has no such table.
  Statement exists =
      connection_->prepare("SELECT 1 FROM sqlite_master WHERE name = 'suite_results'");
  if (!exists.next()) return entries;
  Statement read = connection_->prepare(
      "SELECT generation, suite, visits, role, phase, positions, kept, valued, value_right, "
      "cross_entropy FROM suite_results ORDER BY generation, suite, visits");
  while (read.next()) {
    const auto generation = static_cast<int>(read.integer(0));
    const auto visits = static_cast<int>(read.integer(2));
    if (entries.empty() || entries.back().generation != generation ||
        entries.back().suite != read.text(1) || entries.back().visits != visits)
      entries.push_back({generation, read.text(1), visits, {}, {}});
    const Side side = read.text(3) == to_string(Side::Goat) ? Side::Goat : Side::Tiger;
    for (const GamePhase phase : kPhases) {
      if (to_string(phase) != read.text(4)) continue;
      entries.back().moves.at(side, phase) = {read.integer(5), read.integer(6)};
      entries.back().values.at(side, phase) = {read.integer(7), read.integer(8), read.real(9)};
    }
  }
  return entries;
}

// Metrics, events, meta -------------------------------------------------------------------------

void RunStore::add_metrics(std::int64_t step, const std::map<std::string, double>& values) {
  const std::lock_guard lock(connection_->mutex());
  for (const auto& [name, value] : values) connection_->insert_metric(step, name, value);
}

std::vector<MetricEntry> RunStore::metrics(const std::string& name) const {
  const std::lock_guard lock(connection_->mutex());
  Statement read = connection_->prepare("SELECT step, value FROM metrics WHERE name = ?1 AND " +
                                        std::string(kIsFinite) + " ORDER BY step");
  std::vector<MetricEntry> entries;
  for (read.start(name); read.next();) entries.push_back({read.integer(0), name, read.real(1)});
  return entries;
}

std::map<std::string, MetricEntry> RunStore::latest_metrics() const {
  const std::lock_guard lock(connection_->mutex());
  // SQLite takes the other columns from the row that has the maximum.
  Statement read = connection_->prepare("SELECT name, max(step), value FROM metrics WHERE " +
                                        std::string(kIsFinite) + " GROUP BY name");
  std::map<std::string, MetricEntry> latest;
  while (read.next()) latest[read.text(0)] = {read.integer(1), read.text(0), read.real(2)};
  return latest;
}

std::map<std::int64_t, std::map<std::string, double>> RunStore::metrics_after(
    std::int64_t step) const {
  const std::lock_guard lock(connection_->mutex());
  Statement read = connection_->prepare(
      "SELECT step, name, value FROM metrics WHERE step > ?1 AND " + std::string(kIsFinite));
  std::map<std::int64_t, std::map<std::string, double>> values;
  for (read.start(step); read.next();) values[read.integer(0)][read.text(1)] = read.real(2);
  return values;
}

void RunStore::drop_metrics_after(std::int64_t step) {
  const std::lock_guard lock(connection_->mutex());
  connection_->begin_write();
  connection_
      ->prepare(
          "DELETE FROM metrics WHERE step > ?1 AND name NOT GLOB 'gate/*' AND "
          "name NOT GLOB 'evaluation/*' AND name NOT GLOB 'rating/*' AND "
          "name NOT GLOB 'perfect/*'")
      .run(step);
}

void RunStore::add_event(const std::string& level, const std::string& text) {
  const std::lock_guard lock(connection_->mutex());
  connection_->begin_write();
  connection_->prepare("INSERT INTO events VALUES (NULL, ?1, ?2, ?3)")
      .run(seconds_since_1970(), level, text);
}

std::vector<EventEntry> RunStore::events() const {
  const std::lock_guard lock(connection_->mutex());
  Statement read = connection_->prepare("SELECT at, level, text FROM events ORDER BY id");
  std::vector<EventEntry> entries;
  while (read.next()) entries.push_back({read.integer(0), read.text(1), read.text(2)});
  return entries;
}

void RunStore::set_meta(const std::string& key, const std::string& value) {
  const std::lock_guard lock(connection_->mutex());
  connection_->begin_write();
  connection_->prepare("INSERT OR REPLACE INTO meta VALUES (?1, ?2)").run(key, value);
}

std::optional<std::string> RunStore::meta(const std::string& key) const {
  const std::lock_guard lock(connection_->mutex());
  Statement read = connection_->prepare("SELECT value FROM meta WHERE key = ?1");
  read.start(key);
  if (!read.next()) return std::nullopt;
  return read.text(0);
}

std::optional<std::int64_t> RunStore::meta_number(const std::string& key) const {
  const std::string text = meta(key).value_or("");
  if (text.empty()) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0)
    throw std::runtime_error("the run database has \"" + text + "\" where the number \"" + key +
                             "\" belongs: it is damaged; restore a copy or begin a new run");
  return number;
}

}  // namespace baghzero
