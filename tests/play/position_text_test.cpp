#include "play/position_text.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/notation.h"

namespace baghzero {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string fault_of(std::string_view text) {
  try {
    parse_position(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(PositionText, WordsAreSplitAtAnyWhiteSpace) {
  EXPECT_THAT(split_words("  go\tnodes 3\r"), ElementsAre("go", "nodes", "3"));
  EXPECT_THAT(split_words(" \t "), ElementsAre());
}

TEST(PositionText, ReadsStartFenAndMoves) {
  EXPECT_EQ(format_fen(parse_position("startpos")), "B3B/5/5/5/B3B G 0");
  EXPECT_EQ(format_fen(parse_position("startpos moves G33 B1112")), "1B2B/5/2G2/5/B3B G 1");
  EXPECT_EQ(format_fen(parse_position("fen B3B/5/2G2/5/B3B B 1 moves")), "B3B/5/2G2/5/B3B B 1");
  EXPECT_EQ(format_fen(parse_position("B3B/5/2G2/5/B3B B 1 moves B1112 G22")),
            "1B2B/1G3/2G2/5/B3B B 2");
}

TEST(PositionText, NamesTheFault) {
  EXPECT_THAT(fault_of(""), HasSubstr("missing"));
  EXPECT_THAT(fault_of("startpos G33"), HasSubstr("\"G33\""));
  EXPECT_THAT(fault_of("fen B3B/5/5/5/B4 G 0"), HasSubstr("tiger"));
  EXPECT_THAT(fault_of("fen moves G33"), HasSubstr("FEN"));
  EXPECT_THAT(fault_of("startpos moves G33 B1133"), HasSubstr("move 2 (B1133)"));
  EXPECT_THAT(fault_of("startpos moves G33 nonsense"), HasSubstr("move 2 (nonsense)"));
}

}  // namespace
}  // namespace baghzero
