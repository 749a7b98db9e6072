// Bilinear interpolation: gathered blocks are weighted and added along rows.
#pragma once

#include "mask.h"
#include "vector_binary.h"
#include "vector_gather.h"
#include "vector_scalar.h"
#include "vector_unary.h"

namespace AscendC {

namespace npu_emu_detail {

// Composed of the same instructions as in the library of Atlas A2: Gatherb, Brcb, Mul, Add and Adds. `Mask` is a number
// of lanes or two words of bits.
template <typename T, typename Mask>
inline void interpolate(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src0Offset,
                        const LocalTensor<T>& src1, Mask mask, uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride,
                        uint16_t vROffset, uint8_t vRepeat, const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(std::is_same_v<T, half>, "BilinearInterpolation supports half on Atlas A2");
  constexpr uint32_t perRepeat = ONE_REPEAT_BYTE_SIZE / sizeof(T);
  const uint32_t repeats = static_cast<uint32_t>(hRepeat) * vRepeat;
  LocalTensor<T> rows = sharedTmpBuffer.template ReinterpretCast<T>();
  LocalTensor<T> weights = rows[repeats * perRepeat];
  npu_emu::vec::gatherBlocks(rows.npu_emu_operand(), src0.npu_emu_operand(), src0Offset.npu_emu_operand(), repeats, 1,
                             8);
  // One weight for each block, or one for each repeat: laid out are all that the tensor has.
  npu_emu::vec::brcb<uint16_t>(weights.npu_emu_operand(), src1.npu_emu_operand(),
                               static_cast<uint8_t>(src1.GetSize() / 8), 1, 8);
  const BinaryRepeatParams weighing(1, repeatMode ? 1 : 0, 1, 8, repeatMode ? 8 : 1, 8);
  Mul(rows, weights, rows, uint64_t(perRepeat), static_cast<uint8_t>(repeats), weighing);
  for (uint32_t row = 0; row < vRepeat; ++row) {
    LocalTensor<T> first = rows[row * hRepeat * perRepeat];
    if (hRepeat > 1)
      Add(first, first[perRepeat], first, mask, static_cast<uint8_t>(hRepeat - 1),
          BinaryRepeatParams(1, 1, 1, 0, 8, 0));
  }
  const UnaryRepeatParams storing(dstBlkStride, 1, static_cast<uint8_t>(vROffset * sizeof(T) / ONE_BLK_SIZE),
                                  static_cast<uint8_t>(hRepeat * 8));
  Adds(dst, rows, T(0), mask, vRepeat, storing);
}

}  // namespace npu_emu_detail

// api: BilinearInterpolation | V | half | documented: the clock is that of the instructions it is made of
template <typename T>
inline void BilinearInterpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                  const LocalTensor<uint32_t>& src0Offset, const LocalTensor<T>& src1, uint64_t mask,
                                  uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride, uint16_t vROffset,
                                  uint8_t vRepeat, const LocalTensor<uint8_t>& sharedTmpBuffer) {
  npu_emu_detail::interpolate(dst, src0, src0Offset, src1, mask, hRepeat, repeatMode, dstBlkStride, vROffset, vRepeat,
                              sharedTmpBuffer);
}
template <typename T>
inline void BilinearInterpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                  const LocalTensor<uint32_t>& src0Offset, const LocalTensor<T>& src1, uint64_t mask[],
                                  uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride, uint16_t vROffset,
                                  uint8_t vRepeat, const LocalTensor<uint8_t>& sharedTmpBuffer) {
  npu_emu_detail::interpolate(dst, src0, src0Offset, src1, mask, hRepeat, repeatMode, dstBlkStride, vROffset, vRepeat,
                              sharedTmpBuffer);
}

}  // namespace AscendC
