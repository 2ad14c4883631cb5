// Looks positions up in the solved game. Positions that are not stored follow from those that are,
// by search: one ply where tigers move in the placement phase, more if placement layers are
// missing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/solver/database.h"

namespace baghzero {

// 1 won, 0 drawn, -1 lost for `side`.
constexpr int rank_for(Side side, Outcome outcome) {
  return outcome == Outcome::Draw ? 0 : outcome == win_for(side) ? 1 : -1;
}
constexpr Outcome outcome_of_rank(Side side, int rank) {
  return rank == 0 ? Outcome::Draw : win_for(rank > 0 ? side : opponent(side));
}

struct ProbedMove {
  Action action = kNoAction;
  // Of the position before the move if this move is played; nothing if it could not be found.
  std::optional<SolvedValue> value;
};

// Used by one thread at a time; keeps kCacheBytes of decompressed blocks and, where placement
// layers are missing, what it has found by search: up to some 200 MiB.
class SolvedProbe {
 public:
  static constexpr std::size_t kCachedBlocks = 512;
  static constexpr std::size_t kCacheBytes = kCachedBlocks * kBlockBytes;
  // Positions that one call may search: about a second.
  static constexpr std::uint64_t kQuickSearch = 1'000'000;

  explicit SolvedProbe(std::shared_ptr<const SolvedDatabase> database,
                       std::uint64_t search_limit = kQuickSearch);

  const SolvedDatabase& database() const { return *database_; }

  // The exact value by board rules, endless play a draw; plies are known in the movement phase and
  // where the game is over. Nothing if layers are missing and the search did not end in time.
  // Throws std::invalid_argument for a position that does not belong to the standard game,
  // std::runtime_error for a damaged database.
  std::optional<SolvedValue> value(const Position& position);
  // All moves legal on the board, in ascending order; none if the game is over. Each may take an
  // equal share of the search.
  std::vector<ProbedMove> moves(const Position& position);
  // Whether the side to move gets at least `rank`; cheaper than value().
  std::optional<bool> reaches(const Position& position, int rank);

 private:
  struct Slot {
    std::uint64_t tag = ~std::uint64_t{0};
    std::vector<std::uint8_t> bytes;
  };
  struct Bounds {
    std::int8_t low = -1;
    std::int8_t high = 1;
  };

  std::uint8_t byte(const CompressedFile& file, std::uint64_t stream, std::uint32_t at);
  std::optional<SolvedValue> stored(const Position& position);
  int search(const Position& position, int alpha, int beta);
  std::optional<int> limited_search(const Position& position, int alpha, int beta,
                                    std::uint64_t limit);
  std::optional<SolvedValue> value(const Position& position, std::uint64_t limit);

  std::shared_ptr<const SolvedDatabase> database_;
  std::uint64_t search_limit_;
  std::uint64_t search_left_ = 0;
  std::vector<Slot> slots_;
  std::unordered_map<std::uint64_t, Bounds> bounds_;  // by Position::key(), goats to move
};

}  // namespace baghzero
