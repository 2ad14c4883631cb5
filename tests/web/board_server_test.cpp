// The served board as browsers and others meet it: over HTTP.
#include "web/board_server.h"

#include <chrono>
#include <future>
#include <memory>
#include <string>
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
#include "tests/support/drawn_database.h"
#include "web/http_server.h"
#include "web/page.h"

namespace baghzero {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kJson = "application/json";
constexpr const char* kFourCaptured = "GGGGG/GGGGG/GGB1B/GGGG1/BB3 B 20";

EngineModel lively_model() {
  EngineModel model;
  model.network = make_lively_network(kSmallNetwork, 1);
  model.name = "a <network>";
  return model;
}

BoardServerSettings quick_settings() {
  BoardServerSettings settings;
  settings.port = 0;
  settings.start = {.persons = Persons::Both, .visits = 20, .seconds = 30};
  settings.thinking.cache_mib = 0;
  return settings;
}

struct Answer {
  int status = 0;
  json body;
};

// A browser: it keeps its cookie.
class Browser {
 public:
  explicit Browser(const BoardServer& server) : client_("127.0.0.1", server.port()) {}
  // Another window of the same browser.
  Browser(const BoardServer& server, const Browser& other) : Browser(server) {
    cookie_ = other.cookie_;
  }

  Answer post(const std::string& name, const std::string& body, httplib::Headers headers = {}) {
    if (!cookie_.empty()) headers.emplace("Cookie", cookie_);
    const auto result = client_.Post("/api/" + name, headers, body, kJson);
    if (!result) return {};
    const std::string cookie = result->get_header_value("Set-Cookie");
    if (!cookie.empty()) {
      EXPECT_THAT(cookie, AllOf(HasSubstr("; HttpOnly"), HasSubstr("; SameSite=Strict")));
      cookie_ = cookie.substr(0, cookie.find(';'));
    }
    return {result->status, json::parse(result->body, nullptr, false)};
  }
  json game() { return shown_ = post("game", "{}").body; }
  // Of the game that was shown last.
  Answer ask(const std::string& name, json request = json::object()) {
    if (shown_.is_null()) game();
    request["version"] = shown_["version"];
    const Answer answer = post(name, request.dump());
    if (answer.status == 200 && answer.body.contains("version")) shown_ = answer.body;
    return answer;
  }
  std::string text() { return game()["text"]; }

  httplib::Client& client() { return client_; }

 private:
  httplib::Client client_;
  std::string cookie_;
  json shown_;
};

struct BoardServerTest : testing::Test {
  BoardServer server{lively_model(), quick_settings()};
  Browser browser{server};
};

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
  const auto folder = std::filesystem::path(testing::TempDir()) / "baghzero_web_drawn";
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

// ---------------------------------------------------------------------------------------------
// Hostile requests

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

// Whoever connects and says nothing must not keep others from playing, nor the program from ending.
TEST_F(HostileTest, SilentConnections) {
  constexpr int kSilent = 4;  // fewer than wait to be accepted: more would be asked to come again
  std::vector<int> sockets;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(server.port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int i = 0; i < kSilent; ++i) {
    sockets.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(sockets.back(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  EXPECT_EQ(browser.post("game", "{}").status, 200);
  for (const int socket : sockets) ::close(socket);
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
