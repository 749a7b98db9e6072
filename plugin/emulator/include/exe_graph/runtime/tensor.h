// A tensor as the host sees it. Only value-dependent inputs carry data; for the others GetData is nullptr.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"
#include "graph/types.h"

#pragma GCC visibility push(default)

namespace gert {

enum TensorPlacement : int32_t { kOnDeviceHbm, kOnHost, kFollowing, kOnDeviceP2p, kTensorPlacementEnd };

// api: TensorPlacementUtils | - | - | inferred: what follows its tensor is on the host
class TensorPlacementUtils {
 public:
  static bool IsOnHost(TensorPlacement placement) { return placement == kOnHost || placement == kFollowing; }
  static bool IsOnDevice(TensorPlacement placement) { return placement == kOnDeviceHbm || placement == kOnDeviceP2p; }
};

// api: Tensor | - | - | inferred: only value-dependent inputs carry data
class Tensor {
 public:
  Tensor();
  Tensor(const StorageShape& shape, const StorageFormat& format, ge::DataType type);

  // Elements of the storage shape.
  int64_t GetShapeSize() const;
  // Bytes of the data.
  size_t GetSize() const;
  const StorageShape& GetShape() const;
  StorageShape& GetShape();
  const Shape& GetStorageShape() const;
  Shape& MutableStorageShape();
  const Shape& GetOriginShape() const;
  Shape& MutableOriginShape();
  ge::DataType GetDataType() const;
  void SetDataType(ge::DataType type);
  const StorageFormat& GetFormat() const;
  ge::Format GetStorageFormat() const;
  ge::Format GetOriginFormat() const;
  StorageFormat& MutableFormat() { return format_; }
  void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }
  void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }
  ExpandDimsType GetExpandDimsType() const { return format_.GetExpandDimsType(); }
  void SetExpandDimsType(const ExpandDimsType& expand) { format_.SetExpandDimsType(expand); }
  TensorPlacement GetPlacement() const;
  const void* GetAddr() const;
  void* GetAddr();
  void SetData(void* data, size_t bytes);

  template <class T>
  const T* GetData() const {
    return static_cast<const T*>(GetAddr());
  }
  template <class T>
  T* GetData() {
    return static_cast<T*>(GetAddr());
  }

 private:
  StorageShape shape_;
  StorageFormat format_;
  ge::DataType type_;
  void* data_;
  size_t bytes_;
};

}  // namespace gert

#pragma GCC visibility pop
