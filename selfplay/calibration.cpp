#include "selfplay/calibration.h"

#include <algorithm>
#include <cmath>

namespace baghzero {
namespace {

constexpr std::array<const char*, 4> kGroupNames = {"goat_placement", "goat_movement",
                                                    "tiger_placement", "tiger_movement"};

double score(const Wdl& wdl) { return wdl.win + 0.5 * wdl.draw; }

}  // namespace

void ValueCalibration::add(const GameRecord& record) {
  Side side = record.start.side_to_move();
  int goat_moves = record.start_goat_moves;
  for (const MoveRecord& move : record.moves) {
    if (move.searched) {
      const bool movement = goat_moves >= record.rules.goats;
      const std::size_t group = (side == Side::Tiger ? 2 : 0) + (movement ? 1 : 0);
      const double foretold = std::clamp(score(move.root_wdl), 0.0, 1.0);
      const auto place = std::min(kTenths - 1, static_cast<std::size_t>(foretold * kTenths));
      Tenth& tenth = groups_[group][place];
      ++tenth.moves;
      tenth.foretold += foretold;
      tenth.reached += score(outcome_for(side, record.outcome));
    }
    if (side == Side::Goat) ++goat_moves;
    side = opponent(side);
  }
}

std::map<std::string, double> ValueCalibration::metrics() const {
  std::map<std::string, double> values;
  for (std::size_t group = 0; group < kGroups; ++group) {
    double moves = 0;
    double bias = 0;
    double error = 0;
    for (const Tenth& tenth : groups_[group]) {
      moves += static_cast<double>(tenth.moves);
      bias += tenth.foretold - tenth.reached;
      error += std::abs(tenth.foretold - tenth.reached);
    }
    if (moves == 0) continue;
    values[std::string(kGroupNames[group]) + "_bias"] = bias / moves;
    values[std::string(kGroupNames[group]) + "_error"] = error / moves;
  }
  return values;
}

}  // namespace baghzero
