#include "play/analysis_text.h"

#include <cstdio>

#include <nlohmann/json.hpp>

#include "engine/notation.h"

namespace baghzero {
namespace {

using Json = nlohmann::ordered_json;

Json proof_as_json(Proof proof) {
  switch (proof) {
    case Proof::Win:
      return "win";
    case Proof::Draw:
      return "draw";
    case Proof::Loss:
      return "loss";
    case Proof::None:
      break;
  }
  return nullptr;
}

Json moves_as_json(Side mover, const std::vector<Action>& moves) {
  Json list = Json::array();
  for (const Action action : moves) {
    list.push_back(format_move(mover, action));
    mover = opponent(mover);
  }
  return list;
}

std::string verdict(const AnalysisLine& line) {
  if (line.proof == Proof::Win) return "wins in " + std::to_string(line.proof_plies) + " plies";
  if (line.proof == Proof::Loss) return "loses in " + std::to_string(line.proof_plies) + " plies";
  if (line.proof == Proof::Draw) return "draws";
  return "";
}

std::string table_row(const AnalysisLine& line, Side side) {
  char start[96];
  std::snprintf(start, sizeof start, "%-7s %8u %6.1f%% %+7.3f  %3.0f %3.0f %3.0f  ",
                format_move(side, line.action).c_str(), line.visits, 100.0 * line.prior,
                line.wdl.value(), 100.0 * line.wdl.win, 100.0 * line.wdl.draw,
                100.0 * line.wdl.loss);
  std::string text = start;
  Side mover = side;
  for (const Action action : line.moves) {
    text += format_move(mover, action);
    text += ' ';
    mover = opponent(mover);
  }
  const std::string proof = verdict(line);
  if (!proof.empty()) text.append("(").append(proof).append(")");
  return text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
}

}  // namespace

std::string analysis_as_text(const Game& game, const Analysis& analysis) {
  std::string text = draw_board(game.position());
  text.append(format_fen(game)).append("\n\n");
  text += "move      visits  policy   value  win draw loss %  line\n";
  for (const AnalysisLine& line : analysis.lines) text += table_row(line, game.side_to_move());
  return text;
}

Json analysis_as_json(const Game& game, const Analysis& analysis) {
  const Side side = game.side_to_move();
  const auto wdl = [](const Wdl& value) { return Json{value.win, value.draw, value.loss}; };
  Json result = {{"fen", format_fen(game)},
                 {"side_to_move", std::string(to_string(side))},
                 {"best", format_move(side, analysis.lines.front().action)},
                 {"value", analysis.wdl.value()},
                 {"wdl", wdl(analysis.wdl)},
                 {"proof", proof_as_json(analysis.proof)},
                 {"visits", analysis.visits},
                 {"seconds", analysis.seconds},
                 {"lines", Json::array()}};
  for (const AnalysisLine& line : analysis.lines) {
    Json entry = {{"move", format_move(side, line.action)},
                  {"visits", line.visits},
                  {"prior", line.prior},
                  {"value", line.wdl.value()},
                  {"wdl", wdl(line.wdl)},
                  {"proof", proof_as_json(line.proof)}};
    if (line.proof == Proof::Win || line.proof == Proof::Loss)
      entry["proof_plies"] = line.proof_plies;
    entry["moves"] = moves_as_json(side, line.moves);
    result["lines"].push_back(std::move(entry));
  }
  return result;
}

Json ending_as_json(const Game& game) {
  return {{"fen", format_fen(game)},
          {"result", std::string(to_string(game.outcome()))},
          {"termination", std::string(to_string(game.termination()))}};
}

}  // namespace baghzero
