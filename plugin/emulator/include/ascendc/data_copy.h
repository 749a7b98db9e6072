// Data movement between global and core-local memory, and inside UB.
#pragma once

#include "tensor.h"

namespace AscendC {

constexpr uint32_t DEFAULT_C0_SIZE = 32;

namespace npu_emu_detail {

// DMA moves whole 32-byte blocks: the rest of an odd length is dropped, as on the device.
template <typename T>
inline uint32_t wholeBlocks(uint32_t count, const char* direction) {
  uint32_t bytes = npu_emu::bytesOf<T>(count);
  if (bytes % ONE_BLK_SIZE != 0) {
    npu_emu::reportMisuse(npu_emu::Check::TruncatedCopy, "DataCopy", direction,
                          "use DataCopyPad for lengths that are not a multiple of 32 bytes");
  }
  return bytes / ONE_BLK_SIZE;
}

template <typename T>
inline uint64_t bitsOf(T value) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}

inline void requirePlain(const DataCopyEnhancedParams& params) {
  bool plain =
      params.blockMode == BlockMode::BLOCK_MODE_NORMAL && params.deqScale == DeqScale::DEQ_NONE && !params.isRelu;
  if (!plain)
    npu_emu::deviceTrap("DataCopy: these DataCopyEnhancedParams are not supported between global and local memory");
}

constexpr uint32_t mostSlices = 8;

inline void requireSlices(const SliceInfo dst[], const SliceInfo src[], uint32_t dimensions) {
  bool fits = dimensions >= 1 && dimensions <= mostSlices && dst[0].burstLen == src[0].burstLen && src[0].burstLen != 0;
  for (uint32_t i = 0; fits && i < dimensions; ++i) {
    fits = src[i].endIndex >= src[i].startIndex && dst[i].endIndex >= dst[i].startIndex;
    if (i > 0) fits = fits && src[i].burstLen == 1 && dst[i].burstLen == 1;
  }
  if (!fits)
    npu_emu::deviceTrap(
        "DataCopy: SliceInfo needs 1 to 8 dimensions, equal burst lengths (1 above the first) and startIndex <= "
        "endIndex");
}

}  // namespace npu_emu_detail

// api: DataCopy | MTE2, MTE3, V | any | documented; Nd2NzParams to UB as far as the library does what is documented
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count) {
  npu_emu::dma::loadGm(
      dst.npu_emu_operand(), src.npu_emu_address(), 1,
      npu_emu_detail::wholeBlocks<T>(count, "the bytes after the last whole 32-byte block are not loaded") *
          ONE_BLK_SIZE,
      0, 0);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) {
  npu_emu::dma::storeGm(
      dst.npu_emu_address(), src.npu_emu_operand(), 1,
      npu_emu_detail::wholeBlocks<T>(count, "the bytes after the last whole 32-byte block are not stored") *
          ONE_BLK_SIZE,
      0, 0);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) {
  npu_emu::dma::copyLocal(
      dst.npu_emu_operand(), src.npu_emu_operand(), 1,
      npu_emu_detail::wholeBlocks<T>(count, "the bytes after the last whole 32-byte block are not copied") *
          ONE_BLK_SIZE,
      0, 0);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& repeatParams) {
  npu_emu::dma::loadGm(dst.npu_emu_operand(), src.npu_emu_address(), repeatParams.blockCount,
                       repeatParams.blockLen * ONE_BLK_SIZE, repeatParams.srcStride, repeatParams.dstStride);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams) {
  npu_emu::dma::storeGm(dst.npu_emu_address(), src.npu_emu_operand(), repeatParams.blockCount,
                        repeatParams.blockLen * ONE_BLK_SIZE, repeatParams.srcStride, repeatParams.dstStride);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams) {
#if defined(__DAV_C220_CUBE__)
  npu_emu::cube::copyLocal(dst.npu_emu_operand(), src.npu_emu_operand(), repeatParams);
#else
  npu_emu::dma::copyLocal(dst.npu_emu_operand(), src.npu_emu_operand(), repeatParams.blockCount,
                          repeatParams.blockLen * ONE_BLK_SIZE, repeatParams.srcStride, repeatParams.dstStride);
#endif
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& intriParams) {
#if defined(__DAV_C220_CUBE__)
  npu_emu::cube::loadNd2Nz(dst.npu_emu_operand(), src.npu_emu_address(), intriParams, sizeof(T));
#else
  npu_emu::dma::loadNd2NzVector(dst.npu_emu_operand(), src.npu_emu_address(), intriParams, sizeof(T),
                                std::is_same_v<T, float>);
#endif
}
// api: DataCopy | MTE3 | 16- and 32-bit types | documented
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Nz2NdParamsFull& intriParams) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "DataCopy from NZ to ND takes 16- and 32-bit types on Atlas A2");
  npu_emu::dma::storeNz2Nd(dst.npu_emu_address(), src.npu_emu_operand(), intriParams, sizeof(T));
}

// Enhanced parameters belong to the cube core; without any of them the copy is the plain one.
// api: DataCopy | MTE2, MTE3 | any | documented: plain block mode only
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& intriParams,
                     const DataCopyEnhancedParams& enhancedParams) {
  npu_emu_detail::requirePlain(enhancedParams);
  DataCopy(dst, src, intriParams);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& intriParams,
                     const DataCopyEnhancedParams& enhancedParams) {
  npu_emu_detail::requirePlain(enhancedParams);
  DataCopy(dst, src, intriParams);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& intriParams,
                     const DataCopyEnhancedParams& enhancedParams) {
  npu_emu_detail::requirePlain(enhancedParams);
  DataCopy(dst, src, intriParams);
}
// Libraries for several devices name it where they do not use it.
template <typename T, typename U, std::enable_if_t<!std::is_same_v<T, U>, bool> = true>
inline void DataCopy(const LocalTensor<T>&, const LocalTensor<U>&, const DataCopyParams&,
                     const DataCopyEnhancedParams&) {
  static_assert(sizeof(T) == 0,
                "DataCopy from L0C to UB with a conversion does not exist on Atlas A2: use Fixpipe to global memory");
}

namespace npu_emu_detail {

constexpr uint32_t sliceDimensions = 8;

// Segments of a row, and the index of row `number` of all rows that the dimensions above the first describe.
template <typename T>
inline npu_emu::dma::Slice sliceOf(const SliceInfo& info) {
  uint32_t burst = info.burstLen * ONE_BLK_SIZE / static_cast<uint32_t>(sizeof(T));
  uint32_t length = info.endIndex - info.startIndex + 1;
  return {(length + info.stride) / (burst + info.stride), uint64_t(info.stride) * sizeof(T)};
}
// Neither loop takes time: more than `mostSlices` dimensions are refused before, and not looked at.
inline uint32_t sliceRows(const SliceInfo slices[], uint32_t dimensions) {
  uint32_t rows = 1;
  for (uint32_t i = 1; i < dimensions && i < mostSlices; ++i)
    rows *= (slices[i].endIndex - slices[i].startIndex + 1 + slices[i].stride) / (1 + slices[i].stride);
  return rows;
}
inline uint64_t sliceOffset(const SliceInfo slices[], uint32_t dimensions, uint32_t number) {
  uint64_t offset = slices[0].startIndex;
  uint64_t pitch = slices[0].shapeValue != 0 ? slices[0].shapeValue : slices[0].endIndex - slices[0].startIndex + 1;
  for (uint32_t i = 1; i < dimensions && i < mostSlices; ++i) {
    uint32_t count = (slices[i].endIndex - slices[i].startIndex + 1 + slices[i].stride) / (1 + slices[i].stride);
    offset += (slices[i].startIndex + uint64_t(number % count) * (1 + slices[i].stride)) * pitch;
    number /= count;
    pitch *= slices[i].shapeValue != 0 ? slices[i].shapeValue : slices[i].endIndex + 1;
  }
  return offset;
}

}  // namespace npu_emu_detail

// api: DataCopy | MTE2, MTE3 | integers of 8 to 32 bits, half, bfloat16_t, float | documented
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
                     const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1) {
  npu_emu_detail::requireSlices(dstSliceInfo, srcSliceInfo, dimValue);
  uint32_t rows = npu_emu_detail::sliceRows(srcSliceInfo, dimValue);
  for (uint32_t row = 0; row < rows; ++row)
    npu_emu::dma::loadSlice(
        dst.npu_emu_operand(static_cast<uint32_t>(npu_emu_detail::sliceOffset(dstSliceInfo, dimValue, row))),
        src.npu_emu_address(npu_emu_detail::sliceOffset(srcSliceInfo, dimValue, row)),
        srcSliceInfo[0].burstLen * ONE_BLK_SIZE, npu_emu_detail::sliceOf<T>(dstSliceInfo[0]),
        npu_emu_detail::sliceOf<T>(srcSliceInfo[0]));
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
                     const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1) {
  npu_emu_detail::requireSlices(dstSliceInfo, srcSliceInfo, dimValue);
  uint32_t rows = npu_emu_detail::sliceRows(srcSliceInfo, dimValue);
  for (uint32_t row = 0; row < rows; ++row)
    npu_emu::dma::storeSlice(
        dst.npu_emu_address(npu_emu_detail::sliceOffset(dstSliceInfo, dimValue, row)),
        src.npu_emu_operand(static_cast<uint32_t>(npu_emu_detail::sliceOffset(srcSliceInfo, dimValue, row))),
        srcSliceInfo[0].burstLen * ONE_BLK_SIZE, npu_emu_detail::sliceOf<T>(dstSliceInfo[0]),
        npu_emu_detail::sliceOf<T>(srcSliceInfo[0]));
}

// api: DataCopyPad | MTE2, MTE3 | any | documented
template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& dataCopyParams,
                        const DataCopyPadExtParams<T>& padParams) {
  npu_emu::dma::loadGmPad(dst.npu_emu_operand(), src.npu_emu_address(), dataCopyParams.blockCount,
                          dataCopyParams.blockLen, dataCopyParams.srcStride, dataCopyParams.dstStride,
                          {padParams.isPad, padParams.leftPadding, padParams.rightPadding, sizeof(T),
                           npu_emu_detail::bitsOf(padParams.paddingValue)});
}
template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& dataCopyParams,
                        const DataCopyPadParams& padParams) {
  npu_emu::dma::loadGmPad(
      dst.npu_emu_operand(), src.npu_emu_address(), dataCopyParams.blockCount, dataCopyParams.blockLen,
      dataCopyParams.srcStride, dataCopyParams.dstStride,
      {padParams.isPad, padParams.leftPadding, padParams.rightPadding, sizeof(T), padParams.paddingValue});
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                        const DataCopyExtParams& dataCopyParams) {
  npu_emu::dma::storeGmPad(dst.npu_emu_address(), src.npu_emu_operand(), dataCopyParams.blockCount,
                           dataCopyParams.blockLen, dataCopyParams.srcStride, dataCopyParams.dstStride);
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& dataCopyParams) {
  npu_emu::dma::storeGmPad(dst.npu_emu_address(), src.npu_emu_operand(), dataCopyParams.blockCount,
                           dataCopyParams.blockLen, dataCopyParams.srcStride, dataCopyParams.dstStride);
}

namespace npu_emu_detail {

template <typename T>
constexpr npu_emu::vec::AtomicType atomicType() {
  static_assert(npu_emu::Types<float, half, int16_t, int32_t, int8_t, bfloat16_t>::has<T>,
                "atomic accumulation does not support this element type on Atlas A2");
  using Type = npu_emu::vec::AtomicType;
  return std::is_same_v<T, float>     ? Type::Float
         : std::is_same_v<T, half>    ? Type::Half
         : std::is_same_v<T, int16_t> ? Type::Int16
         : std::is_same_v<T, int32_t> ? Type::Int32
         : std::is_same_v<T, int8_t>  ? Type::Int8
                                      : Type::Bf16;
}

}  // namespace npu_emu_detail

// api: SetAtomicAdd, SetAtomicMax, SetAtomicMin, SetAtomicNone | S | int8_t int16_t int32_t half bfloat16_t float |
//   documented
template <typename T>
inline void SetAtomicAdd() {
  npu_emu::vec::setAtomic(npu_emu::vec::Atomic::Add, npu_emu_detail::atomicType<T>());
}
template <typename T>
inline void SetAtomicMax() {
  npu_emu::vec::setAtomic(npu_emu::vec::Atomic::Max, npu_emu_detail::atomicType<T>());
}
template <typename T>
inline void SetAtomicMin() {
  npu_emu::vec::setAtomic(npu_emu::vec::Atomic::Min, npu_emu_detail::atomicType<T>());
}
inline void SetAtomicNone() { npu_emu::vec::setAtomic(npu_emu::vec::Atomic::None, npu_emu::vec::AtomicType::Float); }

// api: DisableDmaAtomic | S | - | documented
inline void DisableDmaAtomic() { SetAtomicNone(); }
// api: SetAtomicType | S | int8_t, int16_t, int32_t, half, bfloat16_t, float | documented
template <typename T>
inline void SetAtomicType() {
  npu_emu::vec::setAtomic(npu_emu::vec::Atomic::Add, npu_emu_detail::atomicType<T>());
}
enum class AtomicDtype { ATOMIC_NONE = 0, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum class AtomicOp { ATOMIC_SUM = 0 };
// api: SetStoreAtomicConfig, GetStoreAtomicConfig | S | - | documented
template <AtomicDtype type, AtomicOp op>
inline void SetStoreAtomicConfig() {
  npu_emu::dma::setAtomicConfig(static_cast<uint16_t>(type), static_cast<uint16_t>(op));
}
inline void GetStoreAtomicConfig(uint16_t& atomicType, uint16_t& atomicOp) {
  atomicType = npu_emu::dma::atomicConfig();
  atomicOp = static_cast<uint16_t>(AtomicOp::ATOMIC_SUM);
}

// The value that the padding of DataCopyPad has from here on.
// api: SetPadValue | S | up to 32 bits | documented
template <typename T, TPosition position = TPosition::MAX>
inline void SetPadValue(T paddingValue) {
  npu_emu::dma::setPadValue(npu_emu_detail::bitsOf(paddingValue));
}

namespace npu_emu_detail {

// The other destinations write no line of global memory back.
constexpr bool isGlobal(DcciDst dst) { return dst == DcciDst::CACHELINE_ALL || dst == DcciDst::CACHELINE_OUT; }

}  // namespace npu_emu_detail

// Memory here has one copy of everything. Cleaning costs time, and tells which bytes copies may read from then on. The
// line of a local tensor is none of global memory; of the entire cache the tensor does not matter.
// api: DataCacheCleanAndInvalid | S | any | documented
template <typename T, CacheLine entireType, DcciDst dcciDst = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst) {
  constexpr bool whole = entireType == CacheLine::ENTIRE_DATA_CACHE;
  if constexpr (npu_emu_detail::isGlobal(dcciDst)) npu_emu::dma::cleanCache(dst.npu_emu_address(), whole);
  else npu_emu::dma::cleanLocalLines(whole);
}
template <typename T, CacheLine entireType, DcciDst dcciDst>
inline void DataCacheCleanAndInvalid(const LocalTensor<T>&) {
  constexpr bool whole = entireType == CacheLine::ENTIRE_DATA_CACHE;
  if constexpr (npu_emu_detail::isGlobal(dcciDst) && whole) npu_emu::dma::cleanCache(nullptr, whole);
  else npu_emu::dma::cleanLocalLines(whole);
}
// The offset is in bytes.
// api: DataCachePreload | S | uint64_t | documented
template <typename T>
inline void DataCachePreload(const GlobalTensor<uint64_t>& src, const T cacheOffset) {
  npu_emu::dma::preloadLine(src.npu_emu_address() + cacheOffset);
}
// api: ICachePreLoad, GetICachePreloadStatus | S | - | documented
inline void ICachePreLoad(const int64_t) {}
inline int64_t GetICachePreloadStatus() { return 0; }

// The same on bare addresses, under the library's inner names that kernels call.
// api: DataCopyGM2UBImpl, DataCopyUB2GMImpl, DataCopyPadGm2UBImpl, DataCopyPadUB2GMImpl | MTE2, MTE3 | any | inferred:
//   not documented
namespace npu_emu_detail {

inline npu_emu::Operand bareLocal(const void* address) {
  return {static_cast<uint8_t*>(const_cast<void*>(address)), 0, TPosition::VECCALC};
}

}  // namespace npu_emu_detail

template <typename T>
inline void DataCopyGM2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyParams& intriParams) {
  npu_emu::dma::loadGm(npu_emu_detail::bareLocal(dst), (npu_emu::GmAddress)src, intriParams.blockCount,
                       intriParams.blockLen * ONE_BLK_SIZE, intriParams.srcStride, intriParams.dstStride);
}
template <typename T>
inline void DataCopyUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyParams& intriParams) {
  npu_emu::dma::storeGm((npu_emu::GmAddress)dst, npu_emu_detail::bareLocal(src), intriParams.blockCount,
                        intriParams.blockLen * ONE_BLK_SIZE, intriParams.srcStride, intriParams.dstStride);
}
template <typename T>
inline void DataCopyPadGm2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyParams& intriParams,
                                 const DataCopyPadParams& padParams) {
  npu_emu::dma::loadGmPad(
      npu_emu_detail::bareLocal(dst), (npu_emu::GmAddress)src, intriParams.blockCount, intriParams.blockLen,
      intriParams.srcStride, intriParams.dstStride,
      {padParams.isPad, padParams.leftPadding, padParams.rightPadding, sizeof(T), padParams.paddingValue});
}
template <typename T>
inline void DataCopyPadGm2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyExtParams& intriParams,
                                 const DataCopyPadExtParams<T>& padParams) {
  npu_emu::dma::loadGmPad(npu_emu_detail::bareLocal(dst), (npu_emu::GmAddress)src, intriParams.blockCount,
                          intriParams.blockLen, intriParams.srcStride, intriParams.dstStride,
                          {padParams.isPad, padParams.leftPadding, padParams.rightPadding, sizeof(T),
                           npu_emu_detail::bitsOf(padParams.paddingValue)});
}
template <typename T>
inline void DataCopyPadUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyParams& intriParams) {
  npu_emu::dma::storeGmPad((npu_emu::GmAddress)dst, npu_emu_detail::bareLocal(src), intriParams.blockCount,
                           intriParams.blockLen, intriParams.srcStride, intriParams.dstStride);
}
template <typename T>
inline void DataCopyPadUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyExtParams& intriParams) {
  npu_emu::dma::storeGmPad((npu_emu::GmAddress)dst, npu_emu_detail::bareLocal(src), intriParams.blockCount,
                           intriParams.blockLen, intriParams.srcStride, intriParams.dstStride);
}

}  // namespace AscendC
