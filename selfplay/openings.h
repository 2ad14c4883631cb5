// Openings for matches: short, distinct, quiet beginnings, so that many games between two
// deterministic players are different games.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/game.h"
#include "engine/random.h"

namespace baghzero {

inline constexpr int kMinOpeningPlies = 2;
inline constexpr int kMaxOpeningPlies = 6;

// The openings of a seed one after another, as make_openings() describes them.
class OpeningSource {
 public:
  OpeningSource(const Rules& rules, std::uint64_t seed) : rules_(rules), random_(seed) {}
  // Nothing once these rules have as good as no other one.
  std::optional<Game> next();

 private:
  Rules rules_;
  Random random_;
  std::unordered_set<std::uint64_t> seen_;  // canonical positions
};

// The openings of a seed, kept and made as they are needed.
class OpeningSupply {
 public:
  OpeningSupply(const Rules& rules, std::uint64_t seed) : source_(rules, seed) {}
  // Those from index `first` on, `count` of them or as many as there are; valid until the next
  // call.
  std::span<const Game> take(std::int64_t first, int count);

 private:
  OpeningSource source_;
  std::vector<Game> openings_;
  bool complete_ = false;  // the source has no other one
};

// `count` games of kMinOpeningPlies..kMaxOpeningPlies plies from the normal start, random
// placements answered by random tiger steps. No two end in positions that a symmetry maps onto each
// other, and all are quiet (see below). Equal seeds give equal openings, and a smaller request is
// the beginning of a larger one. Throws std::invalid_argument if `count` is negative or if these
// rules do not have so many openings.
std::vector<Game> make_openings(const Rules& rules, int count, std::uint64_t seed);

// The first `count` of those openings whose last position `accepts`. Throws as make_openings().
std::vector<Game> make_openings_where(const Rules& rules, int count, std::uint64_t seed,
                                      const std::function<bool(const Position&)>& accepts);

// The openings of a file: one a line, as moves ("G33 B1122 …") or as FEN; lines that begin with #
// are comments. A file with tag pairs is read as a file of games instead (game_file.h). Throws
// std::invalid_argument beginning with "NAME:LINE: " for what cannot be read, an opening that is
// over or that a symmetry of the board maps onto an earlier one, and for a file without any.
std::vector<Game> parse_openings(std::string_view text, const std::string& name,
                                 const Rules& rules);

// Whether goats keep their material for the moment: tigers, if to move, cannot capture, nor make a
// move after which every goat reply leaves a goat to be captured. With goats to move some reply
// must lead to such a position. Looks at board rules only; the game is not over.
bool is_quiet(const Position& position);

}  // namespace baghzero
