// Temporary memory of reductions and running sums, in bytes.
#pragma once

#include <algorithm>

#include "lib/utils/types.h"
#include "ascendc/reduce_sizes.h"
#include "tiling/helper_checks.h"

namespace AscendC {

enum class ReducePattern : uint32_t {
  AR = 0,
  RA = 1,
  R,
  ARA,
  ARAR,
  ARARA,
  ARARAR,
  ARARARA,
  ARARARAR,
  ARARARARA,
  RAR,
  RARA,
  RARAR,
  RARARA,
  RARARAR,
  RARARARA
};

namespace npu_emu_detail {

struct ReduceHelper {
  const char* name;
  const TensorShape& shape;
  TensorDataType type;
  ReducePattern pattern;
  bool innerPad, reusesSource;

  template <typename Size>
  void tell(std::initializer_list<TensorDataType> types, Size size, uint32_t& maxValue, uint32_t& minValue) const {
    using npu_emu::host::accepts;
    bool legal =
        accepts(name, std::count(types.begin(), types.end(), type) != 0, "Atlas A2 does not support this data type");
    legal = legal && accepts(name, shape.GetDimNum() == 2 && shape.GetDim(0) > 0 && shape.GetDim(1) > 0,
                             "srcShape has two dimensions that are not empty");
    legal = legal && accepts(name, innerPad, "isSrcInnerPad is true on Atlas A2");
    legal =
        legal && accepts(name, pattern == ReducePattern::AR || pattern == ReducePattern::RA, "the pattern is AR or RA");
    if (!legal) return;
    maxValue = minValue =
        size(npu_emu::sizes::Reduced{static_cast<uint32_t>(shape.GetDim(0)), static_cast<uint32_t>(shape.GetDim(1)),
                                     pattern == ReducePattern::AR, reusesSource});
  }
  void extreme(std::initializer_list<TensorDataType> types, uint32_t& maxValue, uint32_t& minValue) const {
    tell(
        types,
        [&](const npu_emu::sizes::Reduced& r) {
          return npu_emu::sizes::reduceExtreme(r, type == ge::DT_FLOAT16 ? 2 : 4);
        },
        maxValue, minValue);
  }
  void truth(uint32_t& maxValue, uint32_t& minValue) const {
    if (type == ge::DT_UINT8) tell({ge::DT_UINT8}, npu_emu::sizes::reduceBytes, maxValue, minValue);
    else extreme({ge::DT_FLOAT}, maxValue, minValue);
  }
};

}  // namespace npu_emu_detail

// api: GetReduceSumMaxMinTmpSize, GetReduceMeanMaxMinTmpSize, GetReduceProdMaxMinTmpSize, GetReduceMaxMaxMinTmpSize,
//   GetReduceMinMaxMinTmpSize, GetReduceAnyMaxMinTmpSize, GetReduceAllMaxMinTmpSize | - | - | inferred: the sizes
inline void GetReduceSumMaxMinTmpSize(const TensorShape& srcShape, const TensorDataType dataType, ReducePattern pattern,
                                      bool isSrcInnerPad, bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  npu_emu_detail::ReduceHelper{"GetReduceSumMaxMinTmpSize", srcShape, dataType, pattern, isSrcInnerPad, isReuseSource}
      .tell({ge::DT_FLOAT}, npu_emu::sizes::reduceSum, maxValue, minValue);
}
inline void GetReduceMeanMaxMinTmpSize(const TensorShape& srcShape, const TensorDataType dataType,
                                       ReducePattern pattern, bool isSrcInnerPad, bool isReuseSource,
                                       uint32_t& maxValue, uint32_t& minValue) {
  npu_emu_detail::ReduceHelper{"GetReduceMeanMaxMinTmpSize", srcShape, dataType, pattern, isSrcInnerPad, isReuseSource}
      .tell({ge::DT_FLOAT}, npu_emu::sizes::reduceSum, maxValue, minValue);
}
inline void GetReduceProdMaxMinTmpSize(const TensorShape& srcShape, const TensorDataType dataType,
                                       ReducePattern pattern, bool isSrcInnerPad, bool isReuseSource,
                                       uint32_t& maxValue, uint32_t& minValue) {
  npu_emu_detail::ReduceHelper{"GetReduceProdMaxMinTmpSize", srcShape, dataType, pattern, isSrcInnerPad, isReuseSource}
      .tell({ge::DT_FLOAT}, npu_emu::sizes::reduceProduct, maxValue, minValue);
}
inline void GetReduceMaxMaxMinTmpSize(const TensorShape& srcShape, const TensorDataType dataType, ReducePattern pattern,
                                      bool isSrcInnerPad, bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  npu_emu_detail::ReduceHelper{"GetReduceMaxMaxMinTmpSize", srcShape, dataType, pattern, isSrcInnerPad, isReuseSource}
      .extreme({ge::DT_FLOAT16, ge::DT_FLOAT}, maxValue, minValue);
}
inline void GetReduceMinMaxMinTmpSize(const TensorShape& srcShape, const TensorDataType dataType, ReducePattern pattern,
                                      bool isSrcInnerPad, bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  npu_emu_detail::ReduceHelper{"GetReduceMinMaxMinTmpSize", srcShape, dataType, pattern, isSrcInnerPad, isReuseSource}
      .extreme({ge::DT_FLOAT16, ge::DT_FLOAT}, maxValue, minValue);
}
inline void GetReduceAnyMaxMinTmpSize(const TensorShape& srcShape, const TensorDataType dataType, ReducePattern pattern,
                                      bool isSrcInnerPad, bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  npu_emu_detail::ReduceHelper{"GetReduceAnyMaxMinTmpSize", srcShape, dataType, pattern, isSrcInnerPad, isReuseSource}
      .truth(maxValue, minValue);
}
inline void GetReduceAllMaxMinTmpSize(const TensorShape& srcShape, const TensorDataType dataType, ReducePattern pattern,
                                      bool isSrcInnerPad, bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  npu_emu_detail::ReduceHelper{"GetReduceAllMaxMinTmpSize", srcShape, dataType, pattern, isSrcInnerPad, isReuseSource}
      .truth(maxValue, minValue);
}

// api: GetReduceXorSumMaxMinTmpSize | - | - | inferred: the sizes
inline void GetReduceXorSumMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                         uint32_t& maxValue, uint32_t& minValue) {
  const bool legal =
      npu_emu::host::accepts("GetReduceXorSumMaxMinTmpSize", srcShape.GetShapeSize() > 0 && typeSize == 2,
                             "srcShape is not empty and typeSize is 2");
  if (legal)
    maxValue = minValue = npu_emu::sizes::reduceXorSum(static_cast<uint32_t>(srcShape.GetShapeSize()), isReuseSource);
}

// api: GetSumMaxMinTmpSize | - | - | inferred: the sizes
inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool, uint32_t& maxSize,
                                uint32_t& minSize) {
  const bool legal = npu_emu::host::accepts("GetSumMaxMinTmpSize", n > 0 && (typeSize == 2 || typeSize == 4),
                                            "n is positive and typeSize is 2 or 4");
  if (legal) maxSize = minSize = npu_emu::sizes::sum(n, typeSize);
}

// api: GetMeanMaxMinTmpSize, GetMeanTmpBufferFactorSize | - | - | inferred: the sizes
inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize, const bool,
                                 uint32_t& maxSize, uint32_t& minSize) {
  const bool sizesFit = (srcTypeSize == 2 || srcTypeSize == 4) && (accTypeSize == srcTypeSize || accTypeSize == 4);
  const bool legal = npu_emu::host::accepts("GetMeanMaxMinTmpSize", n > 0 && sizesFit,
                                            "n is positive and the type sizes are 2 and 2, 4 and 4, or 2 and 4");
  if (legal) maxSize = minSize = npu_emu::sizes::mean(n, srcTypeSize, accTypeSize);
}
inline void GetMeanTmpBufferFactorSize(const uint32_t, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  maxLiveNodeCount = 1;
  extraBuffer = 0;
}

// api: GetCumSumMaxMinTmpSize | - | - | inferred: the sizes
inline void GetCumSumMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isLastAxis,
                                   const bool, uint32_t& maxValue, uint32_t& minValue) {
  const char* helper = "GetCumSumMaxMinTmpSize";
  bool legal = npu_emu::host::accepts(helper, typeSize == 2 || typeSize == 4, "typeSize is 2 or 4");
  legal = legal &&
          npu_emu::host::accepts(
              helper, srcShape.GetDimNum() == 2 && srcShape.GetDim(1) > 0 && srcShape.GetDim(1) * typeSize % 32 == 0,
              "srcShape has two dimensions, the second of them a multiple of 32 bytes");
  if (!legal) return;
  const npu_emu::sizes::Range range = npu_emu::sizes::cumSum(
      static_cast<uint32_t>(srcShape.GetDim(0)), static_cast<uint32_t>(srcShape.GetDim(1)), typeSize, isLastAxis);
  maxValue = range.most;
  minValue = range.least;
}

}  // namespace AscendC
