#include "web/board_json.h"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/notation.h"
#include "play/position_text.h"

namespace baghzero {
namespace {

using Json = nlohmann::ordered_json;

Json points_as_json(Bitboard points) {
  Json names = Json::array();
  while (points) names.push_back(point_name(pop_lowest(points)));
  return names;
}

Json move_as_json(Side side, Action action) {
  const ActionInfo& info = action_info(action);
  const auto name = [](Point point) {
    return point == kNoPoint ? Json(nullptr) : Json(point_name(point));
  };
  return {{"move", format_move(side, action)},
          {"from", name(info.from)},
          {"over", name(info.over)},
          {"to", name(info.to)}};
}

Json moves_as_json(Side side, const ActionList& actions) {
  Json moves = Json::array();
  for (const Action action : actions) moves.push_back(move_as_json(side, action));
  return moves;
}

Json played_moves(const Game& game) {
  Json moves = Json::array();
  Side side = game.start().side_to_move();
  for (const Action action : game.moves()) {
    moves.push_back(format_move(side, action));
    side = opponent(side);
  }
  return moves;
}

Json value_as_json(Side side, const std::optional<SolvedValue>& value) {
  if (!value) return nullptr;
  constexpr const char* kWords[] = {"loss", "draw", "win"};
  return kWords[rank_for(side, value->outcome) + 1];
}

Json plies_as_json(const std::optional<SolvedValue>& value) {
  return value && value->plies >= 0 ? Json(value->plies) : Json(nullptr);
}

}  // namespace

Json game_as_json(const Session& session) {
  const Game& game = session.game;
  const Position& position = game.position();
  const Side side = game.side_to_move();
  const Position tigers_turn(position.tigers(), position.goats(), position.goats_in_hand(),
                             position.captured(), Side::Tiger);
  Json json = {
      {"version", session.version},
      {"settings",
       {{"side", to_string(session.settings.persons)},
        {"visits", session.settings.visits},
        {"seconds", session.settings.seconds}}},
      {"rules",
       {{"goats", game.rules().goats},
        {"captures_to_win", game.rules().captures_to_win},
        {"repetition", to_string(game.rules().repetition)}}},
      {"tigers", points_as_json(position.tigers())},
      {"goats", points_as_json(position.goats())},
      {"side_to_move", to_string(side)},
      {"goats_in_hand", position.goats_in_hand()},
      {"captured", position.captured()},
      {"moves", played_moves(game)},
      {"start",
       {{"side", to_string(game.start().side_to_move())}, {"goat_moves", game.start_goat_moves()}}},
      {"legal", moves_as_json(side, game.legal())},
      {"tiger_moves", moves_as_json(Side::Tiger, board_legal_actions(tigers_turn))},
      {"immobile", points_as_json(immobile_tigers(position))},
      {"engine_to_move", !game.over() && !plays(session.settings.persons, side)},
      {"end", nullptr},
      {"fen", format_fen(game)},
      {"text", format_game(game)}};
  if (game.over())
    json["end"] = {{"result", to_string(game.outcome())}, {"why", explain(game.termination())}};
  return json;
}

Json lines_as_json() {
  Json lines = Json::array();
  for (const std::string_view line : BaghChalBoard::kLines) lines.push_back(split_words(line));
  return lines;
}

Json network_as_json(const Game& game, const Analysis& analysis) {
  const Side side = game.side_to_move();
  const Wdl goats = side == Side::Goat ? analysis.wdl : analysis.wdl.flipped();
  Json json = {
      {"goats", goats.win}, {"draw", goats.draw}, {"tigers", goats.loss}, {"moves", Json::array()}};
  for (const AnalysisLine& line : analysis.lines) {
    Json move = move_as_json(side, line.action);
    move["share"] = line.prior;
    json["moves"].push_back(std::move(move));
  }
  return json;
}

Json solved_as_json(Side side, const std::optional<SolvedValue>& value,
                    const std::vector<ProbedMove>& moves) {
  Json json = {{"result", value ? Json(to_string(value->outcome)) : Json(nullptr)},
               {"plies", plies_as_json(value)},
               {"moves", Json::array()}};
  for (const ProbedMove& probed : moves) {
    Json move = move_as_json(side, probed.action);
    move["value"] = value_as_json(side, probed.value);
    move["plies"] = plies_as_json(probed.value);
    json["moves"].push_back(std::move(move));
  }
  return json;
}

}  // namespace baghzero
