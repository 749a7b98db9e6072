// A tensor in the memory of the device, between two zones that nobody may write.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace npu_ascend {

// Bytes of a zone that were written: counted from the tensor's first byte, negative in front of it.
struct Damage {
  int64_t offset;
};

class DeviceBuffer {
 public:
  // Throws AclFailure where there is no memory.
  explicit DeviceBuffer(uint64_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(DeviceBuffer&&) = delete;

  void* data() const { return base_ + kZoneBytes; }
  uint64_t bytes() const { return bytes_; }
  void write(const void* from);
  void fill(const std::array<uint8_t, 8>& pattern);
  void read(void* to) const;
  // The first byte of the zones that has changed.
  std::optional<Damage> findDamage() const;

 private:
  // Tensors begin on the boundary that an allocation of the runtime has.
  static constexpr uint64_t kZoneBytes = 4096;
  uint64_t backBytes() const;
  uint8_t* base_ = nullptr;
  uint64_t bytes_;
};

}  // namespace npu_ascend
