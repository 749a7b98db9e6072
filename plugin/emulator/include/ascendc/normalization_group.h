// Normalisations over other sets than rows, and of sums: GroupNorm, BatchNorm and DeepNorm.
#pragma once

#include "normalization.h"

namespace npu_emu::vec {
template <typename T>
void groupNorm(const NormCall& call, const AscendC::tiling::GroupNormTiling& tiling, bool isReuseSource);
template <typename T>
void batchNorm(const NormCall& call, const AscendC::tiling::BatchNormTiling& tiling, bool isBasicBlock);
template <typename T>
void deepNorm(const NormCall& call, Operand added, float alpha, const AscendC::tiling::DeepNormTiling& tiling,
              bool isReuseSource, bool isBasicBlock);
}  // namespace npu_emu::vec

namespace AscendC {

namespace npu_emu_detail {

template <typename T>
inline npu_emu::NormCall normCallOf(const LocalTensor<T>& output, const LocalTensor<T>& mean,
                                    const LocalTensor<T>& variance, const LocalTensor<T>& src,
                                    const LocalTensor<T>& gamma, const LocalTensor<T>& beta,
                                    const npu_emu::Temporary& temporary, T epsilon) {
  checkNorm<T>();
  return {output.npu_emu_operand(),
          src.npu_emu_operand(),
          gamma.npu_emu_operand(),
          beta.npu_emu_operand(),
          mean.npu_emu_operand(),
          variance.npu_emu_operand(),
          temporary,
          static_cast<float>(epsilon)};
}

inline void keepLastRound(BatchNormTiling& tiling) {
  if (tiling.inputTailSize == 0) return;
  tiling.bshCurLength = tiling.inputTailSize;
  tiling.shCurLength = tiling.meanVarTailSize;
  tiling.shCurLengthBlockNum = tiling.shCurLength / 8;
}

}  // namespace npu_emu_detail

// api: BatchNorm | V | half float | inferred: the order of operations, the clock
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamm,
                      const LocalTensor<T>& beta, const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon,
                      BatchNormTiling& tiling) {
  npu_emu::vec::batchNorm<T>(npu_emu_detail::normCallOf(output, outputMean, outputVariance, inputX, gamm, beta,
                                                        npu_emu::temporaryOf(sharedTmpBuffer), epsilon),
                             tiling, isBasicBlock);
  npu_emu_detail::keepLastRound(tiling);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamm,
                      const LocalTensor<T>& beta, const T epsilon, BatchNormTiling& tiling) {
  npu_emu::vec::batchNorm<T>(npu_emu_detail::normCallOf(output, outputMean, outputVariance, inputX, gamm, beta,
                                                        npu_emu::stackTemporary(), epsilon),
                             tiling, isBasicBlock);
  npu_emu_detail::keepLastRound(tiling);
}

// rstdLocal is the variance, as the example of the documentation has it, whatever it is called.
// api: DeepNorm | V | half float | inferred: the order of the sums, the clock
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
inline void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal, const LocalTensor<T>& rstdLocal,
                     const LocalTensor<T>& srcLocal, const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,
                     const LocalTensor<T>& gammaLocal, const LocalTensor<uint8_t>& sharedTmpBuffer, const T alpha,
                     const T epsilon, DeepNormTiling& tiling) {
  npu_emu::vec::deepNorm<T>(npu_emu_detail::normCallOf(dstLocal, meanLocal, rstdLocal, srcLocal, gammaLocal, betaLocal,
                                                       npu_emu::temporaryOf(sharedTmpBuffer), epsilon),
                            gxLocal.npu_emu_operand(), static_cast<float>(alpha), tiling,
                            isReuseSrc && sizeof(T) == sizeof(float), isBasicBlock);
  npu_emu_detail::keepLastRound(tiling);
}
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
inline void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal, const LocalTensor<T>& rstdLocal,
                     const LocalTensor<T>& srcLocal, const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,
                     const LocalTensor<T>& gammaLocal, const T alpha, const T epsilon, DeepNormTiling& tiling) {
  npu_emu::vec::deepNorm<T>(npu_emu_detail::normCallOf(dstLocal, meanLocal, rstdLocal, srcLocal, gammaLocal, betaLocal,
                                                       npu_emu::stackTemporary(), epsilon),
                            gxLocal.npu_emu_operand(), static_cast<float>(alpha), tiling,
                            isReuseSrc && sizeof(T) == sizeof(float), isBasicBlock);
  npu_emu_detail::keepLastRound(tiling);
}

// [N, C, HW], where a channel is padded to a multiple of 32 bytes with 0.
// api: GroupNorm | V | half float | inferred: the order of the sums, what padding does, the limit of 64 groups, the
//   clock
template <typename T, bool isReuseSource = false>
inline void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta, const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon,
                      GroupNormTiling& tiling) {
  npu_emu::vec::groupNorm<T>(npu_emu_detail::normCallOf(output, outputMean, outputVariance, inputX, gamma, beta,
                                                        npu_emu::temporaryOf(sharedTmpBuffer), epsilon),
                             tiling, isReuseSource && sizeof(T) == sizeof(float));
}
template <typename T, bool isReuseSource = false>
inline void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta, const T epsilon, GroupNormTiling& tiling) {
  npu_emu::vec::groupNorm<T>(npu_emu_detail::normCallOf(output, outputMean, outputVariance, inputX, gamma, beta,
                                                        npu_emu::stackTemporary(), epsilon),
                             tiling, isReuseSource && sizeof(T) == sizeof(float));
}

}  // namespace AscendC
