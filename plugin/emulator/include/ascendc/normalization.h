// Normalisations of rows: LayerNorm, RmsNorm, Normalize and Welford's running mean and variance.
#pragma once

#include "library.h"
#include "normalization_tiling.h"
#include "tensor.h"

using AscendC::tiling::BatchNormTiling;
using AscendC::tiling::DeepNormTiling;
using AscendC::tiling::GroupNormTiling;
using AscendC::tiling::LayerNormGradBetaTiling;
using AscendC::tiling::LayerNormGradTiling;
using AscendC::tiling::LayerNormSeparateTiling;
using AscendC::tiling::LayerNormTiling;
using AscendC::tiling::RmsNormTiling;

namespace AscendC {

struct LayerNormConfig {
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
  bool isOutputRstd = true;
};
constexpr LayerNormConfig LNCFG_NORM = {};

struct LayerNormPara {
  uint32_t aLength;
  uint32_t rLength;
  uint32_t rLengthWithPadding;
};

struct WelfordUpdateConfig {
  constexpr WelfordUpdateConfig(const bool isInplaceIn) : isInplace(isInplaceIn) {}
  bool isInplace = false;
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};

struct WelfordUpdateParam {
  uint32_t rnLength;
  uint32_t abLength;
  uint32_t abComputeLength;
  float nRec;
};

struct WelfordFinalizeConfig {
  constexpr WelfordFinalizeConfig(const bool isCorrectionIn) : isCorrection(isCorrectionIn) {}
  bool isCorrection = false;
};
constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {false};

struct WelfordFinalizePara {
  uint32_t rnLength;
  uint32_t abLength;
  uint32_t headCount;
  uint32_t headCountLength;
  uint32_t tailCount;
  uint32_t tailCountLength;
  float abRec;
  float rRec;
  float rRecWithCorrection;
};

enum class ReducePattern : uint32_t {
  AR = 0,
  RA = 1,
  R,
  ARA,
  ARAR,
  ARARA,
  ARARAR,
  ARARARA,
  ARARARAR,
  ARARARARA,
  RAR,
  RARA,
  RARAR,
  RARARA,
  RARARAR,
  RARARARA
};

struct NormalizeConfig {
  ReducePattern reducePattern = ReducePattern::AR;
  int32_t aLength = -1;
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
};
constexpr NormalizeConfig NLCFG_NORM = {};
constexpr NormalizeConfig NLCFG_NOBETA = {ReducePattern::AR, -1, true, false, false};
constexpr NormalizeConfig NLCFG_NOGAMMA = {ReducePattern::AR, -1, false, true, false};
constexpr NormalizeConfig NLCFG_NOOPT = {ReducePattern::AR, -1, true, true, false};

struct NormalizePara {
  uint32_t aLength;
  uint32_t rLength;
  uint32_t rLengthWithPadding;
};

}  // namespace AscendC

namespace npu_emu {

// Rows of [rows, width], of which `counted` elements are computed. Operands that are not used have no address.
struct NormCall {
  Operand dst{}, src{}, gamma{}, beta{}, mean{},
      deviation{};  // the deviation is the variance, or one by the root of it
  Temporary temporary{};
  float epsilon = 0;
};

namespace vec {
template <typename T>
void layerNorm(const NormCall& call, const AscendC::tiling::LayerNormTiling& tiling, bool isReuseSource);
// T is the type of src and dst, U that of gamma and beta.
template <typename T, typename U>
void layerNormRstd(const NormCall& call, const AscendC::LayerNormPara& para,
                   const AscendC::tiling::LayerNormSeparateTiling& tiling);
template <typename T, typename U>
void normalize(const NormCall& call, Operand variance, const AscendC::NormalizePara& para, bool onlyOutput);
template <typename T>
void rmsNorm(const NormCall& call, const AscendC::tiling::RmsNormTiling& tiling, bool isBasicBlock);
// The mean and what the variance is made of, element by element, before and after one more of each.
struct WelfordState {
  Operand mean, variance, inMean, inVariance;
};
template <typename T>
void welfordUpdate(const WelfordState& state, Operand src, const Temporary& temporary,
                   const AscendC::WelfordUpdateParam& para, bool keepsRest, bool isReuseSource);
void welfordFinalize(const WelfordState& state, const Operand* counts, const Temporary& temporary,
                     const AscendC::WelfordFinalizePara& para);
}  // namespace vec

}  // namespace npu_emu

namespace AscendC {

namespace npu_emu_detail {

template <typename T>
constexpr void checkNorm() {
  static_assert(npu_emu::isa::Floating::has<T>, "the normalisations support half and float on Atlas A2");
}

// gamma and beta are at least as exact as the source.
template <typename T, typename U>
constexpr void checkNormWeights() {
  static_assert(npu_emu::isa::Floating::has<T>, "the normalisations support half and float on Atlas A2");
  static_assert(std::is_same_v<U, T> || std::is_same_v<U, float>,
                "gamma and beta are float or of the type of the source on Atlas A2");
}

// A last round that is shorter is what the next call takes for each of its rounds.
template <typename Tiling>
inline void keepLastRound(Tiling& tiling) {
  if (tiling.inputTailSize == 0) return;
  tiling.bshCurLength = tiling.inputTailSize;
  tiling.bsCurLength = tiling.meanVarTailSize;
}

template <typename T>
inline void layerNormOf(const LocalTensor<T>& output, const LocalTensor<T>& mean, const LocalTensor<T>& variance,
                        const LocalTensor<T>& src, const LocalTensor<T>& gamma, const LocalTensor<T>& beta,
                        const npu_emu::Temporary& temporary, T epsilon, LayerNormTiling& tiling, bool isReuseSource) {
  checkNorm<T>();
  npu_emu::vec::layerNorm<T>(
      {output.npu_emu_operand(), src.npu_emu_operand(), gamma.npu_emu_operand(), beta.npu_emu_operand(),
       mean.npu_emu_operand(), variance.npu_emu_operand(), temporary, static_cast<float>(epsilon)},
      tiling, isReuseSource && sizeof(T) == sizeof(float));
  keepLastRound(tiling);
}

template <const LayerNormConfig& config, typename T, typename U>
inline void layerNormRstdOf(const LocalTensor<T>& output, const LocalTensor<float>& mean,
                            const LocalTensor<float>& rstd, const LocalTensor<T>& src, const LocalTensor<U>& gamma,
                            const LocalTensor<U>& beta, const npu_emu::Temporary& temporary, float epsilon,
                            const LayerNormPara& para, const LayerNormSeparateTiling& tiling) {
  checkNormWeights<T, U>();
  static_assert(config.isOutputRstd, "LayerNorm gives rstd, not the variance, on Atlas A2");
  npu_emu::NormCall call{output.npu_emu_operand(), src.npu_emu_operand(),  {},        {},
                         mean.npu_emu_operand(),   rstd.npu_emu_operand(), temporary, epsilon};
  if (!config.isNoGamma) call.gamma = gamma.npu_emu_operand();
  if (!config.isNoBeta) call.beta = beta.npu_emu_operand();
  npu_emu::vec::layerNormRstd<T, U>(call, para, tiling);
}

template <const NormalizeConfig& config, typename T, typename U>
inline void normalizeOf(const LocalTensor<T>& output, const LocalTensor<float>& rstd, const LocalTensor<float>& mean,
                        const LocalTensor<float>& variance, const LocalTensor<T>& src, const LocalTensor<U>& gamma,
                        const LocalTensor<U>& beta, const npu_emu::Temporary& temporary, float epsilon,
                        NormalizePara para) {
  checkNormWeights<T, U>();
  static_assert(config.reducePattern == ReducePattern::AR, "Normalize supports ReducePattern::AR on Atlas A2");
  npu_emu::NormCall call{output.npu_emu_operand(), src.npu_emu_operand(),  {},        {},
                         mean.npu_emu_operand(),   rstd.npu_emu_operand(), temporary, epsilon};
  if (!config.isNoGamma) call.gamma = gamma.npu_emu_operand();
  if (!config.isNoBeta) call.beta = beta.npu_emu_operand();
  if (config.aLength != -1) para.aLength = static_cast<uint32_t>(config.aLength);
  npu_emu::vec::normalize<T, U>(call, variance.npu_emu_operand(), para, config.isOnlyOutput);
}

template <typename T, typename U>
inline void welfordUpdateOf(const LocalTensor<U>& mean, const LocalTensor<U>& variance, const LocalTensor<U>& inMean,
                            const LocalTensor<U>& inVariance, const LocalTensor<T>& src,
                            const npu_emu::Temporary& temporary, const WelfordUpdateParam& para, bool keepsRest,
                            bool isReuseSource) {
  checkNorm<T>();
  static_assert(std::is_same_v<U, float>, "WelfordUpdate keeps float means and variances on Atlas A2");
  npu_emu::vec::welfordUpdate<T>(
      {mean.npu_emu_operand(), variance.npu_emu_operand(), inMean.npu_emu_operand(), inVariance.npu_emu_operand()},
      src.npu_emu_operand(), temporary, para, keepsRest, isReuseSource);
}

}  // namespace npu_emu_detail

// Elements behind originalHLength count in the variance, as the instructions have it: they are to be 0.
// api: LayerNorm | V | half float | inferred: the order of the sums, the clock
template <typename T, bool isReuseSource = false>
inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta, const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon,
                      LayerNormTiling& tiling) {
  npu_emu_detail::layerNormOf(output, outputMean, outputVariance, inputX, gamma, beta,
                              npu_emu::temporaryOf(sharedTmpBuffer), epsilon, tiling, isReuseSource);
}
template <typename T, bool isReuseSource = false>
inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta, const T epsilon, LayerNormTiling& tiling) {
  npu_emu_detail::layerNormOf(output, outputMean, outputVariance, inputX, gamma, beta, npu_emu::stackTemporary(),
                              epsilon, tiling, isReuseSource);
}
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
                      const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX, const LocalTensor<U>& gamma,
                      const LocalTensor<U>& beta, const float epsilon, const LayerNormPara& para,
                      const LayerNormSeparateTiling& tiling) {
  npu_emu_detail::layerNormRstdOf<config>(output, outputMean, outputRstd, inputX, gamma, beta,
                                          npu_emu::stackTemporary(), epsilon, para, tiling);
}
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
                      const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX, const LocalTensor<U>& gamma,
                      const LocalTensor<U>& beta, const float epsilon, const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const LayerNormPara& para, const LayerNormSeparateTiling& tiling) {
  npu_emu_detail::layerNormRstdOf<config>(output, outputMean, outputRstd, inputX, gamma, beta,
                                          npu_emu::temporaryOf(sharedTmpBuffer), epsilon, para, tiling);
}

// api: Normalize | V | half float | inferred: the clock
template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
inline void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,
                      const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                      const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
                      const LocalTensor<uint8_t>& sharedTmpBuffer, const float epsilon, const NormalizePara& para) {
  npu_emu_detail::normalizeOf<config>(output, outputRstd, inputMean, inputVariance, inputX, gamma, beta,
                                      npu_emu::temporaryOf(sharedTmpBuffer), epsilon, para);
}
template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
inline void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,
                      const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                      const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
                      const float epsilon, const NormalizePara& para) {
  npu_emu_detail::normalizeOf<config>(output, outputRstd, inputMean, inputVariance, inputX, gamma, beta,
                                      npu_emu::stackTemporary(), epsilon, para);
}

// api: RmsNorm | V | half float | inferred: the order of the sum, the clock
template <typename T, bool isBasicBlock = false>
inline void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gammaLocal,
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon, const RmsNormTiling& tiling) {
  npu_emu_detail::checkNorm<T>();
  npu_emu::vec::rmsNorm<T>({dstLocal.npu_emu_operand(),
                            srcLocal.npu_emu_operand(),
                            gammaLocal.npu_emu_operand(),
                            {},
                            {},
                            {},
                            npu_emu::temporaryOf(sharedTmpBuffer),
                            static_cast<float>(epsilon)},
                           tiling, isBasicBlock);
}
template <typename T, bool isBasicBlock = false>
inline void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gammaLocal,
                    const T epsilon, const RmsNormTiling& tiling) {
  npu_emu_detail::checkNorm<T>();
  npu_emu::vec::rmsNorm<T>({dstLocal.npu_emu_operand(),
                            srcLocal.npu_emu_operand(),
                            gammaLocal.npu_emu_operand(),
                            {},
                            {},
                            {},
                            npu_emu::stackTemporary(),
                            static_cast<float>(epsilon)},
                           tiling, isBasicBlock);
}

// api: WelfordUpdate | V | half float | inferred: the clock
template <typename T, typename U, bool isReuseSource = false, const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
inline void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                          const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                          const LocalTensor<T>& inputX, const WelfordUpdateParam& para) {
  npu_emu_detail::welfordUpdateOf(outputMean, outputVariance, inputMean, inputVariance, inputX,
                                  npu_emu::stackTemporary(), para, config.isInplace, isReuseSource);
}
template <typename T, typename U, bool isReuseSource = false, const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
inline void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                          const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                          const LocalTensor<T>& inputX, const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const WelfordUpdateParam& para) {
  npu_emu_detail::welfordUpdateOf(outputMean, outputVariance, inputMean, inputVariance, inputX,
                                  npu_emu::temporaryOf(sharedTmpBuffer), para, config.isInplace, isReuseSource);
}

// The results are one block each, of which the first element counts and the others are 0.
// api: WelfordFinalize | V | - | inferred: the order of the sums, the clock
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
inline void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, WelfordFinalizePara& para) {
  npu_emu::vec::welfordFinalize({outputMean.npu_emu_operand(), outputVariance.npu_emu_operand(),
                                 inputMean.npu_emu_operand(), inputVariance.npu_emu_operand()},
                                nullptr, npu_emu::temporaryOf(sharedTmpBuffer), para);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
inline void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                            WelfordFinalizePara& para) {
  npu_emu::vec::welfordFinalize({outputMean.npu_emu_operand(), outputVariance.npu_emu_operand(),
                                 inputMean.npu_emu_operand(), inputVariance.npu_emu_operand()},
                                nullptr, npu_emu::stackTemporary(), para);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
inline void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                            const LocalTensor<int32_t>& counts, const LocalTensor<uint8_t>& sharedTmpBuffer,
                            WelfordFinalizePara& para) {
  const npu_emu::Operand weights = counts.npu_emu_operand();
  npu_emu::vec::welfordFinalize({outputMean.npu_emu_operand(), outputVariance.npu_emu_operand(),
                                 inputMean.npu_emu_operand(), inputVariance.npu_emu_operand()},
                                &weights, npu_emu::temporaryOf(sharedTmpBuffer), para);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
inline void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                            const LocalTensor<int32_t>& counts, WelfordFinalizePara& para) {
  const npu_emu::Operand weights = counts.npu_emu_operand();
  npu_emu::vec::welfordFinalize({outputMean.npu_emu_operand(), outputVariance.npu_emu_operand(),
                                 inputMean.npu_emu_operand(), inputVariance.npu_emu_operand()},
                                &weights, npu_emu::stackTemporary(), para);
}

}  // namespace AscendC
