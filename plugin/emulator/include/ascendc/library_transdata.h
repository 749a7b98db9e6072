// Rearrangement of images with a depth: channels and batches in blocks of 16.
#pragma once

#include "data_format.h"
#include "layout.h"
#include "library.h"
#include "system.h"

namespace npu_emu::vec {
// `split` is the other shape, as the kernel states it.
void transData(Operand dst, Operand src, const Temporary& temporary, sizes::Rearrangement kind,
               const sizes::Volume& volume, const uint32_t (&split)[7]);
}  // namespace npu_emu::vec

namespace AscendC {

template <typename T, typename U>
struct TransDataParams {
  T srcLayout;
  U dstLayout;
};

namespace npu_emu_detail {

template <size_t rank, typename Shape>
inline void extentsOf(const Shape& shape, uint32_t (&extents)[7]) {
  static_assert(Std::tuple_size_v<Shape> == rank,
                "TransData takes shapes of 5 (NCDHW), 6 (NDC1HWC0) and 7 (FRACTAL_Z_3D) extents");
  Std::apply(
      [&](const auto&... extent) {
        size_t i = 0;
        ((extents[i++] = static_cast<uint32_t>(extent)), ...);
      },
      shape);
}

template <const TransDataConfig& config, typename T, typename U, typename S>
inline void transData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const npu_emu::Temporary& temporary,
                      const TransDataParams<U, S>& params) {
  using npu_emu::sizes::Rearrangement;
  static_assert(npu_emu::Types<int16_t, uint16_t, half, bfloat16_t>::has<T>,
                "TransData supports int16_t, uint16_t, half and bfloat16_t on Atlas A2");
  static_assert(is_layout_v<U> && is_layout_v<S>, "TransData takes TransDataParams of two Layouts");
  constexpr bool splits = config.srcFormat == DataFormat::NCDHW;
  constexpr DataFormat other = splits ? config.dstFormat : config.srcFormat;
  constexpr bool isBlocks = other == DataFormat::NDC1HWC0;
  static_assert((splits || config.dstFormat == DataFormat::NCDHW) && (isBlocks || other == DataFormat::FRACTAL_Z_3D),
                "TransData goes between NCDHW and NDC1HWC0 or FRACTAL_Z_3D on Atlas A2");
  uint32_t plain[7] = {}, split[7] = {};
  if constexpr (splits) {
    extentsOf<5>(params.srcLayout.GetShape(), plain);
    extentsOf<isBlocks ? 6 : 7>(params.dstLayout.GetShape(), split);
  } else {
    extentsOf<5>(params.dstLayout.GetShape(), plain);
    extentsOf<isBlocks ? 6 : 7>(params.srcLayout.GetShape(), split);
  }
  constexpr Rearrangement kind = isBlocks ? (splits ? Rearrangement::ToBlocks : Rearrangement::FromBlocks)
                                          : (splits ? Rearrangement::ToFractal : Rearrangement::FromFractal);
  npu_emu::vec::transData(dst.npu_emu_operand(), src.npu_emu_operand(), temporary, kind,
                          {plain[0], plain[1], plain[2], plain[3], plain[4]}, split);
}

}  // namespace npu_emu_detail

// What fills up the last 32 bytes of H * W in an output is undefined.
// api: TransData | V | int16_t uint16_t half bfloat16_t | documented: the clock: inferred
template <const TransDataConfig& config, typename T, typename U, typename S>
inline void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                      const LocalTensor<uint8_t>& sharedTmpBuffer, const TransDataParams<U, S>& params) {
  if ASCEND_IS_AIV
    npu_emu_detail::transData<config>(dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), params);
}
template <const TransDataConfig& config, typename T, typename U, typename S>
inline void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                      const TransDataParams<U, S>& params) {
  if ASCEND_IS_AIV
    npu_emu_detail::transData<config>(dstTensor, srcTensor, npu_emu::stackTemporary(), params);
}

}  // namespace AscendC
