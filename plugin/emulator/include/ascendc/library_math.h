// Mathematical functions of the library, element by element. Forms without sharedTmpBuffer take what is left of UB; forms
// without calCount process the whole tensor.
#pragma once

#include "library_function.h"

namespace AscendC {

// api: Acos | V | half float | inferred: exact to one rounding, NaN outside of [-1, 1], where the result is documented to be invalid
template <typename T, bool isReuseSource = false>
inline void Acos(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Acos supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Acos, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Acos(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Acos supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Acos, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Acos(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Acos supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Acos, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Acos(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Acos supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Acos, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Acosh | V | half float | inferred: exact to one rounding, NaN outside of [1, 65504], where the result is documented to be invalid
template <typename T, bool isReuseSource = false>
inline void Acosh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Acosh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Acosh, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Acosh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Acosh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Acosh, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Acosh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Acosh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Acosh, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Acosh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Acosh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Acosh, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Asin | V | half float | inferred: exact to one rounding, NaN outside of [-1, 1], where the result is documented to be invalid
template <typename T, bool isReuseSource = false>
inline void Asin(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Asin supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Asin, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Asin(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Asin supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Asin, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Asin(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Asin supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Asin, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Asin(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Asin supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Asin, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Asinh | V | half float | inferred: exact to one rounding, NaN outside of [-65504, 65504], where the result is documented to be invalid
template <typename T, bool isReuseSource = false>
inline void Asinh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Asinh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Asinh, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Asinh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Asinh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Asinh, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Asinh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Asinh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Asinh, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Asinh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Asinh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Asinh, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Atan | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
template <typename T, bool isReuseSource = false>
inline void Atan(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Atan supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Atan, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Atan(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Atan supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Atan, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Atan(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Atan supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Atan, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Atan(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Atan supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Atan, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Atanh | V | half float | inferred: exact to one rounding, also where 0.001 < |x| < 0.99 does not hold and the result is documented to be invalid
template <typename T, bool isReuseSource = false>
inline void Atanh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Atanh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Atanh, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Atanh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Atanh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Atanh, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Atanh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Atanh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Atanh, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Atanh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Atanh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Atanh, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Axpy | V | half float | documented: the form that multiplies and adds apart; the result is rounded once
template <typename T, typename U, bool isReuseSource = false>
inline void Axpy(const LocalTensor<T>& dstTensor, const LocalTensor<U>& srcTensor, const U scalarValue,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(
      npu_emu::isa::Floating::has<T> && (std::is_same_v<T, U> || (std::is_same_v<T, float> && std::is_same_v<U, half>)),
      "Axpy supports half, float, and half added to float on Atlas A2");
  npu_emu::vec::function<T, U>({npu_emu::Function::Axpy,
                                dstTensor.operand(),
                                srcTensor.operand(),
                                {},
                                npu_emu::temporaryOf(sharedTmpBuffer),
                                calCount,
                                static_cast<float>(scalarValue),
                                false});
}

// api: Ceil | V | half float | documented
template <typename T, bool isReuseSource = false>
inline void Ceil(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Ceil supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Ceil, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Ceil(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Ceil supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Ceil, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}

// api: ClampMax | V | half float | documented
template <typename T, bool isReuseSource = false>
inline void ClampMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                     const LocalTensor<uint8_t>& sharedTmpBuffer, const T scalar, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "ClampMax supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::ClampMax, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount,
                static_cast<float>(scalar));
}
template <typename T, bool isReuseSource = false>
inline void ClampMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const T scalar,
                     const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "ClampMax supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::ClampMax, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount,
                static_cast<float>(scalar));
}

// api: ClampMin | V | half float | documented
template <typename T, bool isReuseSource = false>
inline void ClampMin(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                     const LocalTensor<uint8_t>& sharedTmpBuffer, const T scalar, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "ClampMin supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::ClampMin, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount,
                static_cast<float>(scalar));
}
template <typename T, bool isReuseSource = false>
inline void ClampMin(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const T scalar,
                     const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "ClampMin supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::ClampMin, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount,
                static_cast<float>(scalar));
}

// api: Cos | V | half float | inferred: exact to one rounding, NaN outside of [-65504, 65504], where the result is documented to be invalid
template <typename T, bool isReuseSource = false>
inline void Cos(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Cos supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Cos, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount, 0,
                isReuseSource);
}
template <typename T, bool isReuseSource = false>
inline void Cos(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Cos supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Cos, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize(), 0, isReuseSource);
}
template <typename T, bool isReuseSource = false>
inline void Cos(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Cos supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Cos, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount, 0, isReuseSource);
}
template <typename T, bool isReuseSource = false>
inline void Cos(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Cos supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Cos, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize(), 0,
                isReuseSource);
}

// api: Cosh | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
template <typename T, bool isReuseSource = false>
inline void Cosh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Cosh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Cosh, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Cosh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Cosh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Cosh, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Cosh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Cosh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Cosh, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Cosh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Cosh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Cosh, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Digamma | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
template <typename T, bool isReuseSource = false>
inline void Digamma(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                    LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Digamma supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Digamma, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount, 0,
                isReuseSource);
}
template <typename T, bool isReuseSource = false>
inline void Digamma(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Digamma supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Digamma, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount, 0,
                isReuseSource);
}

// api: Erf | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
template <typename T, bool isReuseSource = false>
inline void Erf(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Erf supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Erf, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Erf(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Erf supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Erf, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Erf(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Erf supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Erf, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Erf(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Erf supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Erf, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Erfc | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
template <typename T, bool isReuseSource = false>
inline void Erfc(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Erfc supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Erfc, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Erfc(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Erfc supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Erfc, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Erfc(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Erfc supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Erfc, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Erfc(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Erfc supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Erfc, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Exp | V | half float | documented: with terms, e^floor(x) times the Taylor series of the rest; without, the instruction
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Exp supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Exp, dstLocal, srcLocal, npu_emu::temporaryOf(sharedTmpBuffer), calCount,
                taylorExpandLevel, isReuseSource);
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Exp supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Exp, dstLocal, srcLocal, npu_emu::stackTemporary(), calCount, taylorExpandLevel,
                isReuseSource);
}

// api: Floor | V | half float | documented
template <typename T, bool isReuseSource = false>
inline void Floor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Floor supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Floor, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Floor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Floor supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Floor, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}

// api: Fmod | V | half float | documented: src0 - trunc(src0 / src1) * src1, each step rounded to float
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Fmod supports half and float on Atlas A2");
  detail::applyToTwo(npu_emu::Function::Fmod, dstTensor, src0Tensor, src1Tensor, npu_emu::temporaryOf(sharedTmpBuffer),
                     calCount);
}
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Fmod supports half and float on Atlas A2");
  detail::applyToTwo(npu_emu::Function::Fmod, dstTensor, src0Tensor, src1Tensor, npu_emu::temporaryOf(sharedTmpBuffer),
                     src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                 const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Fmod supports half and float on Atlas A2");
  detail::applyToTwo(npu_emu::Function::Fmod, dstTensor, src0Tensor, src1Tensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Fmod supports half and float on Atlas A2");
  detail::applyToTwo(npu_emu::Function::Fmod, dstTensor, src0Tensor, src1Tensor, npu_emu::stackTemporary(),
                     src0Tensor.GetSize());
}

// api: Frac | V | half float | documented
template <typename T, bool isReuseSource = false>
inline void Frac(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Frac supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Frac, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Frac(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Frac supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Frac, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Frac(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Frac supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Frac, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Frac(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Frac supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Frac, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Lgamma | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
template <typename T, bool isReuseSource = false>
inline void Lgamma(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Lgamma supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Lgamma, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount, 0,
                isReuseSource);
}
template <typename T, bool isReuseSource = false>
inline void Lgamma(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Lgamma supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Lgamma, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount, 0, isReuseSource);
}

// api: Log | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
template <typename T, bool isReuseSource = false>
inline void Log(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Log supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Log, dstTensor, srcTensor, detail::noTemporary, calCount);
}
template <typename T, bool isReuseSource = false>
inline void Log(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Log supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Log, dstTensor, srcTensor, detail::noTemporary, srcTensor.GetSize());
}

// api: Log2 | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
template <typename T, bool isReuseSource = false>
inline void Log2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Log2 supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Log2, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Log2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Log2 supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Log2, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Log2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Log2 supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Log2, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Log2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Log2 supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Log2, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Log10 | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
template <typename T, bool isReuseSource = false>
inline void Log10(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Log10 supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Log10, dstTensor, srcTensor, detail::noTemporary, calCount);
}
template <typename T, bool isReuseSource = false>
inline void Log10(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Log10 supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Log10, dstTensor, srcTensor, detail::noTemporary, srcTensor.GetSize());
}

namespace detail {

template <typename T>
constexpr double wide(const T& value) {
  return static_cast<double>(static_cast<npu_emu::Wide<T>>(value));
}

}  // namespace detail

// Three kinds: tensor to the power of a tensor, tensor to the power of a scalar, scalar to the power of a tensor.
// api: Power | V | half float int32_t | inferred: special cases as IEEE 754 has them; integers wrap, negative exponents as the library treats them; the clock of integers is guessed
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  detail::applyToTwo(npu_emu::Function::PowerTensors, dstTensor, src0Tensor, src1Tensor,
                     npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                  uint32_t calCount) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  detail::applyToTwo(npu_emu::Function::PowerTensors, dstTensor, src0Tensor, src1Tensor, npu_emu::stackTemporary(),
                     calCount);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  detail::applyToTwo(npu_emu::Function::PowerTensors, dstTensor, src0Tensor, src1Tensor,
                     npu_emu::temporaryOf(sharedTmpBuffer), src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  detail::applyToTwo(npu_emu::Function::PowerTensors, dstTensor, src0Tensor, src1Tensor, npu_emu::stackTemporary(),
                     src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  detail::apply(npu_emu::Function::PowerOfTensor, dstTensor, src0Tensor, npu_emu::temporaryOf(sharedTmpBuffer),
                calCount, detail::wide(src1Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
                  uint32_t calCount) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  detail::apply(npu_emu::Function::PowerOfTensor, dstTensor, src0Tensor, npu_emu::stackTemporary(), calCount,
                detail::wide(src1Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
                  const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  detail::apply(npu_emu::Function::PowerOfTensor, dstTensor, src0Tensor, npu_emu::temporaryOf(sharedTmpBuffer),
                src0Tensor.GetSize(), detail::wide(src1Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  detail::apply(npu_emu::Function::PowerOfTensor, dstTensor, src0Tensor, npu_emu::stackTemporary(),
                src0Tensor.GetSize(), detail::wide(src1Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  detail::apply(npu_emu::Function::PowerOfScalar, dstTensor, src1Tensor, npu_emu::temporaryOf(sharedTmpBuffer),
                calCount, detail::wide(src0Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
                  uint32_t calCount) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  detail::apply(npu_emu::Function::PowerOfScalar, dstTensor, src1Tensor, npu_emu::stackTemporary(), calCount,
                detail::wide(src0Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  detail::apply(npu_emu::Function::PowerOfScalar, dstTensor, src1Tensor, npu_emu::temporaryOf(sharedTmpBuffer),
                src1Tensor.GetSize(), detail::wide(src0Scalar));
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor) {
  static_assert(npu_emu::Types<half, float, int32_t>::has<T>, "Power supports half, float and int32_t on Atlas A2");
  detail::apply(npu_emu::Function::PowerOfScalar, dstTensor, src1Tensor, npu_emu::stackTemporary(),
                src1Tensor.GetSize(), detail::wide(src0Scalar));
}

// api: Round | V | half float | documented: halves to even
template <typename T, bool isReuseSource = false>
inline void Round(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Round supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Round, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Round(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Round supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Round, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}

// api: Sign | V | half float | documented: NaN gives 0, which is inferred
template <typename T, bool isReuseSource = false>
inline void Sign(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sign supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Sign, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Sign(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sign supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Sign, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Sign(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sign supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Sign, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Sign(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sign supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Sign, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Sin | V | half float | inferred: exact to one rounding, NaN outside of [-65504, 65504], where the result is documented to be invalid
template <typename T, bool isReuseSource = false>
inline void Sin(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sin supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Sin, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount, 0,
                isReuseSource);
}
template <typename T, bool isReuseSource = false>
inline void Sin(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sin supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Sin, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize(), 0, isReuseSource);
}
template <typename T, bool isReuseSource = false>
inline void Sin(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sin supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Sin, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount, 0, isReuseSource);
}
template <typename T, bool isReuseSource = false>
inline void Sin(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sin supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Sin, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize(), 0,
                isReuseSource);
}

// api: Sinh | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
template <typename T, bool isReuseSource = false>
inline void Sinh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sinh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Sinh, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Sinh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sinh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Sinh, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Sinh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sinh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Sinh, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Sinh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Sinh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Sinh, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Tan | V | half float | inferred: exact to one rounding, NaN outside of [-65504, 65504], where the result is documented to be invalid
template <typename T, bool isReuseSource = false>
inline void Tan(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Tan supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Tan, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Tan(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Tan supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Tan, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Tan(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Tan supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Tan, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Tan(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Tan supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Tan, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Tanh | V | half float | inferred: exact to one rounding, the clock from the instructions of the library
template <typename T, bool isReuseSource = false>
inline void Tanh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Tanh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Tanh, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Tanh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Tanh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Tanh, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Tanh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Tanh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Tanh, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Tanh(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Tanh supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Tanh, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Trunc | V | half float | documented
template <typename T, bool isReuseSource = false>
inline void Trunc(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Trunc supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Trunc, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Trunc(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Floating::has<T>, "Trunc supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Trunc, dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer),
                srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Trunc(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {
  static_assert(npu_emu::isa::Floating::has<T>, "Trunc supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Trunc, dstTensor, srcTensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Trunc(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {
  static_assert(npu_emu::isa::Floating::has<T>, "Trunc supports half and float on Atlas A2");
  detail::apply(npu_emu::Function::Trunc, dstTensor, srcTensor, npu_emu::stackTemporary(), srcTensor.GetSize());
}

// api: Xor | V | int16_t uint16_t | documented
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  static_assert(npu_emu::isa::Words16::has<T>, "Xor supports int16_t and uint16_t on Atlas A2");
  detail::applyToTwo(npu_emu::Function::Xor, dstTensor, src0Tensor, src1Tensor, npu_emu::temporaryOf(sharedTmpBuffer),
                     calCount);
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer) {
  static_assert(npu_emu::isa::Words16::has<T>, "Xor supports int16_t and uint16_t on Atlas A2");
  detail::applyToTwo(npu_emu::Function::Xor, dstTensor, src0Tensor, src1Tensor, npu_emu::temporaryOf(sharedTmpBuffer),
                     src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                const uint32_t calCount) {
  static_assert(npu_emu::isa::Words16::has<T>, "Xor supports int16_t and uint16_t on Atlas A2");
  detail::applyToTwo(npu_emu::Function::Xor, dstTensor, src0Tensor, src1Tensor, npu_emu::stackTemporary(), calCount);
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor) {
  static_assert(npu_emu::isa::Words16::has<T>, "Xor supports int16_t and uint16_t on Atlas A2");
  detail::applyToTwo(npu_emu::Function::Xor, dstTensor, src0Tensor, src1Tensor, npu_emu::stackTemporary(),
                     src0Tensor.GetSize());
}

}  // namespace AscendC
