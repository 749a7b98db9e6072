#include "device_buffer.h"

#include <algorithm>

#include "acl_call.h"

namespace npu_ascend {

std::string recentMessage() {
  const char* text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}

namespace {
// Neither zero nor a poison of outputs by accident: a pattern of a period that no tile has.
std::vector<uint8_t> zone(uint64_t bytes) {
  std::vector<uint8_t> content(bytes);
  for (uint64_t i = 0; i < bytes; i++) content[i] = static_cast<uint8_t>(0x5b + i % 251);
  return content;
}
}  // namespace

// Up to the end of a page, and a page more.
uint64_t DeviceBuffer::backBytes() const { return kZoneBytes - bytes_ % kZoneBytes + kZoneBytes; }

DeviceBuffer::DeviceBuffer(uint64_t bytes) : bytes_(bytes) {
  void* memory = nullptr;
  check("aclrtMalloc", aclrtMalloc(&memory, kZoneBytes + bytes_ + backBytes(), ACL_MEM_MALLOC_HUGE_FIRST));
  base_ = static_cast<uint8_t*>(memory);
  const std::vector<uint8_t> front = zone(kZoneBytes), back = zone(backBytes());
  check("aclrtMemcpy", aclrtMemcpy(base_, front.size(), front.data(), front.size(), ACL_MEMCPY_HOST_TO_DEVICE));
  check("aclrtMemcpy",
        aclrtMemcpy(base_ + kZoneBytes + bytes_, back.size(), back.data(), back.size(), ACL_MEMCPY_HOST_TO_DEVICE));
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept : base_(other.base_), bytes_(other.bytes_) {
  other.base_ = nullptr;
}

DeviceBuffer::~DeviceBuffer() {
  // what is wrong with a device was said before
  if (base_ != nullptr) (void)aclrtFree(base_);
}

void DeviceBuffer::write(const void* from) {
  if (bytes_ == 0) return;
  check("aclrtMemcpy", aclrtMemcpy(data(), bytes_, from, bytes_, ACL_MEMCPY_HOST_TO_DEVICE));
}

void DeviceBuffer::fill(const std::array<uint8_t, 8>& pattern) {
  std::vector<uint8_t> content(bytes_);
  for (uint64_t i = 0; i < bytes_; i++) content[i] = pattern[i % pattern.size()];
  write(content.data());
}

void DeviceBuffer::read(void* to) const {
  if (bytes_ == 0) return;
  check("aclrtMemcpy", aclrtMemcpy(to, bytes_, data(), bytes_, ACL_MEMCPY_DEVICE_TO_HOST));
}

std::optional<Damage> DeviceBuffer::findDamage() const {
  const auto firstChange = [this](uint64_t begin, uint64_t bytes) -> std::optional<uint64_t> {
    const std::vector<uint8_t> expected = zone(bytes);
    std::vector<uint8_t> found(bytes);
    check("aclrtMemcpy", aclrtMemcpy(found.data(), bytes, base_ + begin, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    const auto [change, end] = std::mismatch(found.begin(), found.end(), expected.begin());
    if (change == found.end()) return std::nullopt;
    return static_cast<uint64_t>(change - found.begin());
  };
  if (const auto front = firstChange(0, kZoneBytes))
    return Damage{static_cast<int64_t>(*front) - static_cast<int64_t>(kZoneBytes)};
  if (const auto back = firstChange(kZoneBytes + bytes_, backBytes()))
    return Damage{static_cast<int64_t>(bytes_ + *back)};
  return std::nullopt;
}

}  // namespace npu_ascend
