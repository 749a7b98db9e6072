// What a Matmul object is: with ASCENDC_CUBE_ONLY it works on the cube core alone, else vector cores ask theirs.
#pragma once

#include "kernel_operator.h"

namespace AscendC {

// api: Matmul | - | half bfloat16_t float int8_t int4b_t | documented
#if defined(ASCENDC_CUBE_ONLY)
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>, MATMUL_POLICY_DEFAULT_OF(MatmulPolicy)>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;
#else
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>, MATMUL_POLICY_DEFAULT_OF(MatmulPolicy)>
using Matmul = MatmulClient<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;
#endif

// api: CeilDiv, CeilAlign, Align, AlignDown | S | integers | inferred: inner names that kernels call; those of 16 bits
//   cut off longer numbers
inline uint16_t CeilDiv(uint16_t value, uint16_t unit) { return Ceil(value, unit); }
inline uint16_t CeilAlign(uint16_t value, uint16_t unit) { return static_cast<uint16_t>(CeilDiv(value, unit) * unit); }
template <typename T>
inline T CeilAlign(T value, T unit) {
  return static_cast<T>(Ceil(value, unit) * unit);
}
// Multiples of 0 are 0.
template <typename T>
constexpr T Align(T value, T unit) {
  return unit == 0 ? T(0) : static_cast<T>((value + unit - 1) / unit * unit);
}
template <typename T>
constexpr T AlignDown(T value, T unit) {
  return unit == 0 ? T(0) : static_cast<T>(value / unit * unit);
}

}  // namespace AscendC

// Modules by which a kernel replaces parts of the product.
// api: MATMUL_USE_MODULE, MATMUL_USE_MODULE_ON | - | - | inferred: refused, which the message says
#define NPU_EMU_NO_MODULE(macro) \
  static_assert(                 \
      false,                     \
      macro " is an Ascend C API that the emulator does not provide yet: Matmul takes no modules of a kernel's own")
#define MATMUL_USE_MODULE(...) NPU_EMU_NO_MODULE("MATMUL_USE_MODULE")
#define MATMUL_USE_MODULE_ON(...) NPU_EMU_NO_MODULE("MATMUL_USE_MODULE_ON")

// The name of earlier releases.
namespace matmul = AscendC;

// The cube core of a mixed kernel answers until the vector cores of its group leave the scope, and returns. Where the
// cube core works alone, vector cores return at once.
// api: REGIST_MATMUL_OBJ, REGIST_MATMUL_OBJ_STATIC, REGIST_CUBE_OBJ | S | - | documented; of the system workspace only
//   its size is looked at: inferred
#if defined(ASCENDC_CUBE_ONLY) && defined(__DAV_C220_CUBE__)
#define REGIST_CUBE_OBJ(tpipe, workspace, ...) \
  ((void)(workspace), AscendC::npu_emu_detail::registerMatmul(tpipe, __VA_ARGS__))
#elif defined(ASCENDC_CUBE_ONLY)
#define REGIST_CUBE_OBJ(tpipe, workspace, ...) return
#else
#define REGIST_CUBE_OBJ(tpipe, workspace, ...)                   \
  AscendC::npu_emu_detail::MatmulSession npu_emu_matmul_session; \
  (void)(workspace);                                             \
  AscendC::npu_emu_detail::registerMatmul(tpipe, __VA_ARGS__);   \
  if (npu_emu_matmul_session.Serves(__VA_ARGS__)) return
#endif
#define REGIST_MATMUL_OBJ REGIST_CUBE_OBJ
#define REGIST_MATMUL_OBJ_STATIC REGIST_CUBE_OBJ
