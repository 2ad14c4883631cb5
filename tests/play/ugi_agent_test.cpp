// Engine processes as players of matches: the real engine, and programs that fail in every way.
#include "selfplay/ugi_agent.h"

#include <array>
#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "engine/notation.h"
#include "selfplay/child_process.h"
#include "selfplay/judge.h"
#include "selfplay/match.h"
#include "tests/play/support.h"

namespace baghzero {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr int kVisits = 24;

Player engine_player(const std::string& command, std::chrono::milliseconds timeout = 30s) {
  Player player;
  player.name = "engine";
  player.make_agent = make_ugi_agents({.command = command, .nodes = kVisits, .timeout = timeout});
  player.most_games_per_worker = 1;
  return player;
}

Player network_player(const std::filesystem::path& model) {
  Player player;
  player.name = "network";
  player.network = load_network(model);
  player.visits = kVisits;
  return player;
}

Player random_player() {
  Player player;
  player.name = "random";
  player.make_agent = make_random_agent;
  return player;
}

std::string engine_with(const std::filesystem::path& model) {
  return std::string("'" BAGHZERO_ENGINE "' --model '") + model.string() + "'";
}

struct Played {
  std::vector<MatchGame> games;
  std::vector<std::string> forfeits;
};

Played play(const Player& first, const Player& second, int pairs, int workers,
            const Rules& rules = {}) {
  Played played;
  MatchSettings settings;
  settings.workers = workers;
  settings.inference.device = "cpu";
  settings.on_warning = [&](const std::string& text) { played.forfeits.push_back(text); };
  play_match(first, second, make_openings(rules, pairs, 3), settings,
             [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
               played.games.push_back(as_goat);
               played.games.push_back(as_tiger);
               return true;
             });
  return played;
}

// The rules differ from those in one of the model files: engines are told the rules of the match.
TEST(UgiAgent, EnginesPlayTheGamesOfBuiltInPlayers) {
  Rules rules;
  rules.max_plies = 70;
  const auto first = test::make_model_file(rules, test::kTinyNetwork, 11);
  const auto second = test::make_model_file({}, test::kTinyNetwork, 12);
  const Played built_in = play(network_player(first), network_player(second), 10, 1, rules);
  const Played engines =
      play(engine_player(engine_with(first)), engine_player(engine_with(second)), 10, 2, rules);
  EXPECT_TRUE(engines.forfeits.empty());
  ASSERT_EQ(engines.games.size(), built_in.games.size());
  for (std::size_t i = 0; i < engines.games.size(); ++i) {
    EXPECT_THAT(engines.games[i].game.moves(), ElementsAreArray(built_in.games[i].game.moves()))
        << "game " << i;
    EXPECT_EQ(engines.games[i].game.termination(), built_in.games[i].game.termination());
  }
}

TEST(UgiAgent, AnEnginePlaysAgainstABatchedNetworkFromGivenPositions) {
  const auto model = test::make_model_file({}, test::kTinyNetwork, 11);
  const std::vector<Game> openings = {Game(), game_from_fen("B3B/5/2G2/5/B3B B 1")};
  MatchSettings settings;
  settings.workers = 1;
  play_match(engine_player(engine_with(model)), network_player(model), openings, settings,
             [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
               EXPECT_EQ(as_goat.forfeit + as_tiger.forfeit, "");
               // The same player twice, so that roles make no difference.
               EXPECT_THAT(as_goat.game.moves(), ElementsAreArray(as_tiger.game.moves()));
               return true;
             });
}

TEST(UgiAgent, ProgramsPlayOneGameAfterAnother) {
  const auto starts = test::scratch_folder() / "starts";
  const auto model = test::make_model_file({}, test::kTinyNetwork, 11);
  const std::string command = "echo >> '" + starts.string() + "'; exec " + engine_with(model);
  const Played played = play(engine_player(command), random_player(), 6, 2);
  EXPECT_TRUE(played.forfeits.empty());
  EXPECT_GE(std::filesystem::file_size(starts), 1U);
  EXPECT_LE(std::filesystem::file_size(starts), 2U) << "one program per worker";
}

#define GREETED \
  "echo ugiok; read a; while read a && [ \"$a\" != isready ]; do :; done; echo readyok;"

struct Failure {
  const char* name;
  const char* command;
  const char* reported;
  std::chrono::milliseconds timeout = 30s;
};

class FailingEngine : public testing::TestWithParam<Failure> {};

// An engine that has never worked is no opponent: the match ends with an error.
TEST_P(FailingEngine, IsRefusedIfItHasNeverPlayedAMove) {
  const Failure& failure = GetParam();
  if (std::string(failure.command).find("bestmove") != std::string::npos) {
    // It plays, if badly.
    EXPECT_EQ(play(engine_player(failure.command), random_player(), 1, 1).games.size(), 2U);
    return;
  }
  EXPECT_THAT([&] { play(engine_player(failure.command, failure.timeout), random_player(), 2, 2); },
              ThrowsMessage<std::runtime_error>(
                  AllOf(StartsWith("the engine \"" + std::string(failure.command) +
                                   "\" has never played a move: it"),
                        HasSubstr(failure.reported))));
}

// Every game is lost by the engine and reported, and the match comes to its end.
TEST_P(FailingEngine, LosesItsGamesOnceItHasPlayed) {
  const std::string mark =
      (test::scratch_folder() / (std::string("played_") + GetParam().name)).string();
  std::filesystem::remove(mark);
  const std::string command =
      "if mkdir '" + mark +
      "' 2> /dev/null; then " GREETED "echo 'bestmove none'; sleep 1000; fi; " + GetParam().command;
  const Played played = play(engine_player(command, GetParam().timeout), random_player(), 2, 1);
  ASSERT_EQ(played.games.size(), 4U);
  for (const MatchGame& game : played.games) {
    EXPECT_EQ(game.game.termination(), Termination::Forfeit);
    EXPECT_EQ(game.game.outcome(), game.first_is_tiger ? Outcome::GoatsWin : Outcome::TigersWin);
    const bool first = &game == played.games.data();
    EXPECT_THAT(game.forfeit, HasSubstr(first ? "\"none\"" : GetParam().reported));
  }
  ASSERT_EQ(played.forfeits.size(), 4U);
  EXPECT_THAT(played.forfeits[0], StartsWith("the player 'engine' forfeits a game as goat: it"));
  EXPECT_THAT(played.forfeits[1], StartsWith("the player 'engine' forfeits a game as tiger: it"));
}

INSTANTIATE_TEST_SUITE_P(
    All, FailingEngine,
    testing::Values(
        Failure{"Ends", "false", "ended with exit code 1"},
        Failure{"IsNotThere", "/no/such/engine 2> /dev/null", "ended with exit code 127"},
        Failure{"IsSilent", "sleep 1000", "did not answer \"ugi\" with \"ugiok\" within 2000 ms",
                2s},
        Failure{"Babbles", "yes 2> /dev/null", "did not answer \"ugi\"", 2s},
        Failure{"NeverEndsALine", "cat /dev/zero", "wrote a line without an end"},
        Failure{"EndsLater", GREETED "exit 7", "ended with exit code 7"},
        Failure{"IsKilled", GREETED "kill -9 $$", "was ended by signal 9"},
        Failure{"IsSilentLater", GREETED "sleep 1000",
                "did not answer \"go nodes 24\" with \"bestmove\" within 2000 ms", 2s},
        Failure{"BabblesLater", GREETED "yes 2> /dev/null", "did not answer \"go nodes 24\"", 2s},
        Failure{"ClosesItsOutput", GREETED "exec < /dev/null > /dev/null; sleep 1000",
                "closed its output"},
        Failure{"PlaysNoMove", GREETED "echo bestmove; sleep 1000", "its move \"\" in "},
        Failure{"PlaysNonsense", GREETED "echo 'bestmove (none)'; sleep 1000",
                "its move \"(none)\" in "},
        Failure{"PlaysAnIllegalMove", GREETED "echo 'bestmove G1112'; sleep 1000",
                " is illegal: "}),
    [](const testing::TestParamInfo<Failure>& failure) { return std::string(failure.param.name); });

// Engines that fall silent before their first move, which they are given far longer for than any
// test may take.
class SilentEngine : public testing::TestWithParam<const char*> {
 protected:
  SilentEngine() { std::filesystem::remove(mark_); }
  void wait_for_silence() const {
    while (!std::filesystem::exists(mark_)) std::this_thread::sleep_for(1ms);
  }
  std::jthread stop_in_the_silence() {
    return std::jthread([this] {
      wait_for_silence();
      stop_ = true;
    });
  }

  const std::string mark_ = (test::scratch_folder() / "silent").string();
  const Player engine_ = engine_player(GetParam() + ("mkdir -p '" + mark_ + "'; sleep 1000"), 24h);
  std::atomic<bool> stop_ = false;
};

TEST_P(SilentEngine, IsNotWaitedForOnceTheMatchIsStopped) {
  const std::jthread stopper = stop_in_the_silence();
  MatchSettings settings;
  settings.workers = 2;
  settings.stop = &stop_;
  std::vector<std::string> warnings;
  settings.on_warning = [&](const std::string& text) { warnings.push_back(text); };
  EXPECT_EQ(measure_against(engine_, random_player(), 2, settings).pairs, 0);
  EXPECT_TRUE(warnings.empty());
}

// Fails at its first move, once the other game of the pair waits for the engine.
class FailingAgent final : public Agent {
 public:
  explicit FailingAgent(std::function<void()> wait) : wait_(std::move(wait)) {}
  std::string name() const override { return "failing"; }
  void new_game(std::uint64_t /*seed*/) override {}
  Action choose(const Game& /*game*/) override {
    wait_();
    throw std::runtime_error("it failed");
  }

 private:
  std::function<void()> wait_;
};

TEST_P(SilentEngine, IsNotWaitedForOnceAMatchHasFailed) {
  Player failing;
  failing.name = "failing";
  failing.make_agent = [this] {
    return std::make_unique<FailingAgent>([&] { wait_for_silence(); });
  };
  EXPECT_THAT([&] { play(engine_, failing, 1, 2); },
              ThrowsMessage<std::runtime_error>("it failed"));
}

TEST_P(SilentEngine, IsNotWaitedForOnceTheSuiteIsStopped) {
  const std::jthread stopper = stop_in_the_silence();
  SuitePosition entry;
  entry.keeping.push_back(placement_action(12));
  const SuiteReport report = run_suite(engine_, {}, {}, {&entry, 1}, {.stop = &stop_});
  EXPECT_EQ(report.total().positions, 0);
}

INSTANTIATE_TEST_SUITE_P(FromTheStart, SilentEngine, testing::Values(""));
INSTANTIATE_TEST_SUITE_P(BeforeItsFirstMove, SilentEngine, testing::Values(GREETED));

TEST(UgiAgent, AnEngineThatEndsLosesThatGameAndANewOnePlaysTheNext) {
  // The engine leaves at the end of its input, which comes in the midst of every game.
  const auto model = test::make_model_file({}, test::kTinyNetwork, 11);
  const std::string some_lines =
      "i=0; while [ $i -lt 16 ] && read -r a; do echo \"$a\"; i=$((i + 1)); done | ";
  const Played played = play(engine_player(some_lines + engine_with(model)), random_player(), 3, 1);
  ASSERT_EQ(played.games.size(), 6U);
  for (const MatchGame& game : played.games) {
    EXPECT_THAT(game.forfeit, HasSubstr("before it answered \"go nodes 24\""));
    EXPECT_GT(game.game.plies(), 4);
  }
}

TEST(UgiAgent, NoProgramIsLeftBehind) {
  // Its writing end is inherited by the shell and what the shell starts.
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  EXPECT_THROW(play(engine_player("sleep 1000; true", 200ms), random_player(), 1, 1),
               std::runtime_error);
  close(ends[1]);
  pollfd poller{ends[0], POLLIN, 0};
  constexpr int kHangMilliseconds = 60'000;
  EXPECT_EQ(poll(&poller, 1, kHangMilliseconds), 1);
  EXPECT_TRUE(poller.revents & POLLHUP) << "nobody holds the pipe any more";
  close(ends[0]);
}

// As in a pipeline that was started by hand.
TEST(UgiAgent, EnginesDoNotInheritAnIgnoredSignal) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  ChildProcess engine("grep SigIgn /proc/self/status");
  std::signal(SIGPIPE, before);
  const auto line = engine.read_line(std::chrono::steady_clock::now() + 30s);
  ASSERT_TRUE(line);
  const auto ignored = std::stoull(line->substr(line->find('\t')), nullptr, 16);
  EXPECT_EQ(ignored >> (SIGPIPE - 1) & 1, 0U) << *line;
}

TEST(UgiAgent, RefusesSettingsWithoutSense) {
  EXPECT_THROW(make_ugi_agents({.command = ""}), std::invalid_argument);
  EXPECT_THROW(make_ugi_agents({.command = "x", .nodes = 0}), std::invalid_argument);
  EXPECT_THROW(make_ugi_agents({.command = "x", .timeout = 0ms}), std::invalid_argument);
}

}  // namespace
}  // namespace baghzero
