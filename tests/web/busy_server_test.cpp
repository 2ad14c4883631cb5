// The served board when many want something of it at once, not all of them to play.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/nn/sample_networks.h"
#include "web/board_server.h"
#include "web/http_server.h"

namespace baghzero {
namespace {

using nlohmann::json;
using testing::Ge;

// For an answer; far more than any takes that nobody keeps waiting.
constexpr int kPatienceSeconds = 30;

std::unique_ptr<BoardServer> make_server() {
  EngineModel model;
  model.network = make_lively_network(kSmallNetwork, 1);
  BoardServerSettings settings;
  settings.port = 0;
  settings.start = {.persons = Persons::Both, .visits = kMostBoardVisits, .seconds = 30};
  settings.thinking.cache_mib = 0;
  return std::make_unique<BoardServer>(model, settings);
}

// One request of the browser with that cookie.
httplib::Result ask(int port, const std::string& cookie, const std::string& name,
                    const json& request) {
  httplib::Client client("127.0.0.1", port);
  client.set_read_timeout(kPatienceSeconds);
  return client.Post("/api/" + name, {{"Cookie", cookie}}, request.dump(), "application/json");
}

// The cookie of a new game, which is at its first version.
std::string new_browser(int port) {
  const auto game = ask(port, "", "game", json::object());
  if (!game) return "";
  const std::string cookie = game->get_header_value("Set-Cookie");
  return cookie.substr(0, cookie.find(';'));
}

// The statuses that `requests` of one browser get at the same time.
std::vector<int> at_once(int port, const std::string& cookie, const std::string& name,
                         const std::vector<json>& requests) {
  std::vector<std::future<int>> answers;
  for (const json& request : requests)
    answers.push_back(std::async(std::launch::async, [&] {
      const auto answer = ask(port, cookie, name, request);
      return answer ? answer->status : 0;
    }));
  std::vector<int> statuses;
  for (auto& answer : answers) statuses.push_back(answer.get());
  return statuses;
}

int connect_to(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return socket;
}

TEST(BusyServer, SilentConnectionsMakeRoom) {
  constexpr int kSilent = 6 * BoundedHttpServer::kConnections;
  const auto server = make_server();
  const int port = server->port();
  std::vector<int> sockets;
  for (int i = 0; i < kSilent; ++i) {
    sockets.push_back(connect_to(port));
    // Some have begun to say something.
    if (i % 2 == 0) ::send(sockets.back(), "GET / HT", 8, MSG_NOSIGNAL);
  }
  const std::string cookie = new_browser(port);
  ASSERT_NE(cookie, "");
  const auto moved = ask(port, cookie, "move", {{"version", 1}, {"move", "G33"}});
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->status, 200);
  for (const int socket : sockets) ::close(socket);
}

// Those whose requests are there need not make room for others.
TEST(BusyServer, EveryWholeRequestIsAnswered) {
  constexpr int kAsking = 3 * BoundedHttpServer::kConnections;
  constexpr std::string_view kRequest = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const auto server = make_server();
  std::vector<int> sockets;
  for (int i = 0; i < kAsking; ++i) {
    sockets.push_back(connect_to(server->port()));
    ::send(sockets.back(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL);
  }
  for (const int socket : sockets) {
    std::array<char, 12> status{};
    EXPECT_EQ(::recv(socket, status.data(), status.size(), MSG_WAITALL), std::ssize(status));
    EXPECT_EQ(std::string_view(status.data(), status.size()), "HTTP/1.1 200");
    ::close(socket);
  }
}

TEST(BusyServer, TellsThoseWhoWouldWaitTooLongForTheEngineToComeAgain) {
  constexpr int kAsking = 40;
  constexpr int kServed = 16;  // with those that may wait
  auto server = make_server();
  const int port = server->port();
  std::vector<std::string> cookies;
  for (int i = 0; i < kAsking; ++i) cookies.push_back(new_browser(port));
  std::atomic<int> turned_away = 0;
  std::vector<std::future<void>> asking;
  for (const std::string& cookie : cookies)
    asking.push_back(std::async(std::launch::async, [&] {
      const auto answer = ask(port, cookie, "hint", {{"version", 1}});
      if (!answer || answer->status != 503) return;
      EXPECT_THAT(std::stoi(answer->get_header_value("Retry-After")), Ge(1));
      EXPECT_TRUE(json::parse(answer->body)["error"].is_string());
      ++turned_away;
    }));
  while (turned_away < kAsking - kServed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  // Whoever does not need the engine plays on.
  const auto moved = ask(port, cookies[0], "move", {{"version", 1}, {"move", "G33"}});
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->status, 200);
  server.reset();  // the rest need not wait for the engine
}

TEST(BusyServer, OfRequestsAboutOneVersionOneChangesTheGame) {
  const auto server = make_server();
  const int port = server->port();
  const std::string cookie = new_browser(port);
  std::vector<json> moves;
  for (const char* move : {"G12", "G13", "G14", "G21", "G22", "G23", "G24", "G25"})
    moves.push_back({{"version", 1}, {"move", move}});
  const auto moved = at_once(port, cookie, "move", moves);
  EXPECT_EQ(std::ranges::count(moved, 200), 1);
  EXPECT_EQ(std::ranges::count(moved, 409), 7);

  const json quick = {{"version", 2}, {"side", "goat"}, {"visits", 20}};
  ASSERT_EQ(ask(port, cookie, "settings", quick)->status, 200);
  const auto replies = at_once(port, cookie, "reply", std::vector<json>(8, json{{"version", 3}}));
  EXPECT_EQ(std::ranges::count(replies, 200), 1);
  EXPECT_EQ(std::ranges::count(replies, 409), 7);
  const json game = json::parse(ask(port, cookie, "game", json::object())->body);
  EXPECT_EQ(game["moves"].size(), 2U);
  EXPECT_EQ(game["version"], 4);
}

}  // namespace
}  // namespace baghzero
