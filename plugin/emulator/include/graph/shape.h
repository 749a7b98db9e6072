// ge::Shape: a list of extents as graph code sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/types.h"

extern template class std::vector<int64_t>;

#pragma GCC visibility push(default)

namespace ge {

// api: Shape | - | - | inferred: no public reference
class Shape {
 public:
  Shape();
  explicit Shape(const std::vector<int64_t>& dims);

  size_t GetDimNum() const;
  int64_t GetDim(size_t index) const;
  graphStatus SetDim(size_t index, int64_t extent);
  std::vector<int64_t> GetDims() const;
  int64_t GetShapeSize() const;

 private:
  std::vector<int64_t> dims_;
};

}  // namespace ge

#pragma GCC visibility pop
