// cpp-httplib's server with bounds on what a connection may cost: it carries one request, of which
// only so many bytes are read, for only so long.
#pragma once

#include <cstddef>

#include <httplib.h>

namespace baghzero {

class BoundedHttpServer : public httplib::Server {
 public:
  static constexpr std::size_t kMostRequestBytes = std::size_t{128} << 10;  // headers included
  static constexpr std::size_t kMostBodyBytes = std::size_t{64} << 10;
  static constexpr int kRequestMilliseconds = 5000;  // to arrive, and again for its answer to leave

  // Throws std::system_error if the system has no descriptors left.
  BoundedHttpServer();
  ~BoundedHttpServer() override;

  // Ends waiting for requests and answers. Connections that come later are closed at once.
  void hang_up();

 private:
  bool process_and_close_socket(socket_t socket) override;

  int hang_up_event_;
};

}  // namespace baghzero
