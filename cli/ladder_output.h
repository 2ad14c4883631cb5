// What `baghzero ladder` prints and writes about a rating.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "selfplay/ladder.h"

namespace baghzero {

struct LadderView {
  std::vector<std::string> names;               // by player
  std::vector<std::optional<int>> generations;  // of the run; nothing for other players
  const ResultTable& results;
  const RatingFit& fit;
  int anchor = 0;
};

// Players by overall rating, the strongest first.
std::vector<int> standings(const LadderView& ladder);

// Table of ratings, cross-table, intransitive triples and pairings that the ratings do not explain.
std::string ladder_as_text(const LadderView& ladder);
// One line a player: place,player,elo,elo_error_95,as_goat,...,games.
std::string ladder_as_csv(const LadderView& ladder);
// A page that needs no other file: the same tables, and charts as inline SVG.
std::string ladder_as_html(const LadderView& ladder);

// "A beats B (62.0 %), B beats C (…), C beats A (…)".
std::string triple_text(const LadderView& ladder, const IntransitiveTriple& triple);
// "A against B: 71.0 % instead of 60.0 % expected, +3.4 standard errors".
std::string misfit_text(const LadderView& ladder, const Misfit& misfit);

}  // namespace baghzero
