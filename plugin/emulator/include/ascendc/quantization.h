// Quantisation of float data, and back.
#pragma once

#include "library.h"
#include "quantization_sizes.h"
#include "tensor.h"

namespace AscendC {

struct AscendQuantConfig {
  constexpr AscendQuantConfig(const uint32_t calcCountIn, const uint32_t offsetCountIn, const uint32_t scaleCountIn,
                              const uint32_t workLocalSizeIn)
      : calcCount(calcCountIn), offsetCount(offsetCountIn), scaleCount(scaleCountIn), workLocalSize(workLocalSizeIn) {}
  uint32_t calcCount = 0;
  uint32_t offsetCount = 0;
  uint32_t scaleCount = 0;
  uint32_t workLocalSize = 0;
};
constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

enum class DeQuantMode : uint8_t { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };

struct DequantParams {
  uint32_t m;
  uint32_t n;
  uint32_t calCount;
};

struct AntiQuantShapeInfo {
  uint32_t offsetHeight{0};
  uint32_t offsetWidth{0};
  uint32_t scaleHeight{0};
  uint32_t scaleWidth{0};
};

}  // namespace AscendC

namespace npu_emu {

// Operands without an address are scalars, whose value stands beside them.
struct QuantCall {
  Operand dst{}, src{}, scale{}, offset{};
  Temporary temporary{};
  float scaleValue = 1, offsetValue = 0;
  uint32_t count = 0;   // elements
  uint32_t period = 0;  // elements of scale and offset where they are tensors
};

// Groups of rows or columns that share a scale: src is [k, n], transposed [n, k].
struct AntiQuantShape {
  uint32_t k, n, groups;  // groups along k
  bool isTranspose, hasOffset;
};

namespace vec {
template <typename T>
void quantize(const QuantCall& call);
template <typename T, typename S>
void dequantize(const QuantCall& call, AscendC::DequantParams params, uint32_t limit, bool splitsRow);
// T is the type of dst; the source is int8_t, or int4b_t.
template <typename T>
void antiQuantize(const QuantCall& call, const AntiQuantShape& shape, bool isInt4);
}  // namespace vec

}  // namespace npu_emu

namespace AscendC {

namespace npu_emu_detail {

using npu_emu::QuantCall;

template <typename T>
constexpr void checkQuant() {
  static_assert(npu_emu::isa::Floating::has<T>, "AscendQuant supports half and float on Atlas A2");
}

// What the configuration fixes wins over the arguments.
constexpr uint32_t fixedOr(uint32_t fixed, uint32_t argument) { return fixed != 0 ? fixed : argument; }

template <const AscendQuantConfig& config, typename T>
inline QuantCall quantOf(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const npu_emu::Temporary& temporary,
                         uint32_t count) {
  checkQuant<T>();
  QuantCall call;
  call.dst = dst.npu_emu_operand();
  call.src = src.npu_emu_operand();
  call.temporary = temporary;
  call.count = config.workLocalSize != 0 ? fixedOr(config.calcCount, count) : count;
  return call;
}

template <const AscendQuantConfig& config, typename T>
inline void quantByScalars(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src,
                           const npu_emu::Temporary& temporary, float scale, float offset, uint32_t count) {
  QuantCall call = quantOf<config>(dst, src, temporary, count);
  call.scaleValue = scale;
  call.offsetValue = offset;
  npu_emu::vec::quantize<T>(call);
}

template <const AscendQuantConfig& config, typename T>
inline void quantByScale(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const npu_emu::Temporary& temporary,
                         const LocalTensor<T>& scale, T offset, uint32_t period, uint32_t count) {
  QuantCall call = quantOf<config>(dst, src, temporary, count);
  call.scale = scale.npu_emu_operand();
  call.offsetValue = static_cast<float>(offset);
  call.period = fixedOr(config.scaleCount, period);
  npu_emu::vec::quantize<T>(call);
}

template <const AscendQuantConfig& config, typename T>
inline void quantByTensors(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src,
                           const npu_emu::Temporary& temporary, const LocalTensor<T>& scale,
                           const LocalTensor<T>& offset, uint32_t period, uint32_t count) {
  QuantCall call = quantOf<config>(dst, src, temporary, count);
  call.scale = scale.npu_emu_operand();
  call.offset = offset.npu_emu_operand();
  call.period = fixedOr(config.scaleCount, period);
  npu_emu::vec::quantize<T>(call);
}

template <typename T, typename S>
constexpr void checkDequantTensor() {
  static_assert(
      (std::is_same_v<T, half> && std::is_same_v<S, uint64_t>) ||
          ((std::is_same_v<T, float> || std::is_same_v<T, bfloat16_t>)&&(std::is_same_v<S, float> ||
                                                                         std::is_same_v<S, bfloat16_t>)),
      "AscendDequant supports half by uint64_t, and float and bfloat16_t by float and bfloat16_t on Atlas A2");
}

template <DeQuantMode mode, typename T, typename S>
inline void dequantByTensor(const LocalTensor<T>& dst, const LocalTensor<int32_t>& src, const LocalTensor<S>& scale,
                            const npu_emu::Temporary& temporary, DequantParams params, uint32_t limit) {
  checkDequantTensor<T, S>();
  QuantCall call;
  call.dst = dst.npu_emu_operand();
  call.src = src.npu_emu_operand();
  call.scale = scale.npu_emu_operand();
  call.temporary = temporary;
  call.period = scale.GetSize();
  npu_emu::vec::dequantize<T, S>(call, params, limit, mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW);
}

template <DeQuantMode mode, typename T, typename S>
inline void dequantByScalar(const LocalTensor<T>& dst, const LocalTensor<int32_t>& src, S scale,
                            const npu_emu::Temporary& temporary, DequantParams params) {
  static_assert((std::is_same_v<T, float> || std::is_same_v<T, bfloat16_t>)&&(std::is_same_v<S, float> ||
                                                                              std::is_same_v<S, bfloat16_t>),
                "AscendDequant by a scalar supports float and bfloat16_t on Atlas A2");
  QuantCall call;
  call.dst = dst.npu_emu_operand();
  call.src = src.npu_emu_operand();
  call.scaleValue = static_cast<float>(scale);
  call.temporary = temporary;
  npu_emu::vec::dequantize<T, float>(call, params, UINT32_MAX, mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW);
}

// Without parameters rows are as long as the scale.
template <typename S>
inline DequantParams rowsByScale(const LocalTensor<int32_t>& src, const LocalTensor<S>& scale) {
  const uint32_t n = scale.GetSize();
  return {n == 0 ? 0 : src.GetSize() / n, n, n};
}

template <typename I, typename T>
inline void antiQuantOf(QuantCall call, const LocalTensor<T>& dst, const LocalTensor<I>& src,
                        const npu_emu::Temporary& temporary, uint32_t k, npu_emu::AntiQuantShape shape) {
  static_assert((std::is_same_v<I, int8_t> || std::is_same_v<I, int4b_t>)&&(std::is_same_v<T, half> ||
                                                                            std::is_same_v<T, bfloat16_t>),
                "AscendAntiQuant supports int8_t and int4b_t to half and bfloat16_t on Atlas A2");
  call.dst = dst.npu_emu_operand();
  call.src = src.npu_emu_operand();
  call.temporary = temporary;
  call.count = src.GetSize();
  shape.k = k;
  shape.n = k == 0 ? 0 : call.count / k;
  npu_emu::vec::antiQuantize<T>(call, shape, std::is_same_v<I, int4b_t>);
}

// Groups along k: the height of the scale, transposed its width. One where the caller says nothing of its shape.
template <bool isTranspose, typename T>
inline uint32_t groupsOf(const LocalTensor<T>& scale, const AntiQuantShapeInfo& info) {
  const uint32_t given = isTranspose ? info.scaleWidth : info.scaleHeight;
  const uint32_t ofTensor = scale.GetShapeInfo().shape[isTranspose ? 1 : 0];
  return given != 0 ? given : ofTensor != 0 ? ofTensor : 1;
}

template <bool isTranspose, typename I, typename T>
inline void antiQuantByTensors(const LocalTensor<T>& dst, const LocalTensor<I>& src, const LocalTensor<T>* offset,
                               const LocalTensor<T>& scale, const npu_emu::Temporary& temporary, uint32_t k,
                               const AntiQuantShapeInfo& info) {
  QuantCall call;
  call.scale = scale.npu_emu_operand();
  if (offset != nullptr) call.offset = offset->npu_emu_operand();
  antiQuantOf(call, dst, src, temporary, k, {0, 0, groupsOf<isTranspose>(scale, info), isTranspose, offset != nullptr});
}

template <bool isTranspose, typename I, typename T>
inline void antiQuantByScalars(const LocalTensor<T>& dst, const LocalTensor<I>& src, const T* offset, T scale,
                               const npu_emu::Temporary& temporary, uint32_t k) {
  QuantCall call;
  call.scaleValue = static_cast<float>(scale);
  if (offset != nullptr) call.offsetValue = static_cast<float>(*offset);
  antiQuantOf(call, dst, src, temporary, k, {0, 0, 1, isTranspose, offset != nullptr});
}

}  // namespace npu_emu_detail

// The arithmetic is that of half. Scales and offsets that are float tensors are replaced by their halves, in place.
// api: AscendQuant | V | half float | inferred: the clock
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const float scale, const float offset,
                        const uint32_t calCount) {
  npu_emu_detail::quantByScalars<config>(dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), scale, offset,
                                         calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, const float scale,
                        const float offset, const uint32_t calCount) {
  npu_emu_detail::quantByScalars<config>(dstTensor, srcTensor, npu_emu::stackTemporary(), scale, offset, calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const float scale, const float offset) {
  npu_emu_detail::quantByScalars<config>(dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), scale, offset,
                                         srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, const float scale,
                        const float offset) {
  npu_emu_detail::quantByScalars<config>(dstTensor, srcTensor, npu_emu::stackTemporary(), scale, offset,
                                         srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor, const T offset,
                        const uint32_t scaleCount, const uint32_t calCount) {
  npu_emu_detail::quantByScale<config>(dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), scaleTensor, offset,
                                       scaleCount, calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<T>& scaleTensor, const T offset, const uint32_t scaleCount,
                        const uint32_t calCount) {
  npu_emu_detail::quantByScale<config>(dstTensor, srcTensor, npu_emu::stackTemporary(), scaleTensor, offset, scaleCount,
                                       calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor,
                        const T offset) {
  npu_emu_detail::quantByScale<config>(dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), scaleTensor, offset,
                                       scaleTensor.GetSize(), srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<T>& scaleTensor, const T offset) {
  npu_emu_detail::quantByScale<config>(dstTensor, srcTensor, npu_emu::stackTemporary(), scaleTensor, offset,
                                       scaleTensor.GetSize(), srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor,
                        const LocalTensor<T>& offsetTensor, const uint32_t scaleCount, const uint32_t,
                        const uint32_t calCount) {
  npu_emu_detail::quantByTensors<config>(dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), scaleTensor,
                                         offsetTensor, scaleCount, calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<T>& scaleTensor, const LocalTensor<T>& offsetTensor,
                        const uint32_t scaleCount, const uint32_t, const uint32_t calCount) {
  npu_emu_detail::quantByTensors<config>(dstTensor, srcTensor, npu_emu::stackTemporary(), scaleTensor, offsetTensor,
                                         scaleCount, calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor,
                        const LocalTensor<T>& offsetTensor) {
  npu_emu_detail::quantByTensors<config>(dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), scaleTensor,
                                         offsetTensor, scaleTensor.GetSize(), srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<T>& scaleTensor, const LocalTensor<T>& offsetTensor) {
  npu_emu_detail::quantByTensors<config>(dstTensor, srcTensor, npu_emu::stackTemporary(), scaleTensor, offsetTensor,
                                         scaleTensor.GetSize(), srcTensor.GetSize());
}

// Elements of a row behind calCount are not written.
// api: AscendDequant | V | half float bfloat16_t | inferred: the clock, and what stands behind calCount
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<scaleT>& deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                          DequantParams params) {
  npu_emu_detail::dequantByTensor<mode>(dstTensor, srcTensor, deqScale, npu_emu::temporaryOf(sharedTmpBuffer), params,
                                        UINT32_MAX);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<scaleT>& deqScale, DequantParams params) {
  npu_emu_detail::dequantByTensor<mode>(dstTensor, srcTensor, deqScale, npu_emu::stackTemporary(), params, UINT32_MAX);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<scaleT>& deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const uint32_t calCount) {
  npu_emu_detail::dequantByTensor<mode>(dstTensor, srcTensor, deqScale, npu_emu::temporaryOf(sharedTmpBuffer),
                                        npu_emu_detail::rowsByScale(srcTensor, deqScale), calCount);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<scaleT>& deqScale, const uint32_t calCount) {
  npu_emu_detail::dequantByTensor<mode>(dstTensor, srcTensor, deqScale, npu_emu::stackTemporary(),
                                        npu_emu_detail::rowsByScale(srcTensor, deqScale), calCount);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<scaleT>& deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer) {
  npu_emu_detail::dequantByTensor<mode>(dstTensor, srcTensor, deqScale, npu_emu::temporaryOf(sharedTmpBuffer),
                                        npu_emu_detail::rowsByScale(srcTensor, deqScale), UINT32_MAX);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<scaleT>& deqScale) {
  npu_emu_detail::dequantByTensor<mode>(dstTensor, srcTensor, deqScale, npu_emu::stackTemporary(),
                                        npu_emu_detail::rowsByScale(srcTensor, deqScale), UINT32_MAX);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const scaleT deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer, DequantParams params) {
  npu_emu_detail::dequantByScalar<mode>(dstTensor, srcTensor, deqScale, npu_emu::temporaryOf(sharedTmpBuffer), params);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const scaleT deqScale, DequantParams params) {
  npu_emu_detail::dequantByScalar<mode>(dstTensor, srcTensor, deqScale, npu_emu::stackTemporary(), params);
}

// half is computed in half, bfloat16_t in float.
// api: AscendAntiQuant | V | half bfloat16_t | inferred: the clock
template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                            const LocalTensor<OutputDataType>& offset, const LocalTensor<OutputDataType>& scale,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t k,
                            const AntiQuantShapeInfo& shapeInfo = {}) {
  npu_emu_detail::antiQuantByTensors<isTranspose>(dst, src, &offset, scale, npu_emu::temporaryOf(sharedTmpBuffer), k,
                                                  shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                            const LocalTensor<OutputDataType>& scale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                            const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {}) {
  npu_emu_detail::antiQuantByTensors<isTranspose>(dst, src, static_cast<const LocalTensor<OutputDataType>*>(nullptr),
                                                  scale, npu_emu::temporaryOf(sharedTmpBuffer), k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                            const LocalTensor<OutputDataType>& offset, const LocalTensor<OutputDataType>& scale,
                            const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {}) {
  npu_emu_detail::antiQuantByTensors<isTranspose>(dst, src, &offset, scale, npu_emu::stackTemporary(), k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                            const OutputDataType offset, const OutputDataType scale,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t k,
                            const AntiQuantShapeInfo& = {}) {
  npu_emu_detail::antiQuantByScalars<isTranspose>(dst, src, &offset, scale, npu_emu::temporaryOf(sharedTmpBuffer), k);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                            const OutputDataType scale, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t k,
                            const AntiQuantShapeInfo& = {}) {
  npu_emu_detail::antiQuantByScalars<isTranspose>(dst, src, static_cast<const OutputDataType*>(nullptr), scale,
                                                  npu_emu::temporaryOf(sharedTmpBuffer), k);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                            const OutputDataType offset, const OutputDataType scale, const uint32_t k,
                            const AntiQuantShapeInfo& = {}) {
  npu_emu_detail::antiQuantByScalars<isTranspose>(dst, src, &offset, scale, npu_emu::stackTemporary(), k);
}

}  // namespace AscendC
