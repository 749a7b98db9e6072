// One call of an element-wise function of the library, as the templates hand it to the runtime.
#pragma once

#include "library.h"
#include "library_sizes.h"
#include "system.h"

#pragma GCC visibility push(default)

namespace npu_emu {

struct FunctionCall {
  Function function;
  Operand dst, src0, src1;  // src1 has no address where there is one source
  Temporary temporary;
  uint32_t count;
  double scalar;           // the scalar operand, or the number of terms of a series
  bool reusesSource;       // the function may leave anything in its source
  bool isWidened = false;  // half is computed in float
  bool isQuick = false;    // by a reciprocal rather than a division
};

namespace vec {
// Sources of type S, results of type D.
template <typename D, typename S>
void function(const FunctionCall& call);
}  // namespace vec

}  // namespace npu_emu

#pragma GCC visibility pop

namespace AscendC {

// Cube cores skip these functions.
namespace npu_emu_detail {

template <typename T>
inline void apply(npu_emu::Function function, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                  const npu_emu::Temporary& temporary, uint32_t count, double scalar = 0, bool reusesSource = false,
                  bool isWidened = false, bool isQuick = false) {
  if ASCEND_IS_AIC
    return;
  else
    npu_emu::vec::function<T, T>({function,
                                  dst.npu_emu_operand(),
                                  src.npu_emu_operand(),
                                  {},
                                  temporary,
                                  count,
                                  scalar,
                                  reusesSource,
                                  isWidened,
                                  isQuick});
}
template <typename T>
inline void applyToTwo(npu_emu::Function function, const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                       const LocalTensor<T>& src1, const npu_emu::Temporary& temporary, uint32_t count,
                       double scalar = 0) {
  if ASCEND_IS_AIC
    return;
  else
    npu_emu::vec::function<T, T>({function, dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(),
                                  temporary, count, scalar, false});
}

// Of functions that need no temporary memory.
constexpr npu_emu::Temporary noTemporary{};

}  // namespace npu_emu_detail

}  // namespace AscendC
