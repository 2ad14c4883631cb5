// The configurable rules of a game and the ways it can end.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/position.h"

namespace baghzero {

// What repetition of a situation (the points held by tigers and by goats) means once all goats are
// placed. Situations count from the position right after the last placement.
enum class Repetition : std::uint8_t {
  Forbidden,  // a move that brings back an earlier situation is illegal
  Threefold,  // the third occurrence ends the game as a draw
  Off,        // no rule; for analysis
};

// The largest value of either limit; no game comes near it.
inline constexpr int kNoLimit = 1'000'000;

struct Rules {
  int goats = 20;           // goats in hand at the start, 1..21
  int captures_to_win = 5;  // 1..goats
  Repetition repetition = Repetition::Forbidden;
  // Both in plies, 1..kNoLimit, and a draw when reached.
  int no_capture_limit = 150;  // plies of the movement phase since the last capture
  int max_plies = 600;         // moves of one game

  friend bool operator==(const Rules&, const Rules&) = default;
};

// Throws std::invalid_argument with a sentence that names the key if a value makes no sense.
void check_rules(const Rules& rules);

enum class Outcome : std::uint8_t { Unfinished, GoatsWin, TigersWin, Draw };

constexpr Outcome win_for(Side side) {
  return side == Side::Goat ? Outcome::GoatsWin : Outcome::TigersWin;
}

enum class Termination : std::uint8_t {
  None,
  Captures,             // tigers captured enough goats
  TigersBlocked,        // no tiger can step or jump
  GoatsBlocked,         // movement phase and no goat can step
  RepetitionExhausted,  // moves exist on the board, but repetition bars every one
  Repetition,           // draw by threefold repetition
  NoCaptureLimit,
  MaxPlies,
  Adjudicated,  // decided from outside the rules, such as by the solver
  Forfeit,      // a player could play no move for a reason outside the game, such as a crash
};

// Whether it came from outside the rules.
constexpr bool is_verdict(Termination termination) {
  return termination == Termination::Adjudicated || termination == Termination::Forfeit;
}

// Names as used in configurations and stored games: "forbidden", "tigers_blocked", "goats_win", …
std::string_view to_string(Repetition repetition);
std::string_view to_string(Outcome outcome);
std::string_view to_string(Termination termination);
std::string_view to_string(Side side);  // "goat", "tiger"
// These throw std::invalid_argument naming the text and the accepted names.
Repetition repetition_from_string(std::string_view text);
Termination termination_from_string(std::string_view text);
Outcome outcome_from_string(std::string_view text);

}  // namespace baghzero
