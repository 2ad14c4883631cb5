// The solved game as a measure of what a run has learned, and as a teacher.
#pragma once

#include <string>

namespace baghzero {

struct SolverSettings {
  std::string db;            // folder of the solved game; empty: none
  std::string suite;         // file of solved positions (engine/solver/suite.h); empty: none
  double suite_seconds = 5;  // most that the suite takes after a promotion
};

}  // namespace baghzero
