// The cube core: loads to L0, matrix multiplication, and the way out of L0C.
#pragma once

#include "tensor.h"

namespace AscendC {

namespace npu_emu_detail {

template <typename T>
constexpr npu_emu::cube::Element cubeElement() {
  using Element = npu_emu::cube::Element;
  if constexpr (std::is_same_v<T, half>) {
    return Element::Half;
  } else if constexpr (std::is_same_v<T, bfloat16_t>) {
    return Element::Bf16;
  } else if constexpr (std::is_same_v<T, float>) {
    return Element::Float;
  } else if constexpr (std::is_same_v<T, int4b_t>) {
    return Element::Int4;
  } else if constexpr (std::is_same_v<T, int8_t>) {
    return Element::Int8;
  } else if constexpr (std::is_same_v<T, uint8_t>) {
    return Element::UInt8;
  } else {
    static_assert(std::is_same_v<T, int32_t>, "the cube core does not support this element type on Atlas A2");
    return Element::Int32;
  }
}

template <typename C, typename A, typename B>
constexpr bool mmadIsLegal =
    std::is_same_v<A, B> && ((npu_emu::Types<int8_t, int4b_t>::has<A> && std::is_same_v<C, int32_t>) ||
                             (npu_emu::Types<half, bfloat16_t, float>::has<A> && std::is_same_v<C, float>));

template <typename D, typename S>
constexpr bool fixpipeIsLegal =
    (std::is_same_v<S, float> && npu_emu::Types<float, half, bfloat16_t, int8_t, uint8_t>::has<D>) ||
    (std::is_same_v<S, int32_t> && npu_emu::Types<int32_t, half, int8_t, uint8_t>::has<D>);

template <typename T, typename U>
constexpr npu_emu::cube::OutputConversion outputConversion(CO2Layout layout, const npu_emu::Operand* scales = nullptr) {
  static_assert(fixpipeIsLegal<T, U>, "Fixpipe between these element types is not available on Atlas A2");
  return {layout, cubeElement<U>(), cubeElement<T>(), scales};
}
template <typename T, typename U>
constexpr npu_emu::cube::OutputConversion conversionToL1(const npu_emu::Operand* scales = nullptr) {
  static_assert(!std::is_same_v<T, U>, "Fixpipe from L0C to L1 changes the element type on Atlas A2");
  return outputConversion<T, U>(CO2Layout::NZ, scales);
}

}  // namespace npu_emu_detail

// api: LoadData | MTE1, MTE2 | any | documented: two-dimensional loads
template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& loadDataParams) {
  npu_emu::cube::loadData(dst.npu_emu_operand(), src.npu_emu_operand(), loadDataParams, sizeof(T));
}
template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& loadDataParams) {
  static_assert(!std::is_same_v<T, int4b_t>, "LoadData from global memory does not take int4b_t on Atlas A2");
  npu_emu::cube::loadDataGm(dst.npu_emu_operand(), src.npu_emu_address(), loadDataParams);
}

namespace npu_emu_detail {

template <typename T>
constexpr uint32_t bitsPerElement = std::is_same_v<T, int4b_t> ? 4 : sizeof(T) * 8;
template <typename T>
constexpr bool unfoldsIsLegal =
    npu_emu::Types<int4b_t, int8_t, uint8_t, half, bfloat16_t, int32_t, uint32_t, float>::has<T>;

template <typename P>
inline npu_emu::cube::Unfolding unfoldingOf(const P& p) {
  const auto filter = [](uint8_t low, bool more) { return static_cast<uint16_t>(low + (more ? 256 : 0)); };
  if constexpr (std::is_same_v<P, LoadData3DParamsV2Pro>) {
    const auto word = [&](int shift) { return static_cast<uint16_t>(p.extConfig >> shift); };
    const auto byte = [&](int shift) { return static_cast<uint8_t>(p.filterConfig >> shift); };
    return {p.channelSize,
            word(0),
            word(16),
            word(32),
            word(48),
            byte(0),
            byte(8),
            filter(byte(16), p.filterSizeW),
            filter(byte(24), p.filterSizeH),
            byte(32),
            byte(40),
            p.enTranspose};
  } else {
    return {p.channelSize,
            p.kExtension,
            p.mExtension,
            p.kStartPt,
            p.mStartPt,
            p.strideW,
            p.strideH,
            filter(p.filterW, p.filterSizeW),
            filter(p.filterH, p.filterSizeH),
            p.dilationFilterW,
            p.dilationFilterH,
            p.enTranspose};
  }
}

}  // namespace npu_emu_detail

// api: SetFmatrix, SetLoadDataPaddingValue, SetLoadDataRepeat, SetLoadDataBoundary | S | - | documented: the image of
//   the left matrix only
inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4], const FmatrixMode& fmatrixMode) {
  if (fmatrixMode != FmatrixMode::FMATRIX_LEFT)
    npu_emu::deviceTrap("SetFmatrix: only FMATRIX_LEFT is supported on Atlas A2");
  npu_emu::cube::setImage(l1H, l1W, {padList[0], padList[1], padList[2], padList[3]});
}
// api: Load3DSetFMatrixCal | S | - | inferred: what SetFmatrix does for the left matrix
inline void Load3DSetFMatrixCal(uint16_t l1H, uint16_t l1W, const uint8_t padList[4]) {
  npu_emu::cube::setImage(l1H, l1W, {padList[0], padList[1], padList[2], padList[3]});
}
template <typename T>
inline void SetLoadDataPaddingValue(const T padValue) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &padValue, sizeof(T));
  npu_emu::cube::setImagePadding(bits);
}
inline void SetLoadDataRepeat(const LoadDataRepeatParam& repeatParams) {
  npu_emu::cube::setUnfoldingRepeat(repeatParams);
}
inline void SetLoadDataBoundary(uint32_t boundaryValue) { npu_emu::cube::setUnfoldingBoundary(boundaryValue); }

// api: LoadData | MTE1 | int4b_t int8_t uint8_t half bfloat16_t int32_t uint32_t float | documented: three-dimensional
//   loads; places of repeats, channels of a part of a block and rows behind the image: inferred
template <typename T, const IsResetLoad3dConfig& defaultConfig = IS_RESER_LOAD3D_DEFAULT_CONFIG, typename U = T,
          std::enable_if_t<std::is_same_v<T, U>, bool> = true>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                     const LoadData3DParamsV2<U>& loadDataParams) {
  static_assert(npu_emu_detail::unfoldsIsLegal<T>, "LoadData does not support this element type on Atlas A2");
  if constexpr (defaultConfig.isSetFMatrix)
    npu_emu::cube::setImage(loadDataParams.l1H, loadDataParams.l1W, loadDataParams.padList);
  if constexpr (defaultConfig.isSetPadding) SetLoadDataPaddingValue(loadDataParams.padValue);
  npu_emu::cube::loadDataUnfolded(dst.npu_emu_operand(), src.npu_emu_operand(),
                                  npu_emu_detail::unfoldingOf(loadDataParams), npu_emu_detail::bitsPerElement<T>);
}
template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                     const LoadData3DParamsV2Pro& loadDataParams) {
  static_assert(npu_emu_detail::unfoldsIsLegal<T>, "LoadData does not support this element type on Atlas A2");
  npu_emu::cube::loadDataUnfolded(dst.npu_emu_operand(), src.npu_emu_operand(),
                                  npu_emu_detail::unfoldingOf(loadDataParams), npu_emu_detail::bitsPerElement<T>);
}
// api: LoadDataWithSparse | MTE1 | int8_t | documented
template <typename T = int8_t, typename U = uint8_t,
          std::enable_if_t<std::is_same_v<T, int8_t> && std::is_same_v<U, uint8_t>, bool> = true>
inline void LoadDataWithSparse(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<U>& idx,
                               const LoadData2dParams& loadDataParam) {
  npu_emu::cube::loadDataSparse(dst.npu_emu_operand(), src.npu_emu_operand(), idx.npu_emu_operand(), loadDataParam);
}
// api: LoadDataWithTranspose | MTE1 | 4, 8, 16 and 32 bits | documented
template <typename T>
inline void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                  const LoadData2dTransposeParams& loadDataParams) {
  npu_emu::cube::loadDataTranspose(dst.npu_emu_operand(), src.npu_emu_operand(), loadDataParams,
                                   npu_emu_detail::bitsPerElement<T>);
}

// api: Mmad | M | int4b_t->int32_t int8_t->int32_t half->float bfloat16_t->float float->float | documented; order of
//   the sums: inferred
template <typename T, typename U, typename S>
inline void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter,
                 const MmadParams& mmadParams) {
  static_assert(npu_emu_detail::mmadIsLegal<T, U, S>, "Mmad does not support these element types on Atlas A2");
  npu_emu::cube::mmad(dst.npu_emu_operand(), fm.npu_emu_operand(), filter.npu_emu_operand(), nullptr, mmadParams,
                      npu_emu_detail::cubeElement<U>());
}
template <typename T, typename U, typename S, typename V>
inline void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter,
                 const LocalTensor<V>& bias, const MmadParams& mmadParams) {
  static_assert(npu_emu_detail::mmadIsLegal<T, U, S>, "Mmad does not support these element types on Atlas A2");
  static_assert(!std::is_same_v<U, int4b_t>, "Mmad of int4b_t takes no bias on Atlas A2");
  static_assert(std::is_same_v<T, V>, "the bias of Mmad has the element type of its result");
  npu_emu::Operand biasOperand = bias.npu_emu_operand();
  npu_emu::cube::mmad(dst.npu_emu_operand(), fm.npu_emu_operand(), filter.npu_emu_operand(), &biasOperand, mmadParams,
                      npu_emu_detail::cubeElement<U>());
}

// api: MmadWithSparse | M | int8_t->int32_t | documented; two elements at one place of four are added: inferred
template <typename T = int32_t, typename U = int8_t,
          std::enable_if_t<std::is_same_v<T, int32_t> && std::is_same_v<U, int8_t>, bool> = true>
inline void MmadWithSparse(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<U>& filter,
                           const MmadParams& mmadParams) {
  npu_emu::cube::mmadSparse(dst.npu_emu_operand(), fm.npu_emu_operand(), filter.npu_emu_operand(), mmadParams);
}

// api: Fixpipe | FIX | float->float float->half float->bfloat16_t float->int8_t float->uint8_t int32_t->int32_t
//   int32_t->half int32_t->int8_t int32_t->uint8_t | documented; sign of the offset and rounding before the offset is
//   added: inferred
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& intriParams) {
  npu_emu::cube::fixpipe(dst.npu_emu_address(), src.npu_emu_operand(), intriParams,
                         npu_emu_detail::outputConversion<T, U>(config.format));
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR, typename S = uint64_t,
          std::enable_if_t<std::is_same_v<S, uint64_t>, bool> = true>
inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace,
                    const FixpipeParamsV220& intriParams) {
  npu_emu::Operand scales = cbufWorkspace.npu_emu_operand();
  npu_emu::cube::fixpipe(dst.npu_emu_address(), src.npu_emu_operand(), intriParams,
                         npu_emu_detail::outputConversion<T, U>(config.format, &scales));
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& intriParams) {
  static_assert(config.format == CO2Layout::NZ, "Fixpipe from L0C to L1 takes CFG_NZ on Atlas A2");
  npu_emu::cube::fixpipeLocal(dst.npu_emu_operand(), src.npu_emu_operand(), intriParams,
                              npu_emu_detail::conversionToL1<T, U>());
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR, typename S = uint64_t,
          std::enable_if_t<std::is_same_v<S, uint64_t>, bool> = true>
inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace,
                    const FixpipeParamsV220& intriParams) {
  static_assert(config.format == CO2Layout::NZ, "Fixpipe from L0C to L1 takes CFG_NZ on Atlas A2");
  npu_emu::Operand scales = cbufWorkspace.npu_emu_operand();
  npu_emu::cube::fixpipeLocal(dst.npu_emu_operand(), src.npu_emu_operand(), intriParams,
                              npu_emu_detail::conversionToL1<T, U>(&scales));
}

// The older form: bursts of 16 columns, their length in blocks of 32 bytes of L0C, and gaps instead of strides.
// api: FixpipeParams, QuantParams, Nz2NdParams | - | - | inferred: from what they are converted to
struct QuantParams {
  QuantParams() = default;
  QuantParams(QuantMode_t quantPreIn) : quantPre(quantPreIn) {}
  QuantParams(QuantMode_t quantPreIn, uint64_t deqScalarIn) : quantPre(quantPreIn), deqScalar(deqScalarIn) {}
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = 0;
};
struct Nz2NdParams {
  Nz2NdParams() = default;
  Nz2NdParams(bool nz2ndEnIn, uint16_t ndNumIn, uint16_t srcNdStrideIn, uint16_t dstNdStrideIn,
              uint16_t originalNSizeIn)
      : nz2ndEn(nz2ndEnIn),
        ndNum(ndNumIn),
        srcNdStride(srcNdStrideIn),
        dstNdStride(dstNdStrideIn),
        originalNSize(originalNSizeIn) {}
  bool nz2ndEn = false;
  uint16_t ndNum = 1;
  uint16_t srcNdStride = 0;
  uint16_t dstNdStride = 0;
  uint16_t originalNSize = 0;
};
template <typename T = int32_t>
struct FixpipeParams {
  FixpipeParams() : cburstNum(1), burstLen(1) {}
  FixpipeParams(uint16_t count, uint16_t len, uint16_t srcStrideIn, uint32_t dstStrideIn)
      : cburstNum(count), burstLen(len), dstStride(dstStrideIn), srcStride(srcStrideIn) {}
  uint16_t cburstNum;
  uint16_t burstLen;
  uint32_t dstStride = 0;
  uint16_t srcStride = 0;
  QuantParams quantParams;
  bool reluEn = false;
  Nz2NdParams nz2ndParams;
  uint8_t unitFlag = 0;
};

namespace npu_emu_detail {

template <typename T, typename U>
inline FixpipeParamsV220 fixpipeParamsOf(const FixpipeParams<U>& p) {
  static_assert(sizeof(U) == 4, "Fixpipe moves float or int32_t out of L0C");
  constexpr uint32_t blockElements = 8, side = 16;
  const uint32_t rows = p.burstLen * blockElements / side, whole = (rows + side - 1) / side * side;
  FixpipeParamsV220 params;
  params.nSize = p.nz2ndParams.nz2ndEn ? p.nz2ndParams.originalNSize : static_cast<uint16_t>(p.cburstNum * side);
  params.mSize = static_cast<uint16_t>(rows);
  params.srcStride = static_cast<uint16_t>(p.srcStride * side + whole);
  params.dstStride =
      p.nz2ndParams.nz2ndEn ? p.dstStride : p.dstStride + p.burstLen * static_cast<uint32_t>(sizeof(T)) / 4;
  params.quantPre = p.quantParams.quantPre;
  params.deqScalar = p.quantParams.deqScalar;
  params.ndNum = p.nz2ndParams.ndNum;
  params.srcNdStride = p.nz2ndParams.srcNdStride;
  params.dstNdStride = p.nz2ndParams.dstNdStride;
  params.reluEn = p.reluEn;
  params.unitFlag = p.unitFlag;
  return params;
}
template <typename U>
inline CO2Layout layoutOf(const FixpipeParams<U>& p) {
  return p.nz2ndParams.nz2ndEn ? CO2Layout::ROW_MAJOR : CO2Layout::NZ;
}

}  // namespace npu_emu_detail

// api: Fixpipe | FIX | float->float float->half float->bfloat16_t float->int8_t float->uint8_t int32_t->int32_t
//   int32_t->half int32_t->int8_t int32_t->uint8_t | inferred: the older form
template <typename T, typename U, typename S = U, std::enable_if_t<std::is_same_v<U, S>, bool> = true>
inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParams<S>& intriParams) {
  npu_emu::cube::fixpipe(dst.npu_emu_address(), src.npu_emu_operand(), npu_emu_detail::fixpipeParamsOf<T>(intriParams),
                         npu_emu_detail::outputConversion<T, U>(npu_emu_detail::layoutOf(intriParams)));
}
template <typename T, typename U, typename S, typename V = U, std::enable_if_t<std::is_same_v<U, V>, bool> = true>
inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace,
                    const FixpipeParams<V>& intriParams) {
  npu_emu::Operand scales = cbufWorkspace.npu_emu_operand();
  npu_emu::cube::fixpipe(dst.npu_emu_address(), src.npu_emu_operand(), npu_emu_detail::fixpipeParamsOf<T>(intriParams),
                         npu_emu_detail::outputConversion<T, U>(npu_emu_detail::layoutOf(intriParams), &scales));
}
template <typename T, typename U, typename S = U, std::enable_if_t<std::is_same_v<U, S>, bool> = true>
inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParams<S>& intriParams) {
  npu_emu::cube::fixpipeLocal(dst.npu_emu_operand(), src.npu_emu_operand(),
                              npu_emu_detail::fixpipeParamsOf<T>(intriParams), npu_emu_detail::conversionToL1<T, U>());
}
template <typename T, typename U, typename S, typename V = U, std::enable_if_t<std::is_same_v<U, V>, bool> = true>
inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace,
                    const FixpipeParams<V>& intriParams) {
  npu_emu::Operand scales = cbufWorkspace.npu_emu_operand();
  npu_emu::cube::fixpipeLocal(dst.npu_emu_operand(), src.npu_emu_operand(),
                              npu_emu_detail::fixpipeParamsOf<T>(intriParams),
                              npu_emu_detail::conversionToL1<T, U>(&scales));
}

// api: SetFixPipeConfig, SetFixpipePreQuantFlag, SetFixpipeNz2ndFlag | S | - | documented: no parameters of ReLU, which
//   later devices have
template <typename T>
inline void SetFixPipeConfig(const LocalTensor<T>& reluPre, const LocalTensor<T>& quantPre, bool isUnitFlag = false) {
  static_assert(std::is_same_v<T, uint64_t>, "SetFixPipeConfig takes tensors of uint64_t");
  (void)reluPre;
  npu_emu::Operand scales = quantPre.npu_emu_operand();
  npu_emu::cube::setFixpipeScales(&scales, isUnitFlag);
}
template <typename T, bool setRelu = false>
inline void SetFixPipeConfig(const LocalTensor<T>& preData, bool isUnitFlag = false) {
  static_assert(!setRelu, "SetFixPipeConfig sets quantisation parameters only");
  npu_emu::Operand scales = preData.npu_emu_operand();
  npu_emu::cube::setFixpipeScales(preData.GetPosition() == TPosition::CO1 ? nullptr : &scales, isUnitFlag);
}
inline void SetFixpipePreQuantFlag(uint64_t config) { npu_emu::cube::setFixpipeScale(config); }
inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride) {
  npu_emu::cube::setFixpipeMatrices(ndNum, srcNdStride, dstNdStride);
}

// api: DataCopy | FIX | float->float float->half float->bfloat16_t float->int8_t float->uint8_t int32_t->int32_t
//   int32_t->half int32_t->int8_t int32_t->uint8_t | documented: out of L0C
template <typename T, typename U>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& intriParams) {
  static_assert(npu_emu_detail::fixpipeIsLegal<T, U>,
                "DataCopy out of L0C between these element types is not available on Atlas A2");
  npu_emu::cube::copyOut(dst.npu_emu_address(), src.npu_emu_operand(), intriParams, npu_emu_detail::cubeElement<U>(),
                         npu_emu_detail::cubeElement<T>());
}
template <typename T, typename U>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& intriParams) {
  static_assert(npu_emu_detail::fixpipeIsLegal<T, U> && !std::is_same_v<T, U>,
                "DataCopy from L0C to L1 between these element types is not available on Atlas A2");
  npu_emu::cube::copyOutLocal(dst.npu_emu_operand(), src.npu_emu_operand(), intriParams,
                              npu_emu_detail::cubeElement<U>(), npu_emu_detail::cubeElement<T>());
}

// api: DataCopy | MTE1 | half->float | documented: bias, from L1 to the bias table; a length counts bytes of the
//   source: inferred
template <typename T, typename U, std::enable_if_t<!std::is_same_v<T, U>, bool> = true>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& repeatParams) {
  static_assert(std::is_same_v<T, float> && std::is_same_v<U, half>,
                "DataCopy to the bias table converts from half to float only on Atlas A2");
  npu_emu::cube::copyLocal(dst.npu_emu_operand(), src.npu_emu_operand(), repeatParams, true);
}

// api: SetHF32Mode, SetHF32TransMode | S | - | documented; 11 bits of the mantissa: guessed, the documentation has only
//   a figure
inline void SetHF32Mode(HF32Mode mode) { npu_emu::cube::setHf32(mode == HF32Mode::ENABLE); }
inline void SetHF32Mode(bool hf32Mode) { npu_emu::cube::setHf32(hf32Mode); }
inline void SetHF32TransMode(HF32TransMode mode) {
  npu_emu::cube::setHf32TiesToZero(mode == HF32TransMode::NEAREST_ZERO);
}
inline void SetHF32TransMode(bool hf32TransMode) { npu_emu::cube::setHf32TiesToZero(hf32TransMode); }

// The order in which products leave the unit. It changes no result, and the clock ignores it.
// api: SetMMRowMajor, SetMMColumnMajor, SetMMLayoutTransform | S | - | documented: order only, which the clock does not
//   model
inline void SetMMRowMajor() { npu_emu::scalarWork(1); }
inline void SetMMColumnMajor() { npu_emu::scalarWork(1); }
inline void SetMMLayoutTransform(bool mmLayoutMode) {
  (void)mmLayoutMode;
  npu_emu::scalarWork(1);
}

// api: Fill, InitConstValue | MTE2, MTE1 | int16_t uint16_t half bfloat16_t int32_t uint32_t float | documented
template <typename T, typename U, std::enable_if_t<std::is_same_v<T, U>, bool> = true>
inline void Fill(const LocalTensor<T>& dst, const InitConstValueParams<U>& initConstValueParams) {
  static_assert(npu_emu::Types<int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>::has<T>,
                "Fill does not support this element type on Atlas A2");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &initConstValueParams.initValue, sizeof(T));
  npu_emu::cube::fill(dst.npu_emu_operand(), initConstValueParams.repeatTimes, initConstValueParams.blockNum,
                      initConstValueParams.dstGap, bits, sizeof(T));
}
template <typename T, typename U, std::enable_if_t<std::is_same_v<T, U>, bool> = true>
inline void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<U>& initConstValueParams) {
  Fill(dst, initConstValueParams);
}

// Inner functions of the same parameters.
// api: MmadImpl, LoadDataImpl, SetFixPipeConfigImpl | M, MTE1, S | those of the functions | inferred: inner functions that
//   kernels call
template <typename... Arguments>
inline void MmadImpl(const Arguments&... arguments) {
  Mmad(arguments...);
}
template <typename... Arguments>
inline void LoadDataImpl(const Arguments&... arguments) {
  LoadData(arguments...);
}
template <typename T>
inline void SetFixPipeConfigImpl(const LocalTensor<T>& preData, bool isUnitFlag = false) {
  SetFixPipeConfig(preData, isUnitFlag);
}

}  // namespace AscendC
