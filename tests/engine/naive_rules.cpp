#include "tests/engine/naive_rules.h"

#include <algorithm>
#include <cstdlib>

namespace baghzero::naive {
namespace {

// Rows and columns count from 1 as in the rules.
bool inside(int row, int column) { return row >= 1 && row <= 5 && column >= 1 && column <= 5; }

char at(const State& state, int row, int column) { return state.board[row - 1][column - 1]; }
char& at(State& state, int row, int column) { return state.board[row - 1][column - 1]; }

std::string name(int row, int column) { return std::to_string(row) + std::to_string(column); }

// Whether the direction (down, right) follows a line at the point.
bool has_line(int row, int column, int down, int right) {
  if (down == 0 && right == 0) return false;
  if (!inside(row + down, column + right)) return false;
  const bool diagonal = down != 0 && right != 0;
  return !diagonal || (row + column) % 2 == 0;
}

struct Capture {
  std::string from, over, to;
};

std::vector<Capture> captures(const State& state) {
  std::vector<Capture> found;
  for (int row = 1; row <= 5; ++row)
    for (int column = 1; column <= 5; ++column) {
      if (at(state, row, column) != 'B') continue;
      for (int down = -1; down <= 1; ++down)
        for (int right = -1; right <= 1; ++right) {
          if (!has_line(row, column, down, right)) continue;
          const int landing_row = row + 2 * down;
          const int landing_column = column + 2 * right;
          if (inside(landing_row, landing_column) && at(state, row + down, column + right) == 'G' &&
              at(state, landing_row, landing_column) == '.')
            found.push_back({name(row, column), name(row + down, column + right),
                             name(landing_row, landing_column)});
        }
    }
  return found;
}

void add_steps(const State& state, char piece, std::vector<std::string>& out) {
  for (int row = 1; row <= 5; ++row)
    for (int column = 1; column <= 5; ++column) {
      if (at(state, row, column) != piece) continue;
      for (int down = -1; down <= 1; ++down)
        for (int right = -1; right <= 1; ++right)
          if (has_line(row, column, down, right) && at(state, row + down, column + right) == '.')
            out.push_back(piece + name(row, column) + name(row + down, column + right));
    }
}

void sort_unique(std::vector<std::string>& names) {
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
}

int digit(char letter) { return letter - '0'; }

}  // namespace

std::string State::situation() const {
  return board[0] + board[1] + board[2] + board[3] + board[4];
}

State from_position(const Position& position) {
  State state;
  for (int row = 1; row <= 5; ++row)
    for (int column = 1; column <= 5; ++column) {
      const Bitboard here = Bitboard{1} << (5 * (row - 1) + (column - 1));
      at(state, row, column) = (position.tigers() & here)  ? 'B'
                               : (position.goats() & here) ? 'G'
                                                           : '.';
    }
  state.in_hand = position.goats_in_hand();
  state.captured = position.captured();
  state.to_move = position.side_to_move() == Side::Goat ? 'G' : 'B';
  return state;
}

std::vector<std::string> moves(const State& state) {
  std::vector<std::string> list;
  if (state.to_move == 'B') {
    add_steps(state, 'B', list);
    for (const Capture& capture : captures(state)) list.push_back("Bx" + capture.from + capture.to);
  } else if (state.in_hand > 0) {
    for (int row = 1; row <= 5; ++row)
      for (int column = 1; column <= 5; ++column)
        if (at(state, row, column) == '.') list.push_back('G' + name(row, column));
  } else {
    add_steps(state, 'G', list);
  }
  std::ranges::sort(list);
  return list;
}

State after(const State& state, const std::string& move) {
  State next = state;
  const auto point = [&](std::size_t where) -> char& {
    return at(next, digit(move[where]), digit(move[where + 1]));
  };
  next.to_move = state.to_move == 'G' ? 'B' : 'G';
  if (move.size() == 3) {
    point(1) = 'G';
    --next.in_hand;
  } else if (move[1] == 'x') {
    point(2) = '.';
    point(4) = 'B';
    at(next, (digit(move[2]) + digit(move[4])) / 2, (digit(move[3]) + digit(move[5])) / 2) = '.';
    ++next.captured;
  } else {
    point(1) = '.';
    point(3) = move[0];
  }
  return next;
}

std::vector<std::string> threatened_goats(const State& state) {
  std::vector<std::string> names;
  for (const Capture& capture : captures(state)) names.push_back(capture.over);
  sort_unique(names);
  return names;
}

std::vector<std::string> landings(const State& state) {
  std::vector<std::string> names;
  for (const Capture& capture : captures(state)) names.push_back(capture.to);
  sort_unique(names);
  return names;
}

std::vector<std::string> immobile_tigers(const State& state) {
  State tigers_turn = state;
  tigers_turn.to_move = 'B';
  std::vector<std::string> mobile;
  for (const std::string& move : moves(tigers_turn))
    mobile.push_back(move[1] == 'x' ? move.substr(2, 2) : move.substr(1, 2));
  sort_unique(mobile);
  std::vector<std::string> names;
  for (int row = 1; row <= 5; ++row)
    for (int column = 1; column <= 5; ++column)
      if (at(state, row, column) == 'B' && !std::ranges::binary_search(mobile, name(row, column)))
        names.push_back(name(row, column));
  return names;
}

}  // namespace baghzero::naive
