// gert::Shape: at most 25 extents, no heap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#pragma GCC visibility push(default)

namespace gert {

// api: Shape | - | - | inferred: no public reference
class Shape {
 public:
  static constexpr size_t kMaxDimNum = 25;
  static constexpr int64_t kInvalidDimValue = INT64_MIN;

  Shape();
  Shape(const std::initializer_list<int64_t>& dims);

  bool operator==(const Shape& other) const;
  bool operator!=(const Shape& other) const;

  // Product of the extents; 1 for a scalar, -1 when it overflows or an extent is negative.
  int64_t GetShapeSize() const;
  bool IsScalar() const;
  size_t GetDimNum() const;
  void SetDimNum(size_t count);
  // kInvalidDimValue when there is no such dimension.
  int64_t GetDim(size_t index) const;
  void SetDim(size_t index, int64_t extent);
  Shape& AppendDim(int64_t extent);
  void SetScalar();
  const int64_t& operator[](size_t index) const;
  int64_t& operator[](size_t index);

 private:
  size_t count_;
  int64_t dims_[kMaxDimNum];
};

}  // namespace gert

#pragma GCC visibility pop
