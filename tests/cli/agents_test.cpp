#include "cli/agents.h"

#include <filesystem>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/solver/database.h"
#include "nn/model_file.h"
#include "tests/cli/program.h"

namespace baghzero {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(const char* text) {
  try {
    parse_agent(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Agents, ParsesEveryForm) {
  EXPECT_EQ(parse_agent("random").kind, AgentKind::Random);
  EXPECT_EQ(parse_agent("greedy").kind, AgentKind::Greedy);
  EXPECT_EQ(parse_agent("alphabeta:6"),
            (AgentSpec{.kind = AgentKind::AlphaBeta, .depth = 6, .file = {}}));
  EXPECT_EQ(parse_agent("alphabeta:100ms"),
            (AgentSpec{.kind = AgentKind::AlphaBeta, .file = {}, .time = 100ms}));
  EXPECT_EQ(parse_agent("mcts:1000"),
            (AgentSpec{.kind = AgentKind::Mcts, .rollouts = 1000, .file = {}}));
  const auto network = [](const char* file, int visits, std::chrono::milliseconds time,
                          double temperature) {
    return AgentSpec{.kind = AgentKind::Network,
                     .file = file,
                     .visits = visits,
                     .time = time,
                     .temperature = temperature};
  };
  EXPECT_EQ(parse_agent("net:a/gen-0001.bzn"), network("a/gen-0001.bzn", -1, 0ms, 0));
  EXPECT_EQ(parse_agent("net:x.bzn,visits=0"), network("x.bzn", 0, 0ms, 0));
  EXPECT_EQ(parse_agent("net:x y.bzn,temperature=0.5,visits=800"),
            network("x y.bzn", 800, 0ms, 0.5));
  EXPECT_EQ(parse_agent("net:x.bzn,time=250ms"), network("x.bzn", -1, 250ms, 0));
  EXPECT_EQ(parse_agent("gen:runs/quick/12"),
            network("runs/quick/models/gen-0012.bzn", -1, 0ms, 0));
  EXPECT_EQ(parse_agent("gen:quick/0,visits=9"), network("quick/models/gen-0000.bzn", 9, 0ms, 0));
  EXPECT_EQ(parse_agent("perfect").file, default_database_folder());
  EXPECT_EQ(parse_agent("perfect:some db").file, "some db");
  EXPECT_EQ(parse_agent("perfect:db,random=1"),
            (AgentSpec{.kind = AgentKind::Perfect, .file = "db", .random = true}));
  EXPECT_TRUE(parse_agent("perfect,random=1").random);
  EXPECT_EQ(parse_agent("policy:x.bzn,temperature=1"), network("x.bzn", 0, 0ms, 1));
  EXPECT_EQ(parse_agent("ugi:./a b,visits=3:c"),
            (AgentSpec{.kind = AgentKind::Ugi, .file = {}, .command = "./a b,visits=3:c"}));
  EXPECT_EQ(parse_agent("ugi,visits=9,timeout=5ms:x:y").command, "x:y");
  EXPECT_EQ(parse_agent("ugi,visits=9,timeout=5ms:x:y").visits, 9);
  EXPECT_EQ(parse_agent("ugi,visits=9,timeout=5ms:x:y").timeout, 5ms);
  EXPECT_EQ(parse_agent("ugi,time=7ms:x").time, 7ms);
}

TEST(Agents, RefusesEverythingElseAndSaysWhatIsKnown) {
  for (const char* text : {"",
                           "Random",
                           "net",
                           "net:",
                           "net:,visits=3",
                           "net:x,",
                           "net:x,visits",
                           "net:x,visits=",
                           "net:x,visits=-1",
                           "net:x,visits=3.5",
                           "net:x,visits=9999999999",
                           "net:x,visits=3x",
                           "net:x,temperature=nan",
                           "net:x,temperature=11",
                           "net:x,speed=3",
                           "random,visits=3",
                           "net:x,time=3",
                           "net:x,time=0ms",
                           "alphabeta",
                           "alphabeta:",
                           "alphabeta:0",
                           "alphabeta:61",
                           "alphabeta:ms",
                           "alphabeta:-5ms",
                           "alphabeta:6,visits=3",
                           "mcts:",
                           "mcts:0",
                           "mcts:1e3",
                           "gen:3",
                           "gen:/3",
                           "gen:runs/quick",
                           "gen:runs/quick/",
                           "policy:",
                           "policy:x,visits=2",
                           "policy:x,time=3ms",
                           "perfect:",
                           "perfect:,random=1",
                           "perfect,random=2",
                           "perfect,visits=3",
                           "perfectly",
                           "net:x,random=1",
                           "net:x,timeout=3ms",
                           "ugi",
                           "ugi:",
                           "ugi: ",
                           "ugi,visits=3",
                           "ugi,visits=0:x",
                           "ugi,timeout=3:x",
                           "ugi,temperature=1:x",
                           "ugi,random=1:x"})
    EXPECT_THAT(error_of(text), AllOf(StartsWith(std::string("agent \"") + text + "\": "),
                                      HasSubstr("agents are random, greedy, alphabeta:DEPTH")))
        << text;
  EXPECT_THAT(error_of("net:x,speed=3"), HasSubstr("unknown option \"speed\""));
}

TEST(Agents, HelpNamesEveryForm) {
  for (const char* form :
       {"random", "greedy", "alphabeta:DEPTH", "alphabeta:MSms", "mcts:N", "net:FILE", "gen:RUN/N",
        "policy:FILE", "perfect[:DB]", ",random=1", ",visits=V", ",time=MSms", ",temperature=T",
        "ugi:COMMAND", ",timeout=MSms"})
    EXPECT_THAT(agent_help(), HasSubstr(std::string(" ") + form + " ")) << form;
}

TEST(Agents, BaselinesBecomePlayersWithAgents) {
  for (const char* text : {"random", "greedy", "alphabeta:2", "alphabeta:5ms", "mcts:20"}) {
    const Player player = make_player(parse_agent(text), {});
    EXPECT_EQ(player.name, text);
    EXPECT_EQ(player.network, nullptr);
    ASSERT_TRUE(player.make_agent);
    const auto agent = player.make_agent();
    EXPECT_EQ(agent->name(), text);
    agent->new_game(1);
    const Game game;
    EXPECT_TRUE(game.why_illegal(agent->choose(game)).empty());
  }
}

// Against a network many games wait in one thread, each with an agent of its own.
TEST(Agents, LargeOnesPlayFewGamesSideBySide) {
  const auto most = [](const char* agent) {
    return make_player(parse_agent(agent), {}).most_games_per_worker;
  };
  EXPECT_EQ(most("alphabeta:2"), 32);
  EXPECT_EQ(most("mcts:100000"), 2);
  EXPECT_GT(most("mcts:100"), 1'000);
  EXPECT_GT(most("greedy"), 1'000);
}

TEST(Agents, NetworksPlayByVisitsOrByTime) {
  const auto file = test::fresh_folder("agents") / "agents_test.bzn";
  save_network(*make_random_network({.blocks = 1, .channels = 8}, 1), file);
  const std::string text = "net:" + file.string();
  AgentDefaults by_visits;
  by_visits.visits = 30;
  AgentDefaults by_time;
  by_time.time = 5ms;
  const Player usual = make_player(parse_agent(text), by_visits);
  EXPECT_EQ(usual.name, "agents_test.bzn at 30 visits");
  EXPECT_NE(usual.network, nullptr);
  EXPECT_EQ(make_player(parse_agent(text + ",visits=0"), by_time).name,
            "agents_test.bzn, bare policy");
  const Player timed = make_player(parse_agent(text + ",temperature=0.5"), by_time);
  EXPECT_EQ(timed.name, "agents_test.bzn at 5 ms, temperature 0.5");
  // Ratings must not mix players with the solved game and without it.
  AgentDefaults solver = by_visits;
  solver.search.solver = true;
  EXPECT_EQ(make_player(parse_agent(text), solver).name,
            "agents_test.bzn at 30 visits, search.solver");
  EXPECT_EQ(make_player(parse_agent(text + ",time=5ms"), solver).name,
            "agents_test.bzn at 5 ms, search.solver");
  EXPECT_EQ(make_player(parse_agent(text + ",visits=0"), solver).name,
            "agents_test.bzn, bare policy");
  EXPECT_EQ(timed.network, nullptr);
  const auto agent = timed.make_agent();
  agent->new_game(1);
  EXPECT_TRUE(Game().legal().contains(agent->choose(Game())));
}

TEST(Agents, EnginesPlayByVisitsOrByTime) {
  AgentDefaults by_visits;
  by_visits.visits = 30;
  AgentDefaults by_time;
  by_time.time = 5ms;
  EXPECT_EQ(make_player(parse_agent("ugi:x y"), by_visits).name, "ugi:x y at 30 visits");
  EXPECT_EQ(make_player(parse_agent("ugi,visits=8:x"), by_time).name, "ugi:x at 8 visits");
  EXPECT_EQ(make_player(parse_agent("ugi:x"), by_time).name, "ugi:x at 5 ms");
}

TEST(Agents, MissingModelFileIsNamed) {
  try {
    make_player(parse_agent("net:no/such.bzn"), {});
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("no/such.bzn"));
  }
}

}  // namespace
}  // namespace baghzero
