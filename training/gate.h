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

// The result so far after every pair that the rule has judged, those of stored games included.
// Called in the thread that runs the gate.
using GateProgressCallback = std::function<void(const GateResult& so_far)>;

// Plays up to gate.max_pairs openings made from match.seed. Sprt stops at the first decision; when
// the pairs run out without one, a score of gate.threshold promotes; Fixed plays all pairs and
// compares the score with gate.threshold; Always promotes without a game. The rule judges pair by
// pair in their order, whichever game ends first, so that a verdict does not depend on timing.
//
// match.on_games is told of every game as soon as it has ended. `played` are such games of the same
// gate before it was interrupted, in any order and with any others missing: only the missing ones
// are played.
//
// Interrupted by *match.stop unless already decided. gate.visits, match.first_pair and match.played
// are set by the gate. Throws std::invalid_argument for settings without sense, or if `played`
// holds unfinished games or such as do not follow this gate's openings (another seed or other
// rules).
GateResult run_gate(const Player& candidate, const Player& best, const GateSettings& gate,
                    const MatchSettings& match, std::span<const MatchGame> played = {},
                    const GateProgressCallback& on_progress = {});

// The same between two networks that search alike, named "candidate" and "generation N".
GateResult run_gate(const NetworkPtr& candidate, const NetworkPtr& best,
                    const SearchSettings& search, const GateSettings& gate,
                    const MatchSettings& match, std::span<const MatchGame> played = {},
                    const GateProgressCallback& on_progress = {});

// Throws std::invalid_argument naming the key under [gate] if a value makes no sense.
void check_gate(const GateSettings& gate);

}  // namespace baghzero
