#include "training/run_context.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "engine/durable_file.h"
#include "engine/text.h"
#include "engine/wall_clock.h"
#include "nn/model_file.h"
#include "selfplay/openings.h"
#include "training/memory.h"
#include "training/run_ownership.h"
#include "training/run_progress.h"

namespace baghzero {
namespace {

using std::chrono::steady_clock;

constexpr auto kProgressInterval = std::chrono::seconds(2);
constexpr auto kRefillInterval = std::chrono::milliseconds(200);
// Making an evaluator for a large network on a GPU takes a worker a while, too.
constexpr auto kStallPatience = std::chrono::minutes(2);
constexpr auto kSilencePatience = std::chrono::minutes(5);
// Room for the games of one start of a run in the numbering of games.
constexpr int kStartBits = 32;

// Most that run.minutes sets aside for the last gate, and as much again for the closing matches.
constexpr double kReserveShare = 0.1;
constexpr double kMaxReserveSeconds = 600;

RunFolder prepared_folder(const std::filesystem::path& root, bool resume) {
  RunFolder folder{root};
  const std::string fault = folder.fault();
  const bool holds_run = fault.empty();
  if (resume && !holds_run)
    throw std::runtime_error(fault + ": check --run, or start one without --resume");
  if (!resume && holds_run)
    throw std::runtime_error(root.string() +
                             " holds a run already: go on with --resume or choose another --run");
  if (!holds_run) refuse_remains(folder);
  std::filesystem::create_directories(folder.models());
  std::filesystem::create_directories(folder.states());
  return folder;
}

// A run must not train for hours and then find that its rules have too few openings for a match.
void check_openings(const RunConfig& config) {
  const bool gate_plays = config.gate.mode != GateMode::Always;
  const int pairs = std::max(gate_plays ? config.gate.max_pairs : 0, config.run.closing_pairs);
  try {
    (void)make_openings(config.rules, pairs, config.run.seed);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("gate.max_pairs or run.closing_pairs is too large: " +
                                std::string(error.what()));
  }
}

// Adds the time of its own life to what the store takes.
class StoreTimer {
 public:
  explicit StoreTimer(RunTally& tally) : tally_(tally) {}
  ~StoreTimer() {
    tally_.store_seconds += std::chrono::duration<double>(steady_clock::now() - begin_).count();
  }
  StoreTimer(const StoreTimer&) = delete;
  StoreTimer& operator=(const StoreTimer&) = delete;

 private:
  RunTally& tally_;
  const steady_clock::time_point begin_ = steady_clock::now();
};

Suite suite_of(const RunConfig& config, const std::filesystem::path& root) {
  if (config.solver.suite.empty() || is_surely_finished(RunFolder{root}, config)) return {};
  return load_suite(config.solver.suite);
}

RunConfig prepared(RunConfig config, const std::filesystem::path& root) {
  check_run(config);
  check_openings(config);
  // Refuses a device that is not there before anything is written.
  (void)describe_device(config.inference);
  // A run that is at its end needs it no more; it may be gone.
  if (is_surely_finished(RunFolder{root}, config)) return config;
  if (!uses_solved_movement(config)) check_solved_game(config);
  load_solved_movement(config);
  return config;
}

}  // namespace

void WarningBox::post(const std::string& text) {
  if (text.empty()) return;
  const std::lock_guard lock(mutex_);
  if (known_.insert(text).second) fresh_.push_back(text);
}

std::vector<std::string> WarningBox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(fresh_, {});
}

TimeLimits time_limits(const RunConfig& config) {
  if (config.run.minutes <= 0) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    return {kNever, kNever, kNever};
  }
  const double whole = 60 * config.run.minutes;
  const double reserve = std::min(kReserveShare * whole, kMaxReserveSeconds);
  const double gates = config.run.closing_pairs > 0 ? whole - reserve : whole;
  return {config.gate.mode == GateMode::Always ? gates : gates - reserve, gates, whole};
}

void GameCollector::put(GameRecord record) {
  CollectedGame game;
  game.encoded = encode_game(record);
  // Encoding rounds. Rows come from what is stored, so that a resumed run trains on the same ones.
  game.record = decode_game(game.encoded);
  append_rows(game.record, value_search_share_, game.rows);
  const std::lock_guard lock(mutex_);
  games_.push_back(std::move(game));
  peak_ = std::max(peak_, std::ssize(games_));
}

std::vector<CollectedGame> GameCollector::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(games_, {});
}

std::int64_t GameCollector::take_peak() {
  const std::lock_guard lock(mutex_);
  return std::exchange(peak_, std::ssize(games_));
}

void RunTally::add(const TrainingReport& report) {
  const double before = training.steps;
  const double now = report.steps;
  const double total = std::max(1.0, before + now);
  const auto mix = [&](double TrainingReport::*mean) {
    training.*mean = (training.*mean * before + report.*mean * now) / total;
  };
  for (const auto mean :
       {&TrainingReport::total_loss, &TrainingReport::policy_loss, &TrainingReport::policy_entropy,
        &TrainingReport::value_loss, &TrainingReport::captures_loss,
        &TrainingReport::occupancy_loss, &TrainingReport::plies_left_loss,
        &TrainingReport::reply_policy_loss, &TrainingReport::gradient_norm})
    mix(mean);
  training.steps += report.steps;
  training.samples += report.samples;
  training.rejected_steps += report.rejected_steps;
  training.seconds += report.seconds;
  if (report.steps > 0) training.learning_rate = report.learning_rate;
}

RunContext::RunContext(const RunConfig& configuration, const std::filesystem::path& root,
                       bool resume, const std::string& resolved_toml, RunObserver& run_observer,
                       const std::atomic<bool>& stop_flag)
    : config(prepared(configuration, root)),
      suite(suite_of(config, root)),
      limits(time_limits(configuration)),
      folder(prepared_folder(root, resume)),
      observer(run_observer),
      stop(stop_flag),
      lock(folder),
      collector(configuration.training.value_search_share),
      window(configuration.training),
      trainer(configuration.network, configuration.training, configuration.run.sample_budget,
              configuration.run.seed),
      store(folder.database(), resume ? RunStore::Mode::Resume : RunStore::Mode::Create),
      stall_watch(kStallPatience),
      start_(steady_clock::now()),
      last_save_(start_),
      loop_watch_(kSilencePatience, [this](const std::string& text) {
        // The database may be what hangs: the loop stores it, once that goes on.
        observer.warning(text);
        shown_warnings.post(text);
      }) {
  observer.opened();
  const std::string identity = run_identity(config);
  const std::optional<std::string> stored = store.meta("identity");
  if (stored && *stored != identity)
    throw std::invalid_argument("the run in " + root.string() + " was started with " + *stored +
                                ", but the configuration says " + identity +
                                ": use the old values or begin a new run");
  state.identity = identity;
  state.network = config.network;
  // First: a configuration that the saved state refuses must not become the run's own.
  if (resume) {
    restore();
    if (stopping()) return;
    if (!store.generations().empty()) best = load_newest_generation();
    if (finished_end()) {  // all stays as it was
      for (const DamagedState& damaged : damaged_states_) observer.warning(damaged.sentence);
      ready_ = true;
      return;
    }
    begin_again();
  }
  store.set_meta("identity", identity);
  // The database first: a run goes on with what that says, whatever becomes of the file.
  store.set_meta("configuration", resolved_toml);
  store.commit_durably();
  write_durably(folder.config(), resolved_toml);
  observer.configured();
  const std::int64_t start = store.meta_number("starts").value_or(0);
  store.set_meta("starts", std::to_string(start + 1));
  first_game = static_cast<std::uint64_t>(start) << kStartBits;
  if (!best) {
    if (state.generation > 0)
      throw std::runtime_error(folder.database().string() +
                               " names no generation, but the state "
                               "was saved with generation " +
                               std::to_string(state.generation) +
                               ": restore a newer copy of the database, or begin a new run");
    begin_generation_zero();
    best = load_newest_generation();
  }
  // A start that learns nothing must not push out an older state: a run that fails soon after each
  // of several resumes would else lose all but the states that it fails with.
  if (!saved_) save();
  ready_ = true;
}

NetworkPtr RunContext::load_newest_generation() {
  const GenerationEntry newest = store.generations().back();
  // Every promotion was on disk before a state knew of it.
  if (newest.number < state.generation)
    throw std::runtime_error(
        folder.database().string() + " ends with generation " + std::to_string(newest.number) +
        ", but the state was saved with " + std::to_string(state.generation) +
        ": promotions are lost, as with an older copy of the database; restore "
        "the newer one, or begin a new run");
  state.generation = newest.number;
  return load_generation(folder.root / newest.file, newest.number, config);
}

void RunContext::begin_generation_zero() {
  const std::string name = RunFolder::model_name(0);
  save_network(*make_random_network(config.network, config.run.seed), folder.root / name,
               {config.rules, {{"samples", "0"}}});
  store.add_generation({0, name, 0, 0, 0});
  store.commit();
}

void RunContext::restore() {
  LoadedState loaded = load_newest_state(folder.states());
  if (loaded.state) {
    refuse_foreign_state(*loaded.state, loaded.file, config);
    trainer.restore(loaded.state->trainer);
    loaded.state->identity = state.identity;
    state = std::move(*loaded.state);
    state.trainer = {};
    seconds_before_ = state.seconds;
    tally.resumed = true;
    damaged_states_ = std::move(loaded.damaged);
    saved_ = true;
  } else {
    for (const DamagedState& damaged : loaded.damaged) warning(damaged.sentence);
    // A state is saved before the first game: without one the trainer would begin anew in silence.
    if (!loaded.damaged.empty() || store.game_count() > 0)
      throw std::runtime_error("no state in " + folder.states().string() +
                               " can be used: restore a copy, or begin a new run");
  }
  if (const std::int64_t games = store.game_count(); games < state.last_game)
    warning("the database has " + counted(games, "game") + ", but the state was saved after " +
            grouped(state.last_game) +
            ": the others are lost, as with an older copy of the database; the run goes on without "
            "them");
  refill_window();
}

void RunContext::begin_again() {
  for (const DamagedState& damaged : damaged_states_) warning(set_aside(damaged));
  store.drop_metrics_after(trainer.samples());
  observer.resumed(trainer.samples());
  // Of gates and generations, which are not made again.
  for (const auto& [step, values] : store.metrics_after(trainer.samples()))
    observer.metrics(step, values);
  message("resumed at generation " +
          std::to_string(store.generations().empty() ? 0 : store.generations().back().number) +
          ", " + counted(store.game_count(), "game") + ", " + counted(window.total(), "row") +
          ", " + counted(trainer.samples(), "sample"));
}

void RunContext::refill_window() {
  const std::int64_t first = store.first_game_of_last_rows(config.training.window_max_rows);
  window.start_at(store.row_count() - store.rows_after(first - 1));
  const auto total = static_cast<double>(store.rows_after(first - 1));
  std::vector<TrainingRow> rows;
  double done = 0;
  auto told = steady_clock::now();
  store.for_each_game_while(first, 0, [&](std::int64_t, const GameRecord& record) {
    rows.clear();
    append_rows(record, config.training.value_search_share, rows);
    window.add(rows);
    done += static_cast<double>(rows.size());
    if (const auto now = steady_clock::now(); now - told > kRefillInterval) {
      told = now;
      observer.progress({RunPhase::Window, done, total, ""});
      loop_watch_.hear(words_of(RunPhase::Window).label);
    }
    return !stopping();
  });
  if (stopping()) return;
  // Games that were stored after the state had been written.
  const std::int64_t fresh = store.rows_after(state.last_game);
  state.sample_credit += config.training.reuse * static_cast<double>(fresh);
  saved_ = saved_ && state.last_game <= store.game_count();
  state.last_game = store.game_count();
  // Else an iteration would have to replace the games that are lost beside playing its own.
  state.games_before_iteration = std::min(state.games_before_iteration, state.last_game);
  state.total_rows = window.total();
}

// Transactions are short everywhere, for other programs may want to write too: a ladder its games.
void RunContext::message(const std::string& text) {
  loop_watch_.hear("\"" + text + "\"");
  const StoreTimer timer(tally);
  store.add_event("info", text);
  store.commit();
  observer.message(text);
}

void RunContext::warning(const std::string& text) {
  const StoreTimer timer(tally);
  store.add_event("warning", text);
  store.commit();
  observer.warning(text);
}

void RunContext::metrics(std::int64_t samples, const std::map<std::string, double>& values) {
  const StoreTimer timer(tally);
  store.add_metrics(samples, values);
  store.commit();
  observer.metrics(samples, values);
}

void RunContext::progress(const PhaseProgress& progress) {
  observer.progress(progress);
  loop_watch_.hear(words_of(progress.phase).label);
  const auto now = steady_clock::now();
  if (last_progress_ && now - *last_progress_ < kProgressInterval) return;
  last_progress_ = now;
  const StoreTimer timer(tally);
  store.require_in_place();
  store_progress(store, {.phase = progress,
                         .at = seconds_since_1970(),
                         .seconds = seconds(),
                         .samples = trainer.samples(),
                         .rows = window.total(),
                         .window_rows = window.size()});
  store.commit();
}

void RunContext::relay_warnings() {
  for (const std::string& text : warnings.take()) warning(text);
  for (const std::string& text : shown_warnings.take()) {
    store.add_event("warning", text);
    store.commit();
  }
}

void RunContext::absorb(const std::vector<CollectedGame>& games) {
  relay_warnings();
  const StoreTimer timer(tally);
  for (const CollectedGame& game : games) {
    tally.calibration.add(game.record);
    const auto rows = static_cast<std::int64_t>(game.rows.size());
    state.last_game = store.add_game(game.record, game.encoded, rows);
    window.add(game.rows);
    state.total_rows = window.total();
    state.sample_credit += config.training.reuse * static_cast<double>(rows);
  }
  // Several times a second at most: whatever happens next, these games are not lost.
  if (!games.empty()) store.commit();
}

void RunContext::save() {
  const StoreTimer timer(tally);
  store.require_in_place();
  store.commit_durably();  // a state must not know of games that the database has lost
  state.seconds = seconds();
  RunState whole = state;
  whole.trainer = trainer.state();
  save_state(folder.states(), whole, config.run.keep_states);
  last_save_ = steady_clock::now();
}

// A state whose steps are rejected must not push out those before it.
bool RunContext::save_is_due() const {
  return steady_clock::now() - last_save_ > save_interval && trainer.rejected_in_a_row() == 0;
}

double RunContext::seconds() const {
  return seconds_before_ + std::chrono::duration<double>(steady_clock::now() - start_).count();
}

std::optional<steady_clock::time_point> RunContext::moment(double run_seconds) const {
  if (run_seconds == std::numeric_limits<double>::infinity()) return std::nullopt;
  return start_ + std::chrono::duration_cast<steady_clock::duration>(
                      std::chrono::duration<double>(run_seconds - seconds_before_));
}

std::optional<RunEnd> RunContext::reached_limit() const {
  const RunSettings& wanted = config.run;
  if (wanted.generations > 0 && state.generation >= wanted.generations) return RunEnd::Generations;
  if (wanted.sample_budget > 0 && trainer.samples() >= wanted.sample_budget)
    return RunEnd::SampleBudget;
  if (seconds() >= limits.training) return RunEnd::Minutes;
  return std::nullopt;
}

std::optional<RunEnd> RunContext::finished_end() const {
  const std::optional<std::int64_t> pairs = store.meta_number(kFinishedKey);
  if (!pairs || *pairs < config.run.closing_pairs) return std::nullopt;
  return reached_limit();
}

void RunContext::set_finished(bool finished) {
  store.set_meta(kFinishedKey, finished ? std::to_string(config.run.closing_pairs) : "");
}

std::int64_t RunContext::steps_allowed() const {
  if (!window.ready()) return 0;
  const std::int64_t batch = config.training.batch;
  auto steps = static_cast<std::int64_t>(state.sample_credit / static_cast<double>(batch));
  if (config.run.sample_budget > 0)
    steps = std::min(steps, (config.run.sample_budget - trainer.samples() + batch - 1) / batch);
  return std::max<std::int64_t>(0, steps);
}

std::string RunContext::rows_awaited() const {
  return "rows " + grouped(window.total()) + " of " + grouped(config.training.window_min_rows) +
         " before training begins";
}

int RunContext::match_workers() const {
  return config.run.reproducible ? 1 : config.selfplay.workers;
}

Player measured_player(const RunConfig& config, NetworkPtr network, std::string name, int visits) {
  Player player;
  player.name = std::move(name);
  player.network = std::move(network);
  player.search = config.selfplay.search;
  player.search.solver = false;
  player.visits = visits;
  return player;
}

Player best_player(const RunContext& run) {
  return measured_player(run.config, run.best,
                         "generation " + std::to_string(run.best->generation()),
                         run.config.gate.visits);
}

}  // namespace baghzero
