// Choosing elements by a mask of bytes or words, and DropOut.
#pragma once

#include "library.h"
#include "mask.h"
#include "system.h"
#include "vector_cast.h"
#include "vector_compare.h"

#pragma GCC visibility push(default)

namespace npu_emu::vec {

struct ByteSelection {
  uint32_t rows, columns, maskColumns;  // as the caller describes them
  uint32_t elements;                    // of the source
  uint32_t maskBytes;                   // of an element of the mask
  bool reusesMask, tensorWhereSet;
};
template <typename T>
void selectByBytes(Operand dst, Operand src, T value, Operand mask, const Temporary& temporary,
                   const ByteSelection& selection);

struct Dropping {
  uint32_t rows, columns, maskColumns;
  uint32_t mode;  // 1, 2: a byte for each element; 3, 4: a bit; in 1 and 4 rows of the mask have more than is needed
  bool keepsRegister;
  float keepProbability;
};
template <typename T>
void dropOut(Operand dst, Operand src, Operand mask, const Temporary& temporary, const Dropping& dropping);

}  // namespace npu_emu::vec

#pragma GCC visibility pop

namespace AscendC {

struct SelectWithBytesMaskShapeInfo {
  SelectWithBytesMaskShapeInfo() {}
  uint32_t firstAxis = 0;
  uint32_t srcLastAxis = 0;
  uint32_t maskLastAxis = 0;
};

// The modes of DropOut; 0 derives the mode from the shapes.
constexpr uint32_t DROPOUT_MODE_BYTE_MISALIGN = 1;
constexpr uint32_t DROPOUT_MODE_BYTE_ALIGN = 2;
constexpr uint32_t DROPOUT_MODE_BIT_ALIGN = 3;
constexpr uint32_t DROPOUT_MODE_BIT_MISALIGN = 4;

struct DropOutShapeInfo {
  DropOutShapeInfo() {}
  uint32_t firstAxis = 0;
  uint32_t srcLastAxis = 0;
  uint32_t maskLastAxis = 0;
};

namespace npu_emu_detail {

template <typename T, typename U, bool isReuseMask>
inline void selectByBytes(const LocalTensor<T>& dst, const LocalTensor<T>& src, T value, const LocalTensor<U>& mask,
                          const LocalTensor<uint8_t>& temporary, const SelectWithBytesMaskShapeInfo& info,
                          bool tensorWhereSet) {
  static_assert(npu_emu::Types<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>::has<U>,
                "SelectWithBytesMask takes masks of bool and of integers of 8 to 32 bits on Atlas A2");
  npu_emu::vec::selectByBytes<T>(
      dst.npu_emu_operand(), src.npu_emu_operand(), value, mask.npu_emu_operand(), npu_emu::temporaryOf(temporary),
      {info.firstAxis, info.srcLastAxis, info.maskLastAxis, src.GetSize(), sizeof(U), isReuseMask, tensorWhereSet});
}

template <typename T, bool isInitBitMode, uint32_t dropOutMode>
inline void dropOut(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& mask,
                    const npu_emu::Temporary& temporary, float keepProb, const DropOutShapeInfo& info) {
  static_assert(npu_emu::isa::Floating::has<T>, "DropOut supports half and float on Atlas A2");
  static_assert(dropOutMode <= 4, "dropOutMode is 0 to 4");
  const bool byBytes = info.srcLastAxis <= info.maskLastAxis;
  const uint32_t inferred = byBytes                                     ? info.srcLastAxis < info.maskLastAxis ? 1 : 2
                            : info.srcLastAxis == info.maskLastAxis * 8 ? 3
                                                                        : 4;
  npu_emu::vec::dropOut<T>(dst.npu_emu_operand(), src.npu_emu_operand(), mask.npu_emu_operand(), temporary,
                           {info.firstAxis, info.srcLastAxis, info.maskLastAxis,
                            dropOutMode == 0 ? inferred : dropOutMode, isInitBitMode, keepProb});
}

}  // namespace npu_emu_detail

// api: Select (by bytes), SelectWithBytesMask | V | half float; mask bool int8_t uint8_t int16_t uint16_t int32_t
//   uint32_t | documented; the clock: inferred
template <typename T, typename U, bool isReuseMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1, const LocalTensor<U>& mask,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info) {
  static_assert(npu_emu::isa::Floating::has<T>, "SelectWithBytesMask supports half and float on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu_detail::selectByBytes<T, U, isReuseMask>(dst, src0, src1, mask, sharedTmpBuffer, info, false);
}
template <typename T, typename U, bool isReuseMask = true>
inline void Select(const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1, const LocalTensor<U>& mask,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info) {
  static_assert(npu_emu::isa::Floating::has<T>, "SelectWithBytesMask supports half and float on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu_detail::selectByBytes<T, U, isReuseMask>(dst, src1, src0, mask, sharedTmpBuffer, info, true);
}
template <typename T, typename U, bool isReuseMask = true>
inline void SelectWithBytesMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1,
                                const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                const SelectWithBytesMaskShapeInfo& info) {
  Select<T, U, isReuseMask>(dst, src0, src1, mask, sharedTmpBuffer, info);
}
template <typename T, typename U, bool isReuseMask = true>
inline void SelectWithBytesMask(const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1,
                                const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                const SelectWithBytesMaskShapeInfo& info) {
  Select<T, U, isReuseMask>(dst, src0, src1, mask, sharedTmpBuffer, info);
}

// What DropOut by bits puts where the mask drops an element: needed once for many calls with isInitBitMode.
// api: DropOutBitModeInit | V | any | inferred: 256 bytes of the temporary memory become zeros, and the comparison mask
//   too
template <typename T>
inline void DropOutBitModeInit(const LocalTensor<T>& sharedTmpBuffer) {
  if ASCEND_IS_AIV {
    constexpr int32_t count = 128;
    LocalTensor<int16_t> zeros = sharedTmpBuffer.template ReinterpretCast<int16_t>();
    ResetMask();
    Duplicate(zeros, int16_t(0), count);
    PipeBarrier<PIPE_V>();
    SetCmpMask(zeros);
    PipeBarrier<PIPE_V>();
  }
}
inline void DropOutBitModeInit() {
  LocalTensor<int16_t> rest;
  PopStackBuffer<int16_t, TPosition::LCM>(rest);
  DropOutBitModeInit(rest);
}

// api: DropOut | V | half float | inferred: elements are multiplied by their byte, or selected by their bit, then by
//   the reciprocal in their type
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
inline void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                    const LocalTensor<uint8_t>& maskLocal, const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const float keepProb, const DropOutShapeInfo& info) {
  if ASCEND_IS_AIV
    npu_emu_detail::dropOut<T, isInitBitMode, dropOutMode>(dstLocal, srcLocal, maskLocal,
                                                           npu_emu::temporaryOf(sharedTmpBuffer), keepProb, info);
}
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
inline void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                    const LocalTensor<uint8_t>& maskLocal, const float keepProb, const DropOutShapeInfo& info) {
  if ASCEND_IS_AIV
    npu_emu_detail::dropOut<T, isInitBitMode, dropOutMode>(dstLocal, srcLocal, maskLocal, npu_emu::stackTemporary(),
                                                           keepProb, info);
}

}  // namespace AscendC
