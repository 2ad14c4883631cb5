#include "engine/solver/probe.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "engine/solver/packed_layer.h"

namespace baghzero {
namespace {

constexpr std::size_t kMostBounds = 4'000'000;

struct SearchLimitReached {};

void require_solved_game(const Position& position) {
  const int goats =
      position.goats_in_hand() + std::popcount(position.goats()) + position.captured();
  if (goats != kSolvedGoats || position.captured() > kSolvedCaptures)
    throw std::invalid_argument(
        "only positions of the game with 20 goats, of which at most five are captured, are solved");
}

// Moves likely to be good first.
void order(const Position& position, ActionList& actions) {
  ActionList ordered;
  const auto is_good = [&](Action action) {
    return position.side_to_move() == Side::Tiger ? is_jump(action)
                                                  : capturable_goats(position.after(action)) == 0;
  };
  for (const Action action : actions)
    if (is_good(action)) ordered.push_back(action);
  if (ordered.empty() || ordered.size() == actions.size()) return;
  for (const Action action : actions)
    if (!is_good(action)) ordered.push_back(action);
  actions = ordered;
}

}  // namespace

SolvedProbe::SolvedProbe(std::shared_ptr<const SolvedDatabase> database, std::uint64_t search_limit)
    : database_(std::move(database)), search_limit_(search_limit), slots_(kCachedBlocks) {}

std::uint8_t SolvedProbe::byte(const CompressedFile& file, std::uint64_t stream, std::uint32_t at) {
  const StreamShape& shape = file.shape();
  const std::uint64_t block = stream * blocks_per_stream(shape) + at / kBlockBytes;
  const std::uint64_t tag =
      block << 8 | static_cast<std::uint64_t>(shape.kind) << 6 | std::uint64_t{shape.layer};
  Slot& slot = slots_[mix_bits(tag) % kCachedBlocks];
  if (slot.tag != tag) {
    slot.tag = ~std::uint64_t{0};
    slot.bytes.resize(file.block_size(block));
    file.read_block(block, slot.bytes);
    slot.tag = tag;
  }
  return slot.bytes[at % kBlockBytes];
}

std::optional<SolvedValue> SolvedProbe::stored(const Position& position) {
  if (position.captured() == kSolvedCaptures) return SolvedValue{Outcome::TigersWin, 0};
  const Side side = position.side_to_move();
  if (!position.in_placement()) {
    const std::uint32_t boards = MovementTable::boards_per_class(position.captured());
    const std::size_t index = MovementTable::index(position);
    const auto at = static_cast<std::uint32_t>(index % boards) + (side == Side::Goat ? 0 : boards);
    return MovementTable::decode(byte(database_->movement(position.captured()), index / boards, at),
                                 side);
  }
  const int placed = kSolvedGoats - position.goats_in_hand();
  const CompressedFile* const layer = database_->placement(placed);
  if (side == Side::Tiger || layer == nullptr) return std::nullopt;
  const TigerClasses& classes = TigerClasses::instance();
  const auto location = classes.locate(position.tigers());
  const PackedPlace place =
      packed_place(placed, position.captured(), classes.to_free(location, position.goats()));
  const std::uint8_t entry =
      packed_entry(byte(*layer, location.tiger_class, place.byte), place.shift);
  const Outcome outcome = entry == kPackedTigersWin  ? Outcome::TigersWin
                          : entry == kPackedGoatsWin ? Outcome::GoatsWin
                                                     : Outcome::Draw;
  return SolvedValue{outcome, -1};
}

// Alpha-beta over the three ranks, for the side to move. The placement phase has no cycles, and all
// positions of the movement phase are stored.
int SolvedProbe::search(const Position& position, int alpha, int beta) {
  const Side side = position.side_to_move();
  if (const auto known = stored(position)) return rank_for(side, known->outcome);
  if (search_left_-- == 0) throw SearchLimitReached{};
  Bounds bounds;
  if (side == Side::Goat) {
    if (const auto found = bounds_.find(position.key()); found != bounds_.end())
      bounds = found->second;
    alpha = std::max<int>(alpha, bounds.low);
    beta = std::min<int>(beta, bounds.high);
    if (alpha >= beta) return bounds.low >= beta ? bounds.low : bounds.high;
  }
  ActionList actions = board_legal_actions(position);
  order(position, actions);
  int best = -1;
  for (const Action action : actions) {
    best = std::max(best, -search(position.after(action), -beta, -std::max(alpha, best)));
    if (best >= beta) break;
  }
  if (side == Side::Goat && bounds_.size() < kMostBounds) {
    if (best > alpha) bounds.low = static_cast<std::int8_t>(std::max<int>(bounds.low, best));
    if (best < beta) bounds.high = static_cast<std::int8_t>(std::min<int>(bounds.high, best));
    bounds_[position.key()] = bounds;
  }
  return best;
}

std::optional<int> SolvedProbe::limited_search(const Position& position, int alpha, int beta,
                                               std::uint64_t limit) {
  require_solved_game(position);
  search_left_ = limit;
  try {
    return search(position, alpha, beta);
  } catch (const SearchLimitReached&) {
    return std::nullopt;
  }
}

std::optional<SolvedValue> SolvedProbe::value(const Position& position) {
  return value(position, search_limit_);
}

std::optional<SolvedValue> SolvedProbe::value(const Position& position, std::uint64_t limit) {
  require_solved_game(position);
  if (const auto known = stored(position)) return known;
  const Side side = position.side_to_move();
  if (count_board_legal_actions(position) == 0) return SolvedValue{win_for(opponent(side)), 0};
  const std::optional<int> rank = limited_search(position, -1, 1, limit);
  if (!rank) return std::nullopt;
  return SolvedValue{outcome_of_rank(side, *rank), -1};
}

std::optional<bool> SolvedProbe::reaches(const Position& position, int rank) {
  if (rank <= -1) return true;
  const std::optional<int> found = limited_search(position, rank - 1, rank, search_limit_);
  if (!found) return std::nullopt;
  return *found >= rank;
}

std::vector<ProbedMove> SolvedProbe::moves(const Position& position) {
  require_solved_game(position);
  std::vector<ProbedMove> result;
  if (position.captured() == kSolvedCaptures) return result;
  const ActionList actions = board_legal_actions(position);
  for (const Action action : actions) {
    auto after =
        value(position.after(action), search_limit_ / static_cast<std::uint64_t>(actions.size()));
    if (after && after->plies >= 0) ++after->plies;
    result.push_back({action, after});
  }
  return result;
}

}  // namespace baghzero
