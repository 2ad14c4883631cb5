#include "web/http_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace baghzero {
namespace {

using Clock = std::chrono::steady_clock;

class BoundedStream final : public httplib::Stream {
 public:
  BoundedStream(socket_t socket, int hang_up_event, ConnectionTable& connections)
      : socket_(socket), hang_up_event_(hang_up_event), connections_(connections) {}
  ~BoundedStream() override { connections_.remove(closed_); }
  BoundedStream(const BoundedStream&) = delete;
  BoundedStream& operator=(const BoundedStream&) = delete;

  bool is_readable() const override { return begin_ < end_ || wait(POLLIN, read_deadline_); }
  bool is_writable() const override { return wait(POLLOUT, write_deadline()); }

  ssize_t read(char* out, size_t size) override {
    if (begin_ == end_) {
      if (read_bytes_ > BoundedHttpServer::kMostRequestBytes) return -1;
      if (!wait(POLLIN, read_deadline_)) return -1;
      const ssize_t count = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
      if (count <= 0) return count;
      begin_ = 0;
      end_ = static_cast<std::size_t>(count);
      read_bytes_ += end_;
    }
    const std::size_t count = std::min(size, end_ - begin_);
    std::memcpy(out, buffer_.data() + begin_, count);
    begin_ += count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* data, size_t size) override {
    if (!is_writable()) return -1;
    return ::send(socket_, data, size, MSG_NOSIGNAL);
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const override { unknown(ip, port); }
  void get_local_ip_and_port(std::string& ip, int& port) const override { unknown(ip, port); }
  socket_t socket() const override { return socket_; }

  // A peer that is still sending would lose the answer if the connection were closed under it: what
  // it sends is thrown away for a while.
  void finish() {
    if (read_bytes_ == 0) return;  // who has said nothing awaits no answer
    constexpr std::chrono::milliseconds kPatience{500};
    constexpr int kMostReads = 64;
    ::shutdown(socket_, SHUT_WR);
    const auto deadline = Clock::now() + kPatience;
    for (int i = 0; i < kMostReads && wait(POLLIN, deadline); ++i)
      if (::recv(socket_, buffer_.data(), buffer_.size(), 0) <= 0) return;
  }

 private:
  static Clock::time_point deadline_from_now() {
    return Clock::now() + std::chrono::milliseconds(BoundedHttpServer::kRequestMilliseconds);
  }
  // The time for the answer begins with its first byte: until then the engine may have thought.
  Clock::time_point write_deadline() const {
    if (write_deadline_ == Clock::time_point{}) write_deadline_ = deadline_from_now();
    return write_deadline_;
  }

  bool wait(short event, Clock::time_point deadline) const {
    if (closed_ || Clock::now() >= deadline) return false;
    // Who keeps nobody waiting need not make room.
    if (const std::optional<bool> ready = poll_for(event, 0)) return *ready;
    connections_.begin_wait(number_, socket_);
    const bool ready = poll_until(event, deadline);
    closed_ = !connections_.end_wait(number_);
    return ready && !closed_;
  }

  bool poll_until(short event, Clock::time_point deadline) const {
    for (;;) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return false;
      if (const std::optional<bool> ready = poll_for(event, static_cast<int>(left))) return *ready;
    }
  }

  // Whether the socket is ready; false: nothing is awaited any more; nothing: not yet.
  std::optional<bool> poll_for(short event, int milliseconds) const {
    std::array<pollfd, 2> polled = {{{socket_, event, 0}, {hang_up_event_, POLLIN, 0}}};
    const int ready = ::poll(polled.data(), polled.size(), milliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) return std::nullopt;
    return ready > 0 && polled[1].revents == 0;
  }

  // Nobody asks.
  static void unknown(std::string& ip, int& port) {
    ip.clear();
    port = 0;
  }

  const socket_t socket_;
  const int hang_up_event_;
  ConnectionTable& connections_;
  const std::uint64_t number_ = connections_.next_number();
  mutable bool closed_ = false;  // to make room
  const Clock::time_point read_deadline_ = deadline_from_now();
  mutable Clock::time_point write_deadline_{};
  std::array<char, 4096> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t read_bytes_ = 0;
};

// The threads that serve connections.
class ConnectionQueue final : public httplib::ThreadPool {
 public:
  explicit ConnectionQueue(ConnectionTable& connections)
      : ThreadPool(BoundedHttpServer::kConnections), connections_(connections) {}
  void enqueue(std::function<void()> serve) override {
    connections_.add();
    ThreadPool::enqueue(std::move(serve));
  }

 private:
  ConnectionTable& connections_;
};

}  // namespace

void ConnectionTable::add() {
  const std::lock_guard lock(mutex_);
  ++open_;
  make_room();
}

std::uint64_t ConnectionTable::next_number() {
  const std::lock_guard lock(mutex_);
  return next_number_++;
}

void ConnectionTable::begin_wait(std::uint64_t number, socket_t socket) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace(number, socket);
  make_room();
}

bool ConnectionTable::end_wait(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  return waiting_.erase(number) > 0;
}

void ConnectionTable::remove(bool closed_here) {
  const std::lock_guard lock(mutex_);
  if (!closed_here) --open_;
}

void ConnectionTable::make_room() {
  while (open_ > most_ && !waiting_.empty()) {
    const auto oldest = waiting_.begin();
    ::shutdown(oldest->second, SHUT_RDWR);
    waiting_.erase(oldest);
    --open_;
  }
}

BoundedHttpServer::BoundedHttpServer() : hang_up_event_(::eventfd(0, EFD_CLOEXEC)) {
  if (hang_up_event_ < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make an eventfd");
  set_payload_max_length(kMostBodyBytes);
  new_task_queue = [this] { return new ConnectionQueue(connections_); };
  // The library's own choice would let a second server share the port.
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
}

BoundedHttpServer::~BoundedHttpServer() { ::close(hang_up_event_); }

int BoundedHttpServer::bind(const std::string& host, int port) {
  const int bound = port == 0 ? bind_to_any_port(host) : bind_to_port(host, port) ? port : -1;
  // The library lets only five connections wait to be accepted; those beyond would try again after
  // a second.
  constexpr int kBacklog = 128;
  if (bound >= 0) ::listen(svr_sock_, kBacklog);
  return bound;
}

void BoundedHttpServer::hang_up() { ::eventfd_write(hang_up_event_, 1); }

bool BoundedHttpServer::process_and_close_socket(socket_t socket) {
  bool done = false;
  {
    BoundedStream stream(socket, hang_up_event_, connections_);
    bool closed = false;
    done = process_request(stream, true, closed, nullptr);
    stream.finish();
  }
  ::close(socket);
  return done;
}

}  // namespace baghzero
