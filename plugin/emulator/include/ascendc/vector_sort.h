// Sorting: rows of 32, merging of sorted lists, and the sort of the library. Lists are pairs of 8 bytes: score, index.
#pragma once

#include "tensor.h"

namespace AscendC {

constexpr int32_t MRG_SORT_ELEMENT_LEN = 4;

struct MrgSort4Info {
  MrgSort4Info() = default;
  MrgSort4Info(const uint16_t elementLengthsIn[MRG_SORT_ELEMENT_LEN], const bool ifExhaustedSuspensionIn,
               const uint16_t validBitIn, const uint16_t repeatTimesIn)
      : ifExhaustedSuspension(ifExhaustedSuspensionIn),
        validBit(validBitIn),
        repeatTimes(static_cast<uint8_t>(repeatTimesIn)) {
    for (int32_t i = 0; i < MRG_SORT_ELEMENT_LEN; ++i) elementLengths[i] = elementLengthsIn[i];
  }
  uint16_t elementLengths[MRG_SORT_ELEMENT_LEN] = {0};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint8_t repeatTimes = 1;
};

template <typename T>
struct MrgSortSrcList {
  MrgSortSrcList() = default;
  MrgSortSrcList(const LocalTensor<T>& src1In, const LocalTensor<T>& src2In, const LocalTensor<T>& src3In,
                 const LocalTensor<T>& src4In)
      : src1(src1In), src2(src2In), src3(src3In), src4(src4In) {}
  LocalTensor<T> src1;
  LocalTensor<T> src2;
  LocalTensor<T> src3;
  LocalTensor<T> src4;
};

namespace npu_emu_detail {

template <typename T>
constexpr void checkSort() {
  static_assert(npu_emu::isa::Floating::has<T>, "sorting supports half and float on Atlas A2");
}

template <typename T>
inline npu_emu::vec::Merge mergeOf(const MrgSortSrcList<T>& src, const uint16_t* lengths, uint16_t validBit,
                                   bool suspends, int32_t repeats) {
  return {
      {src.src1.npu_emu_operand(), src.src2.npu_emu_operand(), src.src3.npu_emu_operand(), src.src4.npu_emu_operand()},
      {lengths[0], lengths[1], lengths[2], lengths[3]},
      validBit,
      suspends,
      repeats};
}

inline void lacksProposals(const char* name) {
  npu_emu::reportMisuse(npu_emu::Check::Unsupported, name, "region proposals do not exist on Atlas A2",
                        "use Sort32, MrgSort and GatherMask");
}

}  // namespace npu_emu_detail

// api: Sort32 | V | half float | inferred: NaN comes first, which is documented for TopK
template <typename T>
inline void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1,
                   const int32_t repeatTime) {
  npu_emu_detail::checkSort<T>();
  npu_emu::vec::sortRows<T>(dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(), repeatTime);
}

// api: MrgSort | V | half float | inferred: NaN comes first, which is documented for TopK
template <typename T>
inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params) {
  npu_emu_detail::checkSort<T>();
  npu_emu::vec::mergeLists<T>(dst.npu_emu_operand(),
                              npu_emu_detail::mergeOf(src, params.elementLengths, params.validBit,
                                                      params.ifExhaustedSuspension, params.repeatTimes));
}
template <typename T, bool isExhaustedSuspension = false>
inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList, const uint16_t elementCountList[4],
                    uint32_t sortedNum[4], uint16_t validBit, const int32_t repeatTime) {
  npu_emu_detail::checkSort<T>();
  npu_emu::vec::mergeLists<T>(dst.npu_emu_operand(), npu_emu_detail::mergeOf(sortList, elementCountList, validBit,
                                                                             isExhaustedSuspension, repeatTime));
  if (!isExhaustedSuspension) return;
  uint64_t merged = npu_emu::vec::mergeRegister(true);
  for (int32_t i = 0; i < 4; ++i) sortedNum[i] = static_cast<uint16_t>(merged >> (16 * i));
}

// api: GetMrgSortResult | S | - | documented
inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3,
                             uint16_t& mrgSortList4) {
  uint64_t merged = npu_emu::vec::mergeRegister();
  mrgSortList1 = static_cast<uint16_t>(merged);
  mrgSortList2 = static_cast<uint16_t>(merged >> 16);
  mrgSortList3 = static_cast<uint16_t>(merged >> 32);
  mrgSortList4 = static_cast<uint16_t>(merged >> 48);
}

// api: Concat | - | half float | documented
template <typename T>
inline void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>&, const int32_t) {
  npu_emu_detail::checkSort<T>();
  concat = src;
}

// api: Sort | V | half float | documented: the clock is that of the instructions it is made of
template <typename T, bool isFullSort>
inline void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<uint32_t>& index,
                 LocalTensor<T>& tmp, const int32_t repeatTime) {
  npu_emu_detail::checkSort<T>();
  if constexpr (isFullSort)
    npu_emu::vec::sortAll<T>(dst.npu_emu_operand(), concat.npu_emu_operand(), index.npu_emu_operand(),
                             tmp.npu_emu_operand(), tmp.GetLength(), repeatTime);
  else npu_emu::vec::sortRows<T>(dst.npu_emu_operand(), concat.npu_emu_operand(), index.npu_emu_operand(), repeatTime);
}

// api: Extract | V | half float | documented
template <typename T>
inline void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex, const LocalTensor<T>& sorted,
                    const int32_t repeatTime) {
  npu_emu_detail::checkSort<T>();
  npu_emu::vec::extractSorted<T>(dstValue.npu_emu_operand(), dstIndex.npu_emu_operand(), sorted.npu_emu_operand(),
                                 repeatTime);
}

// How many elements of T as many sorted elements take.
// api: GetSortOffset | S | half float | inferred: in elements
template <typename T>
inline uint32_t GetSortOffset(const uint32_t elemOffset) {
  npu_emu_detail::checkSort<T>();
  return elemOffset * 8 / static_cast<uint32_t>(sizeof(T));
}
// api: GetSortLen | S | half float | inferred: in elements
template <typename T>
inline uint32_t GetSortLen(const uint32_t elemCount) {
  return GetSortOffset<T>(elemCount);
}

// Kernels written for several devices name these in branches that Atlas A2 never takes: they compile, as on the device;
// a call ends the launch.
// api: RpSort16 | - | half float | documented: absent on Atlas A2, a call is an error
template <typename T>
inline void RpSort16(const LocalTensor<T>&, const LocalTensor<T>&, const int32_t) {
  npu_emu_detail::lacksProposals("RpSort16");
}
// api: MrgSort4 | - | half float | documented: absent on Atlas A2, a call is an error
template <typename T>
inline void MrgSort4(const LocalTensor<T>&, const MrgSortSrcList<T>&, const MrgSort4Info&) {
  npu_emu_detail::lacksProposals("MrgSort4");
}
// api: ProposalConcat | - | half float | documented: absent on Atlas A2, a call is an error
template <typename T>
inline void ProposalConcat(const LocalTensor<T>&, const LocalTensor<T>&, const int32_t, const int32_t) {
  npu_emu_detail::lacksProposals("ProposalConcat");
}
// api: ProposalExtract | - | half float | documented: absent on Atlas A2, a call is an error
template <typename T>
inline void ProposalExtract(const LocalTensor<T>&, const LocalTensor<T>&, const int32_t, const int32_t) {
  npu_emu_detail::lacksProposals("ProposalExtract");
}

}  // namespace AscendC
