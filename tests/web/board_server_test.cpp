// The served board as browsers and others meet it: over HTTP.
#include "web/board_server.h"

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "tests/support/drawn_database.h"
#include "tests/web/board_server_fixture.h"
#include "web/page.h"

namespace baghzero {
namespace {

using nlohmann::json;
using test::Answer;
using test::BoardServerTest;
using test::Browser;
using test::lively_model;
using test::quick_settings;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kFourCaptured = "GGGGG/GGGGG/GGB1B/GGGG1/BB3 B 20";

TEST_F(BoardServerTest, ServesOnePageThatLoadsNothingElse) {
  const auto page = browser.client().Get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->body, board_page());
  EXPECT_THAT(page->body, AllOf(StartsWith("<!doctype html>"), HasSubstr("answerIfDue"),
                                HasSubstr("prefers-color-scheme"), Not(HasSubstr("https://")),
                                Not(HasSubstr("@page"))));
  EXPECT_THAT(page->get_header_value("Content-Security-Policy"),
              AllOf(HasSubstr("default-src 'none'"), HasSubstr("frame-ancestors 'none'")));
}

TEST_F(BoardServerTest, TellsAllOfAGame) {
  const json game = browser.game();
  EXPECT_EQ(game["fen"], "B3B/5/5/5/B3B G 0");
  EXPECT_EQ(game["legal"].size(), 21U);
  EXPECT_EQ(game["tigers"], (json{"11", "15", "51", "55"}));
  EXPECT_EQ(game["tiger_moves"].size(), 12U);
  EXPECT_EQ(game["lines"].size(), 16U);
  EXPECT_EQ(game["lines"][13], (json{"13", "24", "35"}));
  EXPECT_EQ(game["engine"], "a <network>");
  EXPECT_EQ(game["network"], true);
  EXPECT_EQ(game["solved"], false);
  browser.ask("import", {{"text", "1. G12 Bx1113 2. G14"}});
  const json later = browser.game();
  EXPECT_EQ(later["captured"], 1);
  EXPECT_EQ(later["moves"], (json{"G12", "Bx1113", "G14"}));
  EXPECT_THAT(
      later["tiger_moves"],
      testing::Contains(json{{"move", "B1312"}, {"from", "13"}, {"over", nullptr}, {"to", "12"}}));
}

TEST_F(BoardServerTest, PlaysMovesAndTakesThemBack) {
  EXPECT_EQ(browser.ask("move", {{"move", "G12"}}).status, 200);
  EXPECT_EQ(browser.ask("move", {{"move", "Bx1113"}}).status, 200);
  EXPECT_EQ(browser.text(), "1. G12 Bx1113 *");
  EXPECT_EQ(browser.ask("undo").body["text"], "1. G12 *");
  EXPECT_EQ(browser.ask("undo").body["text"], "*");
  const Answer none = browser.ask("undo");
  EXPECT_EQ(none.status, 422);
  EXPECT_EQ(none.body["error"], "no move has been made");
}

TEST_F(BoardServerTest, RefusesWhatIsNotPossibleAndSaysWhy) {
  browser.ask("move", {{"move", "G33"}});
  const json before = browser.game();
  const struct {
    const char* name;
    json request;
    int status;
    const char* why;
  } cases[] = {
      {"move", {{"move", "B1133"}}, 422, "B1133"},
      {"move", {{"move", "B1112x"}}, 422, "B1112x"},
      {"move", {{"move", "Bx1131"}}, 422, "no goat to jump over"},
      {"move", {{"move", "G12"}}, 422, "G12"},
      {"move", {{"move", 7}}, 400, "move must be a text"},
      {"move", json::object(), 400, "needs \"move\""},
      {"reply", json::object(), 409, "your turn"},
      {"settings", {{"side", "west"}}, 422, "goat, tiger or both"},
      {"settings", {{"visits", 0}}, 400, "visits must be a number from 1"},
      {"settings", {{"visits", 1.5}}, 400, "visits"},
      {"settings", {{"seconds", 1e9}}, 400, "seconds must be a number from"},
      {"settings", {{"seconds", "long"}}, 400, "seconds"},
      {"new", {{"goats", 3}, {"captures_to_win", 4}}, 422, "captures_to_win"},
      {"new", {{"repetition", "often"}}, 422, "forbidden"},
      {"import", {{"text", "1. G33 B1133"}}, 422, "B1133"},
      {"import", {{"text", "B3B/5/5/5/B3 G 0"}}, 422, "row 5 has 4 points"},
      {"import", json::object(), 400, "needs \"text\""},
  };
  for (const auto& [name, request, status, why] : cases) {
    const Answer answer = browser.ask(name, request);
    EXPECT_EQ(answer.status, status) << name << request;
    EXPECT_THAT(answer.body["error"].get<std::string>(), HasSubstr(why)) << name << request;
  }
  EXPECT_EQ(browser.game(), before);
}

TEST_F(BoardServerTest, AStaleRequestDoesNothing) {
  browser.ask("move", {{"move", "G33"}});
  for (const char* name : {"move", "undo", "new", "import", "settings", "hint", "evaluation"}) {
    const Answer answer = browser.post(name, R"({"version": 1, "move": "B1112", "text": "*"})");
    EXPECT_EQ(answer.status, 409) << name;
    EXPECT_EQ(browser.post(name, R"({"move": "B1112"})").status, 400) << name;
  }
  EXPECT_EQ(browser.text(), "1. G33 *");
}

TEST_F(BoardServerTest, TheEngineAnswersForItsSideOnly) {
  EXPECT_EQ(browser.ask("settings", {{"side", "goat"}}).status, 200);
  EXPECT_EQ(browser.ask("reply").status, 409);
  EXPECT_EQ(browser.ask("move", {{"move", "G33"}}).body["engine_to_move"], true);
  const Answer early = browser.ask("move", {{"move", "B1112"}});
  EXPECT_EQ(early.status, 409);
  EXPECT_EQ(early.body["error"], "it is the engine's turn");
  const Answer reply = browser.ask("reply");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body["moves"].size(), 2U);
  EXPECT_EQ(reply.body["engine_to_move"], false);
  EXPECT_EQ(browser.ask("undo").body["text"], "*");  // the move and its answer
}

// A level that would take minutes, in a fraction of a second.
TEST_F(BoardServerTest, TheEngineKeepsToItsTime) {
  browser.ask("settings", {{"side", "tiger"}, {"visits", kMostBoardVisits}, {"seconds", 0.05}});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(browser.ask("reply").status, 200);
    browser.ask("undo");
  }
}

TEST_F(BoardServerTest, AnUndoWhileTheEngineThinksWins) {
  browser.ask("move", {{"move", "G33"}});
  browser.ask("settings", {{"side", "goat"}, {"visits", kMostBoardVisits}, {"seconds", 2}});
  const json asked = {{"version", browser.game()["version"]}};
  Browser same(server, browser);
  auto reply = std::async(std::launch::async, [&] { return same.post("reply", asked.dump()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(browser.ask("undo").status, 200);
  EXPECT_EQ(reply.get().status, 409);
  EXPECT_EQ(browser.text(), "*");
}

TEST_F(BoardServerTest, NewGamesHaveTheRulesAskedFor) {
  const json game =
      browser
          .ask(
              "new",
              {{"side", "goat"}, {"goats", 3}, {"captures_to_win", 1}, {"repetition", "threefold"}})
          .body;
  EXPECT_EQ(game["rules"],
            (json{{"goats", 3}, {"captures_to_win", 1}, {"repetition", "threefold"}}));
  EXPECT_EQ(game["goats_in_hand"], 3);
  browser.ask("settings", {{"side", "both"}});
  browser.ask("move", {{"move", "G12"}});
  const json over = browser.ask("move", {{"move", "Bx1113"}}).body;
  EXPECT_EQ(over["end"],
            (json{{"result", "tigers_win"}, {"why", "enough goats have been captured"}}));
  EXPECT_EQ(browser.ask("move", {{"move", "G33"}}).status, 409);
  EXPECT_EQ(browser.ask("reply").status, 409);
  EXPECT_EQ(browser.ask("hint").status, 409);
  EXPECT_EQ(browser.ask("evaluation").body["network"], nullptr);
}

TEST_F(BoardServerTest, ExportsWhatItImports) {
  const std::string text = "1. G33 B1122 2. G44 B5554 *";
  browser.ask("import", {{"text", "[Event \"a\"] {b} 1. G33 B1122 2. G44 B5554"}});
  EXPECT_EQ(browser.text(), text);
  browser.ask("new");
  EXPECT_EQ(browser.text(), "*");
  EXPECT_EQ(browser.ask("import", {{"text", text}}).body["text"], text);
  EXPECT_EQ(browser.ask("import", {{"text", kFourCaptured}}).body["fen"], kFourCaptured);
}

TEST_F(BoardServerTest, ShowsTheNetworksView) {
  const json view = browser.ask("evaluation").body;
  EXPECT_EQ(view["perfect"], nullptr);
  const json& network = view["network"];
  double shares = 0;
  for (const json& move : network["moves"]) shares += move["share"].get<double>();
  EXPECT_EQ(network["moves"].size(), 21U);
  EXPECT_NEAR(shares, 1, 1e-4);
  const auto evaluator = make_network_evaluator(lively_model().network, {.device = "cpu"});
  Evaluation evaluation;
  const Query query = make_query(Game());
  evaluator->evaluate({&query, 1}, {&evaluation, 1});
  EXPECT_NEAR(network["goats"].get<double>(), evaluation.wdl.win, 1e-5);
  EXPECT_NEAR(network["tigers"].get<double>(), evaluation.wdl.loss, 1e-5);
  // The same when tigers are to move: values stay those of the goats.
  browser.ask("move", {{"move", "G33"}});
  Game game;
  game.play(placement_action(12));
  const Query reply = make_query(game);
  evaluator->evaluate({&reply, 1}, {&evaluation, 1});
  const json later = browser.ask("evaluation").body["network"];
  EXPECT_NEAR(later["goats"].get<double>(), evaluation.wdl.loss, 1e-5);
  EXPECT_NEAR(later["tigers"].get<double>(), evaluation.wdl.win, 1e-5);
}

TEST_F(BoardServerTest, HintsChangeNothing) {
  const json before = browser.game();
  const json hint = browser.ask("hint").body;
  EXPECT_EQ(hint["lines"].size(), 3U);
  EXPECT_THAT(hint["best"].get<std::string>(), StartsWith("G"));
  EXPECT_EQ(browser.game(), before);
}

TEST(BoardServer, ShowsPerfectValues) {
  const auto folder = std::filesystem::path(testing::TempDir()) /
                      ("baghzero_web_drawn_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  test::make_drawn_movement(folder);
  BoardServerSettings settings = quick_settings();
  settings.database = std::make_shared<SolvedDatabase>(folder);
  const BoardServer server(lively_model(), settings);
  Browser browser(server);
  EXPECT_EQ(browser.game()["solved"], true);
  browser.ask("import", {{"text", kFourCaptured}});
  const json perfect = browser.ask("evaluation").body["perfect"];
  EXPECT_EQ(perfect["result"], "draw");  // as it was made up
  for (const json& move : perfect["moves"])
    EXPECT_EQ(move["value"], move["over"].is_null() ? "draw" : "win") << move;
  // Of a game with other goats the database says nothing.
  EXPECT_EQ(browser.ask("new", {{"goats", 12}}).body["solved"], false);
  EXPECT_EQ(browser.ask("evaluation").body["perfect"], nullptr);
  std::filesystem::remove_all(folder);
}

TEST(BoardServer, PlaysWithoutANetwork) {
  const BoardServer server({}, quick_settings());
  Browser browser(server);
  EXPECT_EQ(browser.game()["network"], false);
  EXPECT_EQ(browser.ask("evaluation").body["network"], nullptr);
  EXPECT_EQ(browser.ask("settings", {{"side", "tiger"}}).body["engine_to_move"], true);
  EXPECT_EQ(browser.ask("reply").body["moves"].size(), 1U);
}

TEST_F(BoardServerTest, BrowsersHaveGamesOfTheirOwn) {
  constexpr int kBrowsers = 4;
  std::vector<std::future<void>> players;
  for (int i = 0; i < kBrowsers; ++i)
    players.push_back(std::async(std::launch::async, [this, i] {
      Browser mine(server);
      const std::string point = std::to_string(2 + i / 2) + std::to_string(2 + i % 2);
      mine.ask("settings", {{"side", "goat"}});
      mine.ask("move", {{"move", "G" + point}});
      mine.ask("reply");
      EXPECT_THAT(mine.text(), StartsWith("1. G" + point + " B"));
    }));
  for (auto& player : players) player.get();
  EXPECT_EQ(browser.text(), "*");
}

TEST_F(BoardServerTest, DropsTheGameThatWasUnusedForLongest) {
  browser.ask("move", {{"move", "G33"}});
  Browser forgotten(server);
  forgotten.ask("move", {{"move", "G22"}});
  for (int i = 0; i < BoardServer::kMostSessions - 1; ++i) {
    Browser(server).game();
    browser.game();
  }
  EXPECT_EQ(browser.text(), "1. G33 *");
  EXPECT_EQ(forgotten.ask("undo").status, 410);
  EXPECT_EQ(forgotten.text(), "*");
}

TEST(BoardServer, TellsThatAPortIsTaken) {
  const BoardServer server({}, quick_settings());
  BoardServerSettings settings = quick_settings();
  settings.port = server.port();
  try {
    const BoardServer second({}, settings);
    FAIL() << "two servers at one port";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("127.0.0.1"),
                                    HasSubstr(std::to_string(server.port())), HasSubstr("--port")));
  }
  settings.port = 0;
  settings.host = "no such host";
  EXPECT_THROW(BoardServer({}, settings), std::runtime_error);
}

TEST(BoardServer, EndsWhileTheEngineThinks) {
  auto server = std::make_unique<BoardServer>(lively_model(), quick_settings());
  Browser browser(*server);
  browser.ask("settings", {{"side", "tiger"}, {"visits", kMostBoardVisits}, {"seconds", 30}});
  auto reply = std::async(std::launch::async, [&] { return browser.ask("reply").status; });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  server.reset();
  EXPECT_THAT(reply.get(), AnyOf(0, 200, 503));
}

}  // namespace
}  // namespace baghzero
