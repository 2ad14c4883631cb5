#include "training/game_arrays.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace baghzero {
namespace {

constexpr std::size_t kRuleColumns = 5;
constexpr std::size_t kWdlColumns = 3;
constexpr std::size_t kLegalBytes = (kActionCount + 7) / 8;

// One member for each array; see docs/game-arrays.md.
struct Columns {
  // By game.
  std::vector<std::int32_t> first_generation;
  std::vector<std::int32_t> last_generation;
  std::vector<std::uint64_t> seed;
  std::vector<std::int32_t> rules;
  std::vector<std::uint64_t> start;
  std::vector<std::int32_t> start_goat_moves;
  std::vector<std::uint8_t> outcome;
  std::vector<std::uint8_t> termination;
  std::vector<std::int64_t> move_offsets{0};  // one more than games
  // By move.
  std::vector<std::uint8_t> action;
  std::vector<std::uint8_t> searched;
  std::vector<std::uint8_t> full_search;
  std::vector<std::uint16_t> visits;
  std::vector<float> root_wdl;
  std::vector<std::int64_t> policy_offsets{0};  // one more than moves
  // By entry of a policy.
  std::vector<std::uint8_t> policy_action;
  std::vector<float> policy_share;
  // By move, for convenience.
  std::vector<std::uint32_t> tigers;
  std::vector<std::uint32_t> goats;
  std::vector<std::uint8_t> goats_in_hand;
  std::vector<std::uint8_t> captured;
  std::vector<std::uint8_t> side;
  std::vector<std::uint8_t> legal;

  // Calls visit(name, vector, columns or 0) for every array; the last ones only `with_positions`.
  template <class Self, class Visit>
  static void for_each(Self& self, bool with_positions, Visit visit) {
    visit("first_generation", self.first_generation, 0);
    visit("last_generation", self.last_generation, 0);
    visit("seed", self.seed, 0);
    visit("rules", self.rules, kRuleColumns);
    visit("start", self.start, 0);
    visit("start_goat_moves", self.start_goat_moves, 0);
    visit("outcome", self.outcome, 0);
    visit("termination", self.termination, 0);
    visit("move_offsets", self.move_offsets, 0);
    visit("action", self.action, 0);
    visit("searched", self.searched, 0);
    visit("full_search", self.full_search, 0);
    visit("visits", self.visits, 0);
    visit("root_wdl", self.root_wdl, kWdlColumns);
    visit("policy_offsets", self.policy_offsets, 0);
    visit("policy_action", self.policy_action, 0);
    visit("policy_share", self.policy_share, 0);
    if (!with_positions) return;
    visit("tigers", self.tigers, 0);
    visit("goats", self.goats, 0);
    visit("goats_in_hand", self.goats_in_hand, 0);
    visit("captured", self.captured, 0);
    visit("side", self.side, 0);
    visit("legal", self.legal, kLegalBytes);
  }
};

void add_position(const Game& game, Columns& columns) {
  const Position& position = game.position();
  columns.tigers.push_back(position.tigers());
  columns.goats.push_back(position.goats());
  columns.goats_in_hand.push_back(static_cast<std::uint8_t>(position.goats_in_hand()));
  columns.captured.push_back(static_cast<std::uint8_t>(position.captured()));
  columns.side.push_back(static_cast<std::uint8_t>(position.side_to_move()));
  const std::size_t first = columns.legal.size();
  columns.legal.resize(first + kLegalBytes);
  for (const Action action : game.legal())
    columns.legal[first + action / 8U] |= static_cast<std::uint8_t>(0x80U >> (action % 8U));
}

void add_move(const MoveRecord& move, Columns& columns) {
  columns.action.push_back(static_cast<std::uint8_t>(move.action));
  columns.searched.push_back(move.searched ? 1 : 0);
  columns.full_search.push_back(move.full_search ? 1 : 0);
  columns.visits.push_back(move.visits);
  for (const float share : {move.root_wdl.win, move.root_wdl.draw, move.root_wdl.loss})
    columns.root_wdl.push_back(share);
  for (const PolicyShare& entry : move.policy) {
    columns.policy_action.push_back(static_cast<std::uint8_t>(entry.action));
    columns.policy_share.push_back(entry.share);
  }
  columns.policy_offsets.push_back(static_cast<std::int64_t>(columns.policy_action.size()));
}

void add_game(const GameRecord& record, Columns& columns) {
  columns.first_generation.push_back(record.first_generation);
  columns.last_generation.push_back(record.last_generation);
  columns.seed.push_back(record.seed);
  const Rules& rules = record.rules;
  for (const int value : {rules.goats, rules.captures_to_win, static_cast<int>(rules.repetition),
                          rules.no_capture_limit, rules.max_plies})
    columns.rules.push_back(value);
  columns.start.push_back(record.start.key());
  columns.start_goat_moves.push_back(record.start_goat_moves);
  columns.outcome.push_back(static_cast<std::uint8_t>(record.outcome));
  columns.termination.push_back(static_cast<std::uint8_t>(record.termination));
  Game game(rules, record.start, record.start_goat_moves);
  for (const MoveRecord& move : record.moves) {
    add_position(game, columns);
    add_move(move, columns);
    game.play(move.action);
  }
  columns.move_offsets.push_back(static_cast<std::int64_t>(columns.action.size()));
}

[[noreturn]] void fail(const std::string& array, const std::string& fault) {
  throw std::runtime_error("the array " + array + " " + fault);
}

Columns read_columns(const NpyArrays& arrays) {
  Columns columns;
  Columns::for_each(columns, false, [&](const char* name, auto& values, std::size_t width) {
    using Value = typename std::remove_reference_t<decltype(values)>::value_type;
    const auto found = arrays.find(name);
    if (found == arrays.end()) fail(name, "is missing");
    try {
      values = found->second.values<Value>(width);
    } catch (const std::runtime_error& fault) {
      fail(name, fault.what());
    }
  });
  return columns;
}

void expect_size(const char* name, std::size_t size, std::size_t expected) {
  if (size != expected)
    fail(name, "has " + std::to_string(size) + " values instead of " + std::to_string(expected));
}

// `offsets` must go from 0 to `size` in `parts` steps that never go back.
void check_offsets(const char* name, const std::vector<std::int64_t>& offsets, std::size_t parts,
                   std::size_t size) {
  expect_size(name, offsets.size(), parts + 1);
  if (offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(size))
    fail(name, "does not go from 0 to " + std::to_string(size));
  if (!std::ranges::is_sorted(offsets)) fail(name, "goes back");
}

void check_sizes(const Columns& columns) {
  const std::size_t games = columns.outcome.size();
  for (const auto& [name, size] : {std::pair{"first_generation", columns.first_generation.size()},
                                   {"last_generation", columns.last_generation.size()},
                                   {"seed", columns.seed.size()},
                                   {"rules", columns.rules.size() / kRuleColumns},
                                   {"start", columns.start.size()},
                                   {"start_goat_moves", columns.start_goat_moves.size()},
                                   {"termination", columns.termination.size()}})
    expect_size(name, size, games);
  const std::size_t moves = columns.action.size();
  check_offsets("move_offsets", columns.move_offsets, games, moves);
  for (const auto& [name, size] : {std::pair{"searched", columns.searched.size()},
                                   {"full_search", columns.full_search.size()},
                                   {"visits", columns.visits.size()},
                                   {"root_wdl", columns.root_wdl.size() / kWdlColumns}})
    expect_size(name, size, moves);
  check_offsets("policy_offsets", columns.policy_offsets, moves, columns.policy_action.size());
  expect_size("policy_share", columns.policy_share.size(), columns.policy_action.size());
}

template <class Enum>
Enum enumerator(const char* name, int value, Enum last) {
  if (value < 0 || value > static_cast<int>(last))
    fail(name, "holds " + std::to_string(value) + ", which has no meaning");
  return static_cast<Enum>(value);
}

Action checked_action(const char* name, std::uint8_t value) {
  if (value >= kActionCount)
    fail(name, "holds " + std::to_string(value) + ", but there are only " +
                   std::to_string(kActionCount) + " actions");
  return static_cast<Action>(value);
}

MoveRecord move_at(const Columns& columns, std::size_t at) {
  MoveRecord move;
  move.action = checked_action("action", columns.action[at]);
  move.searched = columns.searched[at] != 0;
  move.full_search = columns.full_search[at] != 0;
  move.visits = columns.visits[at];
  const float* wdl = &columns.root_wdl[at * kWdlColumns];
  move.root_wdl = {wdl[0], wdl[1], wdl[2]};
  for (auto i = static_cast<std::size_t>(columns.policy_offsets[at]);
       i < static_cast<std::size_t>(columns.policy_offsets[at + 1]); ++i)
    move.policy.push_back(
        {checked_action("policy_action", columns.policy_action[i]), columns.policy_share[i]});
  return move;
}

GameRecord game_at(const Columns& columns, std::size_t at) {
  GameRecord record;
  record.first_generation = columns.first_generation[at];
  record.last_generation = columns.last_generation[at];
  record.seed = columns.seed[at];
  const std::int32_t* rules = &columns.rules[at * kRuleColumns];
  record.rules = {rules[0], rules[1], enumerator("rules", rules[2], Repetition::Off), rules[3],
                  rules[4]};
  record.start = Position::from_key(columns.start[at]);
  record.start_goat_moves = columns.start_goat_moves[at];
  record.outcome = enumerator("outcome", columns.outcome[at], Outcome::Draw);
  record.termination = enumerator("termination", columns.termination[at], Termination::Adjudicated);
  for (auto move = static_cast<std::size_t>(columns.move_offsets[at]);
       move < static_cast<std::size_t>(columns.move_offsets[at + 1]); ++move)
    record.moves.push_back(move_at(columns, move));
  return record;
}

}  // namespace

NpyArrays games_to_arrays(std::span<const GameRecord> games) {
  Columns columns;
  for (const GameRecord& game : games) add_game(game, columns);
  NpyArrays arrays;
  Columns::for_each(columns, true, [&](const char* name, const auto& values, std::size_t width) {
    using Value = typename std::remove_cvref_t<decltype(values)>::value_type;
    arrays.emplace(name, NpyArray::of(std::span<const Value>(values), width));
  });
  return arrays;
}

std::vector<GameRecord> games_from_arrays(const NpyArrays& arrays) {
  const Columns columns = read_columns(arrays);
  check_sizes(columns);
  std::vector<GameRecord> games;
  for (std::size_t at = 0; at < columns.outcome.size(); ++at) games.push_back(game_at(columns, at));
  return games;
}

}  // namespace baghzero
