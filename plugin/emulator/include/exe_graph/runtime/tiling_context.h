// What a tiling function sees and sets.
//
// Plain getters (GetInputShape, GetInputDesc, …) count tensors: a list counts as its length, an optional input left out
// does not count. The getters that say Required, Optional or Dynamic count declared parameters instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/stride.h"
#include "exe_graph/runtime/tensor.h"
#include "exe_graph/runtime/tiling_data.h"

#pragma GCC visibility push(default)

namespace fe {
class PlatFormInfos;
}

namespace gert {

// api: Dim3 | - | - | inferred: launches of threads are for other devices
struct Dim3 {
  Dim3(uint32_t x, uint32_t y = 1, uint32_t z = 1) : x(x), y(y), z(z) {}
  uint32_t x, y, z;
};

// api: TilingContext | - | - | inferred: no public reference
class TilingContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  const void* GetCompileInfo() const;
  template <class T>
  const T* GetCompileInfo() const {
    return static_cast<const T*>(GetCompileInfo());
  }
  fe::PlatFormInfos* GetPlatformInfo() const;

  const StorageShape* GetInputShape(size_t index) const;
  const StorageShape* GetRequiredInputShape(size_t irIndex) const;
  const StorageShape* GetOptionalInputShape(size_t irIndex) const;
  const StorageShape* GetDynamicInputShape(size_t irIndex, size_t instance) const;
  const StorageShape* GetOutputShape(size_t index) const;
  const StorageShape* GetDynamicOutputShape(size_t irIndex, size_t instance) const;
  const Tensor* GetInputTensor(size_t index) const;
  const Tensor* GetRequiredInputTensor(size_t irIndex) const;
  const Tensor* GetOptionalInputTensor(size_t irIndex) const;
  const Tensor* GetDynamicInputTensor(size_t irIndex, size_t instance) const;

  // All tensors are contiguous, as those of an operator that is called alone: none is a view with strides of its own.
  bool InputIsView(size_t) const { return false; }
  bool OutputIsView(size_t) const { return false; }
  bool RequiredInputIsView(size_t) const { return false; }
  bool OptionalInputIsView(size_t) const { return false; }
  bool DynamicInputIsView(size_t, size_t) const { return false; }
  int64_t GetInputOffset(size_t) const { return 0; }
  int64_t GetRequiredInputOffset(size_t) const { return 0; }
  int64_t GetOptionalInputOffset(size_t) const { return 0; }
  int64_t GetDynamicInputOffset(size_t, size_t) const { return 0; }
  int64_t GetOutputOffset(size_t) const { return 0; }
  const Stride* GetInputStride(size_t) const { return nullptr; }
  const Stride* GetRequiredInputStride(size_t) const { return nullptr; }
  const Stride* GetOptionalInputStride(size_t) const { return nullptr; }
  const Stride* GetDynamicInputStride(size_t, size_t) const { return nullptr; }
  const Stride* GetOutputStride(size_t) const { return nullptr; }
  const Stride* GetDynamicOutputStride(size_t, size_t) const { return nullptr; }

  ge::graphStatus SetTilingKey(uint64_t key);
  uint64_t GetTilingKey() const;
  ge::graphStatus SetBlockDim(uint32_t blocks);
  uint32_t GetBlockDim() const;
  ge::graphStatus SetSimdNumBlocks(uint32_t blocks);
  uint32_t GetSimdNumBlocks() const { return GetBlockDim(); }
  // Processors of the device take no part.
  ge::graphStatus SetAicpuBlockDim(uint32_t) { return ge::GRAPH_SUCCESS; }
  ge::graphStatus SetAicpuNumBlocks(uint32_t) { return ge::GRAPH_SUCCESS; }
  uint32_t GetAicpuBlockDim() const { return 0; }
  uint32_t GetAicpuNumBlocks() const { return 0; }
  ge::graphStatus SetDynUBufSize(uint32_t bytes) { return SetLocalMemorySize(bytes); }
  uint32_t GetDynUBufSize() const { return GetLocalMemorySize(); }
  int32_t GetDeterministicLevel() const { return GetDeterministic(); }
  ge::graphStatus SetNeedAtomic(bool atomic);
  bool NeedAtomic() const;
  ge::graphStatus SetTilingCond(int32_t condition);
  int32_t GetTilingCond() const;
  ge::graphStatus SetScheduleMode(uint32_t mode);
  uint32_t GetScheduleMode() const;
  ge::graphStatus SetLocalMemorySize(uint32_t bytes);
  uint32_t GetLocalMemorySize() const;
  int32_t GetDeterministic() const;

  // The buffer as a plain struct; nullptr when it does not fit, and for the classes of BEGIN_TILING_DATA_DEF, which are none:
  // the vendor's header takes them, and their setters then write through an address that nobody set. Sets the data size to
  // that of the struct.
  template <class T>
  T* GetTilingData() {
    return static_cast<T*>(ReserveTilingData(std::is_standard_layout_v<T> ? sizeof(T) : SIZE_MAX));
  }
  TilingData* GetRawTilingData();
  // Bytes of each workspace, to be filled in; nullptr for more than 16.
  size_t* GetWorkspaceSizes(size_t count);
  size_t GetWorkspaceNum() const;

 private:
  void* ReserveTilingData(size_t bytes);
};

}  // namespace gert

#pragma GCC visibility pop
