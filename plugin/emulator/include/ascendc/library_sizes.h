// The element-wise functions of the library and the temporary memory that each works in on Atlas A2: what the host
// tells a kernel to set aside, and what the device asks for.
#pragma once

#include <cstdint>

namespace npu_emu {

enum class Function : uint8_t {
  Acos,
  Acosh,
  Asin,
  Asinh,
  Atan,
  Atanh,
  Axpy,
  Ceil,
  ClampMax,
  ClampMin,
  Cos,
  Cosh,
  Digamma,
  Erf,
  Erfc,
  Exp,
  Floor,
  Fmod,
  Frac,
  Lgamma,
  Log,
  Log2,
  Log10,
  PowerTensors,
  PowerOfTensor,
  PowerOfScalar,
  Round,
  Sign,
  Sin,
  Sinh,
  Tan,
  Tanh,
  Trunc,
  Xor,
  FasterGelu,
  FasterGeluV2,
  GeGLU,
  Gelu,
  ReGlu,
  Sigmoid,
  Silu,
  SwiGLU,
  Swish,
  Count
};

// `tensors` as long as the source with elements of `elementBytes`, each at least one repeat, and `extra` bytes.
struct TemporaryArea {
  uint32_t tensors, elementBytes, extra = 0;
  uint32_t repeat = 256;

  constexpr uint32_t minimum() const { return tensors * repeat + extra; }
  // What the functions still work in where they take the memory themselves: 32 elements of a tensor at a time.
  constexpr uint32_t least() const { return repeat == 256 ? tensors * 32 * 4 + extra : minimum(); }
  constexpr uint32_t maximum(uint32_t elements) const {
    uint32_t bytes = elements * elementBytes;
    return tensors * (bytes < repeat ? repeat : bytes) + extra;
  }
};

// `typeBytes` is the size of an element, `reusesSource` whether the function may overwrite its source, `integers`
// whether elements are integers, which only Power needs to know.
constexpr TemporaryArea temporaryArea(Function function, uint32_t typeBytes, bool reusesSource = false,
                                      bool integers = false) {
  constexpr uint32_t floatBytes = 4;
  const bool isHalf = typeBytes == 2;
  auto of = [=](uint32_t ofHalf, uint32_t ofFloat) { return TemporaryArea{isHalf ? ofHalf : ofFloat, typeBytes}; };
  auto ofFloats = [=](uint32_t ofHalf, uint32_t ofFloat) {
    return TemporaryArea{isHalf ? ofHalf : ofFloat, floatBytes};
  };
  auto power = [=](uint32_t ofIntegers, uint32_t ofFloat) {
    return integers ? TemporaryArea{ofIntegers, floatBytes} : TemporaryArea{isHalf ? 7 : ofFloat, floatBytes, 256};
  };
  switch (function) {
    case Function::Acos:
    case Function::Asin:
    case Function::Cosh: return of(6, 2);
    case Function::Acosh: return of(2, 1);
    case Function::Asinh: return of(3, 3);
    case Function::Atan: return of(12, 5);
    case Function::Atanh:
    case Function::Sinh:
    case Function::Tanh: return of(4, 1);
    case Function::Axpy:
    case Function::Frac:
    case Function::GeGLU: return of(4, 0);
    case Function::Ceil:
    case Function::Trunc: return of(2, 1);
    case Function::ClampMax:
    case Function::ClampMin: return {1, 1, 0, 256 / typeBytes};
    case Function::Cos:
    case Function::Sin: return of(8, reusesSource ? 2 : 3);
    case Function::Digamma: return of(16, reusesSource ? 6 : 7);
    case Function::Erf: return of(8, 3);
    case Function::Erfc: return of(16, 7);
    case Function::Exp: return ofFloats(4, reusesSource ? 2 : 3);
    case Function::Floor: return of(2, 0);
    case Function::Fmod: return of(8, 1);
    case Function::Lgamma: return of(26, reusesSource ? 7 : 8);
    case Function::Log2: return ofFloats(1, 0);
    case Function::PowerTensors: return power(6, 4);
    case Function::PowerOfTensor:
    case Function::PowerOfScalar: return power(7, 5);
    case Function::Round: return of(1, 0);
    case Function::Sign: return of(3, 3);
    case Function::Tan: return of(10, 4);
    case Function::Xor:
    case Function::Sigmoid: return of(1, 1);
    case Function::FasterGelu:
    case Function::FasterGeluV2:
    case Function::Gelu: return ofFloats(3, 3);
    case Function::ReGlu: return isHalf ? of(6, 6) : TemporaryArea{1, 0};
    case Function::SwiGLU: return of(6, 0);
    case Function::Log:
    case Function::Log10:
    case Function::Silu:
    case Function::Swish:
    case Function::Count: return {0, typeBytes};
  }
  return {0, typeBytes};
}

}  // namespace npu_emu
