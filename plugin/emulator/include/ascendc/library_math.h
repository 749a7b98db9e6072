// Mathematical functions of the library, element by element. Forms without sharedTmpBuffer take what is left of UB;
// forms without calCount process the whole tensor.
#pragma once

#include "library_function.h"

namespace AscendC {

// The overloads of a function: with and without sharedTmpBuffer, with and without calCount. `reusesSource`: whether it
// may leave anything in its source.
#define NPU_EMU_DECLARE_FUNCTION(name, reusesSource)                                                             \
  template <typename T, bool isReuseSource = false>                                                              \
  inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                             \
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {                       \
    static_assert(npu_emu::isa::Floating::has<T>, #name " supports half and float on Atlas A2");                 \
    npu_emu_detail::apply(npu_emu::Function::name, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),  \
                          calCount, 0, reusesSource);                                                            \
  }                                                                                                              \
  template <typename T, bool isReuseSource = false>                                                              \
  inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                             \
                   const LocalTensor<uint8_t>& sharedTmpBuffer) {                                                \
    static_assert(npu_emu::isa::Floating::has<T>, #name " supports half and float on Atlas A2");                 \
    npu_emu_detail::apply(npu_emu::Function::name, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),  \
                          srcTensor.GetSize(), 0, reusesSource);                                                 \
  }                                                                                                              \
  template <typename T, bool isReuseSource = false>                                                              \
  inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {  \
    static_assert(npu_emu::isa::Floating::has<T>, #name " supports half and float on Atlas A2");                 \
    npu_emu_detail::apply(npu_emu::Function::name, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount, 0, \
                          reusesSource);                                                                         \
  }                                                                                                              \
  template <typename T, bool isReuseSource = false>                                                              \
  inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {                           \
    static_assert(npu_emu::isa::Floating::has<T>, #name " supports half and float on Atlas A2");                 \
    npu_emu_detail::apply(npu_emu::Function::name, dstTensor, srcTensor, npu_emu::stackTemporary(),              \
                          srcTensor.GetSize(), 0, reusesSource);                                                 \
  }

// The overloads of a function that has none without calCount.
#define NPU_EMU_DECLARE_COUNTED_FUNCTION(name)                                                                  \
  template <typename T, bool isReuseSource = false>                                                             \
  inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                            \
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {                      \
    static_assert(npu_emu::isa::Floating::has<T>, #name " supports half and float on Atlas A2");                \
    npu_emu_detail::apply(npu_emu::Function::name, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), \
                          calCount);                                                                            \
  }                                                                                                             \
  template <typename T, bool isReuseSource = false>                                                             \
  inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) { \
    static_assert(npu_emu::isa::Floating::has<T>, #name " supports half and float on Atlas A2");                \
    npu_emu_detail::apply(npu_emu::Function::name, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);  \
  }

// The overloads of a logarithm without temporary memory.
#define NPU_EMU_DECLARE_LOGARITHM(name)                                                                          \
  template <typename T, bool isReuseSource = false>                                                              \
  inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, uint32_t calCount) {        \
    static_assert(npu_emu::isa::Floating::has<T>, #name " supports half and float on Atlas A2");                 \
    npu_emu_detail::apply(npu_emu::Function::name, dstTensor, srcTensor, npu_emu_detail::noTemporary, calCount); \
  }                                                                                                              \
  template <typename T, bool isReuseSource = false>                                                              \
  inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {                           \
    static_assert(npu_emu::isa::Floating::has<T>, #name " supports half and float on Atlas A2");                 \
    npu_emu_detail::apply(npu_emu::Function::name, dstTensor, srcTensor, npu_emu_detail::noTemporary,            \
                          srcTensor.GetSize());                                                                  \
  }

// The overloads of a function that limits elements to a scalar.
#define NPU_EMU_DECLARE_CLAMP(name)                                                                             \
  template <typename T, bool isReuseSource = false>                                                             \
  inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                            \
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const T scalar, const uint32_t calCount) {      \
    static_assert(npu_emu::isa::Floating::has<T>, #name " supports half and float on Atlas A2");                \
    npu_emu_detail::apply(npu_emu::Function::name, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), \
                          calCount, static_cast<float>(scalar));                                                \
  }                                                                                                             \
  template <typename T, bool isReuseSource = false>                                                             \
  inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const T scalar,            \
                   const uint32_t calCount) {                                                                   \
    static_assert(npu_emu::isa::Floating::has<T>, #name " supports half and float on Atlas A2");                \
    npu_emu_detail::apply(npu_emu::Function::name, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount,   \
                          static_cast<float>(scalar));                                                          \
  }

// api: Acos | V | half float | inferred: exact to one rounding, NaN outside of [-1, 1], where the result is documented
//   to be invalid
NPU_EMU_DECLARE_FUNCTION(Acos, false)

// api: Acosh | V | half float | inferred: exact to one rounding, NaN outside of [1, 65504], where the result is
//   documented to be invalid
NPU_EMU_DECLARE_FUNCTION(Acosh, false)

// api: Asin | V | half float | inferred: exact to one rounding, NaN outside of [-1, 1], where the result is documented
//   to be invalid
NPU_EMU_DECLARE_FUNCTION(Asin, false)

// api: Asinh | V | half float | inferred: exact to one rounding, NaN outside of [-65504, 65504], where the result is
//   documented to be invalid
NPU_EMU_DECLARE_FUNCTION(Asinh, false)

// api: Atan | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
NPU_EMU_DECLARE_FUNCTION(Atan, false)

// api: Atanh | V | half float | inferred: exact to one rounding, also where 0.001 < |x| < 0.99 does not hold and the
//   result is documented to be invalid
NPU_EMU_DECLARE_FUNCTION(Atanh, false)

// api: Axpy | V | half float | documented: the form that multiplies and adds apart; the result is rounded once
template <typename T, typename U, bool isReuseSource = false>
inline void Axpy(const LocalTensor<T>& dstTensor, const LocalTensor<U>& srcTensor, const U scalarValue,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(
      npu_emu::isa::Floating::has<T> && (std::is_same_v<T, U> || (std::is_same_v<T, float> && std::is_same_v<U, half>)),
      "Axpy supports half, float, and half added to float on Atlas A2");
  npu_emu::vec::function<T, U>({npu_emu::Function::Axpy,
                                dstTensor.npu_emu_operand(),
                                srcTensor.npu_emu_operand(),
                                {},
                                npu_emu::temporaryOf(sharedTmpBuffer),
                                calCount,
                                static_cast<float>(scalarValue),
                                false});
}

// api: Ceil | V | half float | documented
NPU_EMU_DECLARE_COUNTED_FUNCTION(Ceil)

// api: ClampMax | V | half float | documented
NPU_EMU_DECLARE_CLAMP(ClampMax)

// api: ClampMin | V | half float | documented
NPU_EMU_DECLARE_CLAMP(ClampMin)

// api: Cos | V | half float | inferred: exact to one rounding, NaN outside of [-65504, 65504], where the result is
//   documented to be invalid
NPU_EMU_DECLARE_FUNCTION(Cos, isReuseSource)

// api: Cosh | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
NPU_EMU_DECLARE_FUNCTION(Cosh, false)

// api: Digamma | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
template <typename T, bool isReuseSource = false>
inline void Digamma(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                    LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Digamma supports half and float on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::Digamma, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                        calCount, 0, isReuseSource);
}
template <typename T, bool isReuseSource = false>
inline void Digamma(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Digamma supports half and float on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::Digamma, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount, 0,
                        isReuseSource);
}

// api: Erf | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
NPU_EMU_DECLARE_FUNCTION(Erf, false)

// api: Erfc | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
NPU_EMU_DECLARE_FUNCTION(Erfc, false)

// api: Exp | V | half float | documented: with terms, e^floor(x) times the Taylor series of the rest; without, the
//   instruction
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Exp supports half and float on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::Exp, dstLocal, srcLocal, npu_emu::temporaryOf(sharedTmpBuffer), calCount,
                        taylorExpandLevel, isReuseSource);
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Exp supports half and float on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::Exp, dstLocal, srcLocal, npu_emu::stackTemporary(), calCount,
                        taylorExpandLevel, isReuseSource);
}

// api: Floor | V | half float | documented
NPU_EMU_DECLARE_COUNTED_FUNCTION(Floor)

// api: Fmod | V | half float | documented: src0 - trunc(src0 / src1) * src1, each step rounded to float
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Fmod supports half and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::Fmod, dstTensor, src0Tensor, src1Tensor,
                             npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Fmod supports half and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::Fmod, dstTensor, src0Tensor, src1Tensor,
                             npu_emu::temporaryOf(sharedTmpBuffer), src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                 const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Fmod supports half and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::Fmod, dstTensor, src0Tensor, src1Tensor, npu_emu::stackTemporary(),
                             calCount);
}
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Fmod supports half and float on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::Fmod, dstTensor, src0Tensor, src1Tensor, npu_emu::stackTemporary(),
                             src0Tensor.GetSize());
}

// api: Frac | V | half float | documented
NPU_EMU_DECLARE_FUNCTION(Frac, false)

// api: Lgamma | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
template <typename T, bool isReuseSource = false>
inline void Lgamma(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Lgamma supports half and float on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::Lgamma, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                        calCount, 0, isReuseSource);
}
template <typename T, bool isReuseSource = false>
inline void Lgamma(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Lgamma supports half and float on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::Lgamma, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount, 0,
                        isReuseSource);
}

// api: Log | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
NPU_EMU_DECLARE_LOGARITHM(Log)

// api: Log2 | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
NPU_EMU_DECLARE_FUNCTION(Log2, false)

// api: Log10 | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
NPU_EMU_DECLARE_LOGARITHM(Log10)

namespace npu_emu_detail {

template <typename T>
constexpr double wide(const T& value) {
  return static_cast<double>(static_cast<npu_emu::Wide<T>>(value));
}

}  // namespace npu_emu_detail

// Three kinds: tensor to the power of a tensor, tensor to the power of a scalar, scalar to the power of a tensor.
// api: Power | V | half float int32_t | inferred: special cases as IEEE 754 has them; integers wrap, negative exponents
//   as the library treats them
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::PowerTensors, dstTensor, src0Tensor, src1Tensor,
                             npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                  uint32_t calCount) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::PowerTensors, dstTensor, src0Tensor, src1Tensor,
                             npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::PowerTensors, dstTensor, src0Tensor, src1Tensor,
                             npu_emu::temporaryOf(sharedTmpBuffer), src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::PowerTensors, dstTensor, src0Tensor, src1Tensor,
                             npu_emu::stackTemporary(), src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::PowerOfTensor, dstTensor, src0Tensor, npu_emu::temporaryOf(sharedTmpBuffer),
                        calCount, npu_emu_detail::wide(src1Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
                  uint32_t calCount) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::PowerOfTensor, dstTensor, src0Tensor, npu_emu::stackTemporary(), calCount,
                        npu_emu_detail::wide(src1Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
                  const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::PowerOfTensor, dstTensor, src0Tensor, npu_emu::temporaryOf(sharedTmpBuffer),
                        src0Tensor.GetSize(), npu_emu_detail::wide(src1Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::PowerOfTensor, dstTensor, src0Tensor, npu_emu::stackTemporary(),
                        src0Tensor.GetSize(), npu_emu_detail::wide(src1Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::PowerOfScalar, dstTensor, src1Tensor, npu_emu::temporaryOf(sharedTmpBuffer),
                        calCount, npu_emu_detail::wide(src0Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
                  uint32_t calCount) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::PowerOfScalar, dstTensor, src1Tensor, npu_emu::stackTemporary(), calCount,
                        npu_emu_detail::wide(src0Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::PowerOfScalar, dstTensor, src1Tensor, npu_emu::temporaryOf(sharedTmpBuffer),
                        src1Tensor.GetSize(), npu_emu_detail::wide(src0Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  npu_emu_detail::apply(npu_emu::Function::PowerOfScalar, dstTensor, src1Tensor, npu_emu::stackTemporary(),
                        src1Tensor.GetSize(), npu_emu_detail::wide(src0Scalar));
}

// api: Round | V | half float | documented: halves to even
NPU_EMU_DECLARE_COUNTED_FUNCTION(Round)

// api: Sign | V | half float | documented: NaN gives 0, which is inferred
NPU_EMU_DECLARE_FUNCTION(Sign, false)

// api: Sin | V | half float | inferred: exact to one rounding, NaN outside of [-65504, 65504], where the result is
//   documented to be invalid
NPU_EMU_DECLARE_FUNCTION(Sin, isReuseSource)

// api: Sinh | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
NPU_EMU_DECLARE_FUNCTION(Sinh, false)

// api: Tan | V | half float | inferred: exact to one rounding, NaN outside of [-65504, 65504], where the result is
//   documented to be invalid
NPU_EMU_DECLARE_FUNCTION(Tan, false)

// api: Tanh | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
NPU_EMU_DECLARE_FUNCTION(Tanh, false)

// api: Trunc | V | half float | documented
NPU_EMU_DECLARE_FUNCTION(Trunc, false)

// api: Xor | V | int16_t uint16_t | documented
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Words16::has<T>, "Xor supports int16_t and uint16_t on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::Xor, dstTensor, src0Tensor, src1Tensor,
                             npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Words16::has<T>, "Xor supports int16_t and uint16_t on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::Xor, dstTensor, src0Tensor, src1Tensor,
                             npu_emu::temporaryOf(sharedTmpBuffer), src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                const uint32_t calCount) {
  static_assert(npu_emu::isa::Words16::has<T>, "Xor supports int16_t and uint16_t on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::Xor, dstTensor, src0Tensor, src1Tensor, npu_emu::stackTemporary(),
                             calCount);
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor) {
  static_assert(npu_emu::isa::Words16::has<T>, "Xor supports int16_t and uint16_t on Atlas A2");
  npu_emu_detail::applyToTwo(npu_emu::Function::Xor, dstTensor, src0Tensor, src1Tensor, npu_emu::stackTemporary(),
                             src0Tensor.GetSize());
}

#undef NPU_EMU_DECLARE_FUNCTION
#undef NPU_EMU_DECLARE_COUNTED_FUNCTION
#undef NPU_EMU_DECLARE_LOGARITHM
#undef NPU_EMU_DECLARE_CLAMP

}  // namespace AscendC
