// The real program over pipes: scripted and random conversations.
#include <chrono>
#include <csignal>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/notation.h"
#include "engine/random.h"
#include "selfplay/match.h"
#include "tests/play/engine_process.h"
#include "tests/play/support.h"

namespace baghzero {
namespace {

using test::EngineProcess;
using testing::HasSubstr;
using testing::StartsWith;

std::string moves_of(const Game& game, int count) {
  std::string text;
  Game walked(game.rules());
  for (int i = 0; i < count; ++i) {
    const Action action = game.moves()[static_cast<std::size_t>(i)];
    text += ' ' + format_move(walked.side_to_move(), action);
    walked.play(action);
  }
  return text;
}

// 100 games of a match, every move of which the engine must choose as well.
TEST(EngineProgram, ChoosesTheMovesOfAMatch) {
  constexpr int kPairs = 50;
  constexpr int kVisits = 24;
  Rules rules;
  rules.max_plies = 70;
  const auto file = test::make_model_file(rules);
  Player player;
  player.name = "network";
  player.network = load_network(file);
  player.visits = kVisits;
  Player other = player;  // in batches of its own
  other.network = load_network(file);
  std::vector<Game> games;
  std::vector<int> opening_plies;
  const auto openings = make_openings(rules, kPairs, 1);
  MatchSettings settings;
  settings.rules = rules;
  settings.workers = 1;
  settings.inference.device = "cpu";
  play_match(
      player, other, openings, settings, [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
        for (const MatchGame* match_game : {&as_goat, &as_tiger}) {
          games.push_back(match_game->game);
          opening_plies.push_back(openings[static_cast<std::size_t>(match_game->pair)].plies());
        }
        return true;
      });
  ASSERT_EQ(games.size(), 2U * kPairs);

  EngineProcess engine({"--model", file.string()});
  for (std::size_t i = 0; i < games.size(); ++i) {
    const Game& game = games[i];
    Game walked = openings[i / 2];
    for (int ply = opening_plies[i]; ply < game.plies(); ++ply) {
      engine.send("position startpos moves" + moves_of(game, ply) + "\ngo nodes " +
                  std::to_string(kVisits));
      const Action played = game.moves()[static_cast<std::size_t>(ply)];
      ASSERT_EQ(engine.read_until("bestmove ").back(),
                "bestmove " + format_move(walked.side_to_move(), played))
          << "game " << i << ", ply " << ply;
      walked.play(played);
    }
  }
}

// One random line, and what it must be answered besides info lines.
struct RandomLine {
  std::string text;
  std::string answer;  // how the answer begins; empty: none
};

class RandomUser {
 public:
  RandomUser(std::uint64_t seed, std::string model) : random_(seed), model_(std::move(model)) {}

  RandomLine next() {
    switch (below(16)) {
      case 0:
        return {"ugi", "ugiok"};
      case 1:
      case 2:
        return {"isready", "readyok"};
      case 3:
        return {"uginewgame", ""};
      case 4:
        return {option(), ""};
      case 5:
        return {noise(), ""};
      case 6:
        return {query(), "response"};
      case 7:
        return {"ponderhit", ""};
      case 8:
      case 9:
        return {"stop", ""};
      case 10:
        return {"position " + broken_position(), ""};
      case 11:
      case 12:
        return {"position startpos moves" + game_, ""};
      default:
        return go();
    }
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return random_.below(bound); }
  std::string pick(const std::vector<std::string>& list) {
    return list[below(static_cast<std::uint32_t>(list.size()))];
  }
  RandomLine go() {
    Game game;
    const std::uint32_t plies = below(60);
    while (game.plies() < static_cast<int>(plies) && !game.over())
      game.play(game.legal()[static_cast<int>(below(static_cast<unsigned>(game.legal().size())))]);
    game_ = moves_of(game, game.plies());
    return {pick({"go nodes 30", "go movetime 3", "go infinite", "go depth 3", "go",
                  "go p1time 100 p2time 100", "go wtime 50 btime 50 winc 2 binc 2",
                  "go nodes 3 ponder", "go movetime 0", "go infinite nodes 5"}),
            "bestmove"};
  }
  std::string option() {
    return "setoption name " + pick({"Threads value 1",
                                     "Threads value 2",
                                     "Threads value 3",
                                     "MultiPV value 4",
                                     "MultiPV value 0",
                                     "Visits value 40",
                                     "Hash value 0",
                                     "Hash value 1",
                                     "Hash value x",
                                     "Symmetries value true",
                                     "Symmetries value false",
                                     "MaxNodes value 2000",
                                     "Repetition value threefold",
                                     "Repetition value forbidden",
                                     "Goats value 12",
                                     "Goats value 20",
                                     "Model value none",
                                     "Model value <empty>",
                                     "Model value " + model_,
                                     "Model value /dev/null",
                                     "",
                                     "value"});
  }
  std::string query() {
    return "query " + pick({"gameover", "p1turn", "result", "fen", "islegal G33"});
  }
  std::string broken_position() {
    return pick({"", "fen", "startpos G33", "startpos moves G33 G34", "fen B3B/5/5/5/B3B G x",
                 "fen GGGGG/GGGGG/GGGGG/GGGGG/BBBBB G 20", "startpos moves Bx1131", "nowhere"});
  }
  std::string noise() {
    std::string text;
    for (std::uint32_t length = below(40); length > 0; --length)
      text += static_cast<char>(1 + below(255));
    std::erase(text, '\n');
    return "#" + text;
  }

  Random random_;
  const std::string model_;
  std::string game_;
};

// Thousands of lines at random. Every question is answered, every search ends with one move, and
// the program leaves with success.
TEST(EngineProgram, SurvivesRandomConversations) {
  const std::string model = test::make_model_file().string();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomUser user(seed, model);
    EngineProcess engine;
    std::map<std::string, int> expected;
    for (int i = 0; i < 400; ++i) {
      const RandomLine line = user.next();
      engine.send(line.text);
      if (line.answer != "bestmove" && !line.answer.empty()) ++expected[line.answer];
      if (i % 50 != 49) continue;
      // Everything is told apart by what comes after it.
      engine.send("stop\nisready");
      ++expected["readyok"];
      std::map<std::string, int> heard;
      while (heard["readyok"] < expected["readyok"]) {
        const std::string answer = engine.read_line();
        ++heard[answer.substr(0, answer.find(' '))];
      }
      for (const auto& [answer, count] : expected) EXPECT_EQ(heard[answer], count) << answer;
      expected.clear();
    }
    engine.send("quit");
    engine.read_rest();
    ASSERT_EQ(engine.wait(), 0) << "seed " << seed;
  }
}

TEST(EngineProgram, EverySearchIsAnsweredOnceAndAtOnceWhenStopped) {
  const std::string model = test::make_model_file().string();
  EngineProcess engine({"--model", model, "--threads", "2"});
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    engine.send("go infinite");
    if (random.below(2) == 0) {
      engine.send("isready");
      engine.read_until("readyok");
    }
    engine.send("stop\nisready");
    int moves = 0;
    for (const std::string& line : engine.read_until("readyok"))
      if (line.starts_with("bestmove G")) ++moves;
    ASSERT_EQ(moves, 1);
  }
  engine.close_input();
  engine.read_rest();
  EXPECT_EQ(engine.wait(), 0);
}

TEST(EngineProgram, FinishesItsSearchAtTheEndOfInput) {
  EngineProcess engine({"--model", test::make_model_file().string()});
  engine.send("go nodes 500");
  engine.close_input();
  EXPECT_THAT(engine.read_rest().back(), StartsWith("bestmove G"));
  EXPECT_EQ(engine.wait(), 0);
}

TEST(EngineProgram, AnalyzesPositionsFromStandardInputAsJson) {
  EngineProcess engine({"analyze", "--json", "--visits", "60", "--lines", "2", "--model",
                        test::make_model_file().string()});
  engine.send(
      "startpos\nB3B/5/2G2/5/B3B B 1\n\nnonsense\nfen BG2B/5/5/5/B3B B 5\nB3B/5/5/5/B3B G 5");
  engine.close_input();
  std::vector<nlohmann::json> answers;
  for (const std::string& line : engine.read_rest()) answers.push_back(nlohmann::json::parse(line));
  EXPECT_EQ(engine.wait(), 1) << "one line was no position";
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_EQ(answers[0]["fen"], "B3B/5/5/5/B3B G 0");
  EXPECT_EQ(answers[0]["visits"], 60);
  EXPECT_EQ(answers[0]["lines"].size(), 2U);
  EXPECT_EQ(answers[0]["lines"][0]["move"], answers[0]["best"]);
  EXPECT_EQ(answers[0]["proof"], nullptr);
  EXPECT_EQ(answers[1]["side_to_move"], "tiger");
  EXPECT_THAT(answers[2]["error"].get<std::string>(), HasSubstr("nonsense"));
  EXPECT_EQ(answers[3]["best"], "Bx1113");
  EXPECT_EQ(answers[3]["proof"], "win");
  EXPECT_EQ(answers[4]["result"], "tigers_win");
}

TEST(EngineProgram, WrongUsageIsExitCodeTwoAndAMissingModelOne) {
  EngineProcess wrong({"--nonsense"});
  wrong.read_rest();
  EXPECT_EQ(wrong.wait(), 2);
  EngineProcess missing({"--model", "no/such.bzn"});
  missing.read_rest();
  EXPECT_EQ(missing.wait(), 1);
}

}  // namespace
}  // namespace baghzero
