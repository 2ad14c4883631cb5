// cpp-httplib's server with bounds on what a connection may cost: it carries one request, of which
// only so many bytes are read, for only so long; and those that say nothing make room for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include <httplib.h>

namespace baghzero {

// The open connections of a server, and which of them wait for their peers. All functions may be
// called from any thread.
class ConnectionTable {
 public:
  // Where there are more than `most`, those that wait and are the oldest are closed.
  explicit ConnectionTable(int most) : most_(most) {}

  void add();  // one has been accepted
  // Of a connection that a thread takes up: the lower, the older.
  std::uint64_t next_number();
  void begin_wait(std::uint64_t number, socket_t socket);
  // Whether the connection is still open.
  bool end_wait(std::uint64_t number);
  // The connection is over; `closed_here` if end_wait() said that it had been closed.
  void remove(bool closed_here);

 private:
  void make_room();

  const int most_;
  std::mutex mutex_;  // guards what follows
  std::uint64_t next_number_ = 0;
  int open_ = 0;  // those that were closed here left out
  std::map<std::uint64_t, socket_t> waiting_;
};

class BoundedHttpServer : public httplib::Server {
 public:
  static constexpr int kConnections = 64;  // served side by side, each by a thread
  static constexpr std::size_t kMostRequestBytes = std::size_t{128} << 10;  // headers included
  static constexpr std::size_t kMostBodyBytes = std::size_t{64} << 10;
  static constexpr int kRequestMilliseconds = 5000;  // to arrive, and again for its answer to leave

  // Throws std::system_error if the system has no descriptors left.
  BoundedHttpServer();
  ~BoundedHttpServer() override;

  // Listens there; at any free port if it is 0. Returns the port, -1 if that is not possible.
  int bind(const std::string& host, int port);
  // Ends waiting for requests and answers. Connections that come later are closed at once.
  void hang_up();

 private:
  bool process_and_close_socket(socket_t socket) override;

  int hang_up_event_;
  ConnectionTable connections_{kConnections};
};

}  // namespace baghzero
