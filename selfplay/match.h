// Games between two players, many side by side, with batches formed across games.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "engine/agents/agent.h"
#include "engine/search/settings.h"
#include "nn/inference.h"
#include "selfplay/match_report.h"
#include "selfplay/openings.h"

namespace baghzero {

// A contestant. Exactly one of network, make_evaluator and make_agent is set; the first two are
// asked in batches by a search (or for their bare policy), an agent plays by itself.
struct Player {
  std::string name;
  NetworkPtr network;
  SearchSettings search;
  int visits = 64;         // 0: the bare policy, without search
  double temperature = 0;  // for the first opening_temperature_plies plies after the opening
  int opening_temperature_plies = 0;
  // Called once for all games that follow each other in one place of a thread, in that thread, also
  // at the same time by several; new_game() tells the agent of each.
  std::function<std::unique_ptr<Agent>()> make_agent;
  // Games that may wait for this player side by side in one thread, at least 1. An agent that keeps
  // a program running for its game wants few.
  int most_games_per_worker = 1'000'000;
  // A stand-in for a network: called once per worker thread, in that thread.
  std::function<std::unique_ptr<Evaluator>()> make_evaluator;
  // Optional, asked by require_playable(): why the player cannot play from one of these openings,
  // as a sentence; "" if it can.
  std::function<std::string(std::span<const Game> openings)> why_not_playable;
};

// Throws std::runtime_error if the player cannot play from these openings.
void require_playable(const Player& player, std::span<const Game> openings);

// Takes sentences that people should see, from any thread.
using WarningSink = std::function<void(const std::string&)>;

// What answers for a player of a network or with an evaluator of its own; null for one with an
// agent. Says to `on_warning`, if given, when it is not what was asked for (see
// make_network_evaluator()).
std::unique_ptr<Evaluator> make_evaluator_of(const Player& player,
                                             const InferenceSettings& inference,
                                             const WarningSink& on_warning);

// Of this match, games before an interruption left out.
struct MatchProgress {
  int games = 0;           // finished, also those whose twin is not
  std::int64_t plies = 0;  // played in them and in the games under way, openings left out
};

struct MatchSettings {
  Rules rules;                  // those of the openings that measure_against() makes
  InferenceSettings inference;  // of network players; its cache is shared by all workers
  // Optional: that cache, for matches that follow each other; else every match makes its own.
  std::shared_ptr<EvaluationCache> cache = {};
  int workers = 0;  // threads; 0: one per core
  int games_per_worker = 64;
  std::uint64_t seed = 1;
  // Index of the first opening within the whole match: a match that was interrupted after k pairs
  // goes on with the remaining openings and first_pair = k as if nothing had happened.
  int first_pair = 0;
  // Optional: finished games of this match, of pairs from first_pair on and in any order. They are
  // not played again; their pairs are handed on as the others are.
  std::span<const MatchGame> played = {};
  // Optional request to stop from outside: the match ends after the moves being chosen, or at once
  // where an engine is waited for, and no pair is reported any more.
  const std::atomic<bool>* stop = nullptr;
  // Optional: called in the calling thread with games that have just ended, each game once, in any
  // order and long before its pair's turn comes, if that has to wait for a slow one. Told of every
  // game that ends before the match does, also when it is stopped.
  std::function<void(std::span<const MatchGame>)> on_games = {};
  // Optional: told of every game that a player forfeits, in the calling thread, and of evaluators
  // that are not what was asked for, in any thread.
  WarningSink on_warning = {};
  // Optional: called in the calling thread after every pair, when games have ended and, while none
  // does, a few times a second.
  std::function<void(const MatchProgress&)> on_progress = {};
};

// A cache as these settings want it; null if they want none.
std::shared_ptr<EvaluationCache> make_match_cache(const InferenceSettings& inference);

// Plays every opening twice with roles swapped. `on_pair` is called in the calling thread, in order
// of pair, with the two games of each finished pair (first player as goat, then as tiger); if it
// returns false the match stops and the games in progress are dropped. Returns whether all pairs
// were played.
//
// A game depends on settings.seed, its pair and its side only, not on the number of workers or on
// timing, provided that an evaluator's answer to a query does not depend on the rest of its batch.
//
// A player that throws Forfeit loses that game, which ends as a forfeit.
//
// Throws std::invalid_argument for a player that is not exactly one thing, negative numbers, an
// opening that is already over, or a game of settings.played that is none of this match or there
// twice, and as require_playable(), all before the first move; whatever an agent, an evaluator or a
// callback throws ends the match and comes out here.
bool play_match(const Player& first, const Player& second, std::span<const Game> openings,
                const MatchSettings& settings,
                const std::function<bool(const MatchGame&, const MatchGame&)>& on_pair);

// The whole match of `pairs` openings made from settings.seed, as a report. If stopped, the report
// covers the pairs finished.
MatchReport measure_against(const Player& first, const Player& second, int pairs,
                            const MatchSettings& settings);

}  // namespace baghzero
