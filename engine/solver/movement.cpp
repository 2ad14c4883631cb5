#include "engine/solver/movement.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

namespace baghzero {
namespace {

using Code = MovementTable::Code;
constexpr Code kUndecided = 0;
constexpr int kMaxPlies = 254;

constexpr Code code_of(int plies) { return static_cast<Code>(plies + 1); }
constexpr int plies_of(Code code) { return code - 1; }
constexpr bool is_win(Code code) { return code != kUndecided && plies_of(code) % 2 == 1; }
constexpr bool is_loss(Code code) { return code != kUndecided && plies_of(code) % 2 == 0; }

// The share of a layer's work that is behind once all positions nearer to the end than `plies` have
// been decided, about as measured: the start looks at every board, and after that the first plies
// decide the most.
constexpr double kStartShare = 0.15;
double share_before(double plies) {
  constexpr double kFadingPlies = 5;
  return 1 - (1 - kStartShare) * std::exp(-plies / kFadingPlies);
}

// Codes are read and written by several threads; all of those that meet write the same value.
Code load(const Code& code) {
  return std::atomic_ref<Code>(const_cast<Code&>(code)).load(std::memory_order_relaxed);
}
void store(Code& code, Code value) {
  std::atomic_ref<Code>(code).store(value, std::memory_order_relaxed);
}

// Solves one layer; the one with one more capture is solved already.
class LayerSolver {
 public:
  LayerSolver(MovementTable& table, int captured, const SolveControl& control)
      : table_(table), captured_(captured), control_(control), deferred_(control.threads) {
    const std::size_t boards = std::size_t{MovementTable::boards_per_class(captured)} *
                               static_cast<std::size_t>(TigerClasses::instance().count());
    for (auto& codes : table.layers()[captured].codes) codes.assign(boards, kUndecided);
    capture_wins_.assign(boards, kUndecided);
  }

  // Works by distance to the end: all positions decided in `plies` before any farther one. Returns
  // whether it came to the end.
  bool solve() {
    start();
    bool spread_any = true;
    for (int plies = 0; spread_any || plies <= last_due_; ++plies) {
      if (control_.stopped()) return false;
      settle(plies);
      spread_any = spread(plies);
    }
    return !control_.stopped();
  }

 private:
  struct Deferred {
    std::size_t index;
    int plies;
    Side side;
  };

  std::vector<Code>& codes(Side side) {
    return table_.layers()[captured_].codes[static_cast<int>(side)];
  }
  static std::size_t index(const Position& position) { return MovementTable::index(position); }
  // Of the work of the layer, what a loop over all boards begins and ends with.
  struct Stage {
    double begin;
    double end;
  };
  static Stage stage_of(Side side, int plies) {
    const double half = side == Side::Goat ? 0 : 0.5;
    return {share_before(plies + half), share_before(plies + half + 0.5)};
  }
  template <class Work>
  void for_all(std::size_t count, Work work) const {
    constexpr std::size_t kBlock = 1 << 16;
    parallel_blocks(control_, count, kBlock, work);
  }
  // The same, telling how far it is.
  template <class Work>
  void for_all(std::size_t count, const Stage& stage, Work work) const {
    for_all(count, [&](int thread, std::size_t begin, std::size_t end) {
      work(thread, begin, end);
      if (thread != 0 || !control_.progress) return;
      const double done = static_cast<double>(end) / static_cast<double>(count);
      control_.progress(stage.begin + done * (stage.end - stage.begin));
    });
  }

  // Ends on the board, wins that begin with a capture, and tigers that can only capture and lose.
  void start() {
    const Stage stage{0, kStartShare};
    for_all(capture_wins_.size(), stage, [&](int thread, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Position position;
        if (!MovementTable::position_at(captured_, i, Side::Goat, position)) continue;
        if (count_board_legal_actions(position) == 0) store(codes(Side::Goat)[i], code_of(0));
        MovementTable::position_at(captured_, i, Side::Tiger, position);
        start_tigers(thread, position, i);
      }
    });
    for (const Code code : capture_wins_)
      if (code != kUndecided) last_due_ = std::max(last_due_, plies_of(code));
    note_deferred();
  }

  void start_tigers(int thread, const Position& position, std::size_t i) {
    const ActionList actions = board_legal_actions(position);
    if (actions.empty()) {
      store(codes(Side::Tiger)[i], code_of(0));
      return;
    }
    int fastest = kMaxPlies;
    bool has_step = false;
    for (const Action action : actions) {
      if (!is_jump(action)) {
        has_step = true;
        continue;
      }
      const Code code = after_capture(position.after(action));
      if (is_loss(code)) fastest = std::min(fastest, plies_of(code) + 1);
    }
    if (fastest < kMaxPlies)
      capture_wins_[i] = code_of(fastest);
    else if (!has_step)
      decide_if_lost(thread, position, i, -1);
  }

  // Code, for the goats to move, of the position after a capture.
  Code after_capture(const Position& position) const {
    if (position.captured() == kSolvedCaptures) return code_of(0);
    return table_.layers()[position.captured()]
        .codes[static_cast<int>(Side::Goat)][index(position)];
  }

  // If every move of the side to move is known to lose, decides the position: at once if the
  // slowest loss is the next distance to be worked on, later if a capture holds out longer.
  void decide_if_lost(int thread, const Position& position, std::size_t i, int plies) {
    const Side side = position.side_to_move();
    int slowest = -1;
    for (const Action action : board_legal_actions(position)) {
      const Position next = position.after(action);
      const Code code =
          is_jump(action) ? after_capture(next) : load(codes(opponent(side))[index(next)]);
      if (!is_win(code)) return;
      slowest = std::max(slowest, plies_of(code));
    }
    if (slowest == plies)
      store(codes(side)[i], code_of(plies + 1));
    else
      deferred_[thread].push_back({i, slowest + 1, side});
  }

  // Decides what was found earlier and is due at this distance.
  void settle(int plies) {
    std::vector<Code>& tigers = codes(Side::Tiger);
    for_all(capture_wins_.size(), [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (capture_wins_[i] == code_of(plies) && tigers[i] == kUndecided)
          tigers[i] = code_of(plies);
    });
    for (auto& list : deferred_)
      std::erase_if(list, [&](const Deferred& entry) {
        if (entry.plies != plies) return false;
        Code& code = codes(entry.side)[entry.index];
        if (code == kUndecided) code = code_of(plies);
        return true;
      });
  }

  void note_deferred() {
    for (const auto& list : deferred_)
      for (const Deferred& entry : list) last_due_ = std::max(last_due_, entry.plies);
  }

  // Takes every position decided in `plies` to the positions before it; says whether there were
  // any.
  bool spread(int plies) {
    bool any = false;
    for (const Side side : {Side::Goat, Side::Tiger}) {
      const auto decided =
          static_cast<std::size_t>(std::ranges::count(codes(side), code_of(plies)));
      if (decided == 0) continue;
      any = true;
      if (plies % 2 == 1 && decided > codes(side).size() / kManyDecided)
        review(side, plies);
      else
        walk_back(side, plies);
    }
    note_deferred();
    return any;
  }

  // The positions before wins, when those are many: looks at every undecided position instead of
  // coming to the same ones again and again.
  void review(Side winner, int plies) {
    const Side loser = opponent(winner);
    const std::vector<Code>& before = codes(loser);
    for_all(before.size(), stage_of(winner, plies),
            [&](int thread, std::size_t begin, std::size_t end) {
              for (std::size_t i = begin; i < end; ++i) {
                Position position;
                if (load(before[i]) == kUndecided &&
                    MovementTable::position_at(captured_, i, loser, position))
                  decide_if_lost(thread, position, i, plies);
              }
            });
  }

  // The positions before those decided in `plies`. Steps can be walked backwards: they are the ones
  // that the steps of the side that has just moved would reach.
  void walk_back(Side side, int plies) {
    const bool lost = plies % 2 == 0;
    const Side mover = opponent(side);
    const std::vector<Code>& decided = codes(side);
    std::vector<Code>& before = codes(mover);
    for_all(decided.size(), stage_of(side, plies),
            [&](int thread, std::size_t begin, std::size_t end) {
              for (std::size_t i = begin; i < end; ++i) {
                if (load(decided[i]) != code_of(plies)) continue;
                Position position;
                MovementTable::position_at(captured_, i, mover, position);
                for (const Action action : board_legal_actions(position)) {
                  if (is_jump(action)) continue;
                  const Position reached = position.after(action);
                  const Position previous(reached.tigers(), reached.goats(), 0, captured_, mover);
                  const std::size_t at = index(previous);
                  if (load(before[at]) != kUndecided) continue;
                  if (lost)
                    store(before[at], code_of(plies + 1));
                  else
                    decide_if_lost(thread, previous, at, plies);
                }
              }
            });
  }

  static constexpr std::size_t kManyDecided = 16;  // one in so many

  MovementTable& table_;
  int captured_;
  const SolveControl& control_;
  int last_due_ = 0;                // farthest distance at which something is known to be due
  std::vector<Code> capture_wins_;  // tigers to move: fastest win that begins with a capture
  std::vector<std::vector<Deferred>> deferred_;  // by thread
};

}  // namespace

std::uint32_t MovementTable::boards_per_class(int captured) {
  return kBinomials[kFreePoints][kFreePoints - kSolvedGoats + captured];
}

std::size_t MovementTable::index(const Position& position) {
  const TigerClasses& classes = TigerClasses::instance();
  const auto location = classes.locate(position.tigers());
  const FreeMask empty =
      classes.smallest_image(location.tiger_class, classes.to_free(location, position.empty()));
  return std::size_t{location.tiger_class} * boards_per_class(position.captured()) +
         rank_of_set(empty);
}

bool MovementTable::position_at(int captured, std::size_t index, Side side, Position& out) {
  const TigerClasses& classes = TigerClasses::instance();
  const std::uint32_t per_class = boards_per_class(captured);
  const auto tiger_class = static_cast<int>(index / per_class);
  const FreeMask empty = set_of_rank(static_cast<std::uint32_t>(index % per_class),
                                     kFreePoints - kSolvedGoats + captured);
  if (classes.smallest_image(tiger_class, empty) != empty) return false;
  const Bitboard tigers = classes.representative(tiger_class);
  const Bitboard goats = kAllPoints & ~tigers & ~classes.to_points(tiger_class, empty);
  out = Position(tigers, goats, 0, captured, side);
  return true;
}

SolvedValue MovementTable::decode(Code code, Side side) {
  if (code == kUndecided) return {};
  return {win_for(is_win(code) ? side : opponent(side)), plies_of(code)};
}

SolvedValue MovementTable::value(const Position& position) const {
  const Side side = position.side_to_move();
  return decode(layers_[position.captured()].codes[static_cast<int>(side)][index(position)], side);
}

std::optional<SolvedValue> value_in_game(const MovementTable& table, const Position& position,
                                         const Rules& rules, int plies_left) {
  const SolvedValue value = table.value(position);
  const bool holds = value.outcome == Outcome::Draw ? rules.repetition != Repetition::Forbidden
                                                    : value.plies <= plies_left;
  return holds ? std::optional(value) : std::nullopt;
}

bool solve_movement_layer(MovementTable& table, int captured, const SolveControl& control) {
  return LayerSolver(table, captured, control).solve();
}

MovementTable solve_movement(int threads) {
  MovementTable table;
  for (int captured = kSolvedCaptures - 1; captured >= 0; --captured)
    solve_movement_layer(table, captured, {.threads = threads});
  return table;
}

MovementTotals count_movement(const MovementTable& table, int captured, Side side) {
  MovementTotals totals;
  const auto& codes = table.layers()[captured].codes[static_cast<int>(side)];
  for (std::size_t i = 0; i < codes.size(); ++i) {
    Position position;
    if (!MovementTable::position_at(captured, i, side, position)) continue;
    ++totals.positions;
    if (codes[i] == kUndecided) {
      ++totals.draws;
      continue;
    }
    const int plies = plies_of(codes[i]);
    const bool tigers = win_for(is_win(codes[i]) ? side : opponent(side)) == Outcome::TigersWin;
    ++(tigers ? totals.tiger_wins : totals.goat_wins);
    int& longest = tigers ? totals.longest_tiger_win : totals.longest_goat_win;
    longest = std::max(longest, plies);
  }
  return totals;
}

}  // namespace baghzero
