// Proofs compared with plain recursion over Game, and with solved positions.
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "engine/notation.h"
#include "tests/search/support.h"

namespace baghzero::search_test {
namespace {

std::string describe(const Game& game) {
  return format_fen(game) + " after " + std::to_string(game.plies()) + " plies, seed game " +
         format_game(game);
}

// Every claim must be right; PUCT must come to the end of so small a tree, while the halving of a
// Gumbel root leaves some moves aside for good.
void compare(const Game& game, int depth, RootPolicy policy) {
  const Exact exact = minimax(game, depth);
  ASSERT_NE(exact.proof, Proof::None) << describe(game);
  const Search search = searched(game, 60'000, settings_for(policy));
  if (game.legal().size() == 1) return;
  if (policy == RootPolicy::Puct || exact.proof == Proof::Loss ||
      search.root_proof() != Proof::None) {
    ASSERT_EQ(search.root_proof(), exact.proof) << describe(game);
  }
  for (const RootMove& move : search.root_moves()) {
    if (move.proof == Proof::None) continue;
    Game next = game;
    next.play(move.action);
    const Exact reply = minimax(next, depth - 1);
    const Proof expected = reply.proof == Proof::Win    ? Proof::Loss
                           : reply.proof == Proof::Loss ? Proof::Win
                                                        : reply.proof;
    ASSERT_EQ(move.proof, expected)
        << describe(game) << format_move(game.side_to_move(), move.action);
    if (expected == Proof::Draw) continue;
    // Wins may be longer than the shortest, and losses are what the wins above them make of them.
    if (reply.plies <= 1)
      ASSERT_EQ(move.proof_plies, reply.plies + 1) << describe(game);
    else
      ASSERT_GE(move.proof_plies, std::min(reply.plies + 1, 2)) << describe(game);
  }
}

using ProofParam = std::tuple<Repetition, RootPolicy>;
class SearchProof : public testing::TestWithParam<ProofParam> {
 protected:
  Rules rules() const { return rules_with(std::get<0>(GetParam())); }
  RootPolicy policy() const { return std::get<1>(GetParam()); }
};

TEST_P(SearchProof, LastPliesBeforeTheLimitOfPlies) {
  Rules limited = rules();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    limited.max_plies = 38 + static_cast<int>(seed % 20);
    const int depth = seed % 3 == 0 ? 3 : 2;
    const Game game = random_game(limited, limited.max_plies - depth, seed);
    if (!game.over()) compare(game, depth, policy());
  }
}

TEST_P(SearchProof, LastPliesBeforeTheNoCaptureLimit) {
  Rules limited = rules();
  int compared = 0;
  for (std::uint64_t seed = 0; compared < 40 && seed < 4000; ++seed) {
    limited.no_capture_limit = 4 + static_cast<int>(seed % 8);
    const int depth = 3;
    Random random(seed);
    Game game(limited);
    while (!game.over() && limited.no_capture_limit - game.plies_without_capture() > depth)
      game.play(game.legal()[static_cast<int>(
          random.below(static_cast<std::uint32_t>(game.legal().size())))]);
    // A capture starts the count anew, so only positions without one are settled by few plies.
    if (game.over() || minimax(game, depth).proof == Proof::None) continue;
    compare(game, depth, policy());
    ++compared;
  }
  EXPECT_GE(compared, 40);
}

// Long shuffles in few empty points: repetition decides most lines.
TEST_P(SearchProof, WhereRepetitionDecides) {
  Rules limited = rules();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    limited.max_plies = 12 + static_cast<int>(seed % 12);
    Random random(seed);
    Game game = game_after(
        seed % 2 ? "BB1GB/1GGGG/GGGGG/1GGGB/G1GGG B 20" : "GGG1B/GGGGB/GGBGG/GGGGG/BGGGG B 20", "",
        limited);
    const int depth = 4;
    while (!game.over() && game.plies() < limited.max_plies - depth)
      game.play(game.legal()[static_cast<int>(
          random.below(static_cast<std::uint32_t>(game.legal().size())))]);
    if (!game.over()) compare(game, depth, policy());
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, SearchProof,
                         testing::Combine(testing::Values(Repetition::Forbidden,
                                                          Repetition::Threefold, Repetition::Off),
                                          testing::Values(RootPolicy::Puct, RootPolicy::Gumbel)),
                         [](const auto& param) {
                           return std::string(to_string(std::get<0>(param.param))) +
                                  (std::get<1>(param.param) == RootPolicy::Puct ? "Puct"
                                                                                : "Gumbel");
                         });

TEST(SearchSolvedMovement, ShortWinsAreProven) {
  std::ifstream file(BAGHZERO_TEST_DATA "/solved_movement.csv");
  ASSERT_TRUE(file);
  int checked = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string fen;
    std::string winner;
    std::string plies_text;
    std::getline(fields, fen, ';');
    std::getline(fields, winner, ';');
    std::getline(fields, plies_text, ';');
    if (plies_text.empty() || std::stoi(plies_text) > 12) continue;
    const int plies = std::stoi(plies_text);
    const Game game = game_after(fen, "", rules_with(Repetition::Off));
    const Search search = searched(game, 200'000);
    const bool mover_wins = winner == to_string(game.side_to_move());
    ++checked;
    if (plies > 6 && search.root_proof() == Proof::None) continue;
    EXPECT_EQ(search.root_proof(), mover_wins ? Proof::Win : Proof::Loss) << line;
    int proven_plies = 0;
    for (const RootMove& move : search.root_moves())
      if (move.action == search.best_action()) proven_plies = move.proof_plies;
    if (plies <= 4)
      EXPECT_EQ(proven_plies, plies) << line;
    else
      EXPECT_GE(proven_plies, plies) << line;
    EXPECT_EQ(proven_plies % 2, plies % 2) << line;
  }
  EXPECT_GE(checked, 6);
}

}  // namespace
}  // namespace baghzero::search_test
