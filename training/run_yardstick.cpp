#include <algorithm>
#include <chrono>

#include "engine/text.h"
#include "engine/thread_count.h"
#include "selfplay/judge.h"
#include "training/run_phases.h"
#include "training/timed_stop.h"

namespace baghzero {
namespace {

using Clock = std::chrono::steady_clock;
using Values = std::map<std::string, double>;

// Of what is left of run.minutes, the most that the suite may take.
constexpr double kMostOfTheRest = 0.25;

// The positions in an order of chance, always the same: those that a search comes to in time are a
// sample of all.
std::vector<SuitePosition> shuffled(std::vector<SuitePosition> suite) {
  Random random(0x7961726473746963);
  for (std::size_t i = suite.size(); i > 1; --i)
    std::swap(suite[i - 1], suite[random.below(static_cast<std::uint32_t>(i))]);
  return suite;
}

// "goat_placements_1_7" and the like.
std::string series_of(Side side, GamePhase phase) {
  std::string name = std::string(to_string(side)) + "_" + std::string(to_string(phase));
  std::ranges::replace_if(
      name, [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

// perfect/NAME of everything, perfect/NAME_ROLE and perfect/NAME_ROLE_PHASE, by what `value_of`
// says of counts that are not empty.
template <class Counts, class ValueOf>
void add_series(const std::string& name, const ByRoleAndPhase<Counts>& report, ValueOf value_of,
                Values& values) {
  const auto add = [&](const std::string& suffix, const Counts& counts) {
    if (counts.positions > 0) values["perfect/" + name + suffix] = value_of(counts);
  };
  add("", report.total());
  for (const Side side : kSides) {
    add("_" + std::string(to_string(side)), report.total(side));
    for (const GamePhase phase : kPhases) add("_" + series_of(side, phase), report.at(side, phase));
  }
}

class Yardstick {
 public:
  explicit Yardstick(RunContext& run)
      : run_(run),
        suite_(shuffled(run.suite.positions)),
        time_left_(time_allowed()),
        player_(best_player(run)) {}

  void measure() {
    if (time_left_ <= Clock::duration::zero()) return;
    const BareReport bare = measured_bare();
    SuiteReport searched;
    if (player_.visits > 0 && time_left_ > Clock::duration::zero()) searched = measured_search();
    if (run_.stopping()) return;
    if (bare.policy.total().positions == 0) {
      run_.message("solver.suite_seconds were over before a position of the suite was answered");
      return;
    }
    const int generation = run_.best->generation();
    run_.store.add_suite_result({generation, run_.suite.title, 0, bare.policy, bare.values});
    if (searched.total().positions > 0)
      run_.store.add_suite_result({generation, run_.suite.title, player_.visits, searched, {}});
    report(bare, searched);
  }

 private:
  Clock::duration time_allowed() const {
    const double left = kMostOfTheRest * (run_.limits.whole - run_.seconds());
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::min(run_.config.solver.suite_seconds, left)));
  }

  // One for each thread. Time begins to count once they are there: on a GPU they take seconds.
  template <class Made, class Make>
  std::vector<Made> for_every_thread(Make make) const {
    std::vector<Made> made(static_cast<std::size_t>(thread_count(run_.match_workers())));
    for (Made& one : made) one = make();
    return made;
  }
  // Does `work(control)` within the time that is left, and takes what it needed from that.
  template <class Work>
  auto timed(const std::string& what, int threads, Work work) {
    const auto begin = Clock::now();
    TimedStop stop(run_.stop, begin + time_left_);
    auto result = work(control(what, threads, stop));
    time_left_ -= Clock::now() - begin;
    return result;
  }

  BareReport measured_bare() {
    const auto evaluators = for_every_thread<std::unique_ptr<Evaluator>>(
        [this] { return make_evaluator_of(player_, run_.config.inference, {}); });
    return timed("bare network", static_cast<int>(evaluators.size()),
                 [&](const SolveControl& control) {
                   return run_suite_bare(evaluators, run_.config.rules, suite_, control);
                 });
  }
  SuiteReport measured_search() {
    const auto agents = for_every_thread<std::unique_ptr<Agent>>(
        [this] { return make_agent_of(player_, run_.config.inference); });
    return timed("search", static_cast<int>(agents.size()), [&](const SolveControl& control) {
      return run_suite(agents, run_.config.rules, suite_, control);
    });
  }

  SolveControl control(const std::string& what, int threads, TimedStop& stop) {
    SolveControl control;
    control.threads = threads;
    control.stop = &stop.flag();
    const auto total = static_cast<double>(suite_.size());
    control.progress = [this, what, total](double done) {
      run_.progress({RunPhase::Suite, done * total, total, what});
    };
    return control;
  }

  void report(const BareReport& bare, const SuiteReport& searched) {
    Values values;
    add_series("policy_errors", bare.policy, error_share, values);
    add_series("value_right", bare.values, right_share, values);
    add_series("value_cross_entropy", bare.values, mean_cross_entropy, values);
    std::string text = player_.name + " against perfect play: its policy gives away value in " +
                       errors_text(bare.policy) + " of " +
                       counted(bare.policy.total().positions, "position");
    if (const SuiteCounts all = searched.total(); all.positions > 0) {
      add_series("search_errors", searched, error_share, values);
      text += ", its search with " + counted(player_.visits, "visit") + " in " +
              errors_text(searched) + " of " + counted(all.positions, "position");
    }
    text += "; its value is right in " + percent(right_share(bare.values.total())) + " of " +
            counted(bare.values.total().positions, "position");
    run_.metrics(run_.store.generations().back().samples, values);
    run_.message(text);
  }

  RunContext& run_;
  std::vector<SuitePosition> suite_;
  Clock::duration time_left_;
  Player player_;
};

}  // namespace

void measure_by_suite(RunContext& run) {
  const auto done = [&](const SuiteEntry& entry) {
    return entry.generation == run.best->generation() && entry.suite == run.suite.title;
  };
  if (run.suite.positions.empty() || std::ranges::any_of(run.store.suite_results(), done)) return;
  Yardstick(run).measure();
}

}  // namespace baghzero
