#include "web/board_server.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <arpa/inet.h>
#include <nlohmann/json.hpp>

#include "web/board_api.h"
#include "web/http_server.h"
#include "web/page.h"

namespace baghzero {
namespace {

using httplib::Request;
using httplib::Response;

constexpr int kThinkers = 8;
constexpr int kMostWaiting = 8;  // for one of these
static_assert(kThinkers + kMostWaiting + BoardApi::kMostProbing < BoundedHttpServer::kConnections,
              "whatever the engine has to do, there are threads for the rest");

constexpr const char* kRetrySeconds = "2";  // when to ask an engine that is busy again

constexpr const char* kJson = "application/json";
// The page is complete: it may load nothing, and be shown within no other.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

bool is_address(const std::string& text) {
  in6_addr address;
  return inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

// "[::1]:80" -> "::1", "localhost:80" -> "localhost".
std::string host_of(const std::string& authority) {
  if (authority.starts_with('[')) return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.find(':'));
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// The value of a cookie, or nothing.
std::string cookie(const Request& request, const std::string& name) {
  const std::string all = "; " + request.get_header_value("Cookie");
  const std::string start = "; " + name + "=";
  const auto at = all.find(start);
  if (at == std::string::npos) return "";
  const auto from = at + start.size();
  return all.substr(from, all.find(';', from) - from);
}

void set_json(Response& response, int status, const nlohmann::ordered_json& json) {
  response.status = status;
  // Faults may quote what was sent, cut anywhere.
  response.set_content(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), kJson);
}

void set_fault(Response& response, int status, const std::string& what) {
  set_json(response, status, {{"error", what}});
}

// Throws RequestFault.
nlohmann::json parse_body(const Request& request) {
  nlohmann::json json = nlohmann::json::parse(request.body, nullptr, false);
  if (!json.is_object()) throw RequestFault(400, "the body must be a JSON object");
  return json;
}

}  // namespace

class BoardServer::Implementation {
 public:
  Implementation(const EngineModel& model, const BoardServerSettings& settings)
      : host_(settings.host),
        thinkers_(model, settings.thinking, kThinkers, kMostWaiting),
        api_(thinkers_, settings.database),
        sessions_(kMostSessions, model.rules, settings.start) {
    define_answers();
    port_ = bind(settings.port);
    cookie_name_ = "baghzero-" + std::to_string(port_);
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      ended_ = true;
    });
    // Before that it could not be stopped.
    while (!server_.is_running() && !ended_)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (ended_) {
      thread_.join();
      throw std::runtime_error("cannot listen on " + host_ + ", port " + std::to_string(port_));
    }
  }
  ~Implementation() {
    thinkers_.stop();
    server_.hang_up();
    server_.stop();
    thread_.join();
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  int port() const { return port_; }
  std::string address() const {
    const bool bracketed = host_.find(':') != std::string::npos;
    return "http://" + (bracketed ? "[" + host_ + "]" : host_) + ":" + std::to_string(port_) + "/";
  }

 private:
  int bind(int port) {
    const int bound = server_.bind(host_, port);
    if (bound < 0)
      throw std::runtime_error("cannot listen at " + host_ + ", port " + std::to_string(port) +
                               "; perhaps another program does: choose another with --port, and "
                               "an address of this machine with --host");
    return bound;
  }

  void define_answers() {
    server_.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                 {"Cache-Control", "no-store"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"Cross-Origin-Resource-Policy", "same-origin"}});
    server_.set_pre_routing_handler([this](const Request& request, Response& response) {
      return is_refused(request, response) ? httplib::Server::HandlerResponse::Handled
                                           : httplib::Server::HandlerResponse::Unhandled;
    });
    server_.set_error_handler([](const Request&, Response& response) {
      if (response.body.empty())
        set_fault(response, response.status, "there is no such thing here");
    });
    server_.Get("/", [](const Request&, Response& response) {
      response.set_header("Content-Security-Policy", kContentPolicy);
      const std::string_view page = board_page();
      response.set_content(page.data(), page.size(), "text/html; charset=utf-8");
    });
    for (const std::string_view name : BoardApi::names())
      server_.Post("/api/" + std::string(name),
                   [this, name](const Request& request, Response& response) {
                     answer(name, request, response);
                   });
  }

  // Whether the host is this machine as its users call it. A name that somebody else has pointed at
  // its address is not: by such names foreign pages reach servers that trust their own origin.
  bool knows_host(const std::string& host) const {
    return same_word(host, "localhost") || same_word(host, host_) || is_address(host);
  }

  // Before anything of a body is read.
  bool is_refused(const Request& request, Response& response) const {
    const auto refuse = [&response](int status, const char* why) {
      set_fault(response, status, why);
      return true;
    };
    const std::string host = request.get_header_value("Host");
    if (request.get_header_value_count("Host") != 1 || !knows_host(host_of(host)))
      return refuse(403, "this host name is not served; use the address that the program printed");
    const std::string origin = request.get_header_value("Origin");
    if (request.has_header("Origin") && !same_word(origin, "http://" + host) &&
        !same_word(origin, "https://" + host))
      return refuse(403, "only the page of this server may ask");
    if (request.has_header("Content-Encoding") || request.has_header("Transfer-Encoding"))
      return refuse(415, "a body must be sent as it is, with its length");
    if (request.has_header("Range")) return refuse(416, "there are no parts");
    // Foreign pages cannot send this type without being asked first whether they may.
    if (request.method == "POST" && !same_word(request.get_header_value("Content-Type"), kJson))
      return refuse(415, "a body must have the type application/json");
    return false;
  }

  void answer(std::string_view name, const Request& request, Response& response) try {
    const nlohmann::json body = parse_body(request);
    std::shared_ptr<Session> session = sessions_.find(cookie(request, cookie_name_));
    if (!session) {
      if (name != "game") throw RequestFault(410, "this game is no longer kept here");
      auto [secret, created] = sessions_.create();
      response.set_header("Set-Cookie",
                          cookie_name_ + "=" + secret + "; Path=/; HttpOnly; SameSite=Strict");
      session = std::move(created);
    }
    set_json(response, 200, api_.answer(name, body, *session));
  } catch (const RequestFault& fault) {
    if (fault.status() == kBusy) response.set_header("Retry-After", kRetrySeconds);
    set_fault(response, fault.status(), fault.what());
  } catch (const std::exception& error) {
    set_fault(response, 500, error.what());
  }

  const std::string host_;
  Thinkers thinkers_;
  BoardApi api_;
  SessionTable sessions_;
  BoundedHttpServer server_;
  int port_ = 0;
  std::string cookie_name_;
  std::thread thread_;
  std::atomic<bool> ended_{false};
};

BoardServer::BoardServer(const EngineModel& model, const BoardServerSettings& settings)
    : implementation_(std::make_unique<Implementation>(model, settings)) {}
BoardServer::~BoardServer() = default;

int BoardServer::port() const { return implementation_->port(); }
std::string BoardServer::address() const { return implementation_->address(); }

}  // namespace baghzero
