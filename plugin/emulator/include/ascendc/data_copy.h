// Data movement between global and core-local memory, and inside UB.
#pragma once

#include "tensor.h"

namespace AscendC {

namespace detail {

// DMA moves whole 32-byte blocks: the rest of an odd length is dropped, as on the device.
template <typename T>
inline uint32_t wholeBlocks(uint32_t count, const char* direction) {
  uint32_t bytes = npu_emu::bytesOf<T>(count);
  if (bytes % ONE_BLK_SIZE != 0) {
    npu_emu::reportMisuse("TruncatedCopy", "DataCopy", direction,
                          "use DataCopyPad for lengths that are not a multiple of 32 bytes");
  }
  return bytes / ONE_BLK_SIZE;
}

template <typename T>
inline uint64_t bitsOf(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

}  // namespace detail

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count) {
  npu_emu::dma::loadGm(dst.operand(), src.gm(), 1, detail::wholeBlocks<T>(count, "the bytes after the last whole 32-byte block are not loaded") * ONE_BLK_SIZE, 0, 0);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) {
  npu_emu::dma::storeGm(dst.gm(), src.operand(), 1, detail::wholeBlocks<T>(count, "the bytes after the last whole 32-byte block are not stored") * ONE_BLK_SIZE, 0, 0);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) {
  npu_emu::dma::copyLocal(dst.operand(), src.operand(), 1, detail::wholeBlocks<T>(count, "the bytes after the last whole 32-byte block are not copied") * ONE_BLK_SIZE, 0, 0);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& repeatParams) {
  npu_emu::dma::loadGm(dst.operand(), src.gm(), repeatParams.blockCount, repeatParams.blockLen * ONE_BLK_SIZE, repeatParams.srcStride, repeatParams.dstStride);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams) {
  npu_emu::dma::storeGm(dst.gm(), src.operand(), repeatParams.blockCount, repeatParams.blockLen * ONE_BLK_SIZE, repeatParams.srcStride, repeatParams.dstStride);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams) {
  npu_emu::dma::copyLocal(dst.operand(), src.operand(), repeatParams.blockCount, repeatParams.blockLen * ONE_BLK_SIZE, repeatParams.srcStride, repeatParams.dstStride);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& intriParams) {
  npu_emu::cube::loadNd2Nz(dst.operand(), src.gm(), intriParams, sizeof(T));
}

template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& dataCopyParams, const DataCopyPadExtParams<T>& padParams) {
  npu_emu::dma::loadGmPad(dst.operand(), src.gm(), dataCopyParams.blockCount, dataCopyParams.blockLen, dataCopyParams.srcStride, dataCopyParams.dstStride, {padParams.isPad, padParams.leftPadding, padParams.rightPadding, sizeof(T), detail::bitsOf(padParams.paddingValue)});
}
template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& dataCopyParams, const DataCopyPadParams& padParams) {
  npu_emu::dma::loadGmPad(dst.operand(), src.gm(), dataCopyParams.blockCount, dataCopyParams.blockLen, dataCopyParams.srcStride, dataCopyParams.dstStride, {padParams.isPad, padParams.leftPadding, padParams.rightPadding, sizeof(T), padParams.paddingValue});
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& dataCopyParams) {
  npu_emu::dma::storeGmPad(dst.gm(), src.operand(), dataCopyParams.blockCount, dataCopyParams.blockLen, dataCopyParams.srcStride, dataCopyParams.dstStride);
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& dataCopyParams) {
  npu_emu::dma::storeGmPad(dst.gm(), src.operand(), dataCopyParams.blockCount, dataCopyParams.blockLen, dataCopyParams.srcStride, dataCopyParams.dstStride);
}

namespace detail {

template <typename T>
constexpr npu_emu::vec::AtomicType atomicType() {
  static_assert(npu_emu::Types<float, half, int16_t, int32_t, int8_t, bfloat16_t>::has<T>, "atomic accumulation does not support this element type on Atlas A2");
  using Type = npu_emu::vec::AtomicType;
  return std::is_same_v<T, float>     ? Type::Float
         : std::is_same_v<T, half>    ? Type::Half
         : std::is_same_v<T, int16_t> ? Type::Int16
         : std::is_same_v<T, int32_t> ? Type::Int32
         : std::is_same_v<T, int8_t>  ? Type::Int8
                                      : Type::Bf16;
}

}  // namespace detail

template <typename T>
inline void SetAtomicAdd() {
  npu_emu::vec::setAtomic(npu_emu::vec::Atomic::Add, detail::atomicType<T>());
}
template <typename T>
inline void SetAtomicMax() {
  npu_emu::vec::setAtomic(npu_emu::vec::Atomic::Max, detail::atomicType<T>());
}
template <typename T>
inline void SetAtomicMin() {
  npu_emu::vec::setAtomic(npu_emu::vec::Atomic::Min, detail::atomicType<T>());
}
inline void SetAtomicNone() { npu_emu::vec::setAtomic(npu_emu::vec::Atomic::None, npu_emu::vec::AtomicType::Float); }

template <typename T, CacheLine entireType, DcciDst dcciDst = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T>&) {}

}  // namespace AscendC
