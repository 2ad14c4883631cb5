#include "training/run_context.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "engine/durable_file.h"
#include "nn/model_file.h"
#include "selfplay/openings.h"
#include "training/memory.h"

namespace baghzero {
namespace {

using std::chrono::steady_clock;

constexpr auto kSaveInterval = std::chrono::minutes(2);
// Room for the games of one sitting in the numbering of games.
constexpr int kSittingBits = 32;

RunFolder prepared_folder(const std::filesystem::path& root, bool resume) {
  RunFolder folder{root};
  const bool holds_run = std::filesystem::exists(folder.database());
  if (resume && !holds_run)
    throw std::runtime_error("there is no run in " + root.string() +
                             " to go on with: check --run, or start one without --resume");
  if (!resume && holds_run)
    throw std::runtime_error(root.string() +
                             " holds a run already: go on with --resume or choose another --run");
  std::filesystem::create_directories(root / "models");
  std::filesystem::create_directories(folder.states());
  return folder;
}

// A run must not train for hours and then find that its rules have too few openings for a match.
void check_openings(const RunConfig& config) {
  const bool gate_plays = config.gate.mode != GateMode::Always;
  const int pairs = std::max(gate_plays ? config.gate.max_pairs : 0, config.run.final_pairs);
  try {
    (void)make_openings(config.rules, pairs, config.run.seed);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("gate.max_pairs or run.final_pairs is too large: " +
                                std::string(error.what()));
  }
}

std::int64_t sittings_of(const RunStore& store) {
  const std::string text = store.meta("sittings").value_or("0");
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0)
    throw std::runtime_error("the run database counts \"" + text +
                             "\" sittings: it is damaged; restore a copy or begin a new run");
  return number;
}

const RunConfig& checked(const RunConfig& config) {
  check_run(config);
  check_openings(config);
  // Refuses a device that is not there before anything is written.
  (void)describe_device(config.inference);
  return config;
}

}  // namespace

void GameCollector::put(GameRecord record) {
  CollectedGame game;
  game.encoded = encode_game(record);
  // Encoding rounds. Rows come from what is stored, so that a resumed run trains on the same ones.
  game.record = decode_game(game.encoded);
  append_rows(game.record, value_search_share_, game.rows);
  const std::lock_guard lock(mutex_);
  games_.push_back(std::move(game));
}

std::vector<CollectedGame> GameCollector::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(games_, {});
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
    : config(checked(configuration)),
      folder(prepared_folder(root, resume)),
      observer(run_observer),
      stop(stop_flag),
      lock(folder),
      collector(configuration.training.value_search_share),
      window(configuration.training),
      trainer(configuration.network, configuration.training, configuration.run.sample_budget,
              configuration.run.seed),
      store(folder.database(), resume ? RunStore::Mode::Resume : RunStore::Mode::Create),
      sitting_begin_(steady_clock::now()),
      last_save_(sitting_begin_) {
  const std::string identity = run_identity(config);
  const std::optional<std::string> stored = store.meta("identity");
  if (stored && *stored != identity)
    throw std::invalid_argument("the run in " + root.string() + " was started with " + *stored +
                                ", but the configuration says " + identity +
                                ": use the old values or begin a new run");
  state.network = config.network;
  // First: a configuration that the saved state refuses must not become the run's own.
  if (resume) restore();
  store.set_meta("identity", identity);
  store.set_meta("configuration", resolved_toml);
  write_durably(folder.config(), resolved_toml);
  const std::int64_t sitting = sittings_of(store);
  store.set_meta("sittings", std::to_string(sitting + 1));
  first_game = static_cast<std::uint64_t>(sitting) << kSittingBits;
  if (store.generations().empty()) begin_generation_zero();
  const GenerationEntry newest = store.generations().back();
  best = load_network(folder.root / newest.file);
  state.generation = newest.number;
  save();
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
  for (const std::string& damage : loaded.damaged) warning(damage);
  if (loaded.state) {
    trainer.restore(loaded.state->trainer);
    state = std::move(*loaded.state);
    state.trainer = {};
    seconds_before_ = state.seconds;
  } else if (!loaded.damaged.empty() || store.game_count() > 0) {
    // A state is saved before the first game: without one the trainer would begin anew in silence.
    throw std::runtime_error("no state in " + folder.states().string() +
                             " can be used: restore a copy, or begin a new run");
  }
  store.drop_metrics_after(trainer.samples());
  refill_window();
  message("resumed at generation " +
          std::to_string(store.generations().empty() ? 0 : store.generations().back().number) +
          ", " + grouped(store.game_count()) + " games, " + grouped(window.total()) + " rows, " +
          grouped(trainer.samples()) + " samples");
}

void RunContext::refill_window() {
  const std::int64_t first = store.first_game_of_last_rows(config.training.window_max_rows);
  window.start_at(store.row_count() - store.rows_after(first - 1));
  std::vector<TrainingRow> rows;
  store.for_each_game(first, 0, [&](std::int64_t, const GameRecord& record) {
    rows.clear();
    append_rows(record, config.training.value_search_share, rows);
    window.add(rows);
  });
  // Games that were stored after the state had been written.
  const std::int64_t fresh = store.rows_after(state.last_game);
  state.sample_credit += config.training.reuse * static_cast<double>(fresh);
  state.last_game = store.game_count();
  state.total_rows = window.total();
}

void RunContext::message(const std::string& text) {
  store.add_event("info", text);
  observer.message(text);
}

void RunContext::warning(const std::string& text) {
  store.add_event("warning", text);
  observer.warning(text);
}

void RunContext::metrics(const std::map<std::string, double>& values) {
  store.add_metrics(trainer.samples(), values);
  store.commit();
  observer.metrics(trainer.samples(), values);
}

void RunContext::absorb(const std::vector<CollectedGame>& games) {
  for (const CollectedGame& game : games) {
    const auto rows = static_cast<std::int64_t>(game.rows.size());
    state.last_game = store.add_game(game.record, game.encoded, rows);
    window.add(game.rows);
    state.total_rows = window.total();
    state.sample_credit += config.training.reuse * static_cast<double>(rows);
    ++tally.games;
    tally.plies += static_cast<std::int64_t>(game.record.moves.size());
  }
}

void RunContext::save() {
  store.commit();
  state.seconds = seconds();
  RunState whole = state;
  whole.trainer = trainer.state();
  save_state(folder.states(), whole, config.run.keep_states);
  last_save_ = steady_clock::now();
}

bool RunContext::save_is_due() const { return steady_clock::now() - last_save_ > kSaveInterval; }

double RunContext::seconds() const {
  return seconds_before_ +
         std::chrono::duration<double>(steady_clock::now() - sitting_begin_).count();
}

std::optional<RunEnd> RunContext::reached_limit() const {
  const RunSettings& limits = config.run;
  if (limits.generations > 0 && state.generation >= limits.generations) return RunEnd::Generations;
  if (limits.sample_budget > 0 && trainer.samples() >= limits.sample_budget)
    return RunEnd::SampleBudget;
  if (limits.minutes > 0 && seconds() >= 60 * limits.minutes) return RunEnd::Minutes;
  return std::nullopt;
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

std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(std::abs(number));
  std::string text = number < 0 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text.push_back(',');
    text.push_back(digits[i]);
  }
  return text;
}

}  // namespace baghzero
