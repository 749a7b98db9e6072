// A fixed list of attribute values in one block of memory.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace gert {

// api: ContinuousVector, TypedContinuousVector | - | - | inferred: no public reference
class ContinuousVector {
 public:
  ContinuousVector(const void* data, size_t size);

  size_t GetSize() const;
  size_t GetCapacity() const;
  const void* GetData() const;

 private:
  const void* data_;
  size_t size_;
};

template <class T>
class TypedContinuousVector : public ContinuousVector {
 public:
  using ContinuousVector::ContinuousVector;

  const T* GetData() const { return static_cast<const T*>(ContinuousVector::GetData()); }
};

// A list of lists.
// api: ContinuousVectorVector | - | - | documented
class ContinuousVectorVector {
 public:
  explicit ContinuousVectorVector(std::vector<ContinuousVector> lists) : lists_(std::move(lists)) {}

  size_t GetSize() const { return lists_.size(); }
  // nullptr when there is no such list.
  const ContinuousVector* Get(size_t index) const { return index < lists_.size() ? &lists_[index] : nullptr; }

 private:
  std::vector<ContinuousVector> lists_;
};

}  // namespace gert

#pragma GCC visibility pop
