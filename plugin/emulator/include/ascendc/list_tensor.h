// Lists of tensors in one argument: a descriptor in global memory with the shape and the address of each tensor.
#pragma once

#include "tensor.h"

namespace AscendC {

// One tensor of a list. The caller provides the memory for its shape.
// api: TensorDesc | S | any | documented
template <class T>
class TensorDesc {
 public:
  void SetShapeAddr(uint64_t* shapePtr) { shape_ = shapePtr; }
  uint64_t GetDim() { return dim_; }
  uint64_t GetIndex() { return index_; }
  uint64_t GetShape(uint32_t offset) { return shape_[offset]; }
  __gm__ T* GetDataPtr() { return data_; }
  GlobalTensor<T> GetDataObj() {
    uint64_t elements = 1;
    // no tensor has more dimensions, whatever a kernel has made of this one: the loop takes no time
    for (uint32_t i = 0; i < dim_ && i < 8; ++i) elements *= shape_[i];
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data_, elements);
    return tensor;
  }

 private:
  friend class ListTensorDesc;
  uint32_t dim_ = 0;
  uint32_t index_ = 0;
  uint64_t* shape_ = nullptr;
  __gm__ T* data_ = nullptr;
};

// Layout: the byte offset of the address table, then per tensor its rank (low half of a word) and index (high half) and
// its extents. The first index is the number of tensors.
// api: ListTensorDesc | S | any | documented
class ListTensorDesc {
 public:
  ListTensorDesc() = default;
  ListTensorDesc(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff) {
    Init(data, length, shapeSize);
  }

  // What length and shapeSize should be is asserted, and assertions are left out of what a device runs.
  void Init(__gm__ void* data, uint32_t /*length*/ = 0xffffffff, uint32_t /*shapeSize*/ = 0xffffffff) {
    words_ = (npu_emu::GmAddress)data;
    table_ = word(0);
    rank_ = static_cast<uint32_t>(word(8));
    stride_ = rank_ == 0 ? 2 : 1 + rank_;
    count_ = static_cast<uint32_t>(word(8) >> 32);
    if (count_ == 0) count_ = static_cast<uint32_t>(word(table_ - 8 * stride_) >> 32) + 1;
  }

  template <class T>
  void GetDesc(TensorDesc<T>& desc, uint32_t index) {
    desc.data_ = GetDataPtr<T>(index);
    desc.dim_ = rank_;
    desc.index_ = index;
    if (desc.shape_ == nullptr) npu_emu::deviceTrap("ListTensorDesc::GetDesc: call SetShapeAddr before");
    uint64_t info = 8 + uint64_t(index) * stride_ * 8;
    for (uint32_t i = 0; i < rank_; ++i) desc.shape_[i] = word(info + 8 * (1 + i));
  }

  // The number of tensors is found by the rank of the first one, and wrong where ranks differ; addresses are right all the same.
  template <class T>
  __gm__ T* GetDataPtr(uint32_t index) {
    return (__gm__ T*)word(table_ + 8 * uint64_t(index));
  }
  uint32_t GetSize() { return count_; }

 private:
  uint64_t word(uint64_t offset) const { return npu_emu::loadGm<uint64_t>(words_ + offset); }

  npu_emu::GmAddress words_ = nullptr;
  uint64_t table_ = 0;
  uint32_t rank_ = 0;
  uint32_t stride_ = 2;
  uint32_t count_ = 0;
};

}  // namespace AscendC
