// A served board and browsers that meet it, for tests.
#pragma once

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include "tests/nn/sample_networks.h"
#include "web/board_server.h"

namespace baghzero::test {

inline constexpr const char* kJson = "application/json";

inline EngineModel lively_model() {
  EngineModel model;
  model.network = make_lively_network(kSmallNetwork, 1);
  model.name = "a <network>";
  return model;
}

inline BoardServerSettings quick_settings() {
  BoardServerSettings settings;
  settings.port = 0;
  settings.start = {.persons = Persons::Both, .visits = 20, .seconds = 30};
  settings.thinking.cache_mib = 0;
  return settings;
}

struct Answer {
  int status = 0;
  nlohmann::json body;
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
      EXPECT_THAT(cookie, testing::AllOf(testing::HasSubstr("; HttpOnly"),
                                         testing::HasSubstr("; SameSite=Strict")));
      cookie_ = cookie.substr(0, cookie.find(';'));
    }
    return {result->status, nlohmann::json::parse(result->body, nullptr, false)};
  }
  nlohmann::json game() { return shown_ = post("game", "{}").body; }
  // Of the game that was shown last.
  Answer ask(const std::string& name, nlohmann::json request = nlohmann::json::object()) {
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
  nlohmann::json shown_;
};

struct BoardServerTest : testing::Test {
  BoardServer server{lively_model(), quick_settings()};
  Browser browser{server};
};

}  // namespace baghzero::test
