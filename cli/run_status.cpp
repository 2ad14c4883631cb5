#include "cli/run_status.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "cli/command_name.h"
#include "cli/config.h"
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
        store_(RunFolder{root}.database(), RunStore::Mode::ReadOnly),
        config_(load_config(RunFolder{root}.config())),
        progress_(stored_progress(store_)),
        metrics_(store_.latest_metrics()),
        generations_(store_.generations()),
        trainer_(RunLock::holder(RunFolder{root})),
        finished_(!store_.meta("finished").value_or("").empty()) {
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

  // Of every limit that the run has; the first one reached ends it.
  void add_time_left() {
    if (!progress_ || progress_->seconds <= 0) return;
    const double seconds = progress_->seconds;
    line("time so far", format_duration(seconds));
    if (finished_) return;
    const auto left = [&](const char* limit, double whole, double done, const char* how) {
      if (whole <= 0) return;
      const double rest = std::max(0.0, whole - done);
      if (done <= 0 && rest > 0) return;
      line("time left",
           how + format_duration(rest == 0 ? 0 : rest * seconds / done) + " to " + limit);
    };
    left("run.minutes", 60 * config_.run.minutes, seconds, "");
    left("run.sample_budget", static_cast<double>(config_.run.sample_budget),
         static_cast<double>(progress_->samples), "about ");
    left("run.generations", config_.run.generations,
         generations_.empty() ? 0 : generations_.back().number, "about ");
  }

  void add_gates() {
    const std::vector<GateEntry> gates = store_.gates();
    const std::size_t first = gates.size() - std::min(gates.size(), kGatesShown);
    for (std::size_t i = first; i < gates.size(); ++i)
      line(i == first ? "last gates" : "", gate_text(gates[i]));
    const std::vector<MatchEntry> matches = store_.matches();
    for (const MatchEntry& match : matches)
      if (!generations_.empty() &&
          match.first == "generation " + std::to_string(generations_.back().number))
        line("match", match.first + " against " + match.second + ": " + percent(match.score) +
                          " in " + counted(match.pairs, "pair") + " (as tiger " +
                          percent(match.score_as_tiger) + ", as goat " +
                          percent(match.score_as_goat) + ")");
  }

  static std::string gate_text(const GateEntry& gate) {
    const std::string against = " against generation " + std::to_string(gate.opponent);
    if (!gate.promoted)
      return "undecided: the candidate at " + grouped(gate.samples) + " samples" + against;
    return std::string(*gate.promoted ? "promoted: " : "rejected: ") + percent(gate.score) +
           against + " in " + counted(gate.pairs, "pair") + " (as tiger " +
           percent(gate.score_as_tiger) + ", as goat " + percent(gate.score_as_goat) + ")";
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
