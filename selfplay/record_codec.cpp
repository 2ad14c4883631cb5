#include "selfplay/record_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "selfplay/byte_stream.h"

namespace baghzero {
namespace {

constexpr int kUnit = 65535;  // quantised shares of one move sum to this
constexpr float kTolerance = 1e-3F;
constexpr std::uint8_t kSearched = 1;
constexpr std::uint8_t kFullSearch = 2;

void require(bool condition, const char* fault) {
  if (!condition) throw std::runtime_error(fault);
}

// ---- position and rules -----------------------------------------------------------------------

Position position_from_key(std::uint64_t key) {
  const Position position = Position::from_key(key);
  require(position.key() == key, "the start position is misspelt");
  return position;
}

void check_start(const Position& start, int goat_moves, const Rules& rules) {
  const int placed = std::min(goat_moves, rules.goats);
  require(std::popcount(start.tigers()) == kTigerCount, "the start position lacks a tiger");
  require((start.tigers() & start.goats()) == 0, "two pieces share a point of the start position");
  require(start.goats_in_hand() == rules.goats - placed &&
              start.captured() == placed - std::popcount(start.goats()),
          "the goats of the start position do not add up");
  require(start.captured() <= rules.captures_to_win,
          "the start position has more goats captured than the rules allow");
}

void write_rules(const Rules& rules, ByteWriter& out) {
  out.byte(static_cast<std::uint8_t>(rules.goats));
  out.byte(static_cast<std::uint8_t>(rules.captures_to_win));
  out.byte(static_cast<std::uint8_t>(rules.repetition));
  out.number(static_cast<std::uint64_t>(rules.no_capture_limit));
  out.number(static_cast<std::uint64_t>(rules.max_plies));
}

int read_int(ByteReader& in) {
  const std::uint64_t value = in.number();
  require(value <= std::numeric_limits<int>::max(), "a number is too large");
  return static_cast<int>(value);
}

std::int32_t read_generation(ByteReader& in) {
  const std::int64_t value = in.signed_number();
  require(value >= std::numeric_limits<std::int32_t>::min() &&
              value <= std::numeric_limits<std::int32_t>::max(),
          "a generation is out of range");
  return static_cast<std::int32_t>(value);
}

template <class Enum>
Enum read_enum(ByteReader& in, Enum last, const char* fault) {
  const std::uint8_t value = in.byte();
  require(value <= static_cast<std::uint8_t>(last), fault);
  return static_cast<Enum>(value);
}

Rules read_rules(ByteReader& in) {
  Rules rules;
  rules.goats = in.byte();
  rules.captures_to_win = in.byte();
  rules.repetition = read_enum(in, Repetition::Off, "the repetition rule is unknown");
  rules.no_capture_limit = read_int(in);
  rules.max_plies = read_int(in);
  check_rules(rules);
  return rules;
}

// ---- moves ------------------------------------------------------------------------------------

struct QuantisedWdl {
  std::uint16_t win;
  std::uint16_t loss;
};

QuantisedWdl quantise(const Wdl& wdl) {
  const float sum = wdl.win + wdl.draw + wdl.loss;
  const bool sound = wdl.win >= -kTolerance && wdl.draw >= -kTolerance && wdl.loss >= -kTolerance &&
                     std::abs(sum - 1) <= kTolerance;
  if (!sound) throw std::runtime_error("its searched value is no probability");
  const int win = std::clamp(static_cast<int>(std::lround(wdl.win * kUnit)), 0, kUnit);
  const int loss = std::clamp(static_cast<int>(std::lround(wdl.loss * kUnit)), 0, kUnit - win);
  return {static_cast<std::uint16_t>(win), static_cast<std::uint16_t>(loss)};
}

Wdl restore(QuantisedWdl wdl) {
  constexpr auto unit = static_cast<float>(kUnit);
  return {static_cast<float>(wdl.win) / unit,
          static_cast<float>(kUnit - int{wdl.win} - int{wdl.loss}) / unit,
          static_cast<float>(wdl.loss) / unit};
}

using Shares = std::array<int, kMaxLegalActions>;

// Rounds shares that sum to 1 so that the results sum to kUnit exactly (largest remainders).
Shares quantise(const std::vector<PolicyShare>& policy) {
  double sum = 0;
  for (const PolicyShare& entry : policy) {
    require(entry.share >= 0, "a policy share is negative");
    sum += static_cast<double>(entry.share);
  }
  require(std::abs(sum - 1) <= static_cast<double>(kTolerance),
          "its policy shares do not sum to 1");
  Shares shares{};
  std::array<double, kMaxLegalActions> remainders{};
  int missing = kUnit;
  for (std::size_t i = 0; i < policy.size(); ++i) {
    const double exact = static_cast<double>(policy[i].share) * kUnit / sum;
    shares[i] = static_cast<int>(exact);
    remainders[i] = exact - shares[i];
    missing -= shares[i];
  }
  const auto end = remainders.begin() + static_cast<std::ptrdiff_t>(policy.size());
  for (; missing > 0; --missing) {
    const auto largest = std::max_element(remainders.begin(), end);
    *largest = -1;
    ++shares[static_cast<std::size_t>(largest - remainders.begin())];
  }
  return shares;
}

void write_policy(const std::vector<PolicyShare>& policy, const ActionList& legal,
                  ByteWriter& out) {
  require(!policy.empty() && static_cast<int>(policy.size()) <= legal.size(),
          "its policy has too few or too many entries");
  const Shares shares = quantise(policy);
  out.byte(static_cast<std::uint8_t>(
      policy.size() - std::count(shares.begin(), shares.begin() + policy.size(), 0)));
  int previous = -1;
  for (std::size_t i = 0; i < policy.size(); ++i) {
    const int place = legal.index_of(policy[i].action);
    require(place > previous, "its policy names an illegal action or is not in ascending order");
    previous = place;
    if (shares[i] == 0) continue;
    out.byte(static_cast<std::uint8_t>(place));
    out.word(static_cast<std::uint16_t>(shares[i]));
  }
}

std::vector<PolicyShare> read_policy(const ActionList& legal, ByteReader& in) {
  const int count = in.byte();
  require(count > 0 && count <= legal.size(), "a policy has too few or too many entries");
  std::vector<PolicyShare> policy;
  policy.reserve(static_cast<std::size_t>(count));
  int previous = -1;
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    const int place = in.byte();
    require(place > previous && place < legal.size(), "a policy names an illegal action");
    const int share = in.word<std::uint16_t>();
    require(share > 0, "a policy share is zero");
    policy.push_back({legal[place], static_cast<float>(share) / static_cast<float>(kUnit)});
    previous = place;
    sum += share;
  }
  require(sum == kUnit, "the shares of a policy do not sum to 1");
  return policy;
}

void write_move(const MoveRecord& move, const ActionList& legal, ByteWriter& out) {
  const int place = legal.index_of(move.action);
  require(place >= 0, "it is illegal");
  require(move.searched || (!move.full_search && move.visits == 0),
          "it has results of a search but was not searched");
  require(move.full_search || move.policy.empty(), "it has a policy but no full search");
  out.byte(static_cast<std::uint8_t>((move.searched ? kSearched : 0) |
                                     (move.full_search ? kFullSearch : 0)));
  out.byte(static_cast<std::uint8_t>(place));
  if (!move.searched) return;
  out.number(move.visits);
  const QuantisedWdl wdl = quantise(move.root_wdl);
  out.word(wdl.win);
  out.word(wdl.loss);
  if (move.full_search) write_policy(move.policy, legal, out);
}

MoveRecord read_move(const ActionList& legal, ByteReader& in) {
  MoveRecord move;
  const std::uint8_t flags = in.byte();
  require(flags == 0 || flags == kSearched || flags == (kSearched | kFullSearch),
          "the flags of a move are unknown");
  const int place = in.byte();
  require(place < legal.size(), "a move is illegal");
  move.action = legal[place];
  move.searched = (flags & kSearched) != 0;
  move.full_search = (flags & kFullSearch) != 0;
  if (!move.searched) return move;
  const std::uint64_t visits = in.number();
  require(visits <= std::numeric_limits<std::uint16_t>::max(), "a visit count is too large");
  move.visits = static_cast<std::uint16_t>(visits);
  QuantisedWdl wdl{};
  wdl.win = in.word<std::uint16_t>();
  wdl.loss = in.word<std::uint16_t>();
  require(wdl.win + wdl.loss <= kUnit, "a searched value is no probability");
  move.root_wdl = restore(wdl);
  if (move.full_search) move.policy = read_policy(legal, in);
  return move;
}

// ---- the end of a game ------------------------------------------------------------------------

void apply_end(Game& game, Outcome outcome, Termination termination) {
  if (termination == Termination::Adjudicated) {
    require(!game.over() && outcome != Outcome::Unfinished,
            "a game was adjudicated that the rules had ended, or without a verdict");
    game.adjudicate(outcome);
  }
  require(game.outcome() == outcome && game.termination() == termination,
          "the stored outcome contradicts the rules");
}

Game start_game(const GameRecord& record) {
  try {
    check_rules(record.rules);
  } catch (const std::invalid_argument& fault) {
    throw std::runtime_error(fault.what());
  }
  require(record.start_goat_moves >= 0, "the number of goat moves is negative");
  check_start(record.start, record.start_goat_moves, record.rules);
  return {record.rules, record.start, record.start_goat_moves};
}

GameRecord read_content(ByteReader& in) {
  GameRecord record;
  record.first_generation = read_generation(in);
  record.last_generation = read_generation(in);
  record.seed = in.word<std::uint64_t>();
  record.rules = read_rules(in);
  record.start = position_from_key(in.word<std::uint64_t>());
  record.start_goat_moves = read_int(in);
  Game game = start_game(record);
  const std::uint64_t count = in.number();
  require(count <= kMaxStoredPlies && count <= in.remaining() / 2, "it has too many moves");
  record.moves.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    record.moves.push_back(read_move(game.legal(), in));
    game.play(record.moves.back().action);
  }
  record.outcome = read_enum(in, Outcome::Draw, "the outcome is unknown");
  record.termination = read_enum(in, Termination::Adjudicated, "the termination is unknown");
  require(in.remaining() == 0, "there is data behind its end");
  apply_end(game, record.outcome, record.termination);
  return record;
}

// Plays the moves of `record`; `visit(move, legal)` is called before each. Faults name the ply.
template <class Visit>
Game play_through(const GameRecord& record, Visit visit) {
  Game game = start_game(record);
  for (const MoveRecord& move : record.moves) {
    try {
      visit(move, game.legal());
      game.play(move.action);
    } catch (const std::exception& fault) {
      throw std::runtime_error("the move at ply " + std::to_string(game.plies()) +
                               " cannot be accepted: " + fault.what());
    }
  }
  apply_end(game, record.outcome, record.termination);
  return game;
}

}  // namespace

Game replay(const GameRecord& record) {
  return play_through(record, [](const MoveRecord&, const ActionList&) {});
}

std::vector<std::byte> encode_record_content(const GameRecord& record) {
  ByteWriter out;
  try {
    require(record.moves.size() <= kMaxStoredPlies, "it has too many moves");
    out.signed_number(record.first_generation);
    out.signed_number(record.last_generation);
    out.word(record.seed);
    write_rules(record.rules, out);
    out.word(record.start.key());
    out.number(static_cast<std::uint64_t>(record.start_goat_moves));
    out.number(record.moves.size());
    play_through(record, [&](const MoveRecord& move, const ActionList& legal) {
      write_move(move, legal, out);
    });
    out.byte(static_cast<std::uint8_t>(record.outcome));
    out.byte(static_cast<std::uint8_t>(record.termination));
  } catch (const std::runtime_error& fault) {
    throw std::invalid_argument("the game cannot be stored: " + std::string(fault.what()));
  }
  return out.take();
}

GameRecord decode_record_content(std::span<const std::byte> content) {
  ByteReader in(content);
  try {
    return read_content(in);
  } catch (const std::exception& fault) {
    throw std::runtime_error("the stored game is damaged: " + std::string(fault.what()));
  }
}

}  // namespace baghzero
