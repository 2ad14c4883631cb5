#include "play/analyst.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <thread>

namespace baghzero {
namespace {

using Clock = std::chrono::steady_clock;

// Wins first, the shortest before others; then by visits; losses last, the longest first.
bool better(const RootMove& a, const RootMove& b) {
  const auto rank = [](const RootMove& move) {
    return move.proof == Proof::Win ? 2 : move.proof == Proof::Loss ? 0 : 1;
  };
  if (rank(a) != rank(b)) return rank(a) > rank(b);
  if (rank(a) == 2) return a.proof_plies < b.proof_plies;
  if (rank(a) == 0) return a.proof_plies > b.proof_plies;
  return a.visits != b.visits ? a.visits > b.visits : a.prior > b.prior;
}

// Indices of root moves, best first.
std::vector<int> order_moves(const Search& search) {
  const auto moves = search.root_moves();
  const Action best = search.best_action();
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(moves.size()); ++i) order.push_back(i);
  std::ranges::stable_sort(order, [&](int a, int b) {
    if ((moves[a].action == best) != (moves[b].action == best)) return moves[a].action == best;
    return better(moves[a], moves[b]);
  });
  return order;
}

}  // namespace

struct Analyst::Task {
  AnalysisLimits limits;
  int line_count = 1;
  const std::atomic<bool>* stop = nullptr;
  const std::function<void(const Analysis&)>* progress = nullptr;
  Clock::duration interval{};

  Clock::time_point start;
  Clock::time_point deadline;
  Clock::time_point next_report;
  std::uint32_t kept_visits = 0;
  std::uint32_t landings = 0;
  int selective_depth = 0;
  bool over = false;  // no thread goes on
  std::exception_ptr failure;
};

Analyst::Analyst(const SearchSettings& settings, const EvaluatorFactory& make_evaluator,
                 int threads)
    : settings_(settings), search_(settings, SearchMode::Engine) {
  if (threads < 1) throw std::invalid_argument("an analysis needs at least one thread");
  for (int i = 0; i < threads; ++i) evaluators_.push_back(make_evaluator());
}

void Analyst::forget() { search_ = Search(settings_, SearchMode::Engine); }

Analysis Analyst::analyse(const Game& game, const AnalysisLimits& limits, int line_count,
                          const std::atomic<bool>& stop,
                          const std::function<void(const Analysis&)>& progress, double interval) {
  const auto ticks = [](double seconds) {
    constexpr double kLongest = 1e8;  // seconds; some years
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::clamp(seconds, 0.0, kLongest)));
  };
  Task task;
  task.limits = limits;
  task.line_count = std::max(line_count, 1);
  task.stop = &stop;
  task.progress = progress ? &progress : nullptr;
  task.interval = ticks(interval);
  task.start = Clock::now();
  task.deadline = task.start + ticks(limits.seconds);
  task.next_report = task.start + task.interval;
  search_.begin(game, {.visits = limits.visits}, 0);
  task.kept_visits = search_.visits();
  {
    std::vector<std::jthread> helpers;
    for (int flight = 1; flight < static_cast<int>(evaluators_.size()); ++flight)
      helpers.emplace_back([this, flight, &task] { work(flight, task); });
    work(0, task);
  }
  if (task.failure) std::rethrow_exception(task.failure);
  return report(task);
}

// One thread's part, whose end is the end for all.
void Analyst::work(int flight, Task& task) {
  std::exception_ptr failure;
  try {
    search(flight, task);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  task.over = true;
  if (failure && !task.failure) task.failure = failure;
  landed_.notify_all();
}

void Analyst::search(int flight, Task& task) {
  Evaluator& evaluator = *evaluators_[static_cast<std::size_t>(flight)];
  Evaluation evaluation;
  std::unique_lock lock(mutex_);
  while (!task.over) {
    const SearchStatus status = search_.advance(flight);
    if (status == SearchStatus::Done) return;
    if (status == SearchStatus::Waiting) {
      landed_.wait(lock);
      continue;
    }
    task.selective_depth = std::max(task.selective_depth, search_.leaf_depth(flight));
    const Query& leaf = search_.leaf(flight);
    lock.unlock();
    evaluator.evaluate({&leaf, 1}, {&evaluation, 1});
    lock.lock();
    search_.supply(flight, evaluation);
    ++task.landings;
    landed_.notify_all();
    if (is_over(task)) return;
    if (flight != 0 || !task.progress || Clock::now() < task.next_report) continue;
    const Analysis interim = report(task);
    task.next_report = Clock::now() + task.interval;
    lock.unlock();
    (*task.progress)(interim);
    lock.lock();
  }
}

// Asked after a leaf has landed, so that there is a root to choose a move from.
bool Analyst::is_over(const Task& task) {
  if (task.stop->load(std::memory_order_relaxed) || Clock::now() >= task.deadline) return true;
  constexpr std::uint32_t kDepthChecks = 16;  // a line costs more to find than a leaf
  if (task.limits.depth == 0 || task.landings % kDepthChecks != 0) return false;
  search_.update_results();
  return std::ssize(search_.principal_variation(order_moves(search_).front())) >= task.limits.depth;
}

Analysis Analyst::report(const Task& task) {
  Analysis analysis;
  search_.update_results();
  const auto moves = search_.root_moves();
  for (const int index : order_moves(search_)) {
    if (std::ssize(analysis.lines) == task.line_count) break;
    const RootMove& move = moves[static_cast<std::size_t>(index)];
    analysis.lines.push_back({.action = move.action,
                              .visits = move.visits,
                              .prior = move.prior,
                              .wdl = search_.move_wdl(index),
                              .proof = move.proof,
                              .proof_plies = move.proof_plies,
                              .moves = search_.principal_variation(index)});
  }
  analysis.wdl = search_.root_wdl();
  analysis.proof = search_.root_proof();
  analysis.visits = search_.visits();
  analysis.simulations = analysis.visits - task.kept_visits;
  analysis.depth = static_cast<int>(analysis.lines.front().moves.size());
  analysis.selective_depth = std::max(analysis.depth, task.selective_depth);
  analysis.seconds = std::chrono::duration<double>(Clock::now() - task.start).count();
  return analysis;
}

}  // namespace baghzero
