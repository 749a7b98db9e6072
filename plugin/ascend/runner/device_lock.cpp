#include "device_lock.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acl_call.h"

namespace npu_ascend {

namespace {
// Every user of the machine may lock: the files hold nothing.
int lockFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) throw Unable{"cannot lock the device: " + path + ": " + std::strerror(errno)};
  (void)fchmod(file, 0666);
  return file;
}

bool lockUntil(int file, int kind, std::chrono::steady_clock::time_point deadline) {
  while (flock(file, kind | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}
}  // namespace

DeviceLock::DeviceLock(const std::string& folder, int device) {
  (void)mkdir(folder.c_str(), 01777);
  (void)chmod(folder.c_str(), 01777);
  const std::string path = folder + "/device-" + std::to_string(device);
  gate_ = lockFile(path + ".gate");
  device_ = lockFile(path + ".lock");
}

DeviceLock::~DeviceLock() { close(); }

void DeviceLock::close() {
  if (gate_ >= 0) ::close(gate_);
  if (device_ >= 0) ::close(device_);
  gate_ = device_ = -1;
}

bool DeviceLock::take(Share share, int milliseconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  if (share == Share::None) return true;
  if (!lockUntil(gate_, LOCK_EX, deadline)) return false;
  const bool taken = lockUntil(device_, share == Share::One ? LOCK_EX : LOCK_SH, deadline);
  flock(gate_, LOCK_UN);
  return taken;
}

void DeviceLock::letGo() { flock(device_, LOCK_UN); }

}  // namespace npu_ascend
