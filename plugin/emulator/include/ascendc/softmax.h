// SoftMax and its relatives. Rows of [m, k]; max and sum are one block for each row, filled with the value.
#pragma once

#include "library.h"
#include "softmax_tiling.h"
#include "tensor.h"

using AscendC::tiling::LogSoftMaxTiling;
using AscendC::tiling::SoftMaxTiling;

namespace AscendC {

enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };

struct SoftmaxConfig {
  constexpr SoftmaxConfig(const bool isCheckTilingIn) : isCheckTiling(isCheckTilingIn) {}
  constexpr SoftmaxConfig(const bool isCheckTilingIn, const uint32_t oriSrcMIn, const uint32_t oriSrcKIn)
      : isCheckTiling(isCheckTilingIn), oriSrcM(oriSrcMIn), oriSrcK(oriSrcKIn) {}
  constexpr SoftmaxConfig(const bool isCheckTilingIn, const uint32_t oriSrcMIn, const uint32_t oriSrcKIn,
                          const enum SoftmaxMode modeIn)
      : isCheckTiling(isCheckTilingIn), oriSrcM(oriSrcMIn), oriSrcK(oriSrcKIn), mode(modeIn) {}
  bool isCheckTiling = true;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;
  SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};

constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

struct SoftMaxShapeInfo {
  uint32_t srcM{0};
  uint32_t srcK{0};
  uint32_t oriSrcM{0};
  uint32_t oriSrcK{0};
};

struct SoftMaxParams {
  uint32_t srcM{0};
  uint32_t srcK{0};
  uint32_t oriSrcM{0};
  uint32_t oriSrcK{0};
  uint32_t loopCnt{1};
  uint32_t splitMeanCnt{8};
  float alpha{0.9375};
};

}  // namespace AscendC

namespace npu_emu {

enum class SoftMaxKind : uint8_t {
  SoftMax,
  SimpleSoftMax,
  SoftmaxFlash,
  SoftmaxFlashV2,
  SoftmaxFlashV3,
  SoftmaxGrad,
  SoftmaxGradFront,
  LogSoftMax
};

// How a function of the family is called. Operands it does not take have no address.
struct SoftMaxCall {
  SoftMaxKind kind;
  bool isUpdate = false, isBasicBlock = false, isNz = false, isFront = false;
  bool isPacked = false;     // max and sum are one element for each row instead of a block
  bool checksTiling = true;  // computes the tiling anew for another shape
  AscendC::SoftMaxShapeInfo shape{};
  AscendC::tiling::SoftMaxTiling tiling{};
  Temporary temporary{};
  Operand dst{}, src{}, grad{}, max{}, sum{}, expMax{}, inMax{}, inSum{}, reduceMax{}, mean{}, inMean{};
  AscendC::SoftMaxParams params{};
};

namespace vec {
// T is the type of src and dst, U that of max and sum.
template <typename T, typename U>
void softMax(const SoftMaxCall& call);
template <typename T, typename U>
bool adjustSoftMax(Operand result, Operand max, uint32_t from, T to, const AscendC::SoftMaxShapeInfo& shape, bool isNz,
                   bool isPacked);
}  // namespace vec

}  // namespace npu_emu

namespace AscendC {

namespace npu_emu_detail {

using npu_emu::SoftMaxCall;
using npu_emu::SoftMaxKind;

template <typename T>
constexpr void checkSoftMax() {
  static_assert(npu_emu::isa::Floating::has<T>, "the softmax functions support half and float on Atlas A2");
}

// The shape that is passed, otherwise that of the tensor: the last axis and all others.
template <typename T>
inline SoftMaxShapeInfo softMaxShapeOf(const LocalTensor<T>& src, const SoftMaxShapeInfo& shape) {
  if (shape.srcM != 0 && shape.srcK != 0) return shape;
  const ShapeInfo info = src.GetShapeInfo();
  if (info.shapeDim == 0 || info.originalShapeDim == 0) return {};
  uint32_t k = info.shape[info.shapeDim - 1], oriK = info.originalShape[info.originalShapeDim - 1], oriSize = 1;
  for (int i = 0; i < info.originalShapeDim; ++i) oriSize *= info.originalShape[i];
  if (k == 0 || oriK == 0) return {};
  return {static_cast<uint32_t>(GetShapeSize(info)) / k, k, oriSize / oriK, oriK};
}

// A configuration with a constant shape decides how much of a row counts.
template <const SoftmaxConfig& config, typename T>
inline SoftMaxShapeInfo configured(const LocalTensor<T>& src, const SoftMaxShapeInfo& shape) {
  SoftMaxShapeInfo found = softMaxShapeOf(src, shape);
  if (config.oriSrcM != 0 && config.oriSrcK != 0) found.oriSrcK = config.oriSrcK;
  return found;
}

template <typename T, typename U>
inline void softMaxOf(SoftMaxKind kind, bool isBasicBlock, bool isNz, const LocalTensor<T>& dst,
                      const LocalTensor<U>* sum, const LocalTensor<U>* max, const LocalTensor<T>& src,
                      const npu_emu::Temporary& temporary, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape) {
  checkSoftMax<T>();
  SoftMaxCall call{kind};
  call.isBasicBlock = isBasicBlock;
  call.isNz = isNz;
  call.shape = softMaxShapeOf(src, shape);
  call.tiling = tiling;
  call.temporary = temporary;
  call.dst = dst.npu_emu_operand();
  call.src = src.npu_emu_operand();
  if (sum != nullptr) call.sum = sum->npu_emu_operand();
  if (max != nullptr) call.max = max->npu_emu_operand();
  npu_emu::vec::softMax<T, U>(call);
}

template <typename T, typename U>
inline SoftMaxCall flashOf(SoftMaxKind kind, const LocalTensor<T>& dst, const LocalTensor<U>& sum,
                           const LocalTensor<U>& max, const LocalTensor<T>& src, const LocalTensor<T>& expMax,
                           const LocalTensor<U>& inSum, const LocalTensor<U>& inMax,
                           const npu_emu::Temporary& temporary, const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& shape) {
  checkSoftMax<T>();
  SoftMaxCall call{kind};
  call.shape = softMaxShapeOf(src, shape);
  call.tiling = tiling;
  call.temporary = temporary;
  call.dst = dst.npu_emu_operand();
  call.src = src.npu_emu_operand();
  call.sum = sum.npu_emu_operand();
  call.max = max.npu_emu_operand();
  call.expMax = expMax.npu_emu_operand();
  call.inSum = inSum.npu_emu_operand();
  call.inMax = inMax.npu_emu_operand();
  return call;
}

template <bool isUpdate, bool isBasicBlock, bool isDataFormatNZ, const SoftmaxConfig& config>
inline SoftMaxCall flashV2Of(SoftMaxCall call) {
  call.isUpdate = isUpdate;
  call.isBasicBlock = isBasicBlock;
  call.isNz = isDataFormatNZ;
  call.isPacked = config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC && !isDataFormatNZ;
  call.checksTiling = config.isCheckTiling;
  if (config.oriSrcM != 0 && config.oriSrcK != 0) call.shape.oriSrcK = config.oriSrcK;
  return call;
}

template <typename T>
inline void softMaxGradOf(SoftMaxKind kind, bool isBasicBlock, bool isNz, const LocalTensor<T>& dst,
                          const LocalTensor<T>& grad, const LocalTensor<T>& src, const npu_emu::Temporary& temporary,
                          const SoftMaxTiling& tiling, bool isFront, const SoftMaxShapeInfo& shape) {
  checkSoftMax<T>();
  SoftMaxCall call{kind};
  call.isBasicBlock = isBasicBlock;
  call.isNz = isNz;
  call.isFront = isFront;
  call.shape = softMaxShapeOf(src, shape);
  call.tiling = tiling;
  call.temporary = temporary;
  call.dst = dst.npu_emu_operand();
  call.grad = grad.npu_emu_operand();
  call.src = src.npu_emu_operand();
  npu_emu::vec::softMax<T, T>(call);
}

template <typename T, typename U, bool isUpdate>
inline void flashV3Of(const LocalTensor<T>& dst, const LocalTensor<U>& mean, const LocalTensor<U>& sum,
                      const LocalTensor<U>& max, const LocalTensor<T>& src, const LocalTensor<T>& expMax,
                      const LocalTensor<U>& inMean, const LocalTensor<U>& inSum, const LocalTensor<U>& inMax,
                      const npu_emu::Temporary& temporary, const SoftMaxTiling& tiling, const SoftMaxParams& params) {
  static_assert(std::is_same_v<T, half> && std::is_same_v<U, float>,
                "SoftmaxFlashV3 supports half with float sums on Atlas A2");
  SoftMaxCall call = flashOf(SoftMaxKind::SoftmaxFlashV3, dst, sum, max, src, expMax, inSum, inMax, temporary, tiling,
                             {params.srcM, params.srcK, params.oriSrcM, params.oriSrcK});
  call.isUpdate = isUpdate;
  call.mean = mean.npu_emu_operand();
  call.inMean = inMean.npu_emu_operand();
  call.params = params;
  npu_emu::vec::softMax<T, U>(call);
}

}  // namespace npu_emu_detail

// api: SoftMax | V | half float | inferred: the order of the sum, the clock
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor, const LocalTensor<T>& maxTensor,
                    const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxOf<T, T>(npu_emu_detail::SoftMaxKind::SoftMax, isBasicBlock, isDataFormatNZ, dstTensor,
                                  &sumTensor, &maxTensor, srcTensor, npu_emu::stackTemporary(), tiling,
                                  npu_emu_detail::configured<config>(srcTensor, softmaxShapeInfo));
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,
                    const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                    const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxOf<half, float>(npu_emu_detail::SoftMaxKind::SoftMax, isBasicBlock, isDataFormatNZ, dstTensor,
                                         &sumTensor, &maxTensor, srcTensor, npu_emu::stackTemporary(), tiling,
                                         npu_emu_detail::configured<config>(srcTensor, softmaxShapeInfo));
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor, const LocalTensor<T>& maxTensor,
                    const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxOf<T, T>(npu_emu_detail::SoftMaxKind::SoftMax, isBasicBlock, isDataFormatNZ, dstTensor,
                                  &sumTensor, &maxTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), tiling,
                                  npu_emu_detail::configured<config>(srcTensor, softmaxShapeInfo));
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,
                    const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxOf<half, float>(npu_emu_detail::SoftMaxKind::SoftMax, isBasicBlock, isDataFormatNZ, dstTensor,
                                         &sumTensor, &maxTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                                         tiling, npu_emu_detail::configured<config>(srcTensor, softmaxShapeInfo));
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxOf<T, T>(npu_emu_detail::SoftMaxKind::SoftMax, isBasicBlock, false, dstTensor, nullptr,
                                  nullptr, srcTensor, npu_emu::stackTemporary(), tiling,
                                  npu_emu_detail::configured<config>(srcTensor, softmaxShapeInfo));
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxOf<T, T>(npu_emu_detail::SoftMaxKind::SoftMax, isBasicBlock, false, dstTensor, nullptr,
                                  nullptr, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), tiling,
                                  npu_emu_detail::configured<config>(srcTensor, softmaxShapeInfo));
}

// api: SimpleSoftMax | V | half float | inferred: the clock
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SimpleSoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& inSumTensor,
                          const LocalTensor<T>& inMaxTensor, const LocalTensor<T>& srcTensor,
                          const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxOf<T, T>(npu_emu_detail::SoftMaxKind::SimpleSoftMax, isBasicBlock, isDataFormatNZ, dstTensor,
                                  &inSumTensor, &inMaxTensor, srcTensor, npu_emu::stackTemporary(), tiling,
                                  npu_emu_detail::configured<config>(srcTensor, softmaxShapeInfo));
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SimpleSoftMax(const LocalTensor<half>& dstTensor, const LocalTensor<float>& inSumTensor,
                          const LocalTensor<float>& inMaxTensor, const LocalTensor<half>& srcTensor,
                          const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxOf<half, float>(npu_emu_detail::SoftMaxKind::SimpleSoftMax, isBasicBlock, isDataFormatNZ,
                                         dstTensor, &inSumTensor, &inMaxTensor, srcTensor, npu_emu::stackTemporary(),
                                         tiling, npu_emu_detail::configured<config>(srcTensor, softmaxShapeInfo));
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SimpleSoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& inSumTensor,
                          const LocalTensor<T>& inMaxTensor, const LocalTensor<T>& srcTensor,
                          const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                          const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxOf<T, T>(npu_emu_detail::SoftMaxKind::SimpleSoftMax, isBasicBlock, isDataFormatNZ, dstTensor,
                                  &inSumTensor, &inMaxTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), tiling,
                                  npu_emu_detail::configured<config>(srcTensor, softmaxShapeInfo));
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SimpleSoftMax(const LocalTensor<half>& dstTensor, const LocalTensor<float>& inSumTensor,
                          const LocalTensor<float>& inMaxTensor, const LocalTensor<half>& srcTensor,
                          const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                          const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxOf<half, float>(npu_emu_detail::SoftMaxKind::SimpleSoftMax, isBasicBlock, isDataFormatNZ,
                                         dstTensor, &inSumTensor, &inMaxTensor, srcTensor,
                                         npu_emu::temporaryOf(sharedTmpBuffer), tiling,
                                         npu_emu_detail::configured<config>(srcTensor, softmaxShapeInfo));
}

// api: SoftmaxFlash | V | half float | inferred: the order of the sum, the clock
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor,
                         const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                         const LocalTensor<T>& expMaxTensor, const LocalTensor<T>& inSumTensor,
                         const LocalTensor<T>& inMaxTensor, const SoftMaxTiling& tiling, bool isUpdate = false,
                         const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::SoftMaxCall call = npu_emu_detail::flashOf(
      npu_emu_detail::SoftMaxKind::SoftmaxFlash, dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor, inSumTensor,
      inMaxTensor, npu_emu::stackTemporary(), tiling, softmaxShapeInfo);
  call.isUpdate = isUpdate;
  call.isBasicBlock = isBasicBlock;
  npu_emu::vec::softMax<T, T>(call);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,
                         const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                         const LocalTensor<half>& expMaxTensor, const LocalTensor<float>& inSumTensor,
                         const LocalTensor<float>& inMaxTensor, const SoftMaxTiling& tiling, bool isUpdate = false,
                         const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::SoftMaxCall call = npu_emu_detail::flashOf(
      npu_emu_detail::SoftMaxKind::SoftmaxFlash, dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor, inSumTensor,
      inMaxTensor, npu_emu::stackTemporary(), tiling, softmaxShapeInfo);
  call.isUpdate = isUpdate;
  call.isBasicBlock = isBasicBlock;
  npu_emu::vec::softMax<half, float>(call);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor,
                         const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                         const LocalTensor<T>& expMaxTensor, const LocalTensor<T>& inSumTensor,
                         const LocalTensor<T>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                         const SoftMaxTiling& tiling, bool isUpdate = false,
                         const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::SoftMaxCall call = npu_emu_detail::flashOf(
      npu_emu_detail::SoftMaxKind::SoftmaxFlash, dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor, inSumTensor,
      inMaxTensor, npu_emu::temporaryOf(sharedTmpBuffer), tiling, softmaxShapeInfo);
  call.isUpdate = isUpdate;
  call.isBasicBlock = isBasicBlock;
  npu_emu::vec::softMax<T, T>(call);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,
                         const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                         const LocalTensor<half>& expMaxTensor, const LocalTensor<float>& inSumTensor,
                         const LocalTensor<float>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                         const SoftMaxTiling& tiling, bool isUpdate = false,
                         const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::SoftMaxCall call = npu_emu_detail::flashOf(
      npu_emu_detail::SoftMaxKind::SoftmaxFlash, dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor, inSumTensor,
      inMaxTensor, npu_emu::temporaryOf(sharedTmpBuffer), tiling, softmaxShapeInfo);
  call.isUpdate = isUpdate;
  call.isBasicBlock = isBasicBlock;
  npu_emu::vec::softMax<half, float>(call);
}

// api: SoftMaxFlashV2TilingFunc, SoftMaxFlashV2TilingFuncImpl | S | - | documented
inline constexpr SoftMaxTiling SoftMaxFlashV2TilingFuncImpl(const uint32_t srcM, const uint32_t srcK,
                                                            const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
                                                            const uint32_t localWorkSpaceSize, const bool = false,
                                                            const bool isBasicBlock = false,
                                                            const bool isDataFormatNZ = false,
                                                            const bool isFlashOutputBrc = false) {
  return npu_emu::softmax::tileFlashV2OnDevice(srcM, srcK, dataTypeSize1, dataTypeSize2, localWorkSpaceSize,
                                               isBasicBlock, isDataFormatNZ, isFlashOutputBrc);
}
inline constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(const SoftMaxShapeInfo& shapeInfo, const uint32_t dataTypeSize1,
                                                        const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                                                        const bool isUpdate = false, const bool isBasicBlock = false,
                                                        const bool isDataFormatNZ = false,
                                                        const bool isFlashOutputBrc = false) {
  return SoftMaxFlashV2TilingFuncImpl(shapeInfo.srcM, shapeInfo.srcK, dataTypeSize1, dataTypeSize2,
                                      localWorkSpaceSize / 4, isUpdate, isBasicBlock, isDataFormatNZ, isFlashOutputBrc);
}

// api: SoftmaxFlashV2 | V | half float | inferred: the order of the sum, the clock
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& expSumTensor,
                           const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                           const LocalTensor<T>& expMaxTensor, const LocalTensor<T>& inExpSumTensor,
                           const LocalTensor<T>& inMaxTensor, const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu::vec::softMax<T, T>(
      npu_emu_detail::flashV2Of<isUpdate, isBasicBlock, isDataFormatNZ, config>(npu_emu_detail::flashOf(
          npu_emu_detail::SoftMaxKind::SoftmaxFlashV2, dstTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor,
          inExpSumTensor, inMaxTensor, npu_emu::stackTemporary(), tiling, softmaxShapeInfo)));
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<half>& dstTensor, const LocalTensor<float>& expSumTensor,
                           const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                           const LocalTensor<half>& expMaxTensor, const LocalTensor<float>& inExpSumTensor,
                           const LocalTensor<float>& inMaxTensor, const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu::vec::softMax<half, float>(
      npu_emu_detail::flashV2Of<isUpdate, isBasicBlock, isDataFormatNZ, config>(npu_emu_detail::flashOf(
          npu_emu_detail::SoftMaxKind::SoftmaxFlashV2, dstTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor,
          inExpSumTensor, inMaxTensor, npu_emu::stackTemporary(), tiling, softmaxShapeInfo)));
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& expSumTensor,
                           const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                           const LocalTensor<T>& expMaxTensor, const LocalTensor<T>& inExpSumTensor,
                           const LocalTensor<T>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                           const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu::vec::softMax<T, T>(
      npu_emu_detail::flashV2Of<isUpdate, isBasicBlock, isDataFormatNZ, config>(npu_emu_detail::flashOf(
          npu_emu_detail::SoftMaxKind::SoftmaxFlashV2, dstTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor,
          inExpSumTensor, inMaxTensor, npu_emu::temporaryOf(sharedTmpBuffer), tiling, softmaxShapeInfo)));
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<half>& dstTensor, const LocalTensor<float>& expSumTensor,
                           const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                           const LocalTensor<half>& expMaxTensor, const LocalTensor<float>& inExpSumTensor,
                           const LocalTensor<float>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                           const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu::vec::softMax<half, float>(
      npu_emu_detail::flashV2Of<isUpdate, isBasicBlock, isDataFormatNZ, config>(npu_emu_detail::flashOf(
          npu_emu_detail::SoftMaxKind::SoftmaxFlashV2, dstTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor,
          inExpSumTensor, inMaxTensor, npu_emu::temporaryOf(sharedTmpBuffer), tiling, softmaxShapeInfo)));
}
// The forms that also give the maximum of the row exist only without broadcast: the device does nothing otherwise.
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& outReduceMax,
                           const LocalTensor<T>& outExpSum, const LocalTensor<T>& outMax,
                           const LocalTensor<T>& srcTensor, const LocalTensor<T>& outExpMax,
                           const LocalTensor<T>& inExpSum, const LocalTensor<T>& inMax, const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::SoftMaxCall call = npu_emu_detail::flashV2Of<isUpdate, isBasicBlock, false, config>(
      npu_emu_detail::flashOf(npu_emu_detail::SoftMaxKind::SoftmaxFlashV2, dstTensor, outExpSum, outMax, srcTensor,
                              outExpMax, inExpSum, inMax, npu_emu::stackTemporary(), tiling, softmaxShapeInfo));
  call.reduceMax = outReduceMax.npu_emu_operand();
  npu_emu::vec::softMax<T, T>(call);
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& outReduceMax,
                           const LocalTensor<T>& outExpSum, const LocalTensor<T>& outMax,
                           const LocalTensor<T>& srcTensor, const LocalTensor<T>& outExpMax,
                           const LocalTensor<T>& inExpSum, const LocalTensor<T>& inMax,
                           const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::SoftMaxCall call =
      npu_emu_detail::flashV2Of<isUpdate, isBasicBlock, false, config>(npu_emu_detail::flashOf(
          npu_emu_detail::SoftMaxKind::SoftmaxFlashV2, dstTensor, outExpSum, outMax, srcTensor, outExpMax, inExpSum,
          inMax, npu_emu::temporaryOf(sharedTmpBuffer), tiling, softmaxShapeInfo));
  call.reduceMax = outReduceMax.npu_emu_operand();
  npu_emu::vec::softMax<T, T>(call);
}

// api: SoftmaxFlashV3 | V | half float | inferred: half with float sums; the order of the sums, the clock
template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV3(const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor,
                           const LocalTensor<U>& expSumTensor, const LocalTensor<U>& maxTensor,
                           const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                           const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor,
                           const LocalTensor<U>& inMaxTensor, const SoftMaxTiling& tiling,
                           const SoftMaxParams& params) {
  npu_emu_detail::flashV3Of<T, U, isUpdate>(dstTensor, meanTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor,
                                            inMeanTensor, inExpSumTensor, inMaxTensor, npu_emu::stackTemporary(),
                                            tiling, params);
}
template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV3(const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor,
                           const LocalTensor<U>& expSumTensor, const LocalTensor<U>& maxTensor,
                           const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                           const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor,
                           const LocalTensor<U>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                           const SoftMaxTiling& tiling, const SoftMaxParams& params) {
  npu_emu_detail::flashV3Of<T, U, isUpdate>(dstTensor, meanTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor,
                                            inMeanTensor, inExpSumTensor, inMaxTensor,
                                            npu_emu::temporaryOf(sharedTmpBuffer), tiling, params);
}

// api: SoftmaxGrad | V | half float | inferred: the order of the sum, the clock
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                        const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling, bool isFront = false,
                        const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxGradOf(npu_emu_detail::SoftMaxKind::SoftmaxGrad, false, isDataFormatNZ, dstTensor, gradTensor,
                                srcTensor, npu_emu::stackTemporary(), tiling, isFront, softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                        const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                        const SoftMaxTiling& tiling, bool isFront = false,
                        const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxGradOf(npu_emu_detail::SoftMaxKind::SoftmaxGrad, false, isDataFormatNZ, dstTensor, gradTensor,
                                srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), tiling, isFront, softmaxShapeInfo);
}

// api: SoftmaxGradFront | V | half float | inferred: the order of the sum, the clock
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
inline void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                             const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
                             const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxGradOf(npu_emu_detail::SoftMaxKind::SoftmaxGradFront, isBasicBlock, isDataFormatNZ, dstTensor,
                                gradTensor, srcTensor, npu_emu::stackTemporary(), tiling, true, softmaxShapeInfo);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
inline void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                             const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                             const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  npu_emu_detail::softMaxGradOf(npu_emu_detail::SoftMaxKind::SoftmaxGradFront, isBasicBlock, isDataFormatNZ, dstTensor,
                                gradTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), tiling, true,
                                softmaxShapeInfo);
}

// Rows whose maximum has the bits `from` become `to`; tells whether there are any.
// api: AdjustSoftMaxRes | V | half float | documented: the clock is inferred
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
inline bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes, const LocalTensor<T2>& maxTensor, const uint32_t from,
                             const T1 to, const SoftMaxShapeInfo& softmaxShapeInfo) {
  npu_emu_detail::checkSoftMax<T1>();
  npu_emu_detail::checkSoftMax<T2>();
  return npu_emu::vec::adjustSoftMax<T1, T2>(softMaxRes.npu_emu_operand(), maxTensor.npu_emu_operand(), from, to,
                                             softmaxShapeInfo, isDataFormatNZ, stepSizeMode != 0 && !isDataFormatNZ);
}

// The base of the logarithm is 10.
// api: LogSoftMax | V | half float | inferred: the order of the sum, the clock
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void LogSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
                       const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
                       const LogSoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  static_assert(sizeof(LogSoftMaxTiling) == sizeof(SoftMaxTiling));
  SoftMaxTiling same;
  __builtin_memcpy(static_cast<void*>(&same), &tiling, sizeof same);
  npu_emu_detail::softMaxOf<T, T>(npu_emu_detail::SoftMaxKind::LogSoftMax, false, isDataFormatNZ, dst, &sum, &max, src,
                                  npu_emu::temporaryOf(sharedTmpBuffer), same, softmaxShapeInfo);
}

}  // namespace AscendC
