// What self-play has done so far, in numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/rules.h"

namespace baghzero {

// Totals since the generator was made; the difference of two snapshots is what happened between.
struct SelfPlayCounters {
  std::uint64_t games = 0;          // finished and handed to the writer
  std::uint64_t moves = 0;          // of all games, the unfinished included
  std::uint64_t full_searches = 0;  // moves whose policy is a training target
  std::uint64_t simulations = 0;    // of finished searches
  std::uint64_t rows = 0;           // positions the evaluator was asked for; no cache hits
  std::uint64_t cache_hits = 0;     // answers the cache gave instead
  std::uint64_t batches = 0;
  std::uint64_t batch_capacity = 0;  // rows that those batches could have held
  std::uint64_t network_switches = 0;

  // Time of the workers, summed over them: tree work with cache probes, the evaluator, and blocked
  // because the writer is behind.
  std::uint64_t search_nanoseconds = 0;
  std::uint64_t evaluation_nanoseconds = 0;
  std::uint64_t queue_nanoseconds = 0;

  // Finished games by their Outcome and by their Termination.
  std::array<std::uint64_t, static_cast<std::size_t>(Outcome::Draw) + 1> outcomes{};
  std::array<std::uint64_t, static_cast<std::size_t>(Termination::Adjudicated) + 1> terminations{};

  std::uint64_t games_with(Outcome outcome) const {
    return outcomes[static_cast<std::size_t>(outcome)];
  }
  std::uint64_t games_with(Termination termination) const {
    return terminations[static_cast<std::size_t>(termination)];
  }
  // Share of the evaluator's batch rows that were used, 0..1; 0 before the first batch.
  double batch_fill() const;
  // Share of evaluations that the cache answered, 0..1.
  double cache_hit_share() const;

  SelfPlayCounters& operator+=(const SelfPlayCounters& other);
  SelfPlayCounters& operator-=(const SelfPlayCounters& earlier);
  friend SelfPlayCounters operator+(SelfPlayCounters a, const SelfPlayCounters& b) {
    return a += b;
  }
  friend SelfPlayCounters operator-(SelfPlayCounters later, const SelfPlayCounters& earlier) {
    return later -= earlier;
  }
};

}  // namespace baghzero
