#include "cli/agents.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
}

TEST(Agents, RefusesEverythingElseAndSaysWhatIsKnown) {
  for (const char* text : {"", "Random", "net", "net:", "net:,visits=3", "net:x,", "net:x,visits",
                           "net:x,visits=", "net:x,visits=-1", "net:x,visits=3.5",
                           "net:x,visits=9999999999", "net:x,visits=3x", "net:x,temperature=nan",
                           "net:x,temperature=11", "net:x,speed=3", "random,visits=3"})
    EXPECT_THAT(error_of(text), AllOf(StartsWith(std::string("agent \"") + text + "\": "),
                                      HasSubstr("random, greedy or net:FILE")))
        << text;
  EXPECT_THAT(error_of("net:x,speed=3"), HasSubstr("unknown option \"speed\""));
}

TEST(Agents, HelpNamesEveryForm) {
  EXPECT_THAT(agent_help(), AllOf(HasSubstr("random"), HasSubstr("greedy"), HasSubstr("net:FILE"),
                                  HasSubstr(",visits=V"), HasSubstr(",temperature=T")));
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
