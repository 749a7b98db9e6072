// What the functions of the library share: the temporary memory they work in.
#pragma once

#include "pipe.h"

namespace npu_emu {

// Temporary memory of a library function: a tensor of the caller, or what no queue and no buffer has taken.
struct Temporary {
  Operand operand;
  uint32_t bytes;
  bool ofCaller;
};

template <typename T>
inline Temporary temporaryOf(const AscendC::LocalTensor<T>& tensor) {
  return {tensor.npu_emu_operand(), tensor.GetLength(), true};
}

inline Temporary stackTemporary() {
  LocalBuffer rest = restOfMemory(AscendC::TPosition::VECCALC);
  return {{rest.address, rest.buffer, AscendC::TPosition::VECCALC}, rest.bytes, false};
}

}  // namespace npu_emu
