#include "training/targets.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace baghzero {
namespace {

// `share` in units, rounded; the caller sees to it that the parts of a whole fit together.
std::uint16_t units(double share) {
  return static_cast<std::uint16_t>(std::lround(std::clamp(share, 0.0, 1.0) * kShareUnit));
}

void store_value(const Wdl& outcome, const Wdl& search, double search_share, TrainingRow& row) {
  const auto mixed = [&](float from_outcome, float from_search) {
    return (1 - search_share) * from_outcome + search_share * from_search;
  };
  row.win = units(mixed(outcome.win, search.win));
  row.draw = std::min<std::uint16_t>(units(mixed(outcome.draw, search.draw)),
                                     static_cast<std::uint16_t>(kShareUnit - row.win));
}

// Rounds down and gives what is left over to the largest share, so that the units add up.
void store_policy(const ActionList& legal, const std::vector<PolicyShare>& policy, int ply,
                  TrainingRow& row) {
  double sum = 0;
  for (const PolicyShare& entry : policy) sum += entry.share;
  int left = kShareUnit;
  int largest = -1;
  float largest_share = -1;
  for (const PolicyShare& entry : policy) {
    const int index = legal.index_of(entry.action);
    if (index < 0 || !(entry.share >= 0) || !(sum > 0))
      throw std::runtime_error("the game record's policy at ply " + std::to_string(ply) +
                               " does not fit the position; the record is damaged");
    const int share = static_cast<int>(entry.share / sum * kShareUnit);
    row.policy[index] = static_cast<std::uint16_t>(share);
    left -= share;
    if (entry.share > largest_share) {
      largest_share = entry.share;
      largest = index;
    }
  }
  row.policy[largest] = static_cast<std::uint16_t>(row.policy[largest] + left);
}

void play_recorded(Game& game, Action action) {
  if (!game.legal().contains(action))
    throw std::runtime_error("the game record's move at ply " + std::to_string(game.plies()) +
                             " is illegal: " + game.why_illegal(action));
  game.play(action);
}

}  // namespace

Wdl TrainingRow::value() const {
  constexpr float kUnit = 1.0F / kShareUnit;
  return {static_cast<float>(win) * kUnit, static_cast<float>(draw) * kUnit,
          static_cast<float>(kShareUnit - win - draw) * kUnit};
}

Query unpack_query(const Query::Key& key) {
  Query query{Position::from_key(key.position),
              {},
              static_cast<std::uint8_t>(key.allowed >> kMaxLegalActions)};
  const ActionList board = board_legal_actions(query.position);
  for (int i = 0; i < board.size(); ++i)
    if (key.allowed >> i & 1) query.legal.push_back(board[i]);
  return query;
}

int append_rows(const GameRecord& record, double value_search_share,
                std::vector<TrainingRow>& rows) {
  const std::size_t first = rows.size();
  const int plies = static_cast<int>(record.moves.size());
  Game game(record.rules, record.start, record.start_goat_moves);
  for (int ply = 0; ply < plies; ++ply) {
    const MoveRecord& move = record.moves[ply];
    if (move.searched && !game.over()) {
      TrainingRow row;
      row.query = make_key(make_query(game));
      store_value(outcome_for(game.side_to_move(), record.outcome), move.root_wdl,
                  value_search_share, row);
      if (move.full_search && !move.policy.empty()) {
        store_policy(game.legal(), move.policy, ply, row);
        row.full_search = true;
      }
      row.plies_left = static_cast<std::uint16_t>(std::min(plies - ply, 65'535));
      if (ply + 1 < plies) row.reply = record.moves[ply + 1].action;
      rows.push_back(row);
    }
    play_recorded(game, move.action);
  }
  if (record.outcome == Outcome::Unfinished)
    throw std::runtime_error("a game without an end cannot be trained on");
  const Position& last = game.position();
  for (std::size_t i = first; i < rows.size(); ++i) {
    rows[i].final_tigers = last.tigers();
    rows[i].final_goats = last.goats();
    rows[i].final_captured = static_cast<std::uint8_t>(last.captured());
  }
  return static_cast<int>(rows.size() - first);
}

int count_rows(const GameRecord& record) {
  return static_cast<int>(
      std::ranges::count_if(record.moves, [](const MoveRecord& move) { return move.searched; }));
}

}  // namespace baghzero
