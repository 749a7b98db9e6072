// The attributes of a node, in the order of its OpDef. Every getter gives nullptr when there is no such attribute or
// when it is of another type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/continuous_vector.h"

#pragma GCC visibility push(default)

namespace npu_emu::host {
struct AttributeTable;
}

namespace gert {

class Tensor;

// api: RuntimeAttrs | - | - | inferred: no public reference
class RuntimeAttrs {
 public:
  explicit RuntimeAttrs(const npu_emu::host::AttributeTable& table);

  template <class T>
  const T* GetAttrPointer(size_t index) const {
    if constexpr (std::is_same_v<T, double>) return FindDouble(index);
    else return static_cast<const T*>(Find(index, widthOf<T>()));
  }

  const int64_t* GetInt(size_t index) const;
  const float* GetFloat(size_t index) const;
  const bool* GetBool(size_t index) const;
  const char* GetStr(size_t index) const;
  const TypedContinuousVector<int64_t>* GetListInt(size_t index) const;
  const TypedContinuousVector<float>* GetListFloat(size_t index) const;
  // The cases here have no lists of lists and no tensors among their attributes.
  const ContinuousVectorVector* GetListListInt(size_t) const { return nullptr; }
  const ContinuousVectorVector* GetListListFloat(size_t) const { return nullptr; }
  const Tensor* GetTensor(size_t) const { return nullptr; }
  size_t GetAttrNum() const;

 private:
  // sizeof of a scalar attribute, 0 for lists: reading an int attribute through a narrower pointer is legal.
  template <class T>
  static constexpr size_t widthOf() {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) return sizeof(T);
    return 0;
  }
  const void* Find(size_t index, size_t width) const;
  // A float as the op-API layer passes it: with the width of the argument of the function.
  const double* FindDouble(size_t index) const;

  const npu_emu::host::AttributeTable* table_;
};

}  // namespace gert

#pragma GCC visibility pop
