#include "engine/evaluation.h"

#include <algorithm>
#include <array>

namespace baghzero {

Query make_query(const Game& game) {
  const int until_no_capture = game.position().in_placement()
                                   ? kLimitHorizon
                                   : game.rules().no_capture_limit - game.plies_without_capture();
  const int until_max_plies = game.rules().max_plies - game.plies();
  return {game.position(), game.legal(),
          limit_proximity(std::min(until_no_capture, until_max_plies))};
}

Query apply_symmetry(int symmetry, const Query& query) {
  Query image{apply_symmetry(symmetry, query.position), {}, query.limit_proximity};
  std::array<Action, kMaxLegalActions> actions{};
  const int count = query.legal.size();
  for (int i = 0; i < count; ++i) actions[i] = apply_symmetry_to_action(symmetry, query.legal[i]);
  std::sort(actions.begin(), actions.begin() + count);
  for (int i = 0; i < count; ++i) image.legal.push_back(actions[i]);
  return image;
}

Query::Key make_key(const Query& query) {
  static_assert(kMaxLegalActions + 4 <= 64, "mask and proximity share a word");
  const std::uint64_t proximity = std::uint64_t{query.limit_proximity} << kMaxLegalActions;
  const int on_board = count_board_legal_actions(query.position);
  // Nothing is barred: by far the most frequent case.
  if (query.legal.size() == on_board)
    return {query.position.key(), proximity | ((std::uint64_t{1} << on_board) - 1)};
  const ActionList board = board_legal_actions(query.position);
  std::uint64_t allowed = 0;
  int next = 0;
  for (int i = 0; i < board.size() && next < query.legal.size(); ++i)
    if (board[i] == query.legal[next]) {
      allowed |= std::uint64_t{1} << i;
      ++next;
    }
  return {query.position.key(), proximity | allowed};
}

void UniformEvaluator::evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    evaluations[i].wdl = {1.0F / 3, 1.0F / 3, 1.0F / 3};
    const int count = queries[i].legal.size();
    std::fill_n(evaluations[i].policy.begin(), count, 1.0F / static_cast<float>(count));
  }
}

}  // namespace baghzero
