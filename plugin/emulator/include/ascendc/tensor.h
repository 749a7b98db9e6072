// LocalTensor and GlobalTensor: typed views of core-local and global memory.
#pragma once

#include "device_load.h"

namespace npu_emu {

// Bytes that elements take; two int4b_t share one.
template <typename T, typename N>
constexpr N bytesOf(N elements) {
  return std::is_same_v<T, int4b_t> ? elements / 2 : elements * static_cast<N>(sizeof(T));
}
template <typename T, typename N>
constexpr N elementsIn(N bytes) {
  return std::is_same_v<T, int4b_t> ? bytes * 2 : bytes / static_cast<N>(sizeof(T));
}

// The bytes of an element, as the low ones of a word.
template <typename T>
inline uint64_t bitsOf(const T& element) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "elements have at most 64 bits");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &element, sizeof(T));
  return bits;
}

}  // namespace npu_emu

namespace AscendC {

template <typename T>
class LocalTensor;

namespace npu_emu_detail {
// `src0 op src1`, carried out by the assignment to a tensor (tensor_operators.h).
template <typename I, typename T>
struct Operation {
  const LocalTensor<T>&src0, &src1;
};
template <typename T>
struct Comparison {
  const LocalTensor<T>&src0, &src1;
  CMPMODE mode;
};
template <typename I, typename T>
void store(const LocalTensor<T>& dst, const Operation<I, T>& operation);
template <typename T, typename U>
void store(const LocalTensor<U>& dst, const Comparison<T>& comparison);
}  // namespace npu_emu_detail

// A buffer without the type of its elements.
using TBufHandle = uint8_t*;

// Where a tensor is. Kernels that lay out the memory themselves set the place by hand, one member after the other.
// api: TBuffAddr | S | - | inferred: address and position can be set in any order; the handle of the buffer is not had
#pragma GCC visibility push(default)
struct TBuffAddr {
  // Of the first byte. Takes one, or an offset in the memory of the position.
  struct npu_emu_Address {
    uint8_t* npu_emu_bytes = nullptr;
    operator uint64_t() const { return reinterpret_cast<uint64_t>(npu_emu_bytes); }
    void operator=(uint64_t place);
  };
  // Another position keeps the offset, in the memory of that position.
  struct npu_emu_Position {
    TPosition npu_emu_value = TPosition::VECCALC;
    operator uint8_t() const { return static_cast<uint8_t>(npu_emu_value); }
    void operator=(uint8_t position);
  };

  TBuffAddr() {}
  TBuffAddr(const npu_emu::LocalBuffer& place, TPosition position)
      : dataLen(place.bytes), npu_emu_buffer(place.buffer) {
    bufferAddr.npu_emu_bytes = place.address;
    logicPos.npu_emu_value = position;
  }

  npu_emu_Address bufferAddr;
  uint32_t dataLen = 0;
  uint16_t npu_emu_buffer = 0;  // 0: unknown, found by address
  npu_emu_Position logicPos;
};
#pragma GCC visibility pop

// api: LocalTensor | S | any | documented
template <typename T>
class LocalTensor {
 public:
  using PrimType = T;

  LocalTensor() {}
  LocalTensor(npu_emu::LocalBuffer buffer, TPosition position) : address_(buffer, position) {}

  // A place in local memory by its offset in bytes, for kernels that lay out the memory themselves.
  LocalTensor(TPosition position, uint32_t address, uint32_t elements)
      : LocalTensor(npu_emu::localMemoryOf(position, address, elements * static_cast<uint32_t>(sizeof(T))), position) {}

  LocalTensor operator[](uint32_t offset) const {
    LocalTensor view = *this;
    uint32_t skipped = npu_emu::bytesOf<T>(offset);
    view.address_.bufferAddr.npu_emu_bytes += skipped;
    view.address_.dataLen = address_.dataLen > skipped ? address_.dataLen - skipped : 0;
    return view;
  }

  template <typename I>
  void operator=(const npu_emu_detail::Operation<I, T>& operation) {
    npu_emu_detail::store(*this, operation);
  }
  template <typename U>
  void operator=(const npu_emu_detail::Comparison<U>& comparison) {
    npu_emu_detail::store(*this, comparison);
  }

  T GetValue(uint32_t index) const { return npu_emu::loadLocal<T>(npu_emu_operand(index)); }

  template <typename U>
  void SetValue(uint32_t index, U value) const {
    npu_emu::scalarWrite(npu_emu_operand(index), npu_emu::bitsOf(static_cast<T>(value)), sizeof(T));
  }

  // Element access as an lvalue.
  T& operator()(uint32_t index) const {
    npu_emu::scalarReference(npu_emu_operand(index), sizeof(T));
    return reinterpret_cast<T*>(address_.bufferAddr.npu_emu_bytes)[index];
  }

  template <typename U>
  LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> view;
    view.address_ = address_;
    return view;
  }

  uint64_t GetPhyAddr() const { return GetPhyAddr(0); }
  uint64_t GetPhyAddr(uint32_t offset) const {
    return reinterpret_cast<uint64_t>(address_.bufferAddr.npu_emu_bytes + npu_emu::bytesOf<T>(offset));
  }
  uint32_t GetSize() const { return npu_emu::elementsIn<T>(address_.dataLen); }
  uint32_t GetLength() const { return address_.dataLen; }
  TPosition GetPosition() const { return address_.logicPos.npu_emu_value; }
  // Takes the place of a buffer.
  void SetAddr(const npu_emu::LocalBuffer& buffer) { address_ = TBuffAddr(buffer, address_.logicPos.npu_emu_value); }
  void SetAddr(const TBuffAddr& place) { address_ = place; }
  // A place by its offset in the memory of the position, which may be set before or after.
  void InitBuffer(uint32_t bufferOffset, uint32_t elements) {
    address_.bufferAddr = bufferOffset;
    address_.dataLen = npu_emu::bytesOf<T>(elements);
    address_.npu_emu_buffer = 0;
  }
  TBufHandle GetBufferHandle() const { return address_.bufferAddr.npu_emu_bytes; }
  void SetSize(uint32_t elements) { address_.dataLen = npu_emu::bytesOf<T>(elements); }
  // api: SetShapeInfo, GetShapeInfo | S | any | documented: zeros where no shape was set
  void SetShapeInfo(const ShapeInfo& shapeInfo) { shape_ = shapeInfo; }
  ShapeInfo GetShapeInfo() const { return shape_; }
  template <typename Tag>
  void SetUserTag(Tag) {}

  npu_emu::Operand npu_emu_operand(uint32_t index = 0) const {
    return {address_.bufferAddr.npu_emu_bytes + npu_emu::bytesOf<T>(size_t(index)), address_.npu_emu_buffer,
            address_.logicPos.npu_emu_value};
  }
  uint16_t npu_emu_buffer() const { return address_.npu_emu_buffer; }
  const uint8_t* npu_emu_bytes() const { return address_.bufferAddr.npu_emu_bytes; }

  TBuffAddr address_;

 private:
  template <typename U>
  friend class LocalTensor;

  ShapeInfo shape_;
};

// api: GlobalTensor | S | any | documented: the size given to SetGlobalBuffer does not limit accesses
template <typename T>
class GlobalTensor {
 public:
  using PrimType = T;

  GlobalTensor() {}

  void SetGlobalBuffer(__gm__ T* buffer, uint64_t elements) {
    SetGlobalBuffer(buffer);
    elements_ = elements;
  }
  void SetGlobalBuffer(__gm__ T* buffer) {
    address_ = buffer;
    if (cacheMode_ != CacheMode::CACHE_MODE_NORMAL) tellCacheMode();
  }

  GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor view;
    view.address_ = address_ + at(offset);
    view.elements_ = elements_ > offset ? elements_ - offset : 0;
    return view;
  }

  T GetValue(uint64_t index) const { return npu_emu::loadGm<T>(npu_emu_address(index)); }
  void SetValue(uint64_t index, T value) const {
    npu_emu::scalarWriteGm(npu_emu_address(index), npu_emu::bitsOf(value), sizeof(T));
  }
  __gm__ T& operator()(uint64_t index) const { return address_[index]; }

  const __gm__ T* GetPhyAddr() const { return address_; }
  __gm__ T* GetPhyAddr(uint64_t offset) const { return address_ + at(offset); }
  uint64_t GetSize() const { return elements_; }
  // api: SetL2CacheHint | S | any | documented: of the whole allocation, for all cores
  template <CacheRwMode rwMode = CacheRwMode::RW>
  void SetL2CacheHint(CacheMode mode) {
    cacheMode_ = mode;
    if (address_ != nullptr) tellCacheMode();
  }
  void SetShapeInfo(const ShapeInfo& shapeInfo) { shape_ = shapeInfo; }
  ShapeInfo GetShapeInfo() const { return shape_; }

  npu_emu::GmAddress npu_emu_address(uint64_t index = 0) const { return (npu_emu::GmAddress)(address_ + at(index)); }

 private:
  // int4b_t takes a byte as a C++ type, and half of one in memory.
  static constexpr uint64_t at(uint64_t index) { return std::is_same_v<T, int4b_t> ? index / 2 : index; }

  void tellCacheMode() const { npu_emu::dma::hintL2(npu_emu_address(), cacheMode_ == CacheMode::CACHE_MODE_DISABLE); }

  __gm__ T* address_ = nullptr;
  uint64_t elements_ = 0;
  ShapeInfo shape_;
  CacheMode cacheMode_ = CacheMode::CACHE_MODE_NORMAL;
};

}  // namespace AscendC
