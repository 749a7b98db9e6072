// gert::Stride: the distances between elements of a tensor that is a view of another, in elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace gert {

// api: Stride | - | - | inferred: no public reference
class Stride {
 public:
  static constexpr size_t kMaxDimNum = 25;
  static constexpr int64_t kInvalidDimValue = INT64_MIN;
  static constexpr int64_t kInvalidStrideValue = kInvalidDimValue;

  Stride() = default;
  Stride(std::initializer_list<int64_t> strides) {
    if (strides.size() > kMaxDimNum) return;
    for (int64_t stride : strides) strides_[count_++] = stride;
  }

  size_t GetDimNum() const { return count_; }
  // More dimensions than a stride can have leave it as it is.
  void SetDimNum(size_t count) {
    if (count <= kMaxDimNum) count_ = count;
  }
  // kInvalidDimValue when there is no such dimension.
  int64_t GetStride(size_t index) const { return index < count_ ? strides_[index] : kInvalidDimValue; }
  void SetStride(size_t index, int64_t stride) {
    if (index < kMaxDimNum) strides_[index] = stride;
  }
  Stride& AppendStride(int64_t stride) {
    if (count_ < kMaxDimNum) strides_[count_++] = stride;
    return *this;
  }
  int64_t operator[](size_t index) const { return GetStride(index); }
  int64_t& operator[](size_t index) { return strides_[index]; }
  bool operator==(const Stride& other) const {
    if (count_ != other.count_) return false;
    for (size_t i = 0; i < count_; ++i)
      if (strides_[i] != other.strides_[i]) return false;
    return true;
  }
  bool operator!=(const Stride& other) const { return !(*this == other); }

 private:
  size_t count_ = 0;
  int64_t strides_[kMaxDimNum] = {};
};

}  // namespace gert
