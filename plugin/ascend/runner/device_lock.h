// Who may use a device: many for results, one alone for times. Held across programs and users of a machine, and let go when
// the process ends, however it does.
#pragma once

#include <string>

namespace npu_ascend {

enum class Share { None, Many, One };

class DeviceLock {
 public:
  // `folder`: where the files of the locks are. Throws Unable.
  DeviceLock(const std::string& folder, int device);
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

  // Waits up to so many milliseconds; false where others kept the device.
  bool take(Share share, int milliseconds);
  void letGo();
  // In a child, which must not hold what its parent lets go.
  void close();

 private:
  // who waits holds the gate, so that no crowd of others can pass by for ever
  int gate_ = -1;
  int device_ = -1;
};

}  // namespace npu_ascend
