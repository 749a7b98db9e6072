// What is legal of the parameters of library functions.
#pragma once

#include "../include/ascendc/library_function.h"
#include "../include/ascendc/library_rearrange.h"
#include "../include/ascendc/library_reduce.h"
#include "../include/ascendc/library_select.h"
#include "../include/ascendc/library_transdata.h"
#include "../include/ascendc/normalization.h"
#include "../include/ascendc/normalization_gradient.h"
#include "../include/ascendc/quantization.h"
#include "../include/ascendc/softmax.h"
#include "legal_tiling.h"

namespace npu_emu {

template <>
inline constexpr auto lastOf<Function> = Function::Swish;
template <>
inline constexpr auto lastOf<sizes::Rearrangement> = sizes::Rearrangement::FromFractal;
template <>
inline constexpr auto lastOf<vec::Fold> = vec::Fold::All;
template <>
inline constexpr auto lastOf<SoftMaxKind> = SoftMaxKind::LogSoftMax;

NPU_EMU_MEMBERS(Temporary, operand, bytes, ofCaller)
NPU_EMU_MEMBERS(FunctionCall, function, dst, src0, src1, temporary, count, scalar, reusesSource, isWidened, isQuick)
NPU_EMU_MEMBERS(SoftMaxCall, kind, isUpdate, isBasicBlock, isNz, isFront, isPacked, checksTiling, shape, tiling,
                temporary, dst, src, grad, max, sum, expMax, inMax, inSum, reduceMax, mean, inMean, params)
NPU_EMU_MEMBERS(NormCall, dst, src, gamma, beta, mean, deviation, temporary, epsilon)
NPU_EMU_MEMBERS(NormGradCall, dst, forGamma, gradient, src, variance, mean, gamma, temporary, epsilon, isPlain)
NPU_EMU_MEMBERS(QuantCall, dst, src, scale, offset, temporary, scaleValue, offsetValue, count, period)
NPU_EMU_MEMBERS(AntiQuantShape, k, n, groups, isTranspose, hasOffset)
NPU_EMU_MEMBERS(sizes::Volume, n, c, d, h, w)
NPU_EMU_MEMBERS(vec::ByteSelection, rows, columns, maskColumns, elements, maskBytes, reusesMask, tensorWhereSet)
NPU_EMU_MEMBERS(vec::Dropping, rows, columns, maskColumns, mode, keepsRegister, keepProbability)
NPU_EMU_MEMBERS(vec::Folding, fold, first, last, alongLast, padded, reusesSource)
NPU_EMU_MEMBERS(vec::Margins, left, right, value)
NPU_EMU_MEMBERS(vec::Ranking, k, inner, outer, length, hasIndices, hasFinished, small, largest)
NPU_EMU_MEMBERS(vec::RowSums, rows, stride, elements, mean, widened)
NPU_EMU_MEMBERS(vec::RunningSums, rows, columns, alongLast, lastRow)
NPU_EMU_MEMBERS(vec::WelfordState, mean, variance, inMean, inVariance)

NPU_EMU_MEMBERS(AscendC::SoftMaxShapeInfo, srcM, srcK, oriSrcM, oriSrcK)
NPU_EMU_MEMBERS(AscendC::SoftMaxParams, srcM, srcK, oriSrcM, oriSrcK, loopCnt, splitMeanCnt, alpha)
NPU_EMU_MEMBERS(AscendC::DequantParams, m, n, calCount)
NPU_EMU_MEMBERS(AscendC::LayerNormPara, aLength, rLength, rLengthWithPadding)
NPU_EMU_MEMBERS(AscendC::NormalizePara, aLength, rLength, rLengthWithPadding)
NPU_EMU_MEMBERS(AscendC::WelfordUpdateParam, rnLength, abLength, abComputeLength, nRec)
NPU_EMU_MEMBERS(AscendC::WelfordFinalizePara, rnLength, abLength, headCount, headCountLength, tailCount,
                tailCountLength, abRec, rRec, rRecWithCorrection)

}  // namespace npu_emu
