// GroupNorm, BatchNorm and DeepNorm, in the order of the instructions of the device.
#include "ascendc/normalization_group.h"

#include <tuple>

#include "functions.h"
#include "normalization_rows.h"
#include "api_calls.h"
#include "legal_library.h"

namespace npu_emu {

using namespace norm;

namespace {

// Sums of rows as DeepNorm forms them: where all of a row has come to one repeat, that is reduced twice, to where the sums are wanted
// and to where they are worked with.
void addSumsTwice(Work& work, uint32_t rows, uint32_t width, uint32_t counted, bool isBasicBlock) {
  const uint64_t fronts = uint64_t(rows) * repeatBytes;
  if (isBasicBlock) {
    work.step(fronts, 1, width / floatsOfRepeat - 1).reduction(fronts, wholeCycles, 2);
    return;
  }
  addSumsByRepeats(work, rows, counted);
  work.reduction(repeatBytes, wholeCycles, rows);
}

Work workOfDeepNorm(Shape shape, uint32_t rowsAtATime, uint32_t counted, uint32_t bytes, bool isBasicBlock) {
  const bool isHalf = bytes != sizeof(float);
  const uint64_t row = uint64_t(shape.width) * sizeof(float);
  Work work;
  inSteps(shape, rowsAtATime, [&](uint32_t rows) {
    // both sources with their factor, and the share of each element in the mean
    work.step(rows * row, 1, isHalf ? 5 : 3);
    addSumsTwice(work, rows, shape.width, counted, isBasicBlock);
    addScaled(work, rows, shape.width);
    work.step(rows * row, 1, 2);
    addSumsTwice(work, rows, shape.width, counted, isBasicBlock);
    addReciprocalRoots(work, rows);
    addScaled(work, rows, shape.width);
    if (isHalf) work.step(row, 1, 2);
    if (isBasicBlock)
      for (int weight = 0; weight < 2; ++weight)
        work.together(shape.width / floatsOfRepeat, uint64_t(rows) * repeatBytes, 0);
    else addWeights(work, rows, shape.width);
    if (isHalf) work.step(rows * row);
  });
  return work;
}

// One by the root as BatchNorm has it: by a logarithm and an exponential, each rounded.
float reciprocalRootByLogarithm(float value) {
  float half = -0.5f * static_cast<float>(functions::logarithm(static_cast<double>(value)));
  return static_cast<float>(functions::exponential(static_cast<double>(half)));
}

}  // namespace

namespace vec {

template <typename T>
void groupNorm(const NormCall& call, const AscendC::tiling::GroupNormTiling& tiling, bool isReuseSource) {
  constexpr const char *name = "GroupNorm", *sizeHelper = "GetGroupNormMaxMinTmpSize";
  // groups are rows of channels, channels are padded
  Shape shape{tiling.meanVarSize, tiling.dhwAlignSize};
  checkTiling(name, tiling.bsCurLength, sizeHelper, shape.width, tiling.oneTmpSize);
  checkWidth(name, shape, sizeof(T));
  uint32_t channel = tiling.hwAlignSize;
  if (tiling.c == 0 || uint64_t(tiling.d) * channel != shape.width || tiling.hw > channel)
    reject(name, text("%u channels of %u elements make no group of %u", tiling.d, channel, shape.width),
           "take the tiling from GetGroupNormNDTilingInfo");
  // The device masks one of 64 lanes for each group.
  if (!tiling.smallShape && shape.rows > 64)
    reject(name, text("there are %u groups of %u elements", shape.rows, shape.width),
           "up to 64 groups are computed right where a channel has more than 64 elements, or a group more than 512");
  const WorkingMemory working = workingMemory(
      name, call.temporary,
      clampedBytes((tiling.firstTmpStartPos + uint64_t(isReuseSource ? 2 : 3) * tiling.oneTmpSize) * floatBytes),
      sizeHelper);
  uint64_t bytes = uint64_t(shape.rows) * shape.width * sizeof(T), weights = tiling.c * sizeof(T),
           results = shape.rows * sizeof(T);
  Extents extents(working);
  extents.add(call.dst, bytes, writes, "output");
  extents.add(call.src, bytes, isReuseSource, "inputX");
  extents.add(call.gamma, weights, reads, "gamma");
  extents.add(call.beta, weights, reads, "beta");
  extents.add(call.mean, results, writes, "outputMean");
  extents.add(call.deviation, results, writes, "outputVariance");
  // Groups and channels are taken one by one.
  Work work = workOf(shape, tiling.bsCurLength, 2, sizeof(T));
  // a sum and one of squares for each row, which end on the scalar unit
  work.step(shape.width * floatBytes, 1, shape.rows)
      .reduction(shape.width * floatBytes, wholeCycles, 2 * shape.rows)
      .endOnScalarUnit(2 * shape.rows)
      .step(channel * floatBytes, 1, 3 * shape.rows * tiling.d)
      .step(blockBytes, 1, 4 * shape.rows)
      .bears("output", "inputX", Lies::InPlace)
      .takes("inputX");
  extents.issue(name, work, [&] {
    markLost(Register::Sum);
    std::vector<float> memory(size_t(shape.width) * 2);
    float *values = memory.data(), *scratch = values + shape.width;
    std::vector<float> gamma = weightsOf<T>(call.gamma, tiling.c, 1), beta = weightsOf<T>(call.beta, tiling.c, 0);
    for (size_t r = 0; r < shape.rows; ++r) {
      loadRow<T>(values, call.src, r * shape.width, shape.width);
      float mean = sumOfRepeats(values, shape.width) * tiling.factor;
      for (size_t i = 0; i < shape.width; ++i) {
        // Padding of floats is 0 in the output, that of half stays what it is.
        if (i % channel < tiling.hw) values[i] -= mean;
        else if (sizeof(T) == sizeof(float)) values[i] = 0;
        scratch[i] = values[i] * values[i];
      }
      float variance = sumOfRepeats(scratch, shape.width) * tiling.factor,
            factor = reciprocalRoot(variance + call.epsilon);
      for (size_t i = 0; i < shape.width; ++i) {
        values[i] *= factor;
        size_t weight = (r * tiling.d + i / channel) % tiling.c;
        if (i % channel < tiling.hw) values[i] = values[i] * gamma[weight] + beta[weight];
      }
      storeRow<T>(call.dst, r * shape.width, values, shape.width);
      storeRow<T>(call.mean, r, &mean, 1);
      storeRow<T>(call.deviation, r, &variance, 1);
    }
  });
}

template <typename T>
void batchNorm(const NormCall& call, const AscendC::tiling::BatchNormTiling& tiling, bool isBasicBlock) {
  constexpr const char *name = "BatchNorm", *sizeHelper = "GetBatchNormMaxMinTmpSize";
  Shape shape{tiling.originalBLength, tiling.meanVarSize};
  checkTiling(name, tiling.shCurLength, sizeHelper);
  checkWidth(name, shape, sizeof(T));
  if (shape.rows == 0) reject(name, "originalBLength is 0", "take the tiling from GetBatchNormNDTilingInfo");
  if (isBasicBlock && !isBasicBlockOfRmsNorm(shape.rows, shape.width)) {
    reject(name, text("[%u, %u] are no basic blocks", shape.rows, shape.width),
           "isBasicBlock takes batches of a multiple of 8, and rows of a multiple of 64 elements below 2048");
  }
  const WorkingMemory working =
      workingMemory(name, call.temporary,
                    clampedBytes((tiling.firstTmpStartPos + uint64_t(3) * tiling.oneTmpSize) * floatBytes), sizeHelper);
  uint64_t bytes = uint64_t(shape.rows) * shape.width * sizeof(T), weights = shape.rows * sizeof(T),
           results = shape.width * sizeof(T);
  Extents extents(working);
  extents.add(call.dst, bytes, writes, "output");
  extents.add(call.src, bytes, reads, "inputX");
  extents.add(call.gamma, weights, reads, "gamm");
  extents.add(call.beta, weights, reads, "beta");
  extents.add(call.mean, results, writes, "outputMean");
  extents.add(call.deviation, results, writes, "outputVariance");
  uint32_t columns = std::min(shape.width, tiling.shCurLength), steps = ceilDivide(shape.width, columns);
  uint64_t row = uint64_t(columns) * floatBytes, all = row * shape.rows;
  extents.issue(name,
                Work()
                    .step(row, 1, steps * shape.rows * (sizeof(T) == sizeof(float) ? 8 : 10))
                    .step(all, 1, 3 * steps)
                    .step(row, 4, 4 * steps)
                    .allows("output", "inputX", Lies::InPlace),
                [&] {
                  size_t n = shape.width, batches = shape.rows;
                  std::vector<float> values(n * batches), mean(n), variance(n),
                      gamma = weightsOf<T>(call.gamma, batches, 1), beta = weightsOf<T>(call.beta, batches, 0);
                  loadRow<T>(values.data(), call.src, 0, values.size());
                  for (size_t i = 0; i < n; ++i) {
                    mean[i] = values[i] * tiling.firstDimValueBack;
                    for (size_t b = 1; b < batches; ++b) mean[i] += values[b * n + i] * tiling.firstDimValueBack;
                    auto squared = [&](size_t b) {
                      float difference = values[b * n + i] - mean[i];
                      return difference * difference * tiling.firstDimValueBack;
                    };
                    variance[i] = squared(0);
                    for (size_t b = 1; b < batches; ++b) variance[i] += squared(b);
                    float factor = reciprocalRootByLogarithm(variance[i] + call.epsilon);
                    for (size_t b = 0; b < batches; ++b)
                      values[b * n + i] = (values[b * n + i] - mean[i]) * factor * gamma[b] + beta[b];
                  }
                  storeRow<T>(call.dst, 0, values.data(), values.size());
                  storeRow<T>(call.mean, 0, mean.data(), n);
                  storeRow<T>(call.deviation, 0, variance.data(), n);
                });
}

template <typename T>
void deepNorm(const NormCall& call, Operand added, float alpha, const AscendC::tiling::DeepNormTiling& tiling,
              bool isReuseSource, bool isBasicBlock) {
  constexpr const char *name = "DeepNorm", *sizeHelper = "GetDeepNormMaxMinTmpSize";
  Shape shape{clampedBytes(uint64_t(tiling.bLength) * tiling.sLength), tiling.hLength};
  checkTiling(name, tiling.bsCurLength, sizeHelper, shape.width, tiling.oneTmpSize);
  checkWidth(name, shape, sizeof(T));
  if (shape.width > longestDeepNorm)
    reject(name, text("rows have %u elements", shape.width), "rows have up to 2040 elements");
  if (tiling.originalHLength == 0 || tiling.originalHLength > shape.width)
    reject(name, text("originalHLength is %u, hLength is %u", tiling.originalHLength, shape.width),
           "originalHLength is the part of hLength that counts");
  if (isBasicBlock && (!isBasicBlockOfDeepNorm(shape.rows, shape.width) || tiling.originalHLength != shape.width)) {
    reject(name, text("[%u, %u] are no basic blocks", shape.rows, shape.width),
           "isBasicBlock takes a multiple of 8 rows of a multiple of 64 elements without padding");
  }
  const WorkingMemory working = workingMemory(
      name, call.temporary,
      clampedBytes((tiling.firstTmpStartPos + uint64_t(isReuseSource ? 2 : 3) * tiling.oneTmpSize) * floatBytes),
      sizeHelper);
  uint64_t bytes = uint64_t(shape.rows) * shape.width * sizeof(T), row = shape.width * sizeof(T),
           results = shape.rows * sizeof(T);
  Extents extents(working);
  extents.add(call.dst, bytes, writes, "dstLocal");
  extents.add(call.src, bytes, isReuseSource, "srcLocal");
  extents.add(added, bytes, reads, "gxLocal");
  extents.add(call.gamma, row, reads, "gammaLocal");
  extents.add(call.beta, row, reads, "betaLocal");
  extents.add(call.mean, results, writes, "meanLocal");
  extents.add(call.deviation, results, writes, "rstdLocal");
  Work work = workOfDeepNorm(shape, tiling.bsCurLength, tiling.originalHLength, sizeof(T), isBasicBlock);
  if (isReuseSource) work.allows("dstLocal", "srcLocal", Lies::InPlace);
  else work.bears("dstLocal", "srcLocal", Lies::InPlace);
  work.bears("dstLocal", "gxLocal", Lies::InPlace).takes("srcLocal");
  extents.issue(name, work, [&] {
    size_t n = shape.width, counted = tiling.originalHLength;
    std::vector<float> memory(n * 2), gamma = weightsOf<T>(call.gamma, n, 1), beta = weightsOf<T>(call.beta, n, 0);
    float *values = memory.data(), *scratch = values + n;
    auto sum = [&] { return isBasicBlock ? sumOfRow(scratch, counted) : sumOfRepeats(scratch, counted); };
    for (size_t r = 0; r < shape.rows; ++r) {
      loadRow<T>(values, call.src, r * n, n);
      loadRow<T>(scratch, added, r * n, n);
      for (size_t i = 0; i < n; ++i) {
        values[i] = scratch[i] + values[i] * alpha;
        scratch[i] = values[i] * tiling.lastDimValueBack;
      }
      float mean = sum();
      for (size_t i = 0; i < n; ++i) {
        values[i] -= mean;
        scratch[i] = values[i] * values[i] * tiling.lastDimValueBack;
      }
      float variance = sum(), factor = reciprocalRoot(variance + call.epsilon);
      for (size_t i = 0; i < n; ++i) values[i] = values[i] * factor * gamma[i] + beta[i];
      storeRow<T>(call.dst, r * n, values, n);
      storeRow<T>(call.mean, r, &mean, 1);
      storeRow<T>(call.deviation, r, &variance, 1);
    }
  });
}

namespace {
template <typename... T>
constexpr auto normalisations(Types<T...>) {
  return std::make_tuple(&groupNorm<T>..., &batchNorm<T>..., &deepNorm<T>...);
}
constexpr auto instantiated = asTuple(normalisations(isa::Floating{}));
const OffersOf<instantiated> offered;
}  // namespace

}  // namespace vec
}  // namespace npu_emu
