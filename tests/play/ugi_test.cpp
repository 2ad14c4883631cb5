#include "play/ugi.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/notation.h"
#include "play/built_in_network.h"
#include "play/ugi_info.h"
#include "tests/play/support.h"

namespace baghzero {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// What the lines of `input` are answered, the end of input included.
std::vector<std::string> answers(const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  run_ugi(in, out, {});
  std::vector<std::string> lines;
  std::istringstream text(out.str());
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string last_answer(const std::string& input) {
  const auto lines = answers(input);
  return lines.empty() ? "" : lines.back();
}

TEST(Ugi, IntroducesItselfWithItsOptions) {
  const auto lines = answers("ugi\nisready\n");
  EXPECT_THAT(lines.front(), StartsWith("id name BaghZero"));
  EXPECT_THAT(lines, Contains("option name Threads type spin default 1 min 1 max 64"));
  EXPECT_THAT(lines, Contains("option name Model type string default built-in"));
  EXPECT_THAT(lines, Contains("option name Repetition type combo default forbidden var forbidden "
                              "var threefold var off"));
  EXPECT_EQ(lines[lines.size() - 2], "ugiok");
  EXPECT_EQ(lines.back(), "readyok");
}

TEST(Ugi, AnswersQueriesAboutThePosition) {
  const std::string won = "position fen B3B/5/5/5/B3B G 5\n";  // five goats captured
  EXPECT_THAT(answers("query p1turn\nquery gameover\nquery result\n"),
              ElementsAre("response true", "response false", "response none"));
  EXPECT_EQ(last_answer("position startpos moves G33\nquery p1turn\n"), "response false");
  EXPECT_THAT(answers(won + "query gameover\nquery result\ngo nodes 5\n"),
              ElementsAre("response true", "response p2win",
                          HasSubstr("the game is over (captures)"), "bestmove (none)"));
  EXPECT_EQ(last_answer("position startpos moves G33\nquery fen\n"),
            "response B3B/5/2G2/5/B3B B 1");
  EXPECT_THAT(answers("query islegal G33\nquery islegal G11\nquery islegal x\n"),
              ElementsAre("response true", "response false", "response false"));
  EXPECT_THAT(last_answer("query weather\n"), StartsWith("info string error: query knows"));
}

TEST(Ugi, WhatIsWrongIsReportedAndChangesNothing) {
  const std::string good = "position startpos moves G33\n";
  for (const char* bad :
       {"position startpos moves G33 B1155", "position fen B3B/5/5/5/B3B", "position",
        "position startpos moves G33 B1112 G99", "setoption name Threads value 0",
        "setoption name Threads value many", "setoption name Nonsense value 1",
        "setoption Threads 2", "setoption name Model value no/such.bzn",
        "setoption name Goats value 3", "setoption name Repetition value never", "go nodes",
        "go movetime soon", "go nodes -5", "go nodes 99999999999", "go movetime -1"}) {
    const auto lines = answers(good + bad + "\nquery fen\nquery islegal B1122\n");
    ASSERT_EQ(lines.size(), 3U) << bad;
    EXPECT_THAT(lines[0], StartsWith("info string error: ")) << bad;
    EXPECT_EQ(lines[1], "response B3B/5/2G2/5/B3B B 1") << bad;
  }
  EXPECT_THAT(answers("hello world\n\n  \nponderhit\n"),
              ElementsAre("info string unknown command \"hello\" ignored",
                          "info string this engine does not ponder; ponderhit ignored"));
}

TEST(Ugi, ThinksAndAnswersWithALegalMove) {
  const std::string model = test::make_model_file().string();
  const auto lines = answers("setoption name model value " + model +
                             "\nsetoption name MultiPV value 3\nposition startpos moves G33\n"
                             "go nodes 200\n");
  ASSERT_EQ(lines.size(), 4U);
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(
        lines[static_cast<std::size_t>(i)],
        testing::MatchesRegex("info depth [0-9]+ seldepth [0-9]+ multipv " + std::to_string(i + 1) +
                              " score cp -?[0-9]+ wdl [0-9]+ [0-9]+ [0-9]+ nodes 200 nps "
                              "[0-9]+ time [0-9]+ pv B.*"));
  ASSERT_THAT(lines[3], StartsWith("bestmove B"));
  EXPECT_NO_THROW(Game().play(parse_move(Side::Goat, "G33")));
  const std::string move = lines[3].substr(std::string("bestmove ").size());
  EXPECT_THAT(lines[0], HasSubstr(" pv " + move));
}

TEST(Ugi, WithoutAModelItSaysSoAndStillPlays) {
  const auto lines = answers("setoption name Model value none\ngo nodes 50\n");
  EXPECT_THAT(lines.front(), HasSubstr("no model"));
  EXPECT_THAT(lines.back(), StartsWith("bestmove G"));
}

TEST(Ugi, PlaysWithTheNetworkThatIsPartOfIt) {
  const auto lines = answers("go nodes 50\n");
  EXPECT_THAT(lines.front(), StartsWith("info depth"));
  EXPECT_THAT(lines.back(), StartsWith("bestmove G"));
  std::ifstream file(BAGHZERO_SOURCE_DIR "/networks/built-in.bzn", std::ios::binary);
  EXPECT_EQ(built_in_network(), std::string(std::istreambuf_iterator<char>(file), {}));
  EXPECT_EQ(load_engine_model(kBuiltInModel).rules, Rules{});
}

TEST(Ugi, OnlyNoneMeansNoModel) {
  EXPECT_EQ(load_engine_model(kNoModel).network, nullptr);
  EXPECT_THROW(load_engine_model(""), std::invalid_argument);
}

TEST(Ugi, TheRulesOfTheModelHoldUntilOptionsChangeThem) {
  Rules rules;
  rules.max_plies = 1;
  const std::string model =
      "setoption name Model value " + test::make_model_file(rules).string() + "\n";
  const std::string after_one = "position startpos moves G33\nquery result\n";
  EXPECT_EQ(last_answer(model + after_one), "response draw");
  EXPECT_EQ(last_answer(model + "setoption name MaxPlies value 9\n" + after_one), "response none");
}

TEST(Ugi, AnInfiniteSearchWaitsForStopEvenWhenAllIsProven) {
  const std::string mate = "position fen BG2B/5/5/5/B3B B 5\n";
  std::ostringstream out;
  UgiSession session(out, {});
  session.handle(mate);
  session.handle("go infinite");
  session.handle("isready");
  session.handle("position startpos");
  session.handle("go nodes 5");
  EXPECT_THAT(out.str(), testing::Not(HasSubstr("bestmove")));
  EXPECT_THAT(out.str(), HasSubstr("position while thinking is ignored"));
  session.handle("stop");
  EXPECT_THAT(out.str(), HasSubstr("score mate 1"));
  EXPECT_THAT(out.str(), testing::EndsWith("bestmove Bx1113\n"));
  session.handle("query fen");
  EXPECT_THAT(out.str(), testing::EndsWith("response BG2B/5/5/5/B3B B 5\n"));
}

TEST(Ugi, QuitAndTheEndOfInputEndASearch) {
  EXPECT_THAT(last_answer("go infinite\nquit\nquery fen\n"), StartsWith("bestmove G"));
  EXPECT_THAT(last_answer("go infinite\n"), StartsWith("bestmove G"));
  EXPECT_THAT(answers("quit\nisready\n"), IsEmpty());
}

TEST(UgiInfo, CentiPointsFollowTheValue) {
  EXPECT_EQ(centi_points(0), 0);
  EXPECT_EQ(centi_points(-0.5), -centi_points(0.5));
  EXPECT_NEAR(centi_points(0.5), 89, 1);
  EXPECT_EQ(centi_points(1), 12780);
}

TEST(UgiInfo, ProofsAreMatesInMovesOfTheWinner) {
  AnalysisLine line;
  line.moves = {0};
  const auto score_of = [&line](Proof proof, int plies) {
    line.proof = proof;
    line.proof_plies = plies;
    line.wdl = proof == Proof::Draw ? kDraw : proof == Proof::Win ? kWin : kLoss;
    return info_lines({.lines = {line}, .wdl = {}}, Side::Goat).front();
  };
  EXPECT_THAT(score_of(Proof::Win, 1), HasSubstr("score mate 1 wdl 1000 0 0"));
  EXPECT_THAT(score_of(Proof::Win, 5), HasSubstr("score mate 3 "));
  EXPECT_THAT(score_of(Proof::Loss, 4), HasSubstr("score mate -2 wdl 0 0 1000"));
  EXPECT_THAT(score_of(Proof::Draw, 0), HasSubstr("score cp 0 wdl 0 1000 0"));
}

}  // namespace
}  // namespace baghzero
