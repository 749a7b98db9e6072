// Messages with file descriptors over a socket pair.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <poll.h>

namespace npu_runner {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

// A descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const { return fd_; }
  int release();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

enum class Transfer { Done, Closed, TimedOut };

// How long to wait, and for whom.
struct Wait {
  Deadline until = Deadline::max();
  // a descriptor at whose other end there is who wants the result; -1: it is always wanted
  int asker = -1;
};

// Thrown by a wait once its asker has gone.
struct Deserted {};

// Milliseconds until the deadline, for poll: rounded up, at least 0.
int millisecondsUntil(Deadline deadline);

// What tells that an asker has gone, for poll: any event of it does.
pollfd askerEntry(int asker);

// Sends the payload and the descriptors with it.
Transfer sendMessage(int socket, const std::string& payload, const std::vector<int>& descriptors, Wait wait);
// Receives one message; one of more than `limit` bytes counts as closed.
Transfer receiveMessage(int socket, std::string& payload, std::vector<Descriptor>& descriptors, size_t limit,
                        Wait wait);

}  // namespace npu_runner
