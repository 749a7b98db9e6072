// System variables, tiling access, core kinds and debugging.
#pragma once

#include "architecture.h"
#include "sync.h"

namespace AscendC {

constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;
constexpr int32_t MIX = 3;

// api: GetBlockIdx, GetBlockNum, GetSubBlockIdx, GetSubBlockNum | S | - | documented
inline int64_t GetBlockIdx() { return npu_emu::blockIndex(); }
inline int64_t GetBlockNum() { return npu_emu::blockCount(); }
inline int64_t GetSubBlockIdx() { return npu_emu::subBlockIndex(); }
inline int64_t GetSubBlockNum() { return npu_emu::subBlockCount(); }
// api: GetSystemCycle | S | - | documented; the time of a core that has the memory for itself: inferred
inline int64_t GetSystemCycle() { return npu_emu::systemCycle(); }
// api: GetTaskRatio, GetTaskRation | S | - | documented
inline int64_t GetTaskRatio() { return npu_emu::subBlockCount(); }
inline int64_t GetTaskRation() { return GetTaskRatio(); }
// api: GetDataBlockSizeInBytes | S | - | documented
constexpr int16_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }
// api: GetArchVersion | S | - | documented
inline void GetArchVersion(uint32_t& coreVersion) { coreVersion = npu_emu::architecture::aiCore; }
// api: GetProgramCounter | S | - | inferred: a place in the code that this emulator runs
inline int64_t GetProgramCounter() { return npu_emu::programCounter(); }

// api: GetUserWorkspace, SetSysWorkspace, SetSysWorkspaceForce, GetSysWorkSpacePtr | S | - | inferred: the whole
//   workspace belongs to the user
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return (GM_ADDR)npu_emu::userWorkspace((uint8_t*)workspace); }
inline void SetSysWorkspace(GM_ADDR workspace) { npu_emu::setSystemWorkspace((uint8_t*)workspace); }
inline void SetSysWorkspaceForce(GM_ADDR workspace) { SetSysWorkspace(workspace); }
inline __gm__ uint8_t* GetSysWorkSpacePtr() { return (GM_ADDR)npu_emu::systemWorkspace(); }

// api: InitSocState | S | - | documented
inline void InitSocState() { npu_emu::vec::initialise(); }

// api: ToFloat, ToBfloat16 | S | bfloat16_t->float float->bfloat16_t | documented
inline float ToFloat(const bfloat16_t& value) { return value; }
inline bfloat16_t ToBfloat16(const float& value) { return bfloat16_t(value); }

// api: AlignUp, DivCeil, CeilDivision, ConstCeil, Ceil (of integers) | S | integers | inferred: inner names that
//   kernels call
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
  return unit == 0 ? 0 : (value + unit - 1) / unit;
}
constexpr uint32_t ConstCeil(uint32_t value, uint32_t unit) { return DivCeil(value, unit); }
// Arguments of other types are converted first, as on the device.
constexpr uint32_t Ceil(uint32_t value, uint32_t unit) { return DivCeil(value, unit); }

namespace npu_emu_detail {

template <typename T>
constexpr char dumpType() {
  if (std::is_same_v<T, half>) return 'h';
  if (std::is_same_v<T, bfloat16_t>) return 'b';
  if (std::is_floating_point_v<T>) return 'f';
  return std::is_signed_v<T> ? 'i' : 'u';
}

// What a C variadic function can take: the 16-bit floats become double.
template <typename T>
inline auto printable(T value) {
  if constexpr (std::is_same_v<T, half>) return static_cast<double>(value);
  else if constexpr (std::is_same_v<T, bfloat16_t>) return static_cast<double>(static_cast<float>(value));
  else return value;
}

}  // namespace npu_emu_detail

// api: printf, PRINTF | S | numbers, pointers, text | documented
template <typename... A>
inline void PRINTF(const char* format, A... values) {
  npu_emu::deviceLog(format, npu_emu_detail::printable(values)...);
}
template <typename... A>
inline void printf(const char* format, A... values) {
  npu_emu::deviceLog(format, npu_emu_detail::printable(values)...);
}

// api: DumpTensor | S | numbers of up to 64 bits | documented
template <typename T>
inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize) {
  npu_emu::dumpLocal(tensor.npu_emu_operand(), desc, dumpSize, sizeof(T), npu_emu_detail::dumpType<T>());
}
template <typename T>
inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize) {
  npu_emu::dumpGm(tensor.npu_emu_address(), desc, dumpSize, sizeof(T), npu_emu_detail::dumpType<T>());
}
template <typename T, typename Shape>
inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, const Shape&) {
  DumpTensor(tensor, desc, dumpSize);
}
template <typename T, typename Shape>
inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, const Shape&) {
  DumpTensor(tensor, desc, dumpSize);
}
// api: DumpAccChkPoint | S | numbers of up to 64 bits | documented
template <typename T>
inline void DumpAccChkPoint(const LocalTensor<T>& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize) {
  DumpTensor(tensor[countOff], index, dumpSize);
}
template <typename T>
inline void DumpAccChkPoint(const GlobalTensor<T>& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize) {
  DumpTensor(tensor[countOff], index, dumpSize);
}
// Profiling points have nothing to record here.
// api: PrintTimeStamp, MarkStamp, MetricsProfStart, MetricsProfStop | S | - | documented
inline void PrintTimeStamp(uint32_t) {}
template <pipe_t pipe, uint16_t id>
inline void MarkStamp() {}
inline void MetricsProfStart() {}
inline void MetricsProfStop() {}

// api: Trap | S | - | documented
inline void Trap() { npu_emu::deviceTrap("Trap() was called"); }

}  // namespace AscendC

// api: ASCEND_IS_AIC, ASCEND_IS_AIV, ASCEND_IS_NOT_AIC, ASCEND_IS_NOT_AIV | - | - | documented; those with NOT:
//   inferred
#if defined(__DAV_C220_CUBE__)
constexpr int32_t g_coreType = AscendC::AIC;
#define ASCEND_IS_AIC constexpr(true)
#define ASCEND_IS_AIV constexpr(false)
#define ASCEND_IS_NOT_AIC constexpr(false)
#define ASCEND_IS_NOT_AIV constexpr(true)
#else
constexpr int32_t g_coreType = AscendC::AIV;
#define ASCEND_IS_AIC constexpr(false)
#define ASCEND_IS_AIV constexpr(true)
#define ASCEND_IS_NOT_AIC constexpr(true)
#define ASCEND_IS_NOT_AIV constexpr(false)
#endif

// api: likely, unlikely | S | - | documented
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

// Constants that the compiler of the device defines. They are no macros: kernels have variables of these names.
namespace npu_emu {
class CoreVariable {
 public:
  constexpr CoreVariable(int64_t (*read)()) : read_(read) {}
  operator int64_t() const { return read_(); }

 private:
  int64_t (*read_)();
};
}  // namespace npu_emu
// api: block_idx, block_num, get_block_idx, get_block_num, get_subblockid, get_subblockdim | S | - | inferred: the
//   intrinsics behind GetBlockIdx and GetBlockNum
constexpr npu_emu::CoreVariable block_idx(npu_emu::groupIndex);
constexpr npu_emu::CoreVariable block_num(npu_emu::blockCount);
inline int64_t get_block_idx() { return npu_emu::groupIndex(); }
inline int64_t get_subblockid() { return npu_emu::subBlockIndex(); }
inline int64_t get_subblockdim() { return npu_emu::subBlockCount(); }
inline int64_t get_block_num() { return npu_emu::blockCount(); }

// Sizes of memories in bytes. The top of UB is the library's, and that of L1 is for messages between cores.
namespace AscendC {
constexpr uint32_t TOTAL_UB_SIZE = npu_emu::architecture::ubBytes, TMP_UB_SIZE = npu_emu::architecture::libraryBytes,
                   TMP_UB_OFFSET = TOTAL_UB_SIZE - TMP_UB_SIZE;
constexpr int32_t TOTAL_VEC_LOCAL_SIZE = TMP_UB_OFFSET;
constexpr uint32_t TOTAL_L1_SIZE = npu_emu::architecture::l1Bytes - npu_emu::architecture::messageBytes,
                   TOTAL_L0A_SIZE = npu_emu::architecture::l0aBytes, TOTAL_L0B_SIZE = npu_emu::architecture::l0bBytes,
                   TOTAL_L0C_SIZE = npu_emu::architecture::l0cBytes;
}  // namespace AscendC

// What a build finds in what the preprocessor makes of a kernel: plugin/toolchain/kernel-facts.ts. The types that it declares, for all
// tiling keys or for one, come back as a table (entry.h); here they only have to be types.
// api: KERNEL_TASK_TYPE_DEFAULT, KERNEL_TASK_TYPE | - | - | documented
#define KERNEL_TASK_TYPE_DEFAULT(type) NPU_EMU_TASK_TYPE(type, __COUNTER__)
#define KERNEL_TASK_TYPE(key, type) NPU_EMU_TASK_TYPE(type, __COUNTER__)
#define NPU_EMU_TASK_TYPE(type, place) NPU_EMU_TASK_TYPE_AT(type, place)
// a declaration, which may stand in a kernel as well as outside of every function
#define NPU_EMU_TASK_TYPE_AT(type, place) [[maybe_unused]] constexpr KernelMetaType npuTaskType##place = type

// api: TILING_KEY_IS, TILING_KEY_LIST | S | - | documented
#define TILING_KEY_IS(key) (TILING_KEY_VAR == (key))
#define TILING_KEY_LIST(key, other) (TILING_KEY_VAR == (key) || TILING_KEY_VAR == (other))

// Copies the tiling data out of global memory, as the kernel prologue of the device does.
namespace npu_emu {
template <typename T>
inline T readTiling(GM_ADDR tiling) {
  T data;
  copyTiling(static_cast<void*>(&data), (const void*)tiling, sizeof data);
  return data;
}
template <typename T>
inline void copyTiling(const void* from, void* to, size_t count) {
  copyTiling(to, from, count * sizeof(T));
}
}  // namespace npu_emu

// api: GET_TILING_DATA, GET_TILING_DATA_WITH_STRUCT, GET_TILING_DATA_PTR_WITH_STRUCT, GET_TILING_DATA_MEMBER | S | - |
//   documented
// Two statements, of which the last ends by itself, as those that the vendor's build makes: some kernels have no semicolon.
#define GET_TILING_DATA_WITH_STRUCT(type, name, tiling)            \
  static_assert(true, "a statement: nothing can stand before it"); \
  type name = npu_emu::readTiling<type>(tiling);
#define GET_TILING_DATA(name, tiling) GET_TILING_DATA_WITH_STRUCT(NPU_EMU_TILING_STRUCT, name, tiling)
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, name, tiling)           \
  const type name##_npu_emu_copy = npu_emu::readTiling<type>(tiling); \
  __tiling_data_ptr__ type* name = &name##_npu_emu_copy
#define GET_TILING_DATA_MEMBER(type, member, name, tiling) \
  static_assert(true, "as above");                         \
  decltype(type::member) name = npu_emu::readTiling<type>(tiling).member;
// api: COPY_TILING_WITH_STRUCT, COPY_TILING_WITH_ARRAY | S | - | documented
#define COPY_TILING_WITH_STRUCT(type, from, to) npu_emu::copyTiling<type>((const void*)(from), (void*)(to), 1)
#define COPY_TILING_WITH_ARRAY(type, count, from, to) npu_emu::copyTiling<type>((const void*)(from), (void*)(to), count)
// api: REGISTER_TILING_DEFAULT, REGISTER_TILING_FOR_TILINGKEY, REGISTER_NONE_TILING | - | - | documented
#define REGISTER_TILING_DEFAULT(type)
#define REGISTER_TILING_FOR_TILINGKEY(condition, type)
#define REGISTER_NONE_TILING
// A kernel that takes it for a constant is compiled for each key by itself, with its number; all others once for all keys.
// api: TILING_KEY_VAR | S | - | documented
#define TILING_KEY_VAR npu_emu::tilingKey()
// api: TRACE_START, TRACE_STOP, KERNEL_LOG | - | - | documented: without effect
#define TRACE_START(id)
#define TRACE_STOP(id)
#define KERNEL_LOG(level, ...)
// api: ascendc_assert, assert, ASSERT_MSG | S | - | documented
#define NPU_EMU_ASSERT(condition, ...)                     \
  do {                                                     \
    if (!(condition)) npu_emu::failAssertion(__VA_ARGS__); \
  } while (0)
#define ASSERT_MSG(condition, ...) NPU_EMU_ASSERT(condition, #condition, __VA_ARGS__)
#define ascendc_assert(condition, ...) NPU_EMU_ASSERT(condition, #condition, ##__VA_ARGS__)
#undef assert
#define assert(condition, ...) NPU_EMU_ASSERT(condition, #condition, ##__VA_ARGS__)

namespace npu_emu {
template <typename... A>
[[noreturn]] inline void failAssertion(const char* condition, const char* format = "", A... values) {
  // a text that nothing belongs to is no format
  if constexpr (sizeof...(A) == 0) assertionFailed(condition, "%s", format);
  else assertionFailed(condition, format, AscendC::npu_emu_detail::printable(values)...);
}
}  // namespace npu_emu
// What a device swallows without parsing it: kernels have names there that do not exist.
// api: ASSERT, ASCENDC_ASSERT | S | - | documented: without effect on a device
#ifndef ASSERT
#define ASSERT(condition)
#endif
#ifndef ASCENDC_ASSERT
#define ASCENDC_ASSERT(condition, behavior)
#endif

// Kernels write both names with and without the namespace; the one of the C library prints to the same place.
using AscendC::GetSysWorkSpacePtr;
using AscendC::printf;
using AscendC::PRINTF;
