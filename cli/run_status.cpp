#include "cli/run_status.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "cli/command_name.h"
#include "cli/config.h"
#include "cli/generation_measures.h"
#include "cli/html.h"
#include "cli/progress.h"
#include "engine/text.h"
#include "training/run_folder.h"
#include "training/run_progress.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

constexpr std::size_t kGatesShown = 4;
constexpr std::size_t kWarningsShown = 4;
constexpr std::size_t kLabelWidth = 14;
// A trainer tells where it stands every two seconds; after so many it is worth saying that it does
// not.
constexpr std::int64_t kSilence = 60;

class Screen {
 public:
  Screen(const std::filesystem::path& root, std::int64_t now)
      : root_(root),
        now_(now),
        store_(existing_run(root).database(), RunStore::Mode::ReadOnly),
        config_(load_run_config(RunFolder{root})),
        progress_(stored_progress(store_)),
        metrics_(store_.latest_metrics()),
        generations_(store_.generations()),
        trainer_(RunLock::holder(RunFolder{root})),
        finished_(!store_.meta(kFinishedKey).value_or("").empty()) {
    if (!progress_) return;
    // Reported at the end of every iteration, which may be later than the last report of progress.
    const auto at_least = [this](std::int64_t& value, const char* name) {
      value = std::max(value, static_cast<std::int64_t>(metric(name).value_or(0)));
    };
    at_least(progress_->samples, "training/samples");
    at_least(progress_->rows, "window/total_rows");
  }

  std::string text() {
    add_heading();
    add_phase();
    add_counts();
    add_quality();
    add_speed();
    add_time_left();
    add_gates();
    add_matches();
    add_evaluations();
    add_rating();
    add_suite();
    add_warnings();
    return std::move(text_);
  }

 private:
  void line(std::string label, const std::string& value) {
    label.resize(std::max(label.size(), kLabelWidth), ' ');
    text_.append("  ").append(label).append(value).append("\n");
  }
  std::optional<double> metric(const std::string& name) const {
    const auto found = metrics_.find(name);
    if (found == metrics_.end()) return std::nullopt;
    return found->second.value;
  }
  // "812.5/s games"; nothing while unknown.
  void add_rate(std::string& to, const std::string& name, const char* unit, int digits) const {
    const std::optional<double> value = metric(name);
    if (!value) return;
    to += (to.empty() ? "" : ", ") +
          (digits == 0 ? grouped(static_cast<std::int64_t>(*value)) : decimal(*value, digits)) +
          unit;
  }
  void add_share(std::string& to, const char* label, const std::string& name) const {
    const std::optional<double> value = metric(name);
    if (value) to += (to.empty() ? "" : ", ") + std::string(label) + percent(*value, 0);
  }
  // The clock may have been set back meanwhile.
  std::string ago(std::int64_t at) const {
    return format_duration(static_cast<double>(std::max<std::int64_t>(0, now_ - at))) + " ago";
  }

  void add_heading() {
    text_ = root_.string() + ": ";
    if (!trainer_.empty())
      text_ += "training (" + trainer_ + ")";
    else
      text_ += finished_ ? "finished" : "not training";
    text_ += "\n";
    if (trainer_.empty() && !finished_)
      line("go on with", command_name() + " train --resume --run " + shell_word(root_));
  }

  void add_phase() {
    if (!progress_ || (finished_ && trainer_.empty())) return;
    const PhaseProgress& phase = progress_->phase;
    const PhaseWords words = words_of(phase.phase);
    std::string text =
        std::string(words.label) + ", " + grouped(static_cast<std::int64_t>(phase.done));
    if (phase.total > 0) text += " of " + grouped(static_cast<std::int64_t>(phase.total));
    text += " " + std::string(words.unit);
    if (!phase.detail.empty()) text += ", " + phase.detail;
    line(trainer_.empty() ? "last seen" : "now", text + " (" + ago(progress_->at) + ")");
    if (!trainer_.empty() && now_ - progress_->at > kSilence)
      line("", "nothing was heard of it since: it may be stopped, or its disk or device may hang");
  }

  void add_counts() {
    const int generation = generations_.empty() ? 0 : generations_.back().number;
    std::string text = std::to_string(generation);
    if (config_.run.generations > 0) text += " of " + std::to_string(config_.run.generations);
    if (generation > 0) text += ", promoted " + ago(generations_.back().at);
    line("generation", text);
    text = grouped(store_.game_count());
    if (progress_) text += ", " + grouped(progress_->rows) + " rows";
    add_rate(text, "selfplay/plies", " plies a game", 0);
    line("games", text);
    if (!progress_) return;
    line("samples",
         grouped(progress_->samples) +
             (progress_->rows > 0 ? ", each row used " +
                                        decimal(static_cast<double>(progress_->samples) /
                                                    static_cast<double>(progress_->rows),
                                                2) +
                                        " of " + decimal(config_.training.reuse, 2) + " times"
                                  : ""));
    text = grouped(progress_->window_rows) + " rows";
    if (progress_->rows < config_.training.window_min_rows)
      text += "; training begins at " + grouped(config_.training.window_min_rows);
    line("window", text);
  }

  void add_quality() {
    std::string text;
    add_share(text, "tigers won ", "outcome/tigers_win");
    add_share(text, "goats ", "outcome/goats_win");
    add_share(text, "draws ", "outcome/draw");
    if (!text.empty()) line("outcomes", text);
    text.clear();
    add_rate(text, "loss/policy", " policy", 3);
    add_rate(text, "loss/value", " value", 3);
    if (!text.empty()) line("losses", text);
  }

  void add_speed() {
    std::string text;
    add_rate(text, "selfplay/games_per_second", " games/s", 1);
    add_rate(text, "selfplay/evals_per_second", " evals/s", 0);
    add_share(text, "batch fill ", "selfplay/batch_fill");
    add_share(text, "cache hits ", "selfplay/cache_hit_share");
    if (!text.empty()) line("self-play", text);
    text.clear();
    add_rate(text, "training/samples_per_second", " samples/s", 0);
    if (!text.empty()) line("training", text);
    text.clear();
    add_rate(text, "memory/resident_mib", " MiB", 0);
    add_rate(text, "memory/peak_mib", " MiB at most", 0);
    if (!text.empty()) line("memory", text);
  }

  // To the limit that ends the run first at the pace so far; run.minutes end it at the latest.
  void add_time_left() {
    if (!progress_ || progress_->seconds <= 0) return;
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const double seconds = progress_->seconds;
    line("time so far", format_duration(seconds));
    if (finished_) return;
    double least = kNever;
    std::string limit;
    const auto at_this_pace = [&](const char* name, double whole, double done) {
      const double rest = std::max(0.0, whole - done);
      if (whole <= 0 || (done <= 0 && rest > 0)) return;
      const double left = rest == 0 ? 0 : rest * seconds / done;
      if (left >= least) return;
      least = left;
      limit = name;
    };
    at_this_pace("run.sample_budget", static_cast<double>(config_.run.sample_budget),
                 static_cast<double>(progress_->samples));
    at_this_pace("run.generations", config_.run.generations,
                 generations_.empty() ? 0 : generations_.back().number);
    const double minutes =
        config_.run.minutes > 0 ? std::max(0.0, 60 * config_.run.minutes - seconds) : kNever;
    if (minutes <= least && minutes < kNever)
      line("time left", format_duration(minutes) + " to run.minutes");
    else if (least < kNever)
      line(
          "time left",
          "about " + format_duration(least) + " to " + limit +
              (minutes < kNever ? ", " + format_duration(minutes) + " at most (run.minutes)" : ""));
  }

  void add_gates() {
    const std::vector<GateEntry> gates = store_.gates();
    const std::size_t first = gates.size() - std::min(gates.size(), kGatesShown);
    for (std::size_t i = first; i < gates.size(); ++i)
      line(i == first ? "last gates" : "", gate_text(gates[i]));
  }

  void add_matches() {
    for (const MatchEntry& match : store_.matches())
      if (!generations_.empty() &&
          match.first == "generation " + std::to_string(generations_.back().number))
        line("match", match.first + " against " + match.second + ": " +
                          scores_text(match.score, match.score_as_tiger, match.score_as_goat,
                                      " in " + counted(match.pairs, "pair")));
  }

  // Of the newest generation that met each opponent.
  void add_evaluations() {
    bool first = true;
    for (const OpponentScores& opponent : stored_evaluations(store_)) {
      const EvaluationScore& score = opponent.scores.back();
      line(first ? "evaluation" : "", "generation " + std::to_string(score.generation) +
                                          " against " + opponent.opponent + ": " +
                                          scores_text(score.total, score.as_tiger, score.as_goat));
      first = false;
    }
  }

  // Of the newest generation that has one.
  void add_rating() {
    const std::vector<GenerationRating> ratings = stored_ratings(store_);
    if (ratings.empty()) return;
    const GenerationRating& newest = ratings.back();
    const auto text = [](const Rating& rating) {
      return formatted("%+.0f ± %.0f", rating.elo, rating.error);
    };
    line("rating", "generation " + std::to_string(newest.generation) + ": " + text(newest.overall) +
                       " Elo (as tiger " + text(newest.as_tiger) + ", as goat " +
                       text(newest.as_goat) + "), the first fixed opponent having 0");
  }

  void add_suite() {
    const std::vector<SuiteMeasure> measures = stored_suite_measures(store_);
    const auto newest = std::ranges::max_element(measures, {}, &SuiteMeasure::generation);
    if (newest == measures.end()) return;
    std::string text;
    const auto add = [&](const std::optional<SuiteEntry>& entry, const std::string& player) {
      if (!entry || entry->moves.total().positions == 0) return;
      const std::string errors = errors_text(entry->moves);
      text += (text.empty() ? "generation " + std::to_string(newest->generation) +
                                  " gives away value in " + errors + " of the solved positions "
                            : ", in " + errors + " ") +
              player;
    };
    add(newest->bare, "by its policy");
    if (newest->search) add(newest->search, "with " + counted(newest->search->visits, "visit"));
    if (!text.empty()) line("perfect play", text);
    if (newest->bare && newest->bare->values.total().positions > 0)
      line(text.empty() ? "perfect play" : "",
           "its value is right in " + percent(right_share(newest->bare->values.total())));
  }

  // "85.0 % in 10 pairs (as tiger 90.0 %, as goat 80.0 %)"
  static std::string scores_text(double total, double as_tiger, double as_goat,
                                 const std::string& games = {}) {
    return percent(total) + games + " (as tiger " + percent(as_tiger) + ", as goat " +
           percent(as_goat) + ")";
  }

  static std::string gate_text(const GateEntry& gate) {
    const std::string candidate = "the candidate at " + grouped(gate.samples) + " samples";
    const std::string against = " against generation " + std::to_string(gate.opponent);
    if (!gate.promoted) return "undecided: " + candidate + against;
    if (gate.pairs == 0)
      return *gate.promoted ? "promoted: " + candidate + ", without a game (gate.mode = \"always\")"
                            : gate.verdict;
    return (*gate.promoted ? "promoted: " : "rejected: ") +
           scores_text(gate.score, gate.score_as_tiger, gate.score_as_goat,
                       against + " in " + counted(gate.pairs, "pair"));
  }

  void add_warnings() {
    std::vector<EventEntry> events = store_.events();
    std::erase_if(events, [](const EventEntry& event) { return event.level != "warning"; });
    if (events.empty()) {
      line("warnings", "none");
      return;
    }
    const std::size_t first = events.size() - std::min(events.size(), kWarningsShown);
    for (std::size_t i = first; i < events.size(); ++i)
      line(i == first ? "warnings" : "", events[i].text + " (" + ago(events[i].at) + ")");
    if (first > 0) line("", "and " + counted(static_cast<std::int64_t>(first), "earlier one"));
  }

  const std::filesystem::path root_;
  const std::int64_t now_;
  const RunStore store_;
  const RunConfig config_;
  std::optional<StoredProgress> progress_;
  const std::map<std::string, MetricEntry> metrics_;
  const std::vector<GenerationEntry> generations_;
  const std::string trainer_;
  const bool finished_;
  std::string text_;
};

}  // namespace

std::string describe_status(const std::filesystem::path& root, std::int64_t now) {
  return Screen(root, now).text();
}

}  // namespace baghzero
