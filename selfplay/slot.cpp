#include "selfplay/slot.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "engine/solver/movement.h"

namespace baghzero {
namespace {

// Opening plies are drawn from the network's policy to the power 1 / this.
constexpr float kOpeningTemperature = 2;
constexpr int kLateStartAttempts = 64;
constexpr double kMovementStartShare = 0.5;  // of the late starts

// Number of plies with P(k) = (1 - q) q^k, whose mean is q / (1 - q).
int geometric(double mean, Random& random) {
  const double again = mean / (1 + mean);
  int count = 0;
  while (random.uniform() < again) ++count;
  return count;
}

Action flattened_choice(const ActionList& legal, const Evaluation& evaluation, Random& random) {
  std::array<float, kMaxLegalActions> weights{};
  float total = 0;
  for (int i = 0; i < legal.size(); ++i)
    total += weights[i] = std::pow(evaluation.policy[i], 1 / kOpeningTemperature);
  float rest = static_cast<float>(random.uniform()) * total;
  for (int i = 0; i < legal.size(); ++i)
    if ((rest -= weights[i]) < 0) return legal[i];
  return legal[legal.size() - 1];
}

Action uniform_choice(const ActionList& legal, Random& random) {
  return legal[static_cast<int>(random.below(static_cast<std::uint32_t>(legal.size())))];
}

int random_int(int low, int high, Random& random) {
  return low + static_cast<int>(random.below(static_cast<std::uint32_t>(high - low + 1)));
}

// `count` different points of `points`, which are removed from it.
Bitboard take_random_points(int count, Bitboard& points, Random& random) {
  Bitboard taken = 0;
  for (; count > 0; --count) {
    Bitboard rest = points;
    for (int skip = random_int(0, std::popcount(points) - 1, random); skip > 0; --skip)
      pop_lowest(rest);
    const Bitboard chosen = bit(pop_lowest(rest));
    taken |= chosen;
    points ^= chosen;
  }
  return taken;
}

}  // namespace

std::uint64_t game_seed(std::uint64_t run_seed, std::uint64_t game_index) {
  return Random(run_seed, game_index)();
}

float temperature_at(const SelfPlaySettings& settings, int ply) {
  const double decay = std::exp2(-ply / settings.temperature_halflife);
  return static_cast<float>(settings.temperature_end +
                            (settings.temperature_start - settings.temperature_end) * decay);
}

Game random_late_start(const Rules& rules, Random& random) {
  for (int attempt = 0; attempt < kLateStartAttempts; ++attempt) {
    const bool movement = random.uniform() < kMovementStartShare;
    const int placed =
        movement ? rules.goats : random_int(rules.goats / 2, rules.goats - 1, random);
    const int captured = random_int(0, std::min(rules.captures_to_win - 1, placed), random);
    Bitboard free_points = kAllPoints;
    const Bitboard tigers = take_random_points(kTigerCount, free_points, random);
    const Bitboard goats = take_random_points(placed - captured, free_points, random);
    const Side side = random_int(0, 1, random) == 0 ? Side::Goat : Side::Tiger;
    const Position start(tigers, goats, rules.goats - placed, captured, side);
    Game game(rules, start, placed);
    if (!game.over()) return game;
  }
  return Game(rules);
}

GameSlot::GameSlot(const SelfPlaySettings& settings, const Rules& rules)
    : settings_(&settings),
      rules_(&rules),
      adjudicator_(settings.adjudicate == Adjudicate::Solver ? settings.search.solved.get()
                                                             : nullptr),
      search_(settings.search, SearchMode::SelfPlay),
      game_(rules) {}

void GameSlot::begin(std::uint64_t game_index) {
  game_index_ = game_index;
  record_ = {};
  record_.seed = game_seed(settings_->seed, game_index);
  record_.rules = *rules_;
  random_ = Random(record_.seed);
  evaluated_ = false;
  status_ = SlotStatus::Ready;
  if (random_.uniform() < settings_->late_start_share) {
    do game_ = random_late_start(*rules_, random_);
    while (verdict() != Outcome::Unfinished);
    opening_plies_left_ = 0;
    begin_search();
    return;
  }
  uniform_opening_ = random_.uniform() < settings_->random_opening_share;
  begin_opening(geometric(settings_->opening_plies_mean, random_));
}

void GameSlot::begin_opening(int plies) {
  game_ = Game(*rules_);
  record_.moves.clear();
  opening_plies_ = opening_plies_left_ = plies;
  if (plies == 0) begin_search();
}

void GameSlot::play_opening_ply(Action action) {
  MoveRecord move;
  move.action = action;
  record_move(std::move(move));
  --opening_plies_left_;
  // A game that its opening decides teaches nothing: another one, not so long.
  if (game_.over())
    begin_opening(opening_plies_ / 2);
  else if (opening_plies_left_ == 0)
    begin_search();
}

void GameSlot::begin_search() {
  full_search_ = random_.uniform() < settings_->full_search_share;
  SearchLimits limits;
  limits.visits =
      static_cast<std::uint32_t>(full_search_ ? settings_->full_visits : settings_->cheap_visits);
  limits.explore = full_search_;
  search_.begin(game_, limits, random_());
}

SlotStatus GameSlot::advance(SelfPlayCounters& counters) {
  while (status_ == SlotStatus::Ready) {
    if (opening_plies_left_ > 0 && uniform_opening_) {
      play_opening_ply(uniform_choice(game_.legal(), random_));
    } else if (opening_plies_left_ > 0) {
      opening_query_ = make_query(game_);
      status_ = SlotStatus::NeedsEvaluation;
    } else if (search_.advance() == SearchStatus::NeedsEvaluation) {
      status_ = SlotStatus::NeedsEvaluation;
    } else {
      finish_search(counters);
    }
  }
  return status_;
}

const Query& GameSlot::query() const {
  assert(status_ == SlotStatus::NeedsEvaluation);
  return opening_plies_left_ > 0 ? opening_query_ : search_.leaf();
}

void GameSlot::supply(const Evaluation& evaluation, int generation) {
  assert(status_ == SlotStatus::NeedsEvaluation);
  status_ = SlotStatus::Ready;
  record_.last_generation = generation;
  if (!std::exchange(evaluated_, true)) record_.first_generation = generation;
  if (opening_plies_left_ > 0)
    play_opening_ply(flattened_choice(game_.legal(), evaluation, random_));
  else
    search_.supply(evaluation);
}

void GameSlot::finish_search(SelfPlayCounters& counters) {
  MoveRecord move;
  move.action = search_.sample_action(temperature_at(*settings_, game_.plies()), random_);
  move.searched = true;
  move.full_search = full_search_;
  move.visits = static_cast<std::uint16_t>(search_.visits());
  move.root_wdl = search_.root_wdl();
  if (full_search_) {
    std::array<float, kMaxLegalActions> target;
    const auto moves = search_.root_moves();
    search_.policy_target(std::span(target).first(moves.size()));
    move.policy.reserve(moves.size());
    for (std::size_t i = 0; i < moves.size(); ++i)
      if (target[i] > 0) move.policy.push_back({moves[i].action, target[i]});
  }
  ++counters.moves;
  counters.full_searches += full_search_ ? 1 : 0;
  counters.simulations += search_.visits();
  record_move(std::move(move));
  if (game_.over())
    status_ = SlotStatus::Finished;
  else
    begin_search();
}

void GameSlot::record_move(MoveRecord move) {
  game_.play(move.action);
  record_.moves.push_back(std::move(move));
  if (const Outcome outcome = verdict(); outcome != Outcome::Unfinished) game_.adjudicate(outcome);
}

// What the solved game says of a game that is not over, as far as that is its result.
Outcome GameSlot::verdict() const {
  if (!adjudicator_ || game_.over() || game_.position().in_placement()) return Outcome::Unfinished;
  const int plies_left = std::min(rules_->no_capture_limit - game_.plies_without_capture(),
                                  rules_->max_plies - game_.plies());
  const auto value = value_in_game(*adjudicator_, game_.position(), *rules_, plies_left);
  return value ? value->outcome : Outcome::Unfinished;
}

GameRecord GameSlot::take_record() {
  assert(status_ == SlotStatus::Finished);
  status_ = SlotStatus::Idle;
  record_.start = game_.start();
  record_.start_goat_moves = game_.start_goat_moves();
  record_.outcome = game_.outcome();
  record_.termination = game_.termination();
  return std::move(record_);
}

}  // namespace baghzero
