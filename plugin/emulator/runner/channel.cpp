#include "channel.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <unistd.h>

namespace npu_runner {

namespace {

constexpr size_t maxDescriptors = 4;

Transfer waitFor(int socket, short events, Wait wait) {
  pollfd entries[] = {{socket, events, 0}, askerEntry(wait.asker)};
  while (true) {
    const int ready = poll(entries, 2, millisecondsUntil(wait.until));
    if (ready > 0 && entries[1].revents != 0) throw Deserted{};
    if (ready > 0) return Transfer::Done;
    if (ready == 0) return Transfer::TimedOut;
    if (errno != EINTR) return Transfer::Closed;
  }
}

// Attaches descriptors to a message header; `control` must outlive it.
void attach(msghdr& message, const std::vector<int>& descriptors, std::vector<char>& control) {
  if (descriptors.empty()) return;
  const size_t bytes = descriptors.size() * sizeof(int);
  control.assign(CMSG_SPACE(bytes), 0);
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(header), descriptors.data(), bytes);
}

void detach(msghdr& message, std::vector<Descriptor>& descriptors) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
}

// Most of what is received is there already, and only a child waits for its next request without an end.
Transfer receiveBytes(int socket, char* bytes, size_t size, std::vector<Descriptor>& descriptors, Wait wait) {
  const bool isEndless = wait.until == Deadline::max() && wait.asker < 0;
  for (size_t done = 0; done < size;) {
    iovec part{bytes + done, size - done};
    alignas(cmsghdr) char control[CMSG_SPACE(maxDescriptors * sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = recvmsg(socket, &message, (isEndless ? 0 : MSG_DONTWAIT) | MSG_CMSG_CLOEXEC);
    if (got > 0) {
      detach(message, descriptors);
      done += static_cast<size_t>(got);
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
      return Transfer::Closed;
    } else if (errno == EAGAIN) {
      if (const Transfer ready = waitFor(socket, POLLIN, wait); ready != Transfer::Done) return ready;
    }
  }
  return Transfer::Done;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}
Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}
int Descriptor::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

int millisecondsUntil(Deadline deadline) {
  if (deadline == Deadline::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000'000));
}

pollfd askerEntry(int asker) { return {asker, POLLRDHUP, 0}; }

Transfer sendMessage(int socket, const std::string& payload, const std::vector<int>& descriptors, Wait wait) {
  const uint64_t size = payload.size();
  std::string bytes(sizeof size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  bytes += payload;
  std::vector<char> control;
  for (size_t done = 0; done < bytes.size();) {
    iovec part{bytes.data() + done, bytes.size() - done};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (done == 0) attach(message, descriptors, control);
    const ssize_t sent = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) done += static_cast<size_t>(sent);
    if (sent > 0 || errno == EINTR) continue;
    if (errno != EAGAIN) return Transfer::Closed;
    if (const Transfer ready = waitFor(socket, POLLOUT, wait); ready != Transfer::Done) return ready;
  }
  return Transfer::Done;
}

Transfer receiveMessage(int socket, std::string& payload, std::vector<Descriptor>& descriptors, size_t limit,
                        Wait wait) {
  uint64_t size = 0;
  const Transfer header = receiveBytes(socket, reinterpret_cast<char*>(&size), sizeof size, descriptors, wait);
  if (header != Transfer::Done) return header;
  if (size > limit) return Transfer::Closed;
  payload.assign(size, '\0');
  return receiveBytes(socket, payload.data(), size, descriptors, wait);
}

}  // namespace npu_runner
