// The gradients of LayerNorm: of the source, and of gamma and beta.
#pragma once

#include "normalization.h"

namespace AscendC {

struct LayerNormGradShapeInfo {
  DataFormat dataFormat = DataFormat::ND;
};

}  // namespace AscendC

namespace npu_emu {

// All of [rows, width] but variance and mean, which are one per row, and gamma, which is one row.
struct NormGradCall {
  Operand dst, forGamma, gradient, src, variance, mean, gamma;
  Temporary temporary;
  float epsilon;
  bool isPlain;  // no fractal format
};

namespace vec {
// Sources that may be reused hold intermediate results afterwards.
template <typename T>
void layerNormGrad(const NormGradCall& call, const AscendC::tiling::LayerNormGradTiling& tiling, bool isReuseSource);
template <typename T>
void layerNormGradBeta(Operand gamma, Operand beta, Operand forGamma, Operand gradient, const Temporary& temporary,
                       const AscendC::tiling::LayerNormGradBetaTiling& tiling, bool isReuseSource);
}  // namespace vec

}  // namespace npu_emu

namespace AscendC {

// Elements behind originalHLength count in the sums: they are to be 0.
// api: LayerNormGrad | V | half float | inferred: the order of the sums, what is left in sources that may be reused,
//   the clock
template <typename T, bool isReuseSource = false>
inline void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                          const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                          const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                          const LocalTensor<T>& inputGamma, LocalTensor<uint8_t>& sharedTmpBuffer, T epsilon,
                          LayerNormGradTiling& tiling, const LayerNormGradShapeInfo& shapeInfo = {}) {
  npu_emu_detail::checkNorm<T>();
  npu_emu::vec::layerNormGrad<T>(
      {outputPdX.npu_emu_operand(), resForGamma.npu_emu_operand(), inputDy.npu_emu_operand(), inputX.npu_emu_operand(),
       inputVariance.npu_emu_operand(), inputMean.npu_emu_operand(), inputGamma.npu_emu_operand(),
       npu_emu::temporaryOf(sharedTmpBuffer), static_cast<float>(epsilon), shapeInfo.dataFormat == DataFormat::ND},
      tiling, isReuseSource && sizeof(T) == sizeof(float));
}
template <typename T, bool isReuseSource = false>
inline void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                          const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                          const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                          const LocalTensor<T>& inputGamma, T epsilon, LayerNormGradTiling& tiling,
                          const LayerNormGradShapeInfo& shapeInfo = {}) {
  npu_emu_detail::checkNorm<T>();
  npu_emu::vec::layerNormGrad<T>(
      {outputPdX.npu_emu_operand(), resForGamma.npu_emu_operand(), inputDy.npu_emu_operand(), inputX.npu_emu_operand(),
       inputVariance.npu_emu_operand(), inputMean.npu_emu_operand(), inputGamma.npu_emu_operand(),
       npu_emu::stackTemporary(), static_cast<float>(epsilon), shapeInfo.dataFormat == DataFormat::ND},
      tiling, isReuseSource && sizeof(T) == sizeof(float));
}

// api: LayerNormGradBeta | V | half float | inferred: what is left in sources that may be reused, the clock
template <typename T, bool isReuseSource = false>
inline void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                              const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const LayerNormGradBetaTiling& tiling) {
  npu_emu_detail::checkNorm<T>();
  npu_emu::vec::layerNormGradBeta<T>(outputPdGamma.npu_emu_operand(), outputPdBeta.npu_emu_operand(),
                                     resForGamma.npu_emu_operand(), inputDy.npu_emu_operand(),
                                     npu_emu::temporaryOf(sharedTmpBuffer), tiling,
                                     isReuseSource && sizeof(T) == sizeof(float));
}
template <typename T, bool isReuseSource = false>
inline void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                              const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                              LayerNormGradBetaTiling& tiling) {
  npu_emu_detail::checkNorm<T>();
  npu_emu::vec::layerNormGradBeta<T>(outputPdGamma.npu_emu_operand(), outputPdBeta.npu_emu_operand(),
                                     resForGamma.npu_emu_operand(), inputDy.npu_emu_operand(),
                                     npu_emu::stackTemporary(), tiling, isReuseSource && sizeof(T) == sizeof(float));
}

}  // namespace AscendC
