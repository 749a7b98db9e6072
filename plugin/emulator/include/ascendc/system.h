// System variables, tiling access, core kinds and debugging.
#pragma once

#include "sync.h"

namespace AscendC {

constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;
constexpr int32_t MIX = 3;

inline int64_t GetBlockIdx() { return npu_emu::blockIndex(); }
inline int64_t GetBlockNum() { return npu_emu::blockCount(); }
inline int64_t GetSubBlockIdx() { return npu_emu::subBlockIndex(); }
inline int64_t GetSubBlockNum() { return npu_emu::subBlockCount(); }
inline int64_t GetSystemCycle() { return npu_emu::systemCycle(); }
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }
inline void SetSysWorkspace(GM_ADDR) {}

inline float ToFloat(const bfloat16_t& value) { return value; }
inline bfloat16_t ToBfloat16(const float& value) { return bfloat16_t(value); }

template <typename T, typename U>
constexpr auto AlignUp(T value, U unit) {
  return (value + unit - 1) / unit * unit;
}
template <typename T, typename U>
constexpr auto DivCeil(T value, U unit) {
  return (value + unit - 1) / unit;
}
template <typename T, typename U>
constexpr auto CeilDivision(T value, U unit) {
  return unit == 0 ? value : (value + unit - 1) / unit;
}

inline void Trap() { npu_emu::deviceTrap("Trap() was called", nullptr, 0); }

}  // namespace AscendC

#if defined(NPU_EMU_AIC)
constexpr int32_t g_coreType = AscendC::AIC;
#define ASCEND_IS_AIC constexpr(true)
#define ASCEND_IS_AIV constexpr(false)
#else
constexpr int32_t g_coreType = AscendC::AIV;
#define ASCEND_IS_AIC constexpr(false)
#define ASCEND_IS_AIV constexpr(true)
#endif

#define block_idx (npu_emu::blockIndex())
#define block_num (npu_emu::blockCount())
inline int64_t get_block_idx() { return npu_emu::blockIndex(); }
inline int64_t get_block_num() { return npu_emu::blockCount(); }

// The task type is read from the source by the toolchain; the macro has no effect at run time.
#define KERNEL_TASK_TYPE_DEFAULT(type)
#define KERNEL_TASK_TYPE(key, type)

#define TILING_KEY_IS(key) (npu_emu::tilingKey() == static_cast<uint64_t>(key))

// Copies the tiling data out of global memory, as the kernel prologue of the device does.
namespace npu_emu {
template <typename T>
inline T readTiling(GM_ADDR tiling) {
  T data;
  std::memcpy(static_cast<void*>(&data), (const void*)tiling, sizeof data);
  return data;
}
}  // namespace npu_emu

#define GET_TILING_DATA_WITH_STRUCT(type, name, tiling) type name = npu_emu::readTiling<type>(tiling)
#define GET_TILING_DATA(name, tiling) GET_TILING_DATA_WITH_STRUCT(NPU_EMU_TILING_STRUCT, name, tiling)
#define REGISTER_TILING_DEFAULT(type)

#define ASSERT(condition) \
  do { \
    if (!(condition)) npu_emu::deviceTrap("assertion failed: " #condition, __FILE__, __LINE__); \
  } while (0)
#define ascendc_assert(condition, ...) ASSERT(condition)
#undef assert
#define assert(condition, ...) ASSERT(condition)

#define PRINTF(...) npu_emu::deviceLog(__VA_ARGS__)
#define printf(...) npu_emu::deviceLog(__VA_ARGS__)
