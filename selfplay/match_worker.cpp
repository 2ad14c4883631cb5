#include "selfplay/match_worker.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/agents/search_agent.h"
#include "engine/notation.h"

namespace baghzero {
namespace {

std::unique_ptr<Evaluator> make_evaluator(const Player& player, const MatchPlan& plan) {
  auto evaluator = make_evaluator_of(player, plan.settings->inference, plan.settings->on_warning);
  if (!plan.cache || !player.network) return evaluator;
  return make_cached_evaluator(std::move(evaluator), plan.cache, player.network->identity());
}

}  // namespace

std::uint64_t player_seed(std::uint64_t match_seed, int pair, bool first_is_tiger, int player) {
  const auto game = 2 * static_cast<std::uint64_t>(pair) + (first_is_tiger ? 1 : 0);
  // Stream 0 made the openings.
  return Random(match_seed, 1 + 2 * game + static_cast<std::uint64_t>(player))();
}

MatchLane::MatchLane(std::unique_ptr<Evaluator> evaluator, int slots, int flights)
    : evaluator_(std::move(evaluator)),
      rows_(static_cast<std::size_t>(
          std::min(evaluator_->max_batch(), (slots + flights - 1) / flights))),
      flights_(static_cast<std::size_t>(flights)) {
  waiting_slots_.reserve(static_cast<std::size_t>(slots));
  waiting_queries_.reserve(static_cast<std::size_t>(slots));
  for (Batch& batch : flights_) {
    batch.slots.reserve(rows_);
    batch.queries.reserve(rows_);
    batch.evaluations.resize(rows_);
  }
}

MatchLane::~MatchLane() {
  // The evaluator may still be writing into the buffers that die here.
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    if (!flights_[i].in_flight) continue;
    try {
      evaluator_->wait(static_cast<int>(i));
    } catch (...) {  // The match is over already; its first error has been reported.
    }
  }
}

void MatchLane::enqueue(int slot, const Query& query) {
  waiting_slots_.push_back(slot);
  waiting_queries_.push_back(query);
}

int MatchLane::submit() {
  if (waiting_slots_.empty()) return -1;
  const auto free = std::ranges::find(flights_, false, &Batch::in_flight);
  if (free == flights_.end()) return -1;
  const auto rows = static_cast<std::ptrdiff_t>(std::min(rows_, waiting_slots_.size()));
  free->slots.assign(waiting_slots_.begin(), waiting_slots_.begin() + rows);
  free->queries.assign(waiting_queries_.begin(), waiting_queries_.begin() + rows);
  waiting_slots_.erase(waiting_slots_.begin(), waiting_slots_.begin() + rows);
  waiting_queries_.erase(waiting_queries_.begin(), waiting_queries_.begin() + rows);
  const int flight = static_cast<int>(free - flights_.begin());
  evaluator_->submit(flight, free->queries,
                     std::span(free->evaluations).first(free->queries.size()));
  free->in_flight = true;
  return flight;
}

const MatchLane::Batch& MatchLane::wait(int flight) {
  Batch& batch = flights_[static_cast<std::size_t>(flight)];
  batch.in_flight = false;
  evaluator_->wait(flight);
  return batch;
}

MatchWorker::MatchWorker(const MatchPlan& plan, MatchLedger& ledger)
    : plan_(plan), ledger_(ledger), slots_(static_cast<std::size_t>(plan.slots)) {
  const auto& [first, second] = plan.players;
  const bool share_batches = first->network && first->network == second->network;
  const bool one_lane = share_batches || first->make_agent || second->make_agent;
  for (std::size_t player = 0; player < 2; ++player) {
    const Player& who = *plan.players[player];
    if (who.make_agent) {
      lane_of_player_[player] = -1;
    } else if (player == 1 && share_batches) {
      lane_of_player_[1] = lane_of_player_[0];
    } else {
      auto evaluator = make_evaluator(who, plan);
      // Two lanes keep host and device busy by turns; a single one needs two batches for that, and
      // splitting the games further would only make batches small.
      const int flights = one_lane ? std::min({2, evaluator->in_flight(), plan.slots}) : 1;
      lane_of_player_[player] = static_cast<int>(lanes_.size());
      lanes_.push_back(std::make_unique<MatchLane>(std::move(evaluator), plan.slots, flights));
    }
    if (!who.make_agent && who.visits > 0)
      for (Slot& slot : slots_) slot.searches[player].emplace(who.search, SearchMode::Match);
  }
}

void MatchWorker::run() {
  for (int slot = 0; slot < plan_.slots; ++slot) advance(slot);
  for (submit_waiting(); !flights_.empty() && !ledger_.stopped(); submit_waiting()) {
    const auto [lane, flight] = flights_.front();
    flights_.erase(flights_.begin());
    const MatchLane::Batch& batch = lanes_[static_cast<std::size_t>(lane)]->wait(flight);
    for (std::size_t row = 0; row < batch.slots.size(); ++row)
      answer(batch.slots[row], batch.queries[row], batch.evaluations[row]);
  }
}

void MatchWorker::submit_waiting() {
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    for (int flight = lanes_[lane]->submit(); flight >= 0; flight = lanes_[lane]->submit())
      flights_.push_back({static_cast<int>(lane), flight});
}

bool MatchWorker::start_next_game(Slot& slot) {
  slot.game_index = ledger_.take_game();
  if (slot.game_index < 0) return false;
  slot.game = plan_.openings[static_cast<std::size_t>(slot.game_index / 2)];
  const int pair = plan_.settings->first_pair + slot.game_index / 2;
  for (int player = 0; player < 2; ++player) {
    const std::uint64_t seed =
        player_seed(plan_.settings->seed, pair, slot.game_index % 2 != 0, player);
    const auto index = static_cast<std::size_t>(player);
    if (plan_.players[index]->make_agent) {
      // Agents stay for the next game: some have tables that take longer to make than a game to
      // play.
      if (!slot.agents[index]) {
        slot.agents[index] = plan_.players[index]->make_agent();
        slot.agents[index]->interrupt_when([this] { return ledger_.stopped(); });
      }
      slot.agents[index]->new_game(seed);
    } else {
      slot.randoms[index] = Random(seed);
    }
  }
  return true;
}

void MatchWorker::advance(int slot_index) {
  Slot& slot = slots_[static_cast<std::size_t>(slot_index)];
  for (;;) {
    if (slot.game_index < 0 && !start_next_game(slot)) return;
    while (!slot.game.over())
      if (ledger_.stopped() || !play_move(slot_index)) return;
    ledger_.finish({std::exchange(slot.game_index, -1), slot.game, std::move(slot.forfeit)});
    slot.forfeit.clear();
  }
}

int MatchWorker::player_to_move(const Slot& slot) const {
  const bool first_is_tiger = slot.game_index % 2 != 0;
  return (slot.game.side_to_move() == Side::Tiger) == first_is_tiger ? 0 : 1;
}

double MatchWorker::temperature(const Slot& slot, int player) const {
  const Player& who = *plan_.players[static_cast<std::size_t>(player)];
  const int opening_plies = plan_.openings[static_cast<std::size_t>(slot.game_index / 2)].plies();
  const bool early = slot.game.plies() - opening_plies < who.opening_temperature_plies;
  return early ? who.temperature : 0;
}

void MatchWorker::play(Slot& slot, Action action) {
  slot.game.play(action);
  ledger_.count_ply();
}

void MatchWorker::play_agent_move(Slot& slot, int player) {
  const std::string& name = plan_.players[static_cast<std::size_t>(player)]->name;
  const Side side = slot.game.side_to_move();
  try {
    const Action action = slot.agents[static_cast<std::size_t>(player)]->choose(slot.game);
    if (!slot.game.legal().contains(action))
      throw std::runtime_error("the player '" + name + "' chose an illegal move in " +
                               format_fen(slot.game) + ": " + slot.game.why_illegal(action));
    play(slot, action);
  } catch (const Forfeit& forfeit) {
    slot.forfeit = "the player '" + name + "' forfeits a game as ";
    slot.forfeit.append(to_string(side)).append(": ").append(forfeit.what());
    slot.game.forfeit(side);
  } catch (const Interrupted&) {  // the match has been stopped
  }
}

bool MatchWorker::play_move(int slot_index) {
  Slot& slot = slots_[static_cast<std::size_t>(slot_index)];
  const int player = player_to_move(slot);
  const auto index = static_cast<std::size_t>(player);
  if (slot.agents[index]) {
    play_agent_move(slot, player);
    return true;
  }
  if (slot.game.legal().size() == 1) {
    play(slot, slot.game.legal()[0]);
    return true;
  }
  MatchLane& lane = *lanes_[static_cast<std::size_t>(lane_of_player_[index])];
  const int visits = plan_.players[index]->visits;
  if (visits == 0) {
    lane.enqueue(slot_index, make_query(slot.game));
    return false;
  }
  Search& search = *slot.searches[index];
  if (!slot.searching) {
    search.begin(slot.game, {.visits = static_cast<std::uint32_t>(visits)}, slot.randoms[index]());
    slot.searching = true;
  }
  if (search.advance() == SearchStatus::NeedsEvaluation) {
    lane.enqueue(slot_index, search.leaf());
    return false;
  }
  slot.searching = false;
  play(slot,
       search.sample_action(static_cast<float>(temperature(slot, player)), slot.randoms[index]));
  return true;
}

void MatchWorker::answer(int slot_index, const Query& query, const Evaluation& evaluation) {
  Slot& slot = slots_[static_cast<std::size_t>(slot_index)];
  const int player = player_to_move(slot);
  const auto index = static_cast<std::size_t>(player);
  if (slot.searching)
    slot.searches[index]->supply(evaluation);
  else
    play(slot, policy_action(query, evaluation, temperature(slot, player), slot.randoms[index]));
  advance(slot_index);
}

}  // namespace baghzero
