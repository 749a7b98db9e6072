// Activation functions of the library, element by element. Forms without sharedTmpBuffer take what is left of UB; forms
// without calCount process the whole tensor.
#pragma once

#include "library_function.h"

namespace AscendC {

// The overloads of Gelu and its approximations.
#define NPU_EMU_DECLARE_GELU(name)                                                                                    \
  template <typename T, bool highPrecision = false, bool highPerformance = false>                                     \
  inline void name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,                                    \
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t dataSize) {                            \
    static_assert(npu_emu::isa::Floating::has<T>, #name " supports half and float on Atlas A2");                      \
    npu_emu_detail::apply(npu_emu::Function::name, dstLocal, srcLocal, npu_emu::temporaryOf(sharedTmpBuffer),         \
                          dataSize, 0, false, highPrecision && sizeof(T) == 2, highPerformance);                      \
  }                                                                                                                   \
  template <typename T, bool highPrecision = false, bool highPerformance = false>                                     \
  inline void name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dataSize) {         \
    static_assert(npu_emu::isa::Floating::has<T>, #name " supports half and float on Atlas A2");                      \
    npu_emu_detail::apply(npu_emu::Function::name, dstLocal, srcLocal, npu_emu::stackTemporary(), dataSize, 0, false, \
                          highPrecision && sizeof(T) == 2, highPerformance);                                          \
  }

// api: FasterGelu | V | half float | inferred: the documented formula rounded once, whatever highPrecision and
//   highPerformance say
NPU_EMU_DECLARE_GELU(FasterGelu)

// api: FasterGeluV2 | V | half float | inferred: the documented formula rounded once, whatever highPrecision and
//   highPerformance say
NPU_EMU_DECLARE_GELU(FasterGeluV2)

// api: GeGLU | V | half float | documented: the approximation by tanh; rounded once
template <typename T, bool isReuseSource = false>
inline void GeGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "GeGLU supports half and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::GeGLU, dstTensor, srcTensor0, srcTensor1,
                             npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void GeGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
                  uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "GeGLU supports half and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::GeGLU, dstTensor, srcTensor0, srcTensor1, npu_emu::stackTemporary(),
                             calCount);
}
template <typename T, bool isReuseSource = false>
inline void GeGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
                  const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "GeGLU supports half and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::GeGLU, dstTensor, srcTensor0, srcTensor1,
                             npu_emu::temporaryOf(sharedTmpBuffer), srcTensor0.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void GeGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1) {
  static_assert(npu_emu::isa::Floating::has<T>, "GeGLU supports half and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::GeGLU, dstTensor, srcTensor0, srcTensor1, npu_emu::stackTemporary(),
                             srcTensor0.GetSize());
}

// api: Gelu | V | half float | inferred: the documented approximation by tanh rounded once, whatever highPrecision and
//   highPerformance say
NPU_EMU_DECLARE_GELU(Gelu)

// api: ReGlu | V | half bfloat16_t float | documented
template <typename T, bool isReuseSource = false>
inline void ReGlu(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::Types<half, bfloat16_t, float>::has<T>,
                "ReGlu supports half, bfloat16_t and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::ReGlu, dstTensor, srcTensor0, srcTensor1,
                             npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void ReGlu(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
                  const uint32_t calCount) {
  static_assert(npu_emu::Types<half, bfloat16_t, float>::has<T>,
                "ReGlu supports half, bfloat16_t and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::ReGlu, dstTensor, srcTensor0, srcTensor1, npu_emu::stackTemporary(),
                             calCount);
}

// api: Sigmoid | V | half float | documented: rounded once
template <typename T, bool isReuseSource = false>
inline void Sigmoid(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sigmoid supports half and float on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::Sigmoid, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                        calCount);
}
template <typename T, bool isReuseSource = false>
inline void Sigmoid(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                    const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sigmoid supports half and float on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::Sigmoid, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                        srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Sigmoid(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sigmoid supports half and float on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::Sigmoid, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Sigmoid(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sigmoid supports half and float on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::Sigmoid, dstTensor, srcTensor, npu_emu::stackTemporary(),
                        srcTensor.GetSize());
}

// api: Silu | V | half float | documented: rounded once
template <typename T, bool isReuseSource = false>
inline void Silu(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize) {
  static_assert(npu_emu::isa::Floating::has<T>, "Silu supports half and float on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::Silu, dstLocal, srcLocal, npu_emu_detail::noTemporary, dataSize);
}

// api: SwiGLU | V | half float | documented: rounded once
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dstTensor, LocalTensor<T>& srcTensor0, LocalTensor<T>& srcTensor1,
                   const float& scalarValue) {
  static_assert(npu_emu::isa::Floating::has<T>, "SwiGLU supports half and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::SwiGLU, dstTensor, srcTensor0, srcTensor1, npu_emu::stackTemporary(),
                             srcTensor0.GetSize(), scalarValue);
}
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
                   const float& scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "SwiGLU supports half and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::SwiGLU, dstTensor, srcTensor0, srcTensor1,
                             npu_emu::temporaryOf(sharedTmpBuffer), srcTensor0.GetSize(), scalarValue);
}
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
                   const float& scalarValue, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "SwiGLU supports half and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::SwiGLU, dstTensor, srcTensor0, srcTensor1, npu_emu::stackTemporary(),
                             calCount, scalarValue);
}
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
                   const float& scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "SwiGLU supports half and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::SwiGLU, dstTensor, srcTensor0, srcTensor1,
                             npu_emu::temporaryOf(sharedTmpBuffer), calCount, scalarValue);
}

// api: Swish | V | half float | documented: rounded once
template <typename T, bool isReuseSource = false>
inline void Swish(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize,
                  const T scalarValue) {
  static_assert(npu_emu::isa::Floating::has<T>, "Swish supports half and float on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::Swish, dstLocal, srcLocal, npu_emu_detail::noTemporary, dataSize,
                        static_cast<float>(scalarValue));
}

#undef NPU_EMU_DECLARE_GELU

}  // namespace AscendC
