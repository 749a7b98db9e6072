// Arithmetic of the scalar unit on bit patterns, and global memory past its data cache.
#pragma once

#include "device_load.h"

namespace AscendC {

// api: CountLeadingZero, ScalarCountLeadingZero | S | uint64_t | documented
inline int64_t CountLeadingZero(uint64_t valueIn) {
  npu_emu::scalarWork(1);
  return valueIn == 0 ? 64 : __builtin_clzll(valueIn);
}
inline int64_t ScalarCountLeadingZero(uint64_t valueIn) { return CountLeadingZero(valueIn); }

}  // namespace AscendC
// api: clz | S | - | inferred: CountLeadingZero
inline int64_t clz(uint64_t in) { return AscendC::CountLeadingZero(in); }
namespace AscendC {

// api: GetBitCount, ScalarGetCountOfValue | S | uint64_t | documented
template <int countValue>
inline int64_t GetBitCount(uint64_t valueIn) {
  static_assert(countValue == 0 || countValue == 1, "GetBitCount counts zeros or ones");
  npu_emu::scalarWork(1);
  int64_t ones = __builtin_popcountll(valueIn);
  return countValue == 1 ? ones : 64 - ones;
}
template <int countValue>
inline int64_t ScalarGetCountOfValue(uint64_t valueIn) {
  return GetBitCount<countValue>(valueIn);
}

// The bits below the sign that are like it; -1 when all are.
// api: CountBitsCntSameAsSignBit | S | int64_t | documented
inline int64_t CountBitsCntSameAsSignBit(int64_t valueIn) {
  npu_emu::scalarWork(1);
  auto others = static_cast<uint64_t>(valueIn < 0 ? ~valueIn : valueIn);
  return others == 0 ? -1 : __builtin_clzll(others) - 1;
}

// The position of the lowest bit of that value; -1 where there is none.
// api: GetSFFValue, ScalarGetSFFValue | S | uint64_t | documented
template <int countValue>
inline int64_t GetSFFValue(uint64_t valueIn) {
  static_assert(countValue == 0 || countValue == 1, "GetSFFValue looks for a zero or a one");
  npu_emu::scalarWork(1);
  uint64_t ones = countValue == 1 ? valueIn : ~valueIn;
  return ones == 0 ? -1 : __builtin_ctzll(ones);
}
template <int countValue>
inline int64_t ScalarGetSFFValue(uint64_t valueIn) {
  return GetSFFValue<countValue>(valueIn);
}

// The bits of a scalar, as an integer or as another type of that width.
// api: GetScalarBitcodeValue | S | any of up to 64 bits | inferred: the bits above those of the scalar
template <typename T>
inline uint64_t GetScalarBitcodeValue(T scalarValue) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "GetScalarBitcodeValue takes scalars of up to 64 bits on Atlas A2");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &scalarValue, sizeof scalarValue);
  return bits;
}
template <typename T, typename U>
inline U GetScalarBitcodeValue(T scalarValue) {
  static_assert(sizeof(U) <= sizeof(uint64_t), "GetScalarBitcodeValue gives types of up to 64 bits on Atlas A2");
  const uint64_t bits = GetScalarBitcodeValue(scalarValue);
  U value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// api: ReadGmByPassDCache, WriteGmByPassDCache | S | integers of 8 to 64 bits | documented
template <typename T>
inline T ReadGmByPassDCache(__gm__ T* addr) {
  static_assert(std::is_integral_v<T>, "ReadGmByPassDCache takes integers");
  return npu_emu::loadGmPastCache<T>((npu_emu::GmAddress)addr);
}
template <typename T>
NPU_EMU_UNREPORTED inline void WriteGmByPassDCache(__gm__ T* addr, T value) {
  static_assert(std::is_integral_v<T>, "WriteGmByPassDCache takes integers");
  npu_emu::flagWriteGm((npu_emu::GmAddress)addr, npu_emu::bitsOf(value), sizeof(T));
}

}  // namespace AscendC
