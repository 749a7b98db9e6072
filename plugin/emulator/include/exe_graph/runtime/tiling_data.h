// The buffer that travels from the tiling function to the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "graph/ge_error_codes.h"
#include "securec.h"

#pragma GCC visibility push(default)

namespace gert {

// api: TilingData | - | - | inferred: no public reference
class TilingData {
 public:
  TilingData(void* data, size_t capacity);

  size_t GetCapacity() const;
  size_t GetDataSize() const;
  void SetDataSize(size_t bytes);
  void* GetData();
  const void* GetData() const;

  // Takes `bytes` more; nullptr when they do not fit.
  void* Expand(size_t bytes) {
    if (size_ > capacity_ || bytes > capacity_ - size_) return nullptr;
    void* taken = static_cast<unsigned char*>(data_) + size_;
    size_ += bytes;
    return taken;
  }
  // Appends a value behind what is there; fails when it does not fit.
  template <class T, std::enable_if_t<std::is_standard_layout_v<T>, int> = 0>
  ge::graphStatus Append(const T& value) {
    return AppendBytes(&value, sizeof(T));
  }
  template <class T, std::enable_if_t<std::is_standard_layout_v<T>, int> = 0>
  ge::graphStatus Append(const T* values, size_t count) {
    return AppendBytes(values, sizeof(T) * count);
  }

 private:
  ge::graphStatus AppendBytes(const void* bytes, size_t count);

  void* data_;
  size_t capacity_;
  size_t size_;
};

// api: operator<< | - | - | inferred: no public reference
template <class T, std::enable_if_t<std::is_standard_layout_v<T>, int> = 0>
TilingData& operator<<(TilingData& out, const T& value) {
  out.Append(value);
  return out;
}

}  // namespace gert

#pragma GCC visibility pop
