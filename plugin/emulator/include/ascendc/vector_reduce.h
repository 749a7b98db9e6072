// Reductions: a whole tensor, each repeat, each 32-byte block, each pair of neighbours.
#pragma once

#include "vector_unary.h"

namespace AscendC {

namespace detail {

template <typename T>
constexpr void checkReduce() {
  static_assert(npu_emu::isa::Floating::has<T>, "reductions support half and float on Atlas A2");
}

inline npu_emu::Walk reduceWalk(uint64_t lanes, int32_t repeats, int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, bool setsMask) {
  npu_emu::Walk walk = {npu_emu::Walk::Repeats, setsMask, static_cast<uint16_t>(repeats), static_cast<uint32_t>(lanes), {0, 0}, {1, static_cast<uint16_t>(srcBlkStride), 1}, {static_cast<uint16_t>(dstRepStride), static_cast<uint16_t>(srcRepStride), 8}};
  npu_emu::maskOfLanes(lanes, walk.mask);
  return walk;
}

inline npu_emu::Walk reduceWalk(const uint64_t* mask, int32_t repeats, int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, bool setsMask) {
  npu_emu::Walk walk = reduceWalk(uint64_t(0), repeats, dstRepStride, srcBlkStride, srcRepStride, setsMask);
  walk.count = static_cast<uint32_t>(mask[0]);  // what counter mode reads
  walk.mask[0] = mask[0];
  walk.mask[1] = mask[1];
  return walk;
}

}  // namespace detail

template <typename T>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, const int32_t count) {
  detail::checkReduce<T>();
  npu_emu::vec::reduce<T>(npu_emu::vec::Reduction::Sum, dst.operand(), src.operand(), sharedTmpBuffer.operand(), count, false);
}
template <typename T>
inline void ReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, const int32_t count, bool calIndex = 0) {
  detail::checkReduce<T>();
  npu_emu::vec::reduce<T>(npu_emu::vec::Reduction::Max, dst.operand(), src.operand(), sharedTmpBuffer.operand(), count, calIndex);
}
template <typename T>
inline void ReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, const int32_t count, bool calIndex = 0) {
  detail::checkReduce<T>();
  npu_emu::vec::reduce<T>(npu_emu::vec::Reduction::Min, dst.operand(), src.operand(), sharedTmpBuffer.operand(), count, calIndex);
}

template <typename T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask, const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride) {
  detail::checkReduce<T>();
  npu_emu::vec::reduceRepeat<T>(npu_emu::vec::Reduction::Sum, dst.operand(), src.operand(), detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask), ReduceOrder::ORDER_ONLY_VALUE);
}
template <typename T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride) {
  detail::checkReduce<T>();
  npu_emu::vec::reduceRepeat<T>(npu_emu::vec::Reduction::Sum, dst.operand(), src.operand(), detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask), ReduceOrder::ORDER_ONLY_VALUE);
}
template <typename T, bool isSetMask = true>
inline void WholeReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask, const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {
  detail::checkReduce<T>();
  npu_emu::vec::reduceRepeat<T>(npu_emu::vec::Reduction::Max, dst.operand(), src.operand(), detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask), order);
}
template <typename T, bool isSetMask = true>
inline void WholeReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask, const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {
  detail::checkReduce<T>();
  npu_emu::vec::reduceRepeat<T>(npu_emu::vec::Reduction::Min, dst.operand(), src.operand(), detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask), order);
}

template <typename T, bool isSetMask = true>
inline void BlockReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const int32_t mask, const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride) {
  detail::checkReduce<T>();
  npu_emu::vec::reduceBlock<T>(npu_emu::vec::Reduction::Sum, dst.operand(), src.operand(), detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void BlockReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const int32_t mask, const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride) {
  detail::checkReduce<T>();
  npu_emu::vec::reduceBlock<T>(npu_emu::vec::Reduction::Max, dst.operand(), src.operand(), detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void BlockReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const int32_t mask, const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride) {
  detail::checkReduce<T>();
  npu_emu::vec::reduceBlock<T>(npu_emu::vec::Reduction::Min, dst.operand(), src.operand(), detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void PairReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const int32_t mask, const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride) {
  detail::checkReduce<T>();
  npu_emu::vec::reducePair<T>(dst.operand(), src.operand(), detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask));
}

}  // namespace AscendC
