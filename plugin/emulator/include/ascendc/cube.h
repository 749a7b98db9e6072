// The cube core: loads to L0, matrix multiplication, and the way out of L0C.
#pragma once

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
  } else {
    static_assert(std::is_same_v<T, int32_t>, "the cube core does not support this element type on Atlas A2");
    return Element::Int32;
  }
}

template <typename C, typename A, typename B>
constexpr bool mmadIsLegal = std::is_same_v<A, B> && ((std::is_same_v<A, int8_t> && std::is_same_v<C, int32_t>) || (npu_emu::Types<half, bfloat16_t, float>::has<A> && std::is_same_v<C, float>));

template <typename D, typename S>
constexpr bool fixpipeIsLegal = (std::is_same_v<S, float> && npu_emu::Types<float, half, bfloat16_t>::has<D>) || (std::is_same_v<S, int32_t> && std::is_same_v<D, int32_t>);

}  // namespace detail

// api: LoadData | MTE1 | any | documented: two-dimensional loads only
template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& loadDataParams) {
  npu_emu::cube::loadData(dst.operand(), src.operand(), loadDataParams, sizeof(T));
}
// api: LoadDataWithTranspose | MTE1 | any | documented
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

// api: Fixpipe | FIX | float->float float->half float->bfloat16_t int32_t->int32_t | documented: NoQuant, F322F16 and F322BF16
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& intriParams) {
  static_assert(detail::fixpipeIsLegal<T, U>, "Fixpipe between these element types is not available");
  npu_emu::cube::fixpipe(dst.gm(), src.operand(), intriParams, config.format, detail::cubeElement<T>(), detail::cubeElement<U>());
}

}  // namespace AscendC
