#include "web/sessions.h"

#include <algorithm>
#include <cstdio>
#include <random>

namespace baghzero {
namespace {

std::string secret_name() {
  std::random_device device;  // the kernel's
  std::string name;
  for (int i = 0; i < 4; ++i) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", device());
    name += digits;
  }
  return name;
}

}  // namespace

SessionTable::SessionTable(std::size_t most, const Rules& rules, const PlaySettings& settings)
    : most_(most), rules_(rules), settings_(settings) {}

std::shared_ptr<Session> SessionTable::find(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(sessions_, name, &Named::name);
  if (found == sessions_.end()) return nullptr;
  sessions_.splice(sessions_.begin(), sessions_, found);
  return sessions_.front().session;
}

SessionTable::Named SessionTable::create() {
  auto session = std::make_shared<Session>();
  session->game = Game(rules_);
  session->settings = settings_;
  const std::lock_guard lock(mutex_);
  sessions_.push_front({secret_name(), std::move(session)});
  if (sessions_.size() > most_) sessions_.pop_back();
  return sessions_.front();
}

}  // namespace baghzero
