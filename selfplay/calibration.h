// How well searched values foretell results, by the role and the phase of whoever is to move.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "selfplay/game_record.h"

namespace baghzero {

class ValueCalibration {
 public:
  // Counts every searched move of a finished game.
  void add(const GameRecord& record);

  // Scores are 0 to 1 for the side to move, a draw counts half. For each of goat_placement,
  // goat_movement, tiger_placement and tiger_movement that has moves:
  //   NAME_bias   mean foretold score minus mean score reached, -1..1; above 0: hopes too high
  //   NAME_error  the same difference within each tenth of the foretold score, without its sign,
  //               averaged over the moves, 0..1
  std::map<std::string, double> metrics() const;

 private:
  static constexpr std::size_t kTenths = 10;
  struct Tenth {
    std::int64_t moves = 0;
    double foretold = 0;
    double reached = 0;
  };
  static constexpr std::size_t kGroups = 4;  // role times phase
  std::array<std::array<Tenth, kTenths>, kGroups> groups_{};
};

}  // namespace baghzero
