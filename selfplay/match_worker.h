// One thread of a match: many games side by side, one batch per network in flight.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/search/search.h"
#include "selfplay/match.h"
#include "selfplay/match_ledger.h"

namespace baghzero {

// What all workers of a match are told; read only.
struct MatchPlan {
  std::array<const Player*, 2> players;  // first, second
  std::span<const Game> openings;
  const MatchSettings* settings = nullptr;
  std::shared_ptr<EvaluationCache> cache;  // of network players; null: none
  int slots = 1;                           // games a worker plays side by side
};

// Seed of all randomness of one player in one game.
std::uint64_t player_seed(std::uint64_t match_seed, int pair, bool first_is_tiger, int player);

// Leaves waiting for one evaluator, and its batches in flight. Buffers are allocated once.
class MatchLane {
 public:
  // `slots` is the number of games that may wait at the same time, each with one query. With
  // `flights` > 1 they are spread over that many batches.
  MatchLane(std::unique_ptr<Evaluator> evaluator, int slots, int flights);
  ~MatchLane();
  MatchLane(const MatchLane&) = delete;
  MatchLane& operator=(const MatchLane&) = delete;

  struct Batch {
    std::vector<int> slots;
    std::vector<Query> queries;
    std::vector<Evaluation> evaluations;  // of fixed size; the first slots.size() are in use
    bool in_flight = false;
  };

  void enqueue(int slot, const Query& query);
  // Starts as many waiting queries as fit into one batch; returns the flight, -1 if none waits or
  // none is free.
  int submit();
  // The answers of a flight, valid until the next submit().
  const Batch& wait(int flight);

 private:
  std::unique_ptr<Evaluator> evaluator_;
  std::size_t rows_;  // of one batch at most
  std::vector<int> waiting_slots_;
  std::vector<Query> waiting_queries_;
  std::vector<Batch> flights_;
};

class MatchWorker {
 public:
  MatchWorker(const MatchPlan& plan, MatchLedger& ledger);
  // Plays until no game is left or the match is stopped.
  void run();

 private:
  // A game in progress. Each player of it has an agent, or a search, or (bare policy) neither.
  struct Slot {
    int game_index = -1;  // -1: none
    Game game;            // stays for the next one, and with it its memory
    std::string forfeit;  // as in MatchGame
    std::array<std::unique_ptr<Agent>, 2> agents;
    std::array<std::optional<Search>, 2> searches;
    std::array<Random, 2> randoms{Random(0), Random(0)};
    bool searching = false;
  };
  struct Flight {
    int lane = 0;
    int flight = 0;
  };

  bool start_next_game(Slot& slot);
  // Plays on until the slot waits for an evaluation or no game is left for it.
  void advance(int slot_index);
  // Chooses and plays a move; false if an evaluation is needed first.
  bool play_move(int slot_index);
  void play(Slot& slot, Action action);
  // The move of an agent, or the end of a game that it forfeits; nothing if the match is stopped.
  void play_agent_move(Slot& slot, int player);
  void answer(int slot_index, const Query& query, const Evaluation& evaluation);
  void submit_waiting();

  int player_to_move(const Slot& slot) const;
  double temperature(const Slot& slot, int player) const;

  const MatchPlan& plan_;
  MatchLedger& ledger_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<MatchLane>> lanes_;
  std::array<int, 2> lane_of_player_{};  // -1: an agent
  std::vector<Flight> flights_;          // in the order of their submission
};

}  // namespace baghzero
