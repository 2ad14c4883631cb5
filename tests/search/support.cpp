#include "tests/search/support.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

#include "engine/notation.h"

namespace baghzero::search_test {

Game game_after(std::string_view fen, std::string_view moves, const Rules& rules) {
  Game game = game_from_fen(fen, rules);
  std::istringstream words{std::string(moves)};
  for (std::string word; words >> word;) game.play(parse_move(game.side_to_move(), word));
  return game;
}

Rules rules_with(Repetition repetition) {
  Rules rules;
  rules.repetition = repetition;
  return rules;
}

Search searched(const Game& game, std::uint32_t visits, const SearchSettings& settings,
                SearchMode mode) {
  Search search(settings, mode);
  UniformEvaluator evaluator;
  search.begin(game, {.visits = visits}, 1);
  search.run(evaluator);
  return search;
}

SearchSettings settings_for(RootPolicy policy) {
  SearchSettings settings;
  settings.root_policy = policy;
  return settings;
}

const RootMove& move_named(const Search& search, const Game& game, std::string_view name) {
  const Action action = parse_move(game.side_to_move(), name);
  for (const RootMove& move : search.root_moves())
    if (move.action == action) return move;
  throw std::invalid_argument("no such root move: " + std::string(name));
}

Exact minimax(const Game& game, int depth) {
  if (game.over()) {
    const Wdl value = outcome_for(game.side_to_move(), game.outcome());
    return {value == kWin ? Proof::Win : value == kLoss ? Proof::Loss : Proof::Draw, 0};
  }
  if (depth == 0) return {};
  Exact win;
  bool draw = false;
  bool unknown = false;
  int longest_loss = 0;
  for (Action action : game.legal()) {
    Game next = game;
    next.play(action);
    const Exact reply = minimax(next, depth - 1);
    if (reply.proof == Proof::Loss && (win.proof == Proof::None || reply.plies + 1 < win.plies))
      win = {Proof::Win, reply.plies + 1};
    if (reply.proof == Proof::Win) longest_loss = std::max(longest_loss, reply.plies + 1);
    draw = draw || reply.proof == Proof::Draw;
    unknown = unknown || reply.proof == Proof::None;
  }
  if (win.proof == Proof::Win) return win;
  if (unknown) return {};
  if (draw) return {Proof::Draw, 0};
  return {Proof::Loss, longest_loss};
}

Game random_game(const Rules& rules, int plies, std::uint64_t seed) {
  Random random(seed);
  Game game(rules);
  while (!game.over() && game.plies() < plies)
    game.play(game.legal()[static_cast<int>(
        random.below(static_cast<std::uint32_t>(game.legal().size())))]);
  return game;
}

void IrregularEvaluator::evaluate(std::span<const Query> queries,
                                  std::span<Evaluation> evaluations) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Query& query = queries[i];
    const std::uint64_t key = canonical(query.position).position.key();
    // Whole numbers, so that the sums do not depend on the order of the actions.
    std::array<int, kMaxLegalActions> weights{};
    int sum = 0;
    for (int symmetry = 0; symmetry < kSymmetryCount; ++symmetry) {
      if (apply_symmetry(symmetry, query.position).key() != key) continue;
      for (int a = 0; a < query.legal.size(); ++a) {
        const Action image = apply_symmetry_to_action(symmetry, query.legal[a]);
        const auto weight = static_cast<int>(mix_bits(key ^ mix_bits(image)) % 1000) + 1;
        weights[a] += weight;
        sum += weight;
      }
    }
    for (int a = 0; a < query.legal.size(); ++a)
      evaluations[i].policy[a] = static_cast<float>(weights[a]) / static_cast<float>(sum);
    const auto win = static_cast<float>(mix_bits(key + 1) % 100);
    const auto loss = static_cast<float>(mix_bits(key + 2) % 100);
    const float total = win + loss + 20;
    evaluations[i].wdl = {win / total, 20 / total, loss / total};
  }
}

}  // namespace baghzero::search_test
