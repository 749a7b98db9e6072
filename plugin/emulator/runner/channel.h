// Messages with file descriptors over a socket pair.
#pragma once

#include <chrono>
#include <string>
#include <vector>

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

// Milliseconds until the deadline, for poll: rounded up, at least 0.
int millisecondsUntil(Deadline deadline);

// Sends the payload and the descriptors with it.
Transfer sendMessage(int socket, const std::string& payload, const std::vector<int>& descriptors, Deadline deadline);
// Receives one message; one of more than `limit` bytes counts as closed.
Transfer receiveMessage(int socket, std::string& payload, std::vector<Descriptor>& descriptors, size_t limit,
                        Deadline deadline);

}  // namespace npu_runner
