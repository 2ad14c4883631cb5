#include "cli/agents.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/solver/database.h"

namespace baghzero {
namespace {

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
  EXPECT_EQ(parse_agent("net:a/gen-0001.bzn"),
            (AgentSpec{AgentKind::Network, "a/gen-0001.bzn", -1, 0}));
  EXPECT_EQ(parse_agent("net:x.bzn,visits=0"), (AgentSpec{AgentKind::Network, "x.bzn", 0, 0}));
  EXPECT_EQ(parse_agent("net:x y.bzn,temperature=0.5,visits=800"),
            (AgentSpec{AgentKind::Network, "x y.bzn", 800, 0.5}));
  EXPECT_EQ(parse_agent("perfect").file, default_database_folder());
  EXPECT_EQ(parse_agent("perfect:some db").file, "some db");
  EXPECT_EQ(parse_agent("perfect:db,random=1"),
            (AgentSpec{.kind = AgentKind::Perfect, .file = "db", .random = true}));
  EXPECT_TRUE(parse_agent("perfect,random=1").random);
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
                           "perfect:",
                           "perfect:,random=1",
                           "perfect,random=2",
                           "perfect,visits=3",
                           "perfectly",
                           "net:x,random=1"})
    EXPECT_THAT(error_of(text), AllOf(StartsWith(std::string("agent \"") + text + "\": "),
                                      HasSubstr("random, greedy")))
        << text;
  EXPECT_THAT(error_of("net:x,speed=3"), HasSubstr("unknown option \"speed\""));
}

TEST(Agents, HelpNamesEveryForm) {
  EXPECT_THAT(agent_help(), AllOf(HasSubstr("random"), HasSubstr("greedy"), HasSubstr("net:FILE"),
                                  HasSubstr(",visits=V"), HasSubstr(",temperature=T"),
                                  HasSubstr("perfect[:DB]"), HasSubstr(",random=1")));
}

TEST(Agents, BaselinesBecomePlayersWithAgents) {
  for (const char* text : {"random", "greedy"}) {
    const Player player = make_player(parse_agent(text), 64, {});
    EXPECT_EQ(player.name, text);
    EXPECT_EQ(player.network, nullptr);
    ASSERT_TRUE(player.make_agent);
    const auto agent = player.make_agent();
    agent->new_game(1);
    const Game game;
    EXPECT_TRUE(game.why_illegal(agent->choose(game)).empty());
  }
}

TEST(Agents, MissingModelFileIsNamed) {
  try {
    make_player(parse_agent("net:no/such.bzn"), 64, {});
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("no/such.bzn"));
  }
}

}  // namespace
}  // namespace baghzero
