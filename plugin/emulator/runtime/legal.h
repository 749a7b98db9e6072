// Which values of a parameter a kernel can issue. What arrives by the stream is held to it before a call is carried out
// (wire.h), so that no function of the device meets an enumerator that there is none of, a truth value that is neither,
// or a pointer of somebody else's making. A type without a rule does not compile.
//
// Which numbers make sense is a matter of the function: it checks them where it uses them.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../include/ascendc/runtime_api.h"

namespace npu_emu {

// The last enumerator; those before it are contiguous.
template <typename Enumeration>
inline constexpr Enumeration lastOf = Enumeration::hasNoLimit;  // say which is the last one

template <typename T, typename = void>
struct Legal {
  static_assert(!std::is_pointer_v<T>, "a pointer is never taken from the stream");
  static_assert(!std::is_class_v<T>, "list its members: NPU_EMU_MEMBERS");
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "say which values are legal");
  static bool is(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      // as the byte that it is: to a compiler it is 0 or 1
      uint8_t byte;
      std::memcpy(&byte, &value, 1);
      return byte <= 1;
    } else if constexpr (std::is_enum_v<T>) {
      // as the number that it is: an enumeration may have fewer values than its bytes
      std::underlying_type_t<T> number;
      std::memcpy(&number, &value, sizeof number);
      constexpr auto last = static_cast<std::underlying_type_t<T>>(lastOf<T>);
      if constexpr (std::is_signed_v<std::underlying_type_t<T>>)
        if (number < 0) return false;
      return number <= last;
    } else {
      return true;
    }
  }
};

template <typename T>
bool isLegal(const T& value) {
  return Legal<T>::is(value);
}

template <typename T, size_t n>
struct Legal<T[n]> {
  static bool is(const T (&values)[n]) {
    bool all = true;
    for (const T& each : values) all = all && isLegal(each);
    return all;
  }
};

// Any bytes are a value.
struct AlwaysLegal {
  template <typename T>
  static bool is(const T&) {
    return true;
  }
};

// A struct whose members are each legal. A list that is not complete does not compile.
#define NPU_EMU_MEMBERS(type, ...)              \
  template <>                                   \
  struct Legal<type> {                          \
    static bool is(const type& whole) {         \
      const auto& [__VA_ARGS__] = whole;        \
      return areLegal(__VA_ARGS__);             \
    }                                           \
                                                \
   private:                                     \
    template <typename... T>                    \
    static bool areLegal(const T&... members) { \
      return (... && isLegal(members));         \
    }                                           \
  };

// ---- enumerations --------------------------------------------------------------------------------------------------

template <>
inline constexpr auto lastOf<AscendC::TPosition> = AscendC::TPosition::C2PIPE2LOCAL;
template <>
inline constexpr auto lastOf<AscendC::HardEvent> = AscendC::HardEvent::FIX_FIX;
template <>
inline constexpr auto lastOf<HandOver> = HandOver::Copied;
template <>
inline constexpr auto lastOf<PipeEnd> = PipeEnd::WithoutBarrier;
template <>
inline constexpr auto lastOf<AscendC::RoundMode> = AscendC::RoundMode::CAST_ODD;
template <>
inline constexpr auto lastOf<AscendC::CMPMODE> = AscendC::CMPMODE::NE;
template <>
inline constexpr auto lastOf<AscendC::SELMODE> = AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE;
template <>
inline constexpr auto lastOf<AscendC::ReduceOrder> = AscendC::ReduceOrder::ORDER_ONLY_INDEX;
template <>
inline constexpr auto lastOf<AscendC::CO2Layout> = AscendC::CO2Layout::COLUMN_MAJOR;
template <>
inline constexpr auto lastOf<pipe_t> = PIPE_FIX;
template <>
inline constexpr auto lastOf<QuantMode_t> = VREQ8;
template <>
inline constexpr auto lastOf<Check> = static_cast<Check>(checkCount - 1);
template <>
inline constexpr auto lastOf<Walk::Kind> = Walk::Repeats;
template <>
inline constexpr auto lastOf<vec::Reduction> = vec::Reduction::Min;
template <>
inline constexpr auto lastOf<vec::Atomic> = vec::Atomic::Min;
template <>
inline constexpr auto lastOf<vec::AtomicType> = vec::AtomicType::Bf16;
template <>
inline constexpr auto lastOf<cube::Element> = cube::Element::Int32;

// ---- plain data ----------------------------------------------------------------------------------------------------

template <>
struct Legal<half> : AlwaysLegal {};
template <>
struct Legal<bfloat16_t> : AlwaysLegal {};
template <>
struct Legal<int4b_t> : AlwaysLegal {};

// An address of device memory is the same in both processes: the issue point asks what lies there.
template <>
struct Legal<GmAddress> : AlwaysLegal {};

// An operand that may be absent travels by itself: what the struct that it belongs to says of its place is thrown away.
template <>
struct Legal<const Operand*> {
  static bool is(const Operand* pointer) { return pointer == nullptr; }
};

NPU_EMU_MEMBERS(Operand, address, buffer, position)
NPU_EMU_MEMBERS(Walk, kind, setsMask, repeats, count, mask, blockStride, repeatStride)
NPU_EMU_MEMBERS(vec::Keeping, pattern, builtIn, counter, mask, repeats, blockStride, repeatStride, patternStride)
NPU_EMU_MEMBERS(vec::Transposition, dstHighHalf, srcHighHalf, repeats, dstStride, srcStride)
NPU_EMU_MEMBERS(vec::Merge, lists, lengths, validLists, suspends, repeats)
NPU_EMU_MEMBERS(dma::Padding, enabled, left, right, elementBytes, value)
NPU_EMU_MEMBERS(dma::Slice, segments, gapBytes)
NPU_EMU_MEMBERS(cube::Unfolding, channels, kExtension, mExtension, kStart, mStart, strideW, strideH, filterW, filterH,
                dilationW, dilationH, transposes)
NPU_EMU_MEMBERS(cube::OutputConversion, layout, from, to, scales)
NPU_EMU_MEMBERS(GroupBarrierPlace, workspace, arrivers, waiters)
NPU_EMU_MEMBERS(LocalBuffer, address, bytes, buffer)
NPU_EMU_MEMBERS(Pool, range, used, buffers, id, wasReset)

NPU_EMU_MEMBERS(AscendC::Nd2NzParams, ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride,
                dstNzMatrixStride)
NPU_EMU_MEMBERS(AscendC::Nz2NdParamsFull, ndNum, nValue, dValue, srcNdMatrixStride, srcNStride, dstDStride,
                dstNdMatrixStride)
NPU_EMU_MEMBERS(AscendC::LoadData2DParams, startIndex, dstGap, srcStride, ifTranspose, repeatTimes, sid, addrMode)
NPU_EMU_MEMBERS(AscendC::LoadData2dTransposeParams, startIndex, repeatTimes, srcStride, dstGap, dstFracGap, addrMode)
NPU_EMU_MEMBERS(AscendC::LoadDataRepeatParam, repeatStride, repeatTime, repeatMode, reserved)
NPU_EMU_MEMBERS(AscendC::MmadParams, m, n, k, isBias, fmOffset, enSsparse, enWinogradA, enWinogradB, unitFlag,
                kDirectionAlign, cmatrixSource, cmatrixInitVal)
NPU_EMU_MEMBERS(AscendC::FixpipeParamsV220, nSize, mSize, srcStride, dstStride, quantPre, deqScalar, ndNum, srcNdStride,
                dstNdStride, reluEn, unitFlag, isChannelSplit)
NPU_EMU_MEMBERS(AscendC::DataCopyCO12DstParams, sid, nSize, mSize, dstStride, srcStride, unitFlag, clipReluPre,
                eltWiseOp, quantPre, reluPre, channelSplit, nz2ndEn)
// numbers, some under two names
template <>
struct Legal<AscendC::DataCopyParams> : AlwaysLegal {};

}  // namespace npu_emu
