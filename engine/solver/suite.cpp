#include "engine/solver/suite.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>

#include <xxhash.h>

#include "engine/notation.h"
#include "engine/random.h"

namespace baghzero {
namespace {

constexpr std::string_view kTitle = "baghzero suite ";
constexpr std::string_view kChecksum = "checksum ";
constexpr std::array<std::string_view, 3> kValues = {"loss", "draw", "win"};  // by rank + 1

class SuiteMaker {
 public:
  SuiteMaker(SolvedProbe& probe, std::uint64_t seed, int count,
             const std::function<void(int)>& progress)
      : probe_(probe), random_(seed), count_(count), progress_(progress) {
    for (int i = 0; i < count; ++i) ++wanted_[static_cast<std::size_t>(i) % kCells];
  }

  std::vector<SuitePosition> make() {
    constexpr int kFruitlessGames = 50;
    for (int fruitless = 0; size() < count_ && fruitless < kFruitlessGames; ++fruitless) {
      const int before = size();
      play_game();
      if (size() > before) fruitless = 0;
    }
    while (size() < count_) fill_with_boards();
    return std::move(suite_);
  }

 private:
  static constexpr std::size_t kCells = kGamePhases * 2 * 3;

  int size() const { return static_cast<int>(suite_.size()); }

  MoveRanks ranks_of(const Position& position, const ActionList& legal) {
    const auto ranks = rank_moves(probe_, position, legal);
    if (!ranks)
      throw std::runtime_error("a suite needs the whole solved game, but " +
                               missing_layers(probe_.database()));
    return *ranks;
  }

  void play_game() {
    constexpr int kMostPlies = 120;
    const double error_rate = random_.uniform() * random_.uniform();
    Position position;
    for (int ply = 0; ply < kMostPlies && position.captured() < kSolvedCaptures; ++ply) {
      const ActionList legal = board_legal_actions(position);
      if (legal.empty()) return;
      const MoveRanks ranks = ranks_of(position, legal);
      constexpr std::uint32_t kOneIn = 4;  // positions of a game resemble each other
      if (random_.below(kOneIn) == 0) take(position, legal, ranks);
      ActionList choice;
      const bool any = random_.uniform() < error_rate;
      for (int i = 0; i < legal.size(); ++i)
        if (any || ranks.ranks[i] == ranks.best) choice.push_back(legal[i]);
      position.play(
          choice[static_cast<int>(random_.below(static_cast<std::uint32_t>(choice.size())))]);
    }
  }

  // Offers boards for the cells that still want some; one that is not full after so many boards
  // leaves the rest of its share to the others.
  void fill_with_boards() {
    constexpr int kBoards = 100'000;
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      for (int board = 0; wanted_[cell] > 0 && board < kBoards; ++board)
        offer(random_board(cell), cell);
      if (wanted_[cell] == 0) continue;
      exhausted_[cell] = true;
      share_out(cell);
    }
  }

  void share_out(std::size_t cell) {
    if (std::ranges::find(exhausted_, false) == exhausted_.end())
      throw std::runtime_error("there are not so many positions as the suite should have");
    for (std::size_t other = 0; wanted_[cell] > 0; other = (other + 1) % kCells)
      if (!exhausted_[other]) {
        ++wanted_[other];
        --wanted_[cell];
      }
  }

  Position random_board(std::size_t cell) {
    constexpr std::array<std::uint32_t, kGamePhases + 1> kFirstPlaced = {0, 7, 14, 20, 21};
    const std::size_t phase = cell / 6;
    const auto placed = static_cast<int>(
        kFirstPlaced[phase] + random_.below(kFirstPlaced[phase + 1] - kFirstPlaced[phase]));
    // Few captured more often than many.
    const auto most = static_cast<std::uint32_t>(std::min(kSolvedCaptures, placed + 1));
    const auto captured = static_cast<int>(std::min(random_.below(most), random_.below(most)));
    const auto draw = [&](Bitboard taken, int points) {
      Bitboard board = 0;
      while (std::popcount(board) < points)
        board |= bit(static_cast<Point>(random_.below(kPointCount))) & ~taken;
      return board;
    };
    const Bitboard tigers = draw(0, kTigerCount);
    return {tigers, draw(tigers, placed - captured), kSolvedGoats - placed, captured,
            static_cast<Side>(cell / 3 % 2)};
  }

  void offer(const Position& position, std::size_t cell) {
    // Tigers never move before the first placement.
    if (position.side_to_move() == Side::Tiger && position.goats_in_hand() == kSolvedGoats) return;
    const auto known = probe_.value(position);
    if (known && cell_of(position, rank_for(position.side_to_move(), known->outcome)) != cell)
      return;
    const ActionList legal = board_legal_actions(position);
    if (!legal.empty()) take(position, legal, ranks_of(position, legal));
  }

  static std::size_t cell_of(const Position& position, int rank) {
    return (static_cast<std::size_t>(phase_of(position)) * 2 +
            static_cast<std::size_t>(position.side_to_move())) *
               3 +
           static_cast<std::size_t>(rank + 1);
  }

  void take(const Position& position, const ActionList& legal, const MoveRanks& ranks) {
    if (ranks.best >= 0 && !ranks.decisive()) return;
    const std::size_t cell = cell_of(position, ranks.best);
    if (wanted_[cell] == 0 || !seen_.insert(canonical(position).position.key()).second) return;
    --wanted_[cell];
    SuitePosition& entry = suite_.emplace_back();
    entry.position = position;
    entry.rank = ranks.best;
    for (int i = 0; i < legal.size(); ++i)
      if (ranks.ranks[i] == ranks.best) entry.keeping.push_back(legal[i]);
    if (progress_) progress_(size());
  }

  SolvedProbe& probe_;
  Random random_;
  int count_;
  const std::function<void(int)>& progress_;
  std::array<int, kCells> wanted_{};
  std::array<bool, kCells> exhausted_{};
  std::unordered_set<std::uint64_t> seen_;
  std::vector<SuitePosition> suite_;
};

std::string checksum_line(std::string_view text) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                 XXH3_64bits(text.data(), text.size()), 16);
  std::string line(kChecksum);
  return line.append(digits.data(), end.ptr).append("\n");
}

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("this is no suite of solved positions that can be used: " + why);
}

std::string_view take_until(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

SuitePosition parse_line(std::string_view line) {
  SuitePosition entry;
  entry.position = parse_fen(take_until(line, ';')).position;
  const std::string_view value = take_until(line, ';');
  const auto* const found = std::ranges::find(kValues, value);
  if (found == kValues.end()) refuse("unknown value \"" + std::string(value) + "\"");
  entry.rank = static_cast<int>(found - kValues.begin()) - 1;
  while (!line.empty())
    entry.keeping.push_back(parse_move(entry.position.side_to_move(), take_until(line, ' ')));
  return entry;
}

}  // namespace

std::vector<SuitePosition> make_suite(SolvedProbe& probe, std::uint64_t seed, int count,
                                      const std::function<void(int)>& progress) {
  return SuiteMaker(probe, seed, count, progress).make();
}

std::string format_suite(const std::vector<SuitePosition>& suite, std::uint64_t seed) {
  std::string text(kTitle);
  text += std::to_string(kSuiteVersion) + ", seed " + std::to_string(seed) + ", " +
          std::to_string(suite.size()) + " positions\n";
  for (const SuitePosition& entry : suite) {
    const Position& position = entry.position;
    text += format_fen(position, kSolvedGoats - position.goats_in_hand());
    text.append(";").append(kValues[entry.rank + 1]).append(";");
    for (int i = 0; i < entry.keeping.size(); ++i) {
      if (i > 0) text += ' ';
      text += format_move(position.side_to_move(), entry.keeping[i]);
    }
    text += '\n';
  }
  return text += checksum_line(text);
}

std::vector<SuitePosition> parse_suite(std::string_view text) {
  if (!text.starts_with(kTitle)) refuse("it does not begin with \"" + std::string(kTitle) + "\"");
  const std::string version = std::to_string(kSuiteVersion) + ",";
  if (!text.substr(kTitle.size()).starts_with(version))
    refuse("it is of another version than " + std::to_string(kSuiteVersion));
  const std::size_t last = text.rfind(kChecksum);
  if (last == std::string_view::npos) refuse("it is truncated");
  std::string_view body = text.substr(0, last);
  if (text.substr(last) != checksum_line(body)) refuse("it is damaged, its checksum differs");
  take_until(body, '\n');
  std::vector<SuitePosition> suite;
  while (!body.empty()) suite.push_back(parse_line(take_until(body, '\n')));
  return suite;
}

std::string_view suite_title(std::string_view text) { return take_until(text, '\n'); }

}  // namespace baghzero
