// Reductions: a whole tensor, each repeat, each 32-byte block, each pair of neighbours.
#pragma once

#include "vector_unary.h"

namespace AscendC {

enum class ReduceType : int32_t { NONE = -1, SUM, MAX, MIN };

namespace npu_emu_detail {

template <typename T>
constexpr void checkReduce() {
  static_assert(npu_emu::isa::Floating::has<T>, "reductions support half and float on Atlas A2");
}

template <ReduceType type>
constexpr npu_emu::vec::Reduction reductionOf() {
  static_assert(type == ReduceType::SUM || type == ReduceType::MAX || type == ReduceType::MIN,
                "reduceType is ReduceType::SUM, MAX or MIN");
  return type == ReduceType::SUM   ? npu_emu::vec::Reduction::Sum
         : type == ReduceType::MAX ? npu_emu::vec::Reduction::Max
                                   : npu_emu::vec::Reduction::Min;
}

#pragma GCC visibility push(default)
npu_emu::Walk reduceWalk(uint64_t lanes, int32_t repeats, int32_t dstRepStride, int32_t srcBlkStride,
                         int32_t srcRepStride, bool setsMask);
npu_emu::Walk reduceWalk(const uint64_t* mask, int32_t repeats, int32_t dstRepStride, int32_t srcBlkStride,
                         int32_t srcRepStride, bool setsMask);
#pragma GCC visibility pop

template <typename T>
inline void reduceRepeats(npu_emu::vec::Reduction kind, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                          const LocalTensor<T>& work, int32_t lanes, int32_t repeats, int32_t stride, bool withIndex) {
  checkReduce<T>();
  uint64_t mask[2];
  npu_emu::maskOfLanes(lanes < 0 ? 0 : static_cast<uint64_t>(lanes), mask);
  npu_emu::vec::reduceRepeats<T>(kind, dst.npu_emu_operand(), src.npu_emu_operand(), work.npu_emu_operand(), mask,
                                 repeats, static_cast<uint32_t>(stride), withIndex);
}
template <typename T>
inline void reduceRepeats(npu_emu::vec::Reduction kind, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                          const LocalTensor<T>& work, const uint64_t* bits, int32_t repeats, int32_t stride,
                          bool withIndex) {
  checkReduce<T>();
  const uint64_t mask[2] = {bits[0], bits[1]};
  npu_emu::vec::reduceRepeats<T>(kind, dst.npu_emu_operand(), src.npu_emu_operand(), work.npu_emu_operand(), mask,
                                 repeats, static_cast<uint32_t>(stride), withIndex);
}

template <typename T>
inline T ofBits(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace npu_emu_detail

// api: ReduceSum | V | half float | documented: a tree in each repeat, totals of the repeats one after the other
template <typename T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                      const int32_t count) {
  npu_emu_detail::checkReduce<T>();
  if (isSetMask) {
    npu_emu::vec::reduce<T>(npu_emu::vec::Reduction::Sum, dst.npu_emu_operand(), src.npu_emu_operand(),
                            sharedTmpBuffer.npu_emu_operand(), static_cast<uint32_t>(count), false);
  } else if (count != 0) {
    npu_emu::vec::sumUnderMask<T>(dst.npu_emu_operand(), src.npu_emu_operand(),
                                  npu_emu_detail::reduceWalk(uint64_t(0), 1, 1, 1, 8, false));
  }
}
template <typename T>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                      const int32_t mask, const int32_t repeatTime, const int32_t srcRepStride) {
  npu_emu_detail::reduceRepeats(npu_emu::vec::Reduction::Sum, dst, src, sharedTmpBuffer, mask, repeatTime, srcRepStride,
                                false);
}
template <typename T>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                      const uint64_t mask[], const int32_t repeatTime, const int32_t srcRepStride) {
  npu_emu_detail::reduceRepeats(npu_emu::vec::Reduction::Sum, dst, src, sharedTmpBuffer, mask, repeatTime, srcRepStride,
                                false);
}

// The overloads of the largest or the smallest element of a tensor: `count` elements, or the lanes of each repeat.
#define NPU_EMU_DECLARE_REDUCE(name, kind)                                                                           \
  template <typename T>                                                                                              \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,      \
                   const int32_t count, bool calIndex = 0) {                                                         \
    npu_emu_detail::checkReduce<T>();                                                                                \
    npu_emu::vec::reduce<T>(npu_emu::vec::Reduction::kind, dst.npu_emu_operand(), src.npu_emu_operand(),             \
                            sharedTmpBuffer.npu_emu_operand(), static_cast<uint32_t>(count), calIndex);              \
  }                                                                                                                  \
  template <typename T>                                                                                              \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,      \
                   const int32_t mask, const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0) {    \
    npu_emu_detail::reduceRepeats(npu_emu::vec::Reduction::kind, dst, src, sharedTmpBuffer, mask, repeatTime,        \
                                  srcRepStride, calIndex);                                                           \
  }                                                                                                                  \
  template <typename T>                                                                                              \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,      \
                   const uint64_t mask[], const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0) { \
    npu_emu_detail::reduceRepeats(npu_emu::vec::Reduction::kind, dst, src, sharedTmpBuffer, mask, repeatTime,        \
                                  srcRepStride, calIndex);                                                           \
  }

// api: ReduceMax | V | half float | documented: the first of equals, NaN before numbers
NPU_EMU_DECLARE_REDUCE(ReduceMax, Max)

// api: ReduceMin | V | half float | documented: the first of equals, NaN before numbers
NPU_EMU_DECLARE_REDUCE(ReduceMin, Min)

#undef NPU_EMU_DECLARE_REDUCE

// api: WholeReduceSum, ReduceRepeat | V | half float | documented: a binary tree over neighbours
template <typename T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask,
                           const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                           const int32_t srcRepStride) {
  npu_emu_detail::checkReduce<T>();
  npu_emu::vec::reduceRepeat<T>(
      npu_emu::vec::Reduction::Sum, dst.npu_emu_operand(), src.npu_emu_operand(),
      npu_emu_detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask),
      ReduceOrder::ORDER_ONLY_VALUE);
}
template <typename T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],
                           const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                           const int32_t srcRepStride) {
  npu_emu_detail::checkReduce<T>();
  npu_emu::vec::reduceRepeat<T>(
      npu_emu::vec::Reduction::Sum, dst.npu_emu_operand(), src.npu_emu_operand(),
      npu_emu_detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask),
      ReduceOrder::ORDER_ONLY_VALUE);
}

// The overloads of the largest or the smallest element of each repeat.
#define NPU_EMU_DECLARE_WHOLE_REDUCE(name, kind)                                                                       \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask, const int32_t repeatTime, \
                   const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,                 \
                   ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                                               \
    npu_emu_detail::checkReduce<T>();                                                                                  \
    npu_emu::vec::reduceRepeat<T>(                                                                                     \
        npu_emu::vec::Reduction::kind, dst.npu_emu_operand(), src.npu_emu_operand(),                                   \
        npu_emu_detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask), order);     \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],                        \
                   const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,                   \
                   const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                   \
    npu_emu_detail::checkReduce<T>();                                                                                  \
    npu_emu::vec::reduceRepeat<T>(                                                                                     \
        npu_emu::vec::Reduction::kind, dst.npu_emu_operand(), src.npu_emu_operand(),                                   \
        npu_emu_detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask), order);     \
  }

// api: WholeReduceMax, ReduceRepeat | V | half float | documented: the first of equals, NaN before numbers
NPU_EMU_DECLARE_WHOLE_REDUCE(WholeReduceMax, Max)

// api: WholeReduceMin, ReduceRepeat | V | half float | documented: the first of equals, NaN before numbers
NPU_EMU_DECLARE_WHOLE_REDUCE(WholeReduceMin, Min)

#undef NPU_EMU_DECLARE_WHOLE_REDUCE

// api: RepeatReduceSum | V | half float | documented
template <typename T, bool isSetMask = true>
inline void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                            const int32_t mask, const int32_t, const int32_t srcBlkStride, const int32_t dstRepStride,
                            const int32_t srcRepStride) {
  WholeReduceSum<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}

// The overloads of a reduction of each 32-byte block.
#define NPU_EMU_DECLARE_BLOCK_REDUCE(name, kind)                                                                       \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const int32_t mask, \
                   const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride) {               \
    npu_emu_detail::checkReduce<T>();                                                                                  \
    npu_emu::vec::reduceBlock<T>(                                                                                      \
        npu_emu::vec::Reduction::kind, dst.npu_emu_operand(), src.npu_emu_operand(),                                   \
        npu_emu_detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask));            \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,                     \
                   const uint64_t mask[], const int32_t dstRepStride, const int32_t srcBlkStride,                      \
                   const int32_t srcRepStride) {                                                                       \
    npu_emu_detail::checkReduce<T>();                                                                                  \
    npu_emu::vec::reduceBlock<T>(                                                                                      \
        npu_emu::vec::Reduction::kind, dst.npu_emu_operand(), src.npu_emu_operand(),                                   \
        npu_emu_detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask));            \
  }

// api: BlockReduceSum, ReduceDataBlock | V | half float | documented: a binary tree over neighbours
NPU_EMU_DECLARE_BLOCK_REDUCE(BlockReduceSum, Sum)

// api: BlockReduceMax, ReduceDataBlock | V | half float | documented: NaN before numbers
NPU_EMU_DECLARE_BLOCK_REDUCE(BlockReduceMax, Max)

// api: BlockReduceMin, ReduceDataBlock | V | half float | documented: NaN before numbers
NPU_EMU_DECLARE_BLOCK_REDUCE(BlockReduceMin, Min)

#undef NPU_EMU_DECLARE_BLOCK_REDUCE

// api: PairReduceSum, ReducePairElem | V | half float | documented
template <typename T, bool isSetMask = true>
inline void PairReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                          const int32_t mask, const int32_t dstRepStride, const int32_t srcBlkStride,
                          const int32_t srcRepStride) {
  npu_emu_detail::checkReduce<T>();
  npu_emu::vec::reducePair<T>(
      dst.npu_emu_operand(), src.npu_emu_operand(),
      npu_emu_detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void PairReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                          const uint64_t mask[], const int32_t dstRepStride, const int32_t srcBlkStride,
                          const int32_t srcRepStride) {
  npu_emu_detail::checkReduce<T>();
  npu_emu::vec::reducePair<T>(
      dst.npu_emu_operand(), src.npu_emu_operand(),
      npu_emu_detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask));
}

// api: ReduceRepeat | V | half float | documented
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
inline void ReduceRepeat(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t mask,
                         const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                         const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {
  static_assert(std::is_same_v<T, U>, "ReduceRepeat takes tensors of one element type on Atlas A2");
  npu_emu_detail::checkReduce<T>();
  npu_emu::vec::reduceRepeat<T>(
      npu_emu_detail::reductionOf<reduceType>(), dst.npu_emu_operand(), src.npu_emu_operand(),
      npu_emu_detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask), order);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
inline void ReduceRepeat(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint64_t mask[],
                         const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                         const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {
  static_assert(std::is_same_v<T, U>, "ReduceRepeat takes tensors of one element type on Atlas A2");
  npu_emu_detail::checkReduce<T>();
  npu_emu::vec::reduceRepeat<T>(
      npu_emu_detail::reductionOf<reduceType>(), dst.npu_emu_operand(), src.npu_emu_operand(),
      npu_emu_detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask), order);
}

// api: ReduceDataBlock | V | half float | documented
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
inline void ReduceDataBlock(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t mask,
                            const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                            const int32_t srcRepStride) {
  static_assert(std::is_same_v<T, U>, "ReduceDataBlock takes tensors of one element type on Atlas A2");
  npu_emu_detail::checkReduce<T>();
  npu_emu::vec::reduceBlock<T>(
      npu_emu_detail::reductionOf<reduceType>(), dst.npu_emu_operand(), src.npu_emu_operand(),
      npu_emu_detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask));
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
inline void ReduceDataBlock(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint64_t mask[],
                            const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                            const int32_t srcRepStride) {
  static_assert(std::is_same_v<T, U>, "ReduceDataBlock takes tensors of one element type on Atlas A2");
  npu_emu_detail::checkReduce<T>();
  npu_emu::vec::reduceBlock<T>(
      npu_emu_detail::reductionOf<reduceType>(), dst.npu_emu_operand(), src.npu_emu_operand(),
      npu_emu_detail::reduceWalk(mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask));
}

// api: ReducePairElem | V | half float | documented
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
inline void ReducePairElem(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t mask,
                           const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                           const int32_t srcRepStride) {
  static_assert(reduceType == ReduceType::SUM, "ReducePairElem adds: reduceType is ReduceType::SUM");
  static_assert(std::is_same_v<T, U>, "ReducePairElem takes tensors of one element type on Atlas A2");
  PairReduceSum<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
inline void ReducePairElem(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint64_t mask[],
                           const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                           const int32_t srcRepStride) {
  static_assert(reduceType == ReduceType::SUM, "ReducePairElem adds: reduceType is ReduceType::SUM");
  static_assert(std::is_same_v<T, U>, "ReducePairElem takes tensors of one element type on Atlas A2");
  PairReduceSum<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
}

// api: GetAccVal, GetReduceRepeatSumSpr | S | half float | documented
template <typename T>
inline T GetReduceRepeatSumSpr() {
  npu_emu_detail::checkReduce<T>();
  return npu_emu_detail::ofBits<T>(npu_emu::vec::sumRegister());
}
template <typename T>
inline T GetAccVal() {
  return GetReduceRepeatSumSpr<T>();
}
inline int64_t GetReduceRepeatSumSpr() { return static_cast<int64_t>(npu_emu::vec::sumRegister()); }
inline int64_t GetAccVal() { return GetReduceRepeatSumSpr(); }

// api: GetReduceMaxMinCount, GetReduceRepeatMaxMinSpr | S | half float | inferred: index counted over all repeats
template <typename T>
inline void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex) {
  npu_emu_detail::checkReduce<T>();
  uint64_t bits = npu_emu::vec::extremeRegister();
  maxMinValue = npu_emu_detail::ofBits<T>(bits);
  maxMinIndex = npu_emu_detail::ofBits<T>(bits >> 32);
}
template <typename T>
inline void GetReduceRepeatMaxMinSpr(uint32_t& maxMinValue, uint32_t& maxMinIndex) {
  npu_emu_detail::checkReduce<T>();
  uint64_t bits = npu_emu::vec::extremeRegister();
  maxMinValue = static_cast<uint32_t>(bits);
  maxMinIndex = static_cast<uint32_t>(bits >> 32);
}
template <typename T>
inline void GetReduceMaxMinCount(T& maxMinValue, T& maxMinIndex) {
  GetReduceRepeatMaxMinSpr<T>(maxMinValue, maxMinIndex);
}
template <typename T>
inline void GetReduceMaxMinCount(uint32_t& maxMinValue, uint32_t& maxMinIndex) {
  GetReduceRepeatMaxMinSpr<T>(maxMinValue, maxMinIndex);
}

}  // namespace AscendC
