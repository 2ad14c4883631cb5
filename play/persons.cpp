#include "play/persons.h"

#include <stdexcept>
#include <string>

namespace baghzero {

std::string_view to_string(Persons persons) {
  switch (persons) {
    case Persons::Goats:
      return "goat";
    case Persons::Tigers:
      return "tiger";
    default:
      return "both";
  }
}

Persons persons_from_string(std::string_view text) {
  if (text == "goat" || text == "goats") return Persons::Goats;
  if (text == "tiger" || text == "tigers") return Persons::Tigers;
  if (text == "both") return Persons::Both;
  throw std::invalid_argument("a side is goat, tiger or both, not \"" + std::string(text) + "\"");
}

bool plays(Persons persons, Side side) {
  return persons == Persons::Both || (persons == Persons::Goats) == (side == Side::Goat);
}

void take_back(Game& game, Persons persons) {
  if (game.moves().empty()) throw std::invalid_argument("no move has been made");
  Game earlier = game;
  do earlier.undo();
  while (!earlier.moves().empty() && !plays(persons, earlier.side_to_move()));
  game = std::move(earlier);
}

std::string_view explain(Termination termination) {
  switch (termination) {
    case Termination::Captures:
      return "enough goats have been captured";
    case Termination::TigersBlocked:
      return "no tiger can move";
    case Termination::GoatsBlocked:
      return "no goat can move";
    case Termination::RepetitionExhausted:
      return "every move would repeat an earlier situation";
    case Termination::Repetition:
      return "the situation has occurred three times";
    case Termination::NoCaptureLimit:
      return "too many moves without a capture";
    case Termination::Forfeit:
      return "its opponent forfeited the game";
    case Termination::Adjudicated:
      return "so it was decided";
    default:
      return "the limit of moves is reached";
  }
}

}  // namespace baghzero
