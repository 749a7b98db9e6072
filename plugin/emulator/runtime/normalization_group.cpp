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

// All rows with a value of each, which is spread over a repeat where that takes fewer instructions than there are rows.
void addValues(Work& work, const AscendC::tiling::DeepNormTiling& tiling, uint32_t rows, bool isBasicBlock,
               bool isCopied) {
  const uint32_t repeats = tiling.hLength / floatsOfRepeat;
  const uint64_t fronts = uint64_t(rows) * repeatBytes;
  if (!isBasicBlock || rows <= repeats || tiling.oneTmpSize % (uint64_t(tiling.hLength) * blocksPerRepeat) != 0) {
    addScaled(work, rows, tiling.hLength);
    return;
  }
  work.move(fronts / blocksPerRepeat * turnsOf(blocksPerRepeat, blocksPerRepeat)).step(fronts);
  work.interleaved(repeats, fronts);
  if (isCopied) work.step(fronts * repeats);
}

Work workOfDeepNorm(Shape shape, const AscendC::tiling::DeepNormTiling& tiling, uint32_t bytes, bool isBasicBlock) {
  const bool isHalf = bytes != sizeof(float);
  const uint64_t row = uint64_t(shape.width) * sizeof(float);
  Work work;
  inSteps(shape, tiling.bsCurLength, [&](uint32_t rows) {
    // both sources with their factor, and the share of each element in the mean
    work.step(rows * row, 1, isHalf ? 5 : 3);
    addSumsTwice(work, rows, shape.width, tiling.originalHLength, isBasicBlock);
    addValues(work, tiling, rows, isBasicBlock, false);
    work.step(rows * row, 1, 2);
    addSumsTwice(work, rows, shape.width, tiling.originalHLength, isBasicBlock);
    addReciprocalRoots(work, rows);
    addValues(work, tiling, rows, isBasicBlock, true);
    if (isHalf) work.step(row, 1, 2);
    if (isBasicBlock)
      for (int weight = 0; weight < 2; ++weight)
        work.interleaved(shape.width / floatsOfRepeat, uint64_t(rows) * repeatBytes);
    else addWeights(work, rows, shape.width);
    if (isHalf) work.step(rows * row);
  });
  if (isHalf) work.step(uint64_t(shape.rows) * sizeof(float), 1, 2);
  return work;
}

// Groups are whole blocks, and so are their parts, of up to a repeat each.
uint32_t partOfGroup(uint32_t width) {
  constexpr uint32_t floatsOfBlock = blockBytes / sizeof(float);
  uint32_t part = std::min(width, floatsOfRepeat);
  while (part > floatsOfBlock && width % part != 0) part -= floatsOfBlock;
  return part;
}

// A sum of each row, at once where groups are short: of parts of it that are of one length, and of the sums of these. Otherwise row by
// row, which ends on the scalar unit each time.
void addSumsOfGroups(Work& work, const AscendC::tiling::GroupNormTiling& tiling, uint32_t rows) {
  if (!tiling.smallShape) {
    work.reduction(uint64_t(tiling.dhwAlignSize) * sizeof(float), wholeCycles, rows).endOnScalarUnit(rows);
    return;
  }
  const uint64_t parts = uint64_t(tiling.dhwAlignSize / partOfGroup(tiling.dhwAlignSize)) * tiling.meanVarRoundSize;
  work.reduction(parts * repeatBytes, wholeCycles).reduction(uint64_t(rows) * repeatBytes, wholeCycles);
}

// What belongs to a group is computed in one lane of a repeat, group after group, and each channel is shifted and scaled by what the
// scalar unit has read.
Work workOfGroupNorm(const AscendC::tiling::GroupNormTiling& tiling, uint32_t bytes) {
  const bool isHalf = bytes != sizeof(float), isSmall = tiling.smallShape;
  const uint64_t row = uint64_t(tiling.dhwAlignSize) * sizeof(float), channel = uint64_t(tiling.hw) * sizeof(float),
                 weights = uint64_t(tiling.c) * sizeof(float), results = uint64_t(tiling.meanVarSize) * sizeof(float);
  Work work;
  inSteps({tiling.meanVarSize, tiling.dhwAlignSize}, tiling.bsCurLength, [&](uint32_t rows) {
    const uint32_t channels = rows * tiling.d;
    // memory that is cleared, and a source that is converted
    if (isSmall && isHalf) work.step(3 * rows * row);
    else work.step(rows * row, 1, isSmall ? 2 : 1);
    if (isHalf) work.step(rows * row);
    addSumsOfGroups(work, tiling, rows);
    if (isHalf && isSmall) work.step(repeatBytes, 1, rows);
    else work.together(rows, repeatBytes, 0);
    work.waitForScalars();
    if (isSmall) work.byScalars(rows, uint64_t(tiling.d) * repeatBytes);
    else work.byScalars(channels, channel);
    work.step(rows * row, 1, isSmall && !isHalf ? 2 : 1);
    addSumsOfGroups(work, tiling, rows);
    // the scale of each group, and a pass with it
    work.step(repeatBytes, 1, 3 * rows).step(repeatBytes, 2, rows).step(repeatBytes, 4, rows).waitForScalars();
    work.byScalars(rows, row).waitForScalars();
    if (isHalf) work.step(weights, 1, 2);
    work.byScalars(2 * channels, channel);
    if (isHalf) work.step(rows * row);
  });
  return isHalf ? work.step(results).beside(results) : work;
}

// All batches of as many columns as the memory has room for: an instruction for each batch, or in basic blocks for each 64 columns.
class BatchWork {
 public:
  BatchWork(Shape shape, const NormCall& call, const AscendC::tiling::BatchNormTiling& tiling, uint32_t bytes,
            bool isBasicBlock)
      : batches_(shape.rows),
        isHalf_(bytes != sizeof(float)),
        isBasicBlock_(isBasicBlock),
        a_(memory(call, tiling.firstTmpStartPos)),
        b_(memory(call, tiling.secondTmpStartPos)),
        c_(memory(call, tiling.thirdTmpStartPos)),
        mean_(isHalf_ ? memory(call, tiling.meanTmpTensorPos) : call.mean.address),
        deviation_(isHalf_ ? memory(call, tiling.varianceTmpTensorPos) : call.deviation.address),
        from_(isHalf_ ? a_ : call.src.address) {
    const uint64_t whole = uint64_t(shape.width) * sizeof(float);
    inSteps({shape.width, shape.rows}, tiling.shCurLength, [&](uint32_t columns) { addStep(columns, whole); });
  }
  const Work& work() const { return work_; }

 private:
  const uint32_t batches_;
  const bool isHalf_, isBasicBlock_;
  const uint8_t *const a_, *const b_, *const c_, *const mean_, *const deviation_, *const from_;
  Work work_;

  static const uint8_t* memory(const NormCall& call, uint32_t position) {
    return call.temporary.operand.address + size_t(position) * sizeof(float);
  }
  static uint32_t blocksOf(uint64_t row) { return static_cast<uint32_t>(row / repeatBytes); }

  // One operand of all batches, which may be the same for each of them.
  RepeatedSource sourceOfPass(const uint8_t* address, uint64_t row, uint64_t apart) const {
    if (!isBasicBlock_) return sourceOf(address, row);
    return {reinterpret_cast<uintptr_t>(address), batches_, apart};
  }
  void addPasses(uint64_t row, const RepeatedSource& one = {}, const RepeatedSource& other = {}) {
    if (!isBasicBlock_) work_.together(batches_, row, one, other);
    else work_.interleaved(blocksOf(row), uint64_t(batches_) * repeatBytes, one, other);
  }
  void addSumOfBatches(const uint8_t* to, const uint8_t* from, uint64_t row) {
    work_.move(row);
    if (isBasicBlock_) {
      const RepeatedSource sums{reinterpret_cast<uintptr_t>(to), batches_ - 1, 0},
          rows{reinterpret_cast<uintptr_t>(from) + row, batches_ - 1, row};
      work_.together(blocksOf(row), uint64_t(batches_ - 1) * repeatBytes, sums, rows);
      return;
    }
    for (uint32_t i = 1; i < batches_; ++i) work_.step(row, sourceOf(to, row), sourceOf(from + i * row, row));
  }
  // The weight of each batch for all of its columns.
  void addWeights(uint64_t row) {
    const uint64_t blocks = uint64_t(batches_) * repeatBytes;
    if (isHalf_) work_.step(uint64_t(batches_) * sizeof(float));
    if (!isBasicBlock_) {
      if (isHalf_) work_.waitForScalars();
      work_.byScalars(batches_, row);
      return;
    }
    work_.move(blocks / blocksPerRepeat * turnsOf(blocksPerRepeat, static_cast<uint32_t>(row / blockBytes)));
    work_.interleaved(blocksPerRepeat - 1, blocks).interleaved(blocksOf(row) - 1, blocks);
  }
  void addStep(uint32_t columns, uint64_t whole) {
    const uint64_t row = uint64_t(columns) * sizeof(float), all = row * batches_, apart = isHalf_ ? row : whole;
    if (isHalf_) addPasses(row);
    addPasses(row);
    addSumOfBatches(mean_, c_, row);
    if (isHalf_) work_.step(row);
    const RepeatedSource from = sourceOfPass(from_, row, apart), mean = sourceOfPass(mean_, row, 0);
    if (!isBasicBlock_) addPasses(row, from, mean);
    for (uint32_t i = 0; isBasicBlock_ && i < blocksOf(row); ++i)
      work_.step(uint64_t(batches_) * repeatBytes, from, mean);
    work_.step(all, 1, 2);
    addSumOfBatches(deviation_, a_, row);
    if (isHalf_) work_.step(row);
    work_.step(row, 1, 2).step(row, 2, 2);
    addPasses(row, sourceOfPass(b_, row, 0), sourceOfPass(c_, row, row));
    addWeights(row);
    work_.step(all, sourceOf(b_, all), sourceOf(c_, all));
    addWeights(row);
    if (isHalf_ && isBasicBlock_) work_.step(all, sourceOf(b_, all), sourceOf(c_, all));
    else addPasses(row, sourceOfPass(b_, row, row), sourceOfPass(c_, row, row));
    if (isHalf_) addPasses(row);
  }
};

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
  checkRounds(name, tiling.loopRound, tiling.bsCurLength, tiling.meanVarTailSize, shape.rows);
  checkPlaces(name, tiling, shape.width,
              {"bshCurLength", tiling.bshCurLength, uint64_t(tiling.bsCurLength) * shape.width}, tiling.bsCurLength);
  // a channel is one repeat there, and the parts of a group are one block each of another
  const uint32_t part = partOfGroup(shape.width);
  if (tiling.smallShape && (channel > floatsOfRepeat || shape.width / part > blocksPerRepeat))
    reject(name,
           text("the tiling takes groups of %u elements, and channels of %u, for short ones", shape.width, channel),
           "take the tiling from GetGroupNormNDTilingInfo");
  // The device masks one of 64 lanes for each group.
  if (!tiling.smallShape && shape.rows > 64)
    reject(name, text("there are %u groups of %u elements", shape.rows, shape.width),
           "up to 64 groups are computed right where a channel has more than 64 elements, or a group more than 512");
  const uint64_t floats = endOfBuffers(name, tiling, sizeof(T) == floatBytes ? 0 : shape.rows, isReuseSource);
  // of half in short groups so many buffers are cleared
  if (tiling.smallShape && sizeof(T) == halfBytes) {
    checkFields(name, {{"numberOfTmpBuf", tiling.numberOfTmpBuf, buffersOfLayerNorm(halfBytes, isReuseSource)}});
  }
  const WorkingMemory working = workingMemory(name, call.temporary, clampedBytes(floats * floatBytes), sizeHelper);
  uint64_t bytes = uint64_t(shape.rows) * shape.width * sizeof(T), weights = tiling.c * sizeof(T),
           results = shape.rows * sizeof(T);
  Extents extents(working);
  extents.add(call.dst, bytes, writes, "output");
  extents.add(call.src, bytes, isReuseSource, "inputX");
  extents.add(call.gamma, weights, reads, "gamma");
  extents.add(call.beta, weights, reads, "beta");
  extents.add(call.mean, results, writes, "outputMean");
  extents.add(call.deviation, results, writes, "outputVariance");
  Work work = workOfGroupNorm(tiling, sizeof(T));
  work.bears("output", "inputX", Lies::InPlace).takes("inputX");
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
  checkTiling(name, tiling.shCurLength, sizeHelper, shape.rows, tiling.oneTmpSize);
  checkWidth(name, shape, sizeof(T));
  if (shape.rows == 0) reject(name, "originalBLength is 0", "take the tiling from GetBatchNormNDTilingInfo");
  checkRounds(name, tiling.loopRound, tiling.shCurLength, tiling.meanVarTailSize, shape.width);
  checkFields(name, {{"bshCurLength", tiling.bshCurLength, uint64_t(tiling.shCurLength) * shape.rows},
                     {"shCurLengthBlockNum", tiling.shCurLengthBlockNum, tiling.shCurLength / floatsPerBlock},
                     {"inputTailSize", tiling.inputTailSize, uint64_t(tiling.meanVarTailSize) * shape.rows}});
  if (tiling.meanVarTailSize != 0) {
    const uint64_t columns = uint64_t(tiling.loopRound) * tiling.shCurLength;
    checkFields(name,
                {{"inputTailPos", tiling.inputTailPos, columns}, {"meanVarTailPos", tiling.meanVarTailPos, columns}});
  }
  if (isBasicBlock && !isBasicBlockOfRmsNorm(shape.rows, shape.width)) {
    reject(name, text("[%u, %u] are no basic blocks", shape.rows, shape.width),
           "isBasicBlock takes batches of a multiple of 8, and rows of a multiple of 64 elements below 2048");
  }
  const uint64_t floats = endOfBuffers(name, tiling, sizeof(T) == floatBytes ? 0 : shape.width, false);
  const WorkingMemory working = workingMemory(name, call.temporary, clampedBytes(floats * floatBytes), sizeHelper);
  uint64_t bytes = uint64_t(shape.rows) * shape.width * sizeof(T), weights = shape.rows * sizeof(T),
           results = shape.width * sizeof(T);
  Extents extents(working);
  extents.add(call.dst, bytes, writes, "output");
  extents.add(call.src, bytes, reads, "inputX");
  extents.add(call.gamma, weights, reads, "gamm");
  extents.add(call.beta, weights, reads, "beta");
  extents.add(call.mean, results, writes, "outputMean");
  extents.add(call.deviation, results, writes, "outputVariance");
  Work work = BatchWork(shape, call, tiling, sizeof(T), isBasicBlock).work();
  extents.issue(name, work.allows("output", "inputX", Lies::InPlace), [&] {
    size_t n = shape.width, batches = shape.rows;
    std::vector<float> values(n * batches), mean(n), variance(n), gamma = weightsOf<T>(call.gamma, batches, 1),
                                                                  beta = weightsOf<T>(call.beta, batches, 0);
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
  checkRounds(name, tiling.loopRound, tiling.bsCurLength, tiling.meanVarTailSize, shape.rows);
  checkFields(name, {{"meanVarSize", tiling.meanVarSize, shape.rows}});
  checkPlaces(name, tiling, shape.width,
              {"bshCurLength", tiling.bshCurLength, uint64_t(tiling.bsCurLength) * shape.width}, tiling.bsCurLength);
  if (shape.width > longestDeepNorm)
    reject(name, text("rows have %u elements", shape.width), "rows have up to 2040 elements");
  if (tiling.originalHLength == 0 || tiling.originalHLength > shape.width)
    reject(name, text("originalHLength is %u, hLength is %u", tiling.originalHLength, shape.width),
           "originalHLength is the part of hLength that counts");
  if (isBasicBlock && (!isBasicBlockOfDeepNorm(shape.rows, shape.width) || tiling.originalHLength != shape.width)) {
    reject(name, text("[%u, %u] are no basic blocks", shape.rows, shape.width),
           "isBasicBlock takes a multiple of 8 rows of a multiple of 64 elements without padding");
  }
  const uint64_t floats = endOfBuffers(name, tiling, sizeof(T) == floatBytes ? 0 : shape.rows, isReuseSource);
  const WorkingMemory working = workingMemory(name, call.temporary, clampedBytes(floats * floatBytes), sizeHelper);
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
  Work work = workOfDeepNorm(shape, tiling, sizeof(T), isBasicBlock);
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
