// The cube core: loads to L0, matrix multiplication, and the way out of L0C.
#pragma once

#include <cstring>

#include "tensor.h"

namespace AscendC {

namespace detail {

template <typename T>
constexpr npu_emu::cube::Element cubeElement() {
  using Element = npu_emu::cube::Element;
  if constexpr (std::is_same_v<T, half>) {
    return Element::Half;
  } else if constexpr (std::is_same_v<T, bfloat16_t>) {
    return Element::Bf16;
  } else if constexpr (std::is_same_v<T, float>) {
    return Element::Float;
  } else if constexpr (std::is_same_v<T, int8_t>) {
    return Element::Int8;
  } else if constexpr (std::is_same_v<T, uint8_t>) {
    return Element::UInt8;
  } else {
    static_assert(std::is_same_v<T, int32_t>, "the cube core does not support this element type on Atlas A2");
    return Element::Int32;
  }
}

template <typename C, typename A, typename B>
constexpr bool mmadIsLegal = std::is_same_v<A, B> && ((std::is_same_v<A, int8_t> && std::is_same_v<C, int32_t>) || (npu_emu::Types<half, bfloat16_t, float>::has<A> && std::is_same_v<C, float>));

template <typename D, typename S>
constexpr bool fixpipeIsLegal = (std::is_same_v<S, float> && npu_emu::Types<float, half, bfloat16_t, int8_t, uint8_t>::has<D>) || (std::is_same_v<S, int32_t> && npu_emu::Types<int32_t, half, int8_t, uint8_t>::has<D>);

template <typename T, typename U>
constexpr npu_emu::cube::WayOut wayOut(CO2Layout layout, const npu_emu::Operand* scales = nullptr) {
  static_assert(fixpipeIsLegal<T, U>, "Fixpipe between these element types is not available on Atlas A2");
  return {layout, cubeElement<U>(), cubeElement<T>(), scales};
}
template <typename T, typename U>
constexpr npu_emu::cube::WayOut wayToL1(const npu_emu::Operand* scales = nullptr) {
  static_assert(!std::is_same_v<T, U>, "Fixpipe from L0C to L1 changes the element type on Atlas A2");
  return wayOut<T, U>(CO2Layout::NZ, scales);
}

}  // namespace detail

// api: LoadData | MTE1 | any | documented: two-dimensional loads only
template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& loadDataParams) {
  npu_emu::cube::loadData(dst.operand(), src.operand(), loadDataParams, sizeof(T));
}
// api: LoadDataWithTranspose | MTE1 | 8, 16 and 32 bits | documented
template <typename T>
inline void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2dTransposeParams& loadDataParams) {
  npu_emu::cube::loadDataTranspose(dst.operand(), src.operand(), loadDataParams, sizeof(T));
}

// api: Mmad | M | int8_t->int32_t half->float bfloat16_t->float float->float | documented; order of the sums: inferred
template <typename T, typename U, typename S>
inline void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter, const MmadParams& mmadParams) {
  static_assert(detail::mmadIsLegal<T, U, S>, "Mmad does not support these element types on Atlas A2");
  npu_emu::cube::mmad(dst.operand(), fm.operand(), filter.operand(), nullptr, mmadParams, detail::cubeElement<U>());
}
template <typename T, typename U, typename S, typename V>
inline void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter, const LocalTensor<V>& bias, const MmadParams& mmadParams) {
  static_assert(detail::mmadIsLegal<T, U, S>, "Mmad does not support these element types on Atlas A2");
  static_assert(std::is_same_v<T, V>, "the bias of Mmad has the element type of its result");
  npu_emu::Operand biasOperand = bias.operand();
  npu_emu::cube::mmad(dst.operand(), fm.operand(), filter.operand(), &biasOperand, mmadParams, detail::cubeElement<U>());
}

// api: Fixpipe | FIX | float->float float->half float->bfloat16_t float->int8_t float->uint8_t int32_t->int32_t int32_t->half int32_t->int8_t int32_t->uint8_t | documented; sign of the offset, unit of srcNdStride and rounding before the offset is added: inferred
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& intriParams) {
  npu_emu::cube::fixpipe(dst.gm(), src.operand(), intriParams, detail::wayOut<T, U>(config.format));
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR, typename S = uint64_t, std::enable_if_t<std::is_same_v<S, uint64_t>, bool> = true>
inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace, const FixpipeParamsV220& intriParams) {
  npu_emu::Operand scales = cbufWorkspace.operand();
  npu_emu::cube::fixpipe(dst.gm(), src.operand(), intriParams, detail::wayOut<T, U>(config.format, &scales));
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& intriParams) {
  static_assert(config.format == CO2Layout::NZ, "Fixpipe from L0C to L1 takes CFG_NZ on Atlas A2");
  npu_emu::cube::fixpipeLocal(dst.operand(), src.operand(), intriParams, detail::wayToL1<T, U>());
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR, typename S = uint64_t, std::enable_if_t<std::is_same_v<S, uint64_t>, bool> = true>
inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace, const FixpipeParamsV220& intriParams) {
  static_assert(config.format == CO2Layout::NZ, "Fixpipe from L0C to L1 takes CFG_NZ on Atlas A2");
  npu_emu::Operand scales = cbufWorkspace.operand();
  npu_emu::cube::fixpipeLocal(dst.operand(), src.operand(), intriParams, detail::wayToL1<T, U>(&scales));
}

// api: SetHF32Mode, SetHF32TransMode | S | - | documented; 11 bits of the mantissa: guessed, the documentation has only a figure
inline void SetHF32Mode(HF32Mode mode) { npu_emu::cube::setHf32(mode == HF32Mode::ENABLE); }
inline void SetHF32Mode(bool hf32Mode) { npu_emu::cube::setHf32(hf32Mode); }
inline void SetHF32TransMode(HF32TransMode mode) { npu_emu::cube::setHf32TiesToZero(mode == HF32TransMode::NEAREST_ZERO); }
inline void SetHF32TransMode(bool hf32TransMode) { npu_emu::cube::setHf32TiesToZero(hf32TransMode); }

// api: Fill, InitConstValue | MTE2, MTE1 | int16_t uint16_t half bfloat16_t int32_t uint32_t float | documented
template <typename T, typename U, std::enable_if_t<std::is_same_v<T, U>, bool> = true>
inline void Fill(const LocalTensor<T>& dst, const InitConstValueParams<U>& initConstValueParams) {
  static_assert(npu_emu::Types<int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>::has<T>, "Fill does not support this element type on Atlas A2");
  uint64_t bits = 0;
  std::memcpy(&bits, &initConstValueParams.initValue, sizeof(T));
  npu_emu::cube::fill(dst.operand(), initConstValueParams.repeatTimes, initConstValueParams.blockNum, initConstValueParams.dstGap, bits, sizeof(T));
}
template <typename T, typename U, std::enable_if_t<std::is_same_v<T, U>, bool> = true>
inline void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<U>& initConstValueParams) {
  Fill(dst, initConstValueParams);
}

}  // namespace AscendC
