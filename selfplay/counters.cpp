#include "selfplay/counters.h"

#include <functional>

namespace baghzero {
namespace {

constexpr std::array kNumbers = {
    &SelfPlayCounters::games,
    &SelfPlayCounters::moves,
    &SelfPlayCounters::full_searches,
    &SelfPlayCounters::simulations,
    &SelfPlayCounters::rows,
    &SelfPlayCounters::cache_hits,
    &SelfPlayCounters::batches,
    &SelfPlayCounters::batch_capacity,
    &SelfPlayCounters::network_switches,
    &SelfPlayCounters::search_nanoseconds,
    &SelfPlayCounters::evaluation_nanoseconds,
    &SelfPlayCounters::queue_nanoseconds,
};

template <class Combine>
void combine(SelfPlayCounters& a, const SelfPlayCounters& b, Combine operation) {
  for (const auto number : kNumbers) a.*number = operation(a.*number, b.*number);
  for (std::size_t i = 0; i < a.outcomes.size(); ++i)
    a.outcomes[i] = operation(a.outcomes[i], b.outcomes[i]);
  for (std::size_t i = 0; i < a.terminations.size(); ++i)
    a.terminations[i] = operation(a.terminations[i], b.terminations[i]);
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double SelfPlayCounters::batch_fill() const { return share(rows, batch_capacity); }

double SelfPlayCounters::cache_hit_share() const { return share(cache_hits, cache_hits + rows); }

SelfPlayCounters& SelfPlayCounters::operator+=(const SelfPlayCounters& other) {
  combine(*this, other, std::plus<>{});
  return *this;
}

SelfPlayCounters& SelfPlayCounters::operator-=(const SelfPlayCounters& earlier) {
  combine(*this, earlier, std::minus<>{});
  return *this;
}

}  // namespace baghzero
