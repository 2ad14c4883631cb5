// A game in the terminal between a person and the engine, or two persons.
#pragma once

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "engine/game.h"
#include "play/analyst.h"
#include "play/persons.h"

namespace baghzero {

struct TerminalGameSettings {
  Rules rules = {};
  Persons persons = Persons::Goats;
  std::uint32_t visits = 200;  // of the engine per move
  bool unicode = true;
};

class TerminalGame {
 public:
  // `opponent` is the engine's name. The streams must outlive the game.
  TerminalGame(std::istream& in, std::ostream& out, std::unique_ptr<Analyst> analyst,
               std::string opponent, const TerminalGameSettings& settings);

  // Plays until the person leaves or the input ends. Nothing that is typed can end it otherwise: a
  // wrong entry costs nothing and is told why.
  void run();

 private:
  void engine_move();
  bool read_entry();  // false when the person leaves
  bool obey(std::string_view text);
  bool obey_setting(std::string_view command, std::string_view value);
  void enter_points(std::string_view text);
  void play(Action action);
  void show_targets(Point from);
  void show_board(Bitboard marked = 0);
  void hint();
  void list_moves();
  void announce_end();
  void explain_rules();

  std::istream& in_;
  std::ostream& out_;
  std::unique_ptr<Analyst> analyst_;
  const std::string opponent_;
  TerminalGameSettings settings_;
  Game game_;
  bool drawn_ = false;  // the board on the screen is that of the game
  const std::atomic<bool> never_{false};
};

}  // namespace baghzero
