// Requests that no browser showing the page would make: each is refused and changes nothing.
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/web/board_server_fixture.h"
#include "web/http_server.h"

namespace baghzero {
namespace {

using nlohmann::json;
using test::Answer;
using test::BoardServerTest;
using test::Browser;
using testing::AllOf;
using testing::AnyOf;

// Sends bytes as they are and returns all that comes back.
std::string exchange(int port, const std::string& bytes) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::shutdown(socket, SHUT_WR);
    char buffer[4096];
    for (ssize_t count = 0; (count = ::recv(socket, buffer, sizeof buffer, 0)) > 0;)
      answer.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(socket);
  return answer;
}

struct HostileTest : BoardServerTest {
  HostileTest() { browser.ask("move", {{"move", "G33"}}); }
  ~HostileTest() override { EXPECT_EQ(browser.text(), "1. G33 *"); }

  int status(const std::string& bytes) const {
    const std::string answer = exchange(server.port(), bytes);
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
  }
  static std::string post(const std::string& path, const std::string& body,
                          const std::string& headers =
                              "Host: localhost\r\n"
                              "Content-Type: application/json\r\n") {
    return "POST " + path + " HTTP/1.1\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
};

TEST_F(HostileTest, Paths) {
  for (const std::string path :
       {"/etc/passwd", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//", "/api", "/api/",
        "/api/game", "/api/../", "/index.html", "/%00", "/%ff%fe", "*", "?"})
    EXPECT_THAT(status("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                AllOf(testing::Ge(400), testing::Lt(500)))
        << path;
  EXPECT_EQ(status(post("/api/game/", "{}")), 404);
  EXPECT_EQ(status(post("/api/nothing", "{}")), 404);
  EXPECT_EQ(status(post("/", "{}")), 404);
  EXPECT_THAT(status("GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"),
              AnyOf(400, 414));
}

TEST_F(HostileTest, Methods) {
  for (const char* method : {"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW", ""})
    EXPECT_THAT(status(std::string(method) + " /api/game HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                AllOf(testing::Ge(400), testing::Lt(500)))
        << method;
}

TEST_F(HostileTest, Bodies) {
  for (const std::string body :
       {"", "null", "[]", "7", "\"game\"", "{", "{\"version\":}", "\xff\xfe", "{\"a\":\"\xff\"}"})
    EXPECT_EQ(status(post("/api/game", body)), 400) << body;
  EXPECT_EQ(status(post("/api/game", std::string(60'000, '['))), 400);
  std::string deep = "{\"a\":";
  for (int i = 0; i < 10'000; ++i) deep += "[";
  for (int i = 0; i < 10'000; ++i) deep += "]";
  EXPECT_EQ(status(post("/api/new", deep + "}")), 410);  // no fault, but a stranger's
  EXPECT_EQ(status(post("/api/game", std::string(BoundedHttpServer::kMostBodyBytes + 1, ' '))),
            413);
  const std::string json_type = "Host: localhost\r\nContent-Type: application/json\r\n";
  EXPECT_THAT(status("POST /api/game HTTP/1.1\r\n" + json_type +
                     "Content-Length: 99999999999999\r\n\r\n{}"),
              AnyOf(400, 413));
  EXPECT_EQ(status("POST /api/game HTTP/1.1\r\n" + json_type +
                   "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
            415);
  EXPECT_EQ(status(post("/api/game", "{}", json_type + "Content-Encoding: gzip\r\n")), 415);
}

TEST_F(HostileTest, Values) {
  for (const json& request :
       {json{{"version", -1}}, json{{"version", "2"}}, json{{"version", 2.5}},
        json{{"version", 1e300}}, json{{"version", nullptr}}, json{{"version", json::array()}},
        json{{"version", 2}, {"move", std::string(50'000, 'G')}},
        json{{"version", 2}, {"move", "G\0033"}}, json{{"version", 2}, {"move", "B\xc3\xa4"}}}) {
    const Answer answer = browser.post("move", request.dump());
    EXPECT_THAT(answer.status, AnyOf(400, 422)) << request.dump().substr(0, 99);
    EXPECT_TRUE(answer.body["error"].is_string());
  }
}

TEST_F(HostileTest, ForeignPagesAndNames) {
  const auto with = [&](httplib::Headers headers) {
    return browser.post("undo", R"({"version":2})", std::move(headers)).status;
  };
  const std::string own = "127.0.0.1:" + std::to_string(server.port());
  EXPECT_EQ(with({{"Origin", "http://evil.example"}}), 403);
  EXPECT_EQ(with({{"Origin", "null"}}), 403);
  EXPECT_EQ(with({{"Origin", "http://localhost:1"}}), 403);
  EXPECT_EQ(with({{"Host", "evil.example"}}), 403);
  EXPECT_EQ(with({{"Host", "evil.example:" + std::to_string(server.port())}}), 403);
  EXPECT_EQ(with({{"Host", "localhost.evil.example"}}), 403);
  EXPECT_EQ(with({{"Host", "127.0.0.1.evil.example"}}), 403);
  EXPECT_EQ(with({{"Host", "evil.example"}, {"Origin", "http://evil.example"}}), 403);
  EXPECT_EQ(with({{"Host", ""}}), 403);
  EXPECT_EQ(status("GET / HTTP/1.0\r\n\r\n"), 403);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"), 403);
  for (const char* type :
       {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""})
    EXPECT_EQ(status(post("/api/game", "{}",
                          std::string("Host: localhost\r\nContent-Type: ") + type + "\r\n")),
              415)
        << type;
  EXPECT_EQ(browser.post("game", "{}", {{"Origin", "http://" + own}}).status, 200);
  for (const char* host : {"localhost", "LOCALHOST:80", "127.0.0.1", "[::1]:8080", "192.168.1.7"})
    EXPECT_EQ(status(std::string("GET / HTTP/1.1\r\nHost: ") + host + "\r\n\r\n"), 200) << host;
}

TEST_F(HostileTest, Cookies) {
  for (const char* cookie : {"baghzero", "baghzero=", "baghzero-1=00", ";;;=;", "=", "\x01\xff"}) {
    Browser stranger(server);
    EXPECT_EQ(stranger.post("undo", R"({"version":2})", {{"Cookie", cookie}}).status, 410);
  }
}

TEST_F(HostileTest, Headers) {
  EXPECT_THAT(
      status("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(9000, 'x') + "\r\n\r\n"),
      AllOf(testing::Ge(400), testing::Lt(500)));
  std::string many = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  while (many.size() < 2 * BoundedHttpServer::kMostRequestBytes) many += "X-More: and more\r\n";
  EXPECT_THAT(status(many + "\r\n"), AllOf(testing::Ge(400), testing::Lt(500)));
  std::string ranges = "bytes=0-1";
  while (ranges.size() < 8000) ranges += ",0-1";
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: localhost\r\nRange: " + ranges + "\r\n\r\n"), 416);
  EXPECT_THAT(status("\r\n\r\n"), AnyOf(0, 400));
  EXPECT_THAT(status(std::string(5000, '\0')), AnyOf(0, 400));
  EXPECT_EQ(status(""), 0);
}

}  // namespace
}  // namespace baghzero
