#include "play/ugi_info.h"

#include <algorithm>
#include <cmath>

#include "engine/notation.h"

namespace baghzero {
namespace {

// Rounded so that the three add up to 1000.
std::string per_mille(const Wdl& wdl) {
  const auto win = static_cast<int>(std::lround(1000 * wdl.win));
  const auto loss = std::min(1000 - win, static_cast<int>(std::lround(1000 * wdl.loss)));
  std::string text = std::to_string(win);
  text += ' ';
  text += std::to_string(1000 - win - loss);
  text += ' ';
  text += std::to_string(loss);
  return text;
}

std::string score(const AnalysisLine& line) {
  const int moves = (line.proof_plies + 1) / 2;
  if (line.proof == Proof::Win) return "mate " + std::to_string(moves);
  if (line.proof == Proof::Loss) return "mate -" + std::to_string(std::max(moves, 1));
  return "cp " + std::to_string(centi_points(line.wdl.value()));
}

}  // namespace

int centi_points(double value) {
  constexpr double kScale = 90;
  constexpr double kSteepness = 1.5637541897;
  return static_cast<int>(
      std::lround(kScale * std::tan(kSteepness * std::clamp(value, -1.0, 1.0))));
}

std::vector<std::string> info_lines(const Analysis& analysis, Side side) {
  const double seconds = std::max(analysis.seconds, 1e-6);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < analysis.lines.size(); ++i) {
    const AnalysisLine& line = analysis.lines[i];
    std::string text = "info depth " + std::to_string(line.moves.size());
    text += " seldepth " + std::to_string(analysis.selective_depth);
    text += " multipv " + std::to_string(i + 1);
    text += " score " + score(line);
    text += " wdl " + per_mille(line.wdl);
    text += " nodes " + std::to_string(analysis.visits);
    text += " nps " + std::to_string(std::llround(analysis.simulations / seconds));
    text += " time " + std::to_string(std::llround(1000 * analysis.seconds));
    text += " pv";
    Side mover = side;
    for (const Action action : line.moves) {
      text += ' ' + format_move(mover, action);
      mover = mover == Side::Goat ? Side::Tiger : Side::Goat;
    }
    lines.push_back(std::move(text));
  }
  return lines;
}

}  // namespace baghzero
