// The shape a model names (origin) and the shape that lies in memory (storage). They are equal for ND tensors.
#pragma once

#include <initializer_list>

#include "exe_graph/runtime/shape.h"

#pragma GCC visibility push(default)

namespace gert {

// api: StorageShape | - | - | inferred: no public reference
class StorageShape {
 public:
  StorageShape();
  StorageShape(const std::initializer_list<int64_t>& origin, const std::initializer_list<int64_t>& storage);

  const Shape& GetOriginShape() const;
  const Shape& GetShape() const { return GetOriginShape(); }
  const Shape& GetStorageShape() const;
  Shape& MutableOriginShape();
  Shape& MutableShape() { return MutableOriginShape(); }
  Shape& MutableStorageShape();
  bool operator==(const StorageShape& other) const;
  bool operator!=(const StorageShape& other) const;

 private:
  Shape origin_;
  Shape storage_;
};

}  // namespace gert

#pragma GCC visibility pop
