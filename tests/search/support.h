// Shared by the search tests: positions, evaluators and an independent exact solver.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/evaluation.h"
#include "engine/game.h"
#include "engine/search/search.h"

namespace baghzero::search_test {

// The game that `moves` ("B1213 G5152 …") make from the position of `fen`.
Game game_after(std::string_view fen, std::string_view moves = "", const Rules& rules = {});
Rules rules_with(Repetition repetition);

// A finished search of `game` with the uniform evaluator.
Search searched(const Game& game, std::uint32_t visits, const SearchSettings& settings = {},
                SearchMode mode = SearchMode::Match);
SearchSettings settings_for(RootPolicy policy);
const RootMove& move_named(const Search& search, const Game& game, std::string_view name);

// The true value for the side to move by plain recursion over Game, as far as `depth` plies settle
// it: the shortest win, the longest loss.
struct Exact {
  Proof proof = Proof::None;
  int plies = 0;
};
Exact minimax(const Game& game, int depth);

// Plays random legal moves until `plies` have been made or the game is over.
Game random_game(const Rules& rules, int plies, std::uint64_t seed);

// Answers that depend on the query in a fixed, irregular way, the same for all images of a position
// under the symmetries of the board.
class IrregularEvaluator final : public Evaluator {
 public:
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override;
  int max_batch() const override { return 1024; }
};

}  // namespace baghzero::search_test
