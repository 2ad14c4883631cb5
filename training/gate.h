// The gate: a candidate plays the best generation, and the configured rule decides whether it
// becomes the next one. Gate games are never trained on.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "selfplay/match.h"
#include "selfplay/statistics.h"
#include "training/settings.h"

namespace baghzero {

enum class GateVerdict : std::uint8_t { Interrupted, Rejected, Promoted };

struct GateResult {
  GateVerdict verdict = GateVerdict::Interrupted;
  MatchReport report;  // the candidate is the first player
  SprtState sprt;      // computed in every mode, decides in Sprt only
  EloEstimate elo;
  // For people, one line: opponent, pairs, score, as tiger and as goat, Elo, in Sprt the LLR with
  // its bounds, distinct games, and which rule decided.
  std::string verdict_line;

  bool promoted() const { return verdict == GateVerdict::Promoted; }
};

// What the rule says of these pairs, one after another; Interrupted while it says nothing yet.
GateVerdict gate_verdict(const GateSettings& gate, const PairCounts& pairs);

// After every pair, the ones already played excluded: its two games (candidate as goat, as tiger)
// and the result so far. Called in the thread that runs the gate, in order of pair.
using GatePairCallback =
    std::function<void(const MatchGame&, const MatchGame&, const GateResult& so_far)>;

// Plays up to gate.max_pairs openings made from match.seed. Sprt stops at the first decision; when
// the pairs run out without one, a score of gate.threshold promotes; Fixed plays all pairs and
// compares the score with gate.threshold; Always promotes without a game. `played` are finished
// games of the same gate that was interrupted, in any order: those of the pairs before the first
// that lacks a game count as if just played, and the gate goes on from there.
//
// Interrupted by *match.stop unless already decided. gate.visits and match.first_pair are set by
// the gate. Throws std::invalid_argument for settings without sense, or if `played` holds
// unfinished games or such as do not follow this gate's openings (another seed or other rules).
GateResult run_gate(const Player& candidate, const Player& best, const GateSettings& gate,
                    const MatchSettings& match, std::span<const MatchGame> played = {},
                    const GatePairCallback& on_pair = {});

// The same between two networks that search alike, named "candidate" and "generation N".
GateResult run_gate(const NetworkPtr& candidate, const NetworkPtr& best,
                    const SearchSettings& search, const GateSettings& gate,
                    const MatchSettings& match, std::span<const MatchGame> played = {},
                    const GatePairCallback& on_pair = {});

// Throws std::invalid_argument naming the key under [gate] if a value makes no sense.
void check_gate(const GateSettings& gate);

}  // namespace baghzero
