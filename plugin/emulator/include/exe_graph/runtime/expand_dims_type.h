// Which axes a shape gains on the way to a format of more of them, as a bit for each axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "exe_graph/runtime/shape.h"
#include "graph/ge_error_codes.h"

namespace gert {

// api: ExpandDimsType | - | - | documented
class ExpandDimsType {
 public:
  using AxisIndex = uint64_t;
  static constexpr size_t kMaxExpandSize = 56;

  ExpandDimsType() = default;
  // `1100`: a 1 for each axis that is new. More axes than there can be are none.
  explicit ExpandDimsType(const char* axes) {
    const size_t size = axes == nullptr ? 0 : std::strlen(axes);
    if (size > kMaxExpandSize) return;
    size_ = size;
    for (size_t i = 0; i < size; ++i)
      if (axes[i] == '1') SetExpandIndex(i);
  }
  explicit ExpandDimsType(int64_t mask) {
    size_ = static_cast<uint64_t>(mask) >> kMaxExpandSize;
    if (size_ > kMaxExpandSize) size_ = 0;
    mask_ = static_cast<uint64_t>(mask) & ((uint64_t{1} << size_) - 1);
  }

  bool operator==(const ExpandDimsType& other) const { return size_ == other.size_ && mask_ == other.mask_; }
  bool operator!=(const ExpandDimsType& other) const { return !(*this == other); }
  AxisIndex GetFullSize() const { return size_; }
  void SetExpandIndex(AxisIndex index) { mask_ |= uint64_t{1} << index; }
  bool IsExpandIndex(AxisIndex index) const { return (mask_ >> index & 1) != 0; }
  // Fails for a shape that has as many axes already.
  ge::graphStatus Expand(const Shape& shape, Shape& expanded) const {
    expanded = Shape();
    size_t next = 0;
    for (size_t i = 0; i < size_; ++i) {
      if (!IsExpandIndex(i) && next == shape.GetDimNum()) return ge::GRAPH_FAILED;
      expanded.AppendDim(IsExpandIndex(i) ? 1 : shape.GetDim(next++));
    }
    while (next < shape.GetDimNum()) expanded.AppendDim(shape.GetDim(next++));
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus Expand(Shape& shape) const {
    const Shape given = shape;
    return Expand(given, shape);
  }

 private:
  uint64_t size_ = 0;
  uint64_t mask_ = 0;
};

}  // namespace gert
