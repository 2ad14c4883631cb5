#include "play/time_control.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

#include "engine/text.h"

namespace baghzero {
namespace {

constexpr std::int64_t kLongestMilliseconds = 1'000'000'000'000;

class GoReader {
 public:
  explicit GoReader(std::span<const std::string_view> words) : words_(words) {}

  bool next() {
    if (words_.empty()) return false;
    word_ = take();
    return true;
  }
  bool is(std::string_view name) const { return word_ == name; }
  std::string_view word() const { return word_; }
  std::int64_t number(std::int64_t low, std::int64_t high) {
    std::int64_t value = 0;
    const std::string_view text = words_.empty() ? "" : take();
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (rest != end || error != std::errc{} || value < low || value > high)
      throw std::invalid_argument("go " + std::string(word_) + " needs a whole number from " +
                                  std::to_string(low) + " to " + std::to_string(high) + ", not " +
                                  quoted(text));
    return value;
  }
  // A clock may have run out already.
  std::int64_t milliseconds() { return number(-kLongestMilliseconds, kLongestMilliseconds); }

 private:
  std::string_view take() {
    const std::string_view word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  std::span<const std::string_view> words_;
  std::string_view word_;
};

// A share of the clock: games last some forty moves a side, most of them decided sooner.
double share_of_clock(const GoRequest& request, std::size_t player, std::int64_t overhead) {
  constexpr int kMovesAhead = 25;
  constexpr double kIncrementShare = 0.8;
  constexpr double kMostOfClock = 0.5;
  const auto left = static_cast<double>(std::max<std::int64_t>(*request.clock[player], 0));
  const int moves = std::clamp(request.moves_to_go.value_or(kMovesAhead), 1, kMovesAhead);
  const double wanted =
      left / moves + kIncrementShare * static_cast<double>(request.increment[player]);
  const double most = moves == 1 ? left : kMostOfClock * left;
  return std::min(wanted, most) - static_cast<double>(overhead);
}

}  // namespace

GoRequest parse_go(std::span<const std::string_view> words) {
  GoRequest request;
  GoReader reader(words);
  while (reader.next()) {
    if (reader.is("nodes"))
      request.nodes = static_cast<std::uint32_t>(reader.number(1, kMaxVisits));
    else if (reader.is("depth"))
      request.depth = static_cast<int>(reader.number(1, kNoLimit));
    else if (reader.is("movetime"))
      request.move_milliseconds = reader.number(0, kLongestMilliseconds);
    else if (reader.is("p1time") || reader.is("wtime"))
      request.clock[0] = reader.milliseconds();
    else if (reader.is("p2time") || reader.is("btime"))
      request.clock[1] = reader.milliseconds();
    else if (reader.is("p1inc") || reader.is("winc"))
      request.increment[0] = reader.number(0, kLongestMilliseconds);
    else if (reader.is("p2inc") || reader.is("binc"))
      request.increment[1] = reader.number(0, kLongestMilliseconds);
    else if (reader.is("movestogo"))
      request.moves_to_go = static_cast<int>(reader.number(1, kNoLimit));
    else if (reader.is("infinite"))
      request.infinite = true;
    else
      request.ignored.push_back(reader.word());
  }
  return request;
}

SearchPlan plan_search(const GoRequest& request, Side side, std::uint32_t default_visits,
                       std::int64_t overhead) {
  SearchPlan plan;
  AnalysisLimits& limits = plan.limits;
  const std::size_t player = side == Side::Goat ? 0 : 1;
  const bool timed = request.move_milliseconds || request.clock[player];
  double milliseconds = limits.seconds;
  if (request.move_milliseconds)
    milliseconds = static_cast<double>(*request.move_milliseconds - overhead);
  if (request.clock[player])
    milliseconds = std::min(milliseconds, share_of_clock(request, player, overhead));
  constexpr double kLeast = 1;
  limits.seconds = std::max(milliseconds, kLeast) / 1000;
  limits.depth = request.depth.value_or(0);
  plan.fresh = !timed && !request.depth && !request.infinite;
  if (request.nodes)
    limits.visits = *request.nodes;
  else if (plan.fresh)
    limits.visits = default_visits;
  return plan;
}

}  // namespace baghzero
