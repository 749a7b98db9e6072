// Reductions of matrices along one axis, and running sums, by the library.
#pragma once

#include "library.h"
#include "system.h"
#include "vector_reduce.h"

#pragma GCC visibility push(default)

namespace npu_emu::vec {

enum class Fold : uint8_t { Sum, Mean, Max, Min, Product, Any, All };

struct Folding {
  Fold fold;
  uint32_t first, last;
  bool alongLast, padded, reusesSource;
};
template <typename T>
void foldMatrix(Operand dst, Operand src, const Temporary& temporary, const Folding& folding);

struct RowSums {
  uint32_t rows, stride, elements;
  bool mean, widened;
};
// The sum or the mean of every row.
template <typename T>
void sumRows(Operand dst, Operand src, const Temporary& temporary, const RowSums& sums);
void sumXors(Operand dst, Operand src0, Operand src1, const Temporary& temporary, uint32_t count, bool reusesSource);

struct RunningSums {
  uint32_t rows, columns;
  bool alongLast, lastRow;
};
template <typename T>
void sumRunning(Operand dst, Operand lastRow, Operand src, const Temporary& temporary, const RunningSums& sums);

}  // namespace npu_emu::vec

#pragma GCC visibility pop

namespace AscendC {

namespace Pattern::Reduce {

// The axes of a tensor: A is kept, R reduced.
struct R {};
struct RA {};
struct AR {};
struct ARA {};
struct ARAR {};
struct ARARA {};
struct ARARAR {};
struct ARARARA {};
struct ARARARAR {};
struct ARARARARA {};
struct RAR {};
struct RARA {};
struct RARAR {};
struct RARARA {};
struct RARARAR {};
struct RARARARA {};

}  // namespace Pattern::Reduce

namespace npu_emu_detail {

template <npu_emu::vec::Fold fold, typename Types, class T, class pattern, bool isReuseSource>
inline void foldMatrix(const LocalTensor<T>& dst, const LocalTensor<T>& src, const npu_emu::Temporary& temporary,
                       const uint32_t* srcShape, bool srcInnerPad) {
  static_assert(Types::template has<T>, "this reduction does not support the element type on Atlas A2");
  constexpr bool alongLast = std::is_same_v<pattern, Pattern::Reduce::AR>;
  static_assert(alongLast || std::is_same_v<pattern, Pattern::Reduce::RA>,
                "reductions support the patterns AR and RA on Atlas A2");
  npu_emu::vec::foldMatrix<T>(dst.npu_emu_operand(), src.npu_emu_operand(), temporary,
                              {fold, srcShape[0], srcShape[1], alongLast, srcInnerPad, isReuseSource});
}

using Summable = npu_emu::Types<float>;
using Truths = npu_emu::Types<uint8_t, float>;

}  // namespace npu_emu_detail

// The overloads of a reduction of a matrix to one row or one column, with and without sharedTmpBuffer.
#define NPU_EMU_DECLARE_MATRIX_REDUCE(name, fold, Types)                                                        \
  template <class T, class pattern, bool isReuseSource = false>                                                 \
  inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                            \
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[], bool srcInnerPad) {  \
    if ASCEND_IS_AIV                                                                                            \
      npu_emu_detail::foldMatrix<npu_emu::vec::Fold::fold, Types, T, pattern, isReuseSource>(                   \
          dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), srcShape, srcInnerPad);                  \
  }                                                                                                             \
  template <class T, class pattern, bool isReuseSource = false>                                                 \
  inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t srcShape[], \
                   bool srcInnerPad) {                                                                          \
    if ASCEND_IS_AIV                                                                                            \
      npu_emu_detail::foldMatrix<npu_emu::vec::Fold::fold, Types, T, pattern, isReuseSource>(                   \
          dstTensor, srcTensor, npu_emu::stackTemporary(), srcShape, srcInnerPad);                              \
  }

// api: ReduceSum | V | float | inferred: along the last axis the tail is added to the power of two below, then
//   neighbours are added; along the first axis halves are added
NPU_EMU_DECLARE_MATRIX_REDUCE(ReduceSum, Sum, npu_emu_detail::Summable)

// api: ReduceMean | V | float | inferred: the order of ReduceSum, then one multiplication by the reciprocal
NPU_EMU_DECLARE_MATRIX_REDUCE(ReduceMean, Mean, npu_emu_detail::Summable)

// api: ReduceMax | V | half float | inferred: the clock
NPU_EMU_DECLARE_MATRIX_REDUCE(ReduceMax, Max, npu_emu::isa::Floating)

// api: ReduceMin | V | half float | inferred: the clock
NPU_EMU_DECLARE_MATRIX_REDUCE(ReduceMin, Min, npu_emu::isa::Floating)

// api: ReduceProd | V | float | inferred: the tail is multiplied to the power of two below, then halves
NPU_EMU_DECLARE_MATRIX_REDUCE(ReduceProd, Product, npu_emu_detail::Summable)

// api: ReduceAny | V | uint8_t float | inferred: the maximum, for bytes along the first axis the bitwise or
NPU_EMU_DECLARE_MATRIX_REDUCE(ReduceAny, Any, npu_emu_detail::Truths)

// api: ReduceAll | V | uint8_t float | inferred: the minimum, for bytes along the first axis the bitwise and
NPU_EMU_DECLARE_MATRIX_REDUCE(ReduceAll, All, npu_emu_detail::Truths)

#undef NPU_EMU_DECLARE_MATRIX_REDUCE

struct SumParams {
  uint32_t outter = 1;
  uint32_t inner;  // elements from row to row, a multiple of 32 bytes
  uint32_t n;      // elements of a row that are added
};

struct MeanParams {
  uint32_t outter = 1;
  uint32_t inner;
  uint32_t n;
};

// api: Sum | V | half float | inferred: a tree over neighbours in each repeat, then over the sums of the repeats
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
inline void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const SumParams& sumParams) {
  npu_emu_detail::checkReduce<T>();
  if ASCEND_IS_AIV
    npu_emu::vec::sumRows<T>(dstTensor.npu_emu_operand(), srcTensor.npu_emu_operand(),
                             npu_emu::temporaryOf(sharedTmpBuffer),
                             {sumParams.outter, sumParams.inner, sumParams.n, false, false});
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
inline void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const SumParams& sumParams) {
  npu_emu_detail::checkReduce<T>();
  if ASCEND_IS_AIV
    npu_emu::vec::sumRows<T>(dstTensor.npu_emu_operand(), srcTensor.npu_emu_operand(), npu_emu::stackTemporary(),
                             {sumParams.outter, sumParams.inner, sumParams.n, false, false});
}

// api: Mean | V | half float | inferred: the order of Sum, then one multiplication by the reciprocal in the type of the
//   accumulator
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
inline void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const MeanParams& meanParams) {
  npu_emu_detail::checkReduce<T>();
  if ASCEND_IS_AIV
    npu_emu::vec::sumRows<T>(dstTensor.npu_emu_operand(), srcTensor.npu_emu_operand(),
                             npu_emu::temporaryOf(sharedTmpBuffer),
                             {meanParams.outter, meanParams.inner, meanParams.n, true, sizeof(accType) > sizeof(T)});
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
inline void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const MeanParams& meanParams) {
  npu_emu_detail::checkReduce<T>();
  if ASCEND_IS_AIV
    npu_emu::vec::sumRows<T>(dstTensor.npu_emu_operand(), srcTensor.npu_emu_operand(), npu_emu::stackTemporary(),
                             {meanParams.outter, meanParams.inner, meanParams.n, true, sizeof(accType) > sizeof(T)});
}

// api: ReduceXorSum | V | int16_t | inferred: added as float, clamped to int16_t
template <typename T, bool isReuseSource = false>
inline void ReduceXorSum(LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                         LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(std::is_same_v<T, int16_t>, "ReduceXorSum supports int16_t on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu::vec::sumXors(dstTensor.npu_emu_operand(), src0Tensor.npu_emu_operand(), src1Tensor.npu_emu_operand(),
                          npu_emu::temporaryOf(sharedTmpBuffer), calCount, isReuseSource);
}
template <typename T, bool isReuseSource = false>
inline void ReduceXorSum(LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                         const uint32_t calCount) {
  static_assert(std::is_same_v<T, int16_t>, "ReduceXorSum supports int16_t on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu::vec::sumXors(dstTensor.npu_emu_operand(), src0Tensor.npu_emu_operand(), src1Tensor.npu_emu_operand(),
                          npu_emu::stackTemporary(), calCount, isReuseSource);
}

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };

struct CumSumConfig {
  bool isLastAxis{true};
  bool isReuseSource{false};
  bool outputLastRow{false};
  CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};

struct CumSumInfo {
  uint32_t outter{0};
  uint32_t inner{0};
};

constexpr CumSumConfig defaultCumSumConfig = {true, false, true};

// api: CumSum | V | half float | inferred: element after element, half in float and rounded once
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
inline void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, const LocalTensor<T>& srcTensor,
                   LocalTensor<uint8_t>& sharedTmpBuffer, const CumSumInfo& cumSumInfo) {
  static_assert(npu_emu::isa::Floating::has<T>, "CumSum supports half and float on Atlas A2");
  static_assert(config.algorithm == CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE,
                "CumSum adds line by line on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu::vec::sumRunning<T>(dstTensor.npu_emu_operand(), lastRowTensor.npu_emu_operand(),
                                srcTensor.npu_emu_operand(), npu_emu::temporaryOf(sharedTmpBuffer),
                                {cumSumInfo.outter, cumSumInfo.inner, config.isLastAxis, config.outputLastRow});
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
inline void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, const LocalTensor<T>& srcTensor,
                   const CumSumInfo& cumSumInfo) {
  static_assert(npu_emu::isa::Floating::has<T>, "CumSum supports half and float on Atlas A2");
  static_assert(config.algorithm == CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE,
                "CumSum adds line by line on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu::vec::sumRunning<T>(dstTensor.npu_emu_operand(), lastRowTensor.npu_emu_operand(),
                                srcTensor.npu_emu_operand(), npu_emu::stackTemporary(),
                                {cumSumInfo.outter, cumSumInfo.inner, config.isLastAxis, config.outputLastRow});
}

}  // namespace AscendC
