#include "selfplay/settings.h"

#include <limits>
#include <sstream>
#include <stdexcept>

namespace baghzero {
namespace {

constexpr int kMaxStoredVisits = std::numeric_limits<std::uint16_t>::max();  // see MoveRecord

void check_range(const char* key, double value, double low, double high) {
  if (value >= low && value <= high) return;
  std::ostringstream text;
  text << "selfplay." << key << " is " << value << ", but must lie between " << low << " and "
       << high;
  throw std::invalid_argument(text.str());
}

}  // namespace

void check_self_play_settings(const SelfPlaySettings& settings) {
  check_range("workers", settings.workers, 0, 1024);
  check_range("slots_per_worker", settings.slots_per_worker, 1, 1 << 16);
  check_range("full_visits", settings.full_visits, 1, kMaxStoredVisits);
  check_range("cheap_visits", settings.cheap_visits, 1, kMaxStoredVisits);
  check_range("full_search_share", settings.full_search_share, 0, 1);
  check_range("temperature_start", settings.temperature_start, 0, 100);
  check_range("temperature_end", settings.temperature_end, 0, 100);
  check_range("temperature_halflife", settings.temperature_halflife, 0.01, 1e6);
  check_range("opening_plies_mean", settings.opening_plies_mean, 0, 100);
  check_range("random_opening_share", settings.random_opening_share, 0, 1);
  check_range("late_start_share", settings.late_start_share, 0, 1);
  check_search_settings(settings.search);
}

}  // namespace baghzero
