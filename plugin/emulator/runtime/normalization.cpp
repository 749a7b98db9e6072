// Normalisations of rows. A row is read, computed in float, and written: source and destination may share memory.
#include "ascendc/normalization.h"

#include <tuple>

#include "normalization_rows.h"
#include "api_calls.h"
#include "legal_library.h"

namespace npu_emu {

using namespace norm;

namespace {

// Mean and variance of a row: elements are scaled before they are added.
struct Moments {
  float mean, variance;
};

Moments momentsOf(const float* row, float* scratch, size_t width, size_t subtracted, float reciprocal) {
  for (size_t i = 0; i < width; ++i) scratch[i] = row[i] * reciprocal;
  float mean = sumOfRow(scratch, width);
  for (size_t i = 0; i < subtracted; ++i) scratch[i] = (row[i] - mean) * (row[i] - mean) * reciprocal;
  for (size_t i = subtracted; i < width; ++i) scratch[i] = row[i] * row[i] * reciprocal;
  return {mean, sumOfRow(scratch, width)};
}

// The mean of each row, its variance, and what follows of both for all elements; by the instructions of the library.
Work workOfLayerNorm(Shape shape, const NormCall& call, const AscendC::tiling::LayerNormTiling& tiling, uint32_t bytes,
                     bool isReuseSource) {
  const bool isHalf = bytes != sizeof(float);
  const uint64_t row = uint64_t(shape.width) * sizeof(float);
  const auto memory = [&](uint32_t position) {
    return call.temporary.operand.address + size_t(position) * sizeof(float);
  };
  const uint8_t *first = memory(tiling.firstTmpStartPos), *second = memory(tiling.secondTmpStartPos),
                *a = isReuseSource ? call.src.address : first, *b = isReuseSource ? first : second,
                *c = isReuseSource ? second : memory(tiling.thirdTmpStartPos), *from = isHalf ? a : call.src.address;
  Work work;
  inSteps(shape, tiling.bsCurLength, [&](uint32_t rows) {
    const uint64_t all = rows * row;
    for (int sum = 0; sum < 2; ++sum) {
      addSumsByFronts(work, rows, shape.width);
      addSpreads(work, rows, shape.width);
    }
    work.step(all, 1, isHalf ? 6 : 4).step(all, sourceOf(from, all), sourceOf(c, all));
    work.step(all, 2).step(blockBytes).step(all, 4).step(all, sourceOf(a, all), sourceOf(b, all));
    if (isHalf) {
      work.step(row, 1, 2);
      addWeights(work, rows, row, {c, b}, {a, c});
    } else {
      addWeights(work, rows, row, {c, a}, {call.gamma.address, call.beta.address});
    }
  });
  if (isHalf) work.step(uint64_t(shape.rows) * sizeof(float), 1, 2);
  return work;
}

// A value of each row, which the scalar unit reads and hands over by a flag of its own, is written to all of it before it is used.
void addHandedOver(Work& work, uint32_t rows, uint32_t width) {
  work.handOver(rows).step(uint64_t(width) * sizeof(float), 1, rows);
}

// In rounds of as many rows as two tensors have room for, beside weights that are converted. Weights of each row wait for each other.
void addNormalization(Work& work, Shape shape, const NormCall& call, Operand memory, uint32_t memoryBytes,
                      uint32_t weightBytes) {
  constexpr auto floatBytes = static_cast<uint32_t>(sizeof(float));
  const uint32_t perRow = 2 * shape.width, floats = memoryBytes / floatBytes,
                 ofWeights = weightBytes == floatBytes ? 0 : perRow,
                 rowsAtATime =
                     std::min(shape.rows, std::max(1u, (floats - std::min(floats, ofWeights)) / std::max(1u, perRow)));
  const uint32_t row = shape.width * floatBytes;
  const uint8_t *spread = memory.address + size_t(rowsAtATime) * row, *converted = spread + size_t(rowsAtATime) * row;
  const Operand given[] = {call.gamma, call.beta};
  addReciprocalRoots(work, shape.rows);
  for (const Operand& weight : given)
    if (weight.address != nullptr && ofWeights != 0) work.step(row);
  inSteps(shape, rowsAtATime, [&](uint32_t rows) {
    const uint64_t all = uint64_t(rows) * row;
    work.step(all).waitForScalars();
    for (int value = 0; value < 2; ++value) {
      addHandedOver(work, rows, shape.width);
      work.step(all, sourceOf(memory.address, all), sourceOf(spread, all));
    }
    for (uint32_t i = 0; i < rows; ++i)
      for (size_t weight = 0; weight < std::size(given); ++weight) {
        if (given[weight].address == nullptr) continue;
        const uint8_t* at = ofWeights == 0 ? given[weight].address : converted + weight * row;
        work.step(row, sourceOf(memory.address + size_t(i) * row, row), sourceOf(at, row));
      }
    work.step(all);
  });
}

// The same where the scalar unit reads what belongs to a row.
Work workOfLayerNormRstd(Shape shape, const NormCall& call, uint32_t rowsAtATime, bool clears, uint32_t usedBytes,
                         uint32_t weightBytes) {
  const uint64_t row = uint64_t(shape.width) * sizeof(float);
  Work work;
  if (clears) work.step(row, 1, 2).together(shape.rows, row, 0);
  inSteps(shape, rowsAtATime, [&](uint32_t rows) {
    work.step(rows * row, 1, 2);
    addSumsByFronts(work, rows, shape.width);
    work.waitForScalars().step(rows * row);
    addHandedOver(work, rows, shape.width);
    work.step(rows * row, 1, 2);
    addSumsByFronts(work, rows, shape.width);
  });
  Operand memory = call.temporary.operand;
  memory.address += usedBytes;
  addNormalization(work, shape, call, memory, call.temporary.bytes - std::min(call.temporary.bytes, usedBytes),
                   weightBytes);
  return work;
}

Work workOfRmsNorm(Shape shape, const NormCall& call, const AscendC::tiling::RmsNormTiling& tiling, uint32_t bytes,
                   uint32_t counted, bool isBasicBlock) {
  const uint8_t *products = call.temporary.operand.address + size_t(tiling.mainBsLengthAlign) * sizeof(float),
                *from =
                    bytes == sizeof(float) ? call.src.address : products + size_t(tiling.mainBshLength) * sizeof(float);
  Work work;
  inSteps(shape, tiling.mainBsLength, [&](uint32_t rows) {
    const uint32_t repeats = shape.width / floatsOfRepeat;
    const uint64_t row = uint64_t(shape.width) * sizeof(float), all = rows * row, fronts = uint64_t(rows) * repeatBytes,
                   results = uint64_t(rows) * sizeof(float);
    work.step(all, 1, bytes == sizeof(float) ? 1 : 2);
    const auto frontsAt = [&](uint32_t repeat) {
      return RepeatedSource{reinterpret_cast<uintptr_t>(products) + size_t(repeat) * repeatBytes, rows, row};
    };
    if (isBasicBlock) {
      for (uint32_t repeat = 1; repeat < repeats; ++repeat) work.step(fronts, frontsAt(0), frontsAt(repeat));
      work.reduction(fronts, wholeCycles);
    } else {
      addSumsByRepeats(work, rows, counted);
    }
    work.step(results, 1, 3).step(results, 2, 2);
    if (isBasicBlock && rows > blocksPerRepeat && rows > repeats)
      work.move(rows / blocksPerRepeat * turnsOf(blocksPerRepeat, static_cast<uint32_t>(row / blockBytes)) *
                uint64_t(repeatBytes))
          .interleaved(repeats, fronts)
          .step(all, sourceOf(products, all), sourceOf(from, all));
    else addScaled(work, rows, shape.width);
    if (bytes != sizeof(float)) work.step(row);
    if (shape.width <= floatsOfRepeat) work.step(fronts);
    else if (repeats >= rows) work.together(rows, row, 0);
    else work.interleaved(repeats + (shape.width % floatsOfRepeat != 0 ? 1 : 0), fronts);
    if (bytes != sizeof(float)) work.step(all);
  });
  return work;
}

// In rounds of as many elements as each of the tensors has that the memory is cut into.
template <typename T>
Work workOfWelfordUpdate(const vec::WelfordState& state, Operand src, const Temporary& temporary, uint32_t elements,
                         bool isReuseSource) {
  constexpr bool isHalf = sizeof(T) != sizeof(float);
  const uint32_t tensors = isHalf          ? 3
                           : isReuseSource ? 1
                                           : 2,
                 ofRound = std::max<uint32_t>(1, temporary.bytes / (repeatBytes * tensors)) * floatsOfRepeat;
  Work work;
  for (uint32_t at = 0, round; at < elements; at += round) {
    round = std::min(elements - at, ofRound);
    const uint32_t bytes = round * static_cast<uint32_t>(sizeof(float));
    const auto source = [&](const uint8_t* address) { return sourceOf(address, bytes); };
    const auto tensor = [&](uint32_t index) {
      return source(temporary.operand.address + size_t(index) * ofRound * sizeof(float));
    };
    const size_t offset = size_t(at) * sizeof(float);
    const RepeatedSource values = isHalf ? tensor(0) : source(src.address + offset),
                         mean = source(state.inMean.address + offset), newMean = source(state.mean.address + offset),
                         difference = tensor(isHalf ? 1 : 0), last = tensor(tensors - 1);
    if (isHalf) work.step(bytes);
    work.step(bytes, values, mean).step(bytes).step(bytes, last, mean).step(bytes, values, newMean);
    if (isReuseSource && !isHalf) work.step(bytes, values, mean);
    work.step(bytes, difference, isReuseSource && !isHalf ? values : last);
    work.step(bytes, difference, source(state.inVariance.address + offset));
  }
  return work;
}

}  // namespace

namespace vec {

template <typename T>
void layerNorm(const NormCall& call, const AscendC::tiling::LayerNormTiling& tiling, bool isReuseSource) {
  constexpr const char *name = "LayerNorm", *sizeHelper = "GetLayerNormMaxMinTmpSize";
  Shape shape{tiling.meanVarSize, tiling.hLength};
  checkTiling(name, tiling.bsCurLength, sizeHelper, shape.width, tiling.oneTmpSize);
  checkWidth(name, shape, sizeof(T));
  checkRounds(name, tiling.loopRound, tiling.bsCurLength, tiling.meanVarTailSize, shape.rows);
  checkPlaces(name, tiling, shape.width,
              {"bshCurLength", tiling.bshCurLength, uint64_t(tiling.bsCurLength) * shape.width}, tiling.bsCurLength);
  const uint64_t floats = endOfBuffers(name, tiling, sizeof(T) == floatBytes ? 0 : shape.rows, isReuseSource);
  const WorkingMemory working = workingMemory(name, call.temporary, clampedBytes(floats * floatBytes), sizeHelper);
  uint64_t bytes = uint64_t(shape.rows) * shape.width * sizeof(T), row = shape.width * sizeof(T),
           results = shape.rows * sizeof(T);
  Extents extents(working);
  extents.add(call.dst, bytes, writes, "output");
  extents.add(call.src, bytes, reads, "inputX");
  extents.add(call.gamma, row, reads, "gamma");
  extents.add(call.beta, row, reads, "beta");
  extents.add(call.mean, results, writes, "outputMean");
  extents.add(call.deviation, results, writes, "outputVariance");
  extents.issue(
      name, workOfLayerNorm(shape, call, tiling, sizeof(T), isReuseSource).allows("output", "inputX", Lies::InPlace),
      [&] {
        std::vector<float> memory(size_t(shape.width) * 2);
        float *values = memory.data(), *scratch = values + shape.width;
        std::vector<float> gamma = weightsOf<T>(call.gamma, shape.width, 1),
                           beta = weightsOf<T>(call.beta, shape.width, 0);
        for (size_t r = 0; r < shape.rows; ++r) {
          loadRow<T>(values, call.src, r * shape.width, shape.width);
          Moments moments = momentsOf(values, scratch, shape.width, shape.width, tiling.lastDimValueBack);
          float factor = reciprocalRoot(moments.variance + call.epsilon);
          for (size_t i = 0; i < shape.width; ++i) values[i] = factor * (values[i] - moments.mean) * gamma[i] + beta[i];
          storeRow<T>(call.dst, r * shape.width, values, shape.width);
          storeRow<T>(call.mean, r, &moments.mean, 1);
          storeRow<T>(call.deviation, r, &moments.variance, 1);
        }
      });
}

namespace {

void checkPara(const char* name, uint32_t counted, Shape shape) {
  if (counted == 0 || counted > shape.width) {
    reject(name, text("rLength is %u, rLengthWithPadding is %u", counted, shape.width),
           "rLength is the part of rLengthWithPadding that counts");
  }
}

// What LayerNorm of [A, R] and Normalize have in common: elements behind `counted` are not written.
template <typename T, typename U>
void applyRow(const NormCall& call, float* values, size_t r, Shape shape, uint32_t counted, Moments moments,
              const float* gamma, const float* beta) {
  float factor = reciprocalRoot(moments.variance + call.epsilon);
  for (size_t i = 0; i < counted; ++i) values[i] = (values[i] - moments.mean) * factor * gamma[i] + beta[i];
  storeRow<T>(call.dst, r * shape.width, values, counted);
  if (call.deviation.address != nullptr) storeRow<float>(call.deviation, r, &factor, 1);
}

}  // namespace

template <typename T, typename U>
void layerNormRstd(const NormCall& call, const AscendC::LayerNormPara& para,
                   const AscendC::tiling::LayerNormSeparateTiling& tiling) {
  constexpr const char *name = "LayerNorm", *sizeHelper = "GetLayerNormMaxMinTmpSize";
  Shape shape{para.aLength, para.rLengthWithPadding};
  checkTiling(name, tiling.aCurLength, sizeHelper, shape.width, tiling.oneTmpSize);
  checkWidth(name, shape, sizeof(T));
  checkPara(name, para.rLength, shape);
  checkRounds(name, tiling.loopRound, tiling.aCurLength, tiling.meanVarTailSize, shape.rows);
  checkPlaces(name, tiling, shape.width, {"arCurLength", tiling.arCurLength, uint64_t(tiling.aCurLength) * shape.width},
              tiling.aCurLength);
  const uint64_t floats = endOfParts(name, {{"varianceTmpTensorPos", tiling.varianceTmpTensorPos, shape.rows},
                                            {"firstTmpStartPos", tiling.firstTmpStartPos, tiling.oneTmpSize},
                                            {"secondTmpStartPos", tiling.secondTmpStartPos, tiling.oneTmpSize}});
  uint32_t least = norm::sizesOfLayerNormRstd(shape.rows, para.rLength, sizeof(T)).least;
  const WorkingMemory working =
      workingMemory(name, call.temporary, clampedBytes(std::max<uint64_t>(least, floats) * floatBytes), sizeHelper);
  uint64_t bytes = uint64_t(shape.rows) * shape.width * sizeof(T), row = para.rLength * sizeof(U),
           results = shape.rows * 4;
  bool clears = para.rLength != shape.width;  // the padding of the source becomes 0
  const auto ofStatistics = clampedBytes(uint64_t(tiling.firstTmpStartPos) * sizeof(float));
  Extents extents(working);
  extents.add(call.dst, bytes, writes, "output");
  extents.add(call.src, bytes, clears, "inputX");
  extents.addGiven(call.gamma, row, reads, "gamma");
  extents.addGiven(call.beta, row, reads, "beta");
  extents.add(call.mean, results, writes, "outputMean");
  extents.add(call.deviation, results, writes, "outputRstd");
  extents.issue(name,
                workOfLayerNormRstd(shape, call, tiling.aCurLength, clears, ofStatistics, sizeof(U))
                    .bears("output", "inputX", Lies::InPlace)
                    .takes("inputX"),
                [&] {
                  std::vector<float> memory(size_t(shape.width) * 2);
                  float *values = memory.data(), *scratch = values + shape.width;
                  std::vector<float> gamma = weightsOf<U>(call.gamma, para.rLength, 1),
                                     beta = weightsOf<U>(call.beta, para.rLength, 0);
                  for (size_t r = 0; r < shape.rows; ++r) {
                    loadRow<T>(values, call.src, r * shape.width, shape.width);
                    for (size_t i = para.rLength; i < shape.width; ++i) values[i] *= 0;
                    if (clears) storeRow<T>(call.src, r * shape.width, values, shape.width);
                    Moments moments = momentsOf(values, scratch, shape.width, para.rLength, tiling.rValueBack);
                    storeRow<float>(call.mean, r, &moments.mean, 1);
                    applyRow<T, U>(call, values, r, shape, para.rLength, moments, gamma.data(), beta.data());
                  }
                });
}

template <typename T, typename U>
void normalize(const NormCall& call, Operand variance, const AscendC::NormalizePara& para, bool onlyOutput) {
  constexpr const char* name = "Normalize";
  Shape shape{para.aLength, para.rLengthWithPadding};
  checkWidth(name, shape, sizeof(T));
  checkPara(name, para.rLength, shape);
  const Range sizes = sizesOfNormalize(shape.rows, para.rLength, sizeof(U), sizeof(T));
  const WorkingMemory working =
      workingMemory(name, call.temporary, sizes.least * 4, sizes.most * 4, "GetNormalizeMaxMinTmpSize");
  uint64_t bytes = uint64_t(shape.rows) * shape.width * sizeof(T), row = para.rLength * sizeof(U),
           results = shape.rows * 4;
  NormCall kept = call;
  if (onlyOutput) kept.deviation = {};
  Extents extents(working);
  extents.add(call.dst, bytes, writes, "output");
  extents.add(call.src, bytes, reads, "inputX");
  extents.addGiven(call.gamma, row, reads, "gamma");
  extents.addGiven(call.beta, row, reads, "beta");
  extents.add(call.mean, results, reads, "inputMean");
  extents.add(variance, results, reads, "inputVariance");
  extents.addGiven(kept.deviation, results, writes, "outputRstd");
  Work work;
  addNormalization(work, shape, call, call.temporary.operand, call.temporary.bytes, sizeof(U));
  work.bears("output", "inputX", Lies::InPlace).bears("outputRstd", "inputVariance", Lies::InPlace);
  extents.issue(name, work, [&] {
    std::vector<float> values(shape.width);
    std::vector<float> gamma = weightsOf<U>(call.gamma, para.rLength, 1),
                       beta = weightsOf<U>(call.beta, para.rLength, 0);
    for (size_t r = 0; r < shape.rows; ++r) {
      Moments moments;
      loadRow<float>(&moments.mean, call.mean, r, 1);
      loadRow<float>(&moments.variance, variance, r, 1);
      loadRow<T>(values.data(), call.src, r * shape.width, shape.width);
      applyRow<T, U>(kept, values.data(), r, shape, para.rLength, moments, gamma.data(), beta.data());
    }
  });
}

template <typename T>
void rmsNorm(const NormCall& call, const AscendC::tiling::RmsNormTiling& tiling, bool isBasicBlock) {
  constexpr const char *name = "RmsNorm", *sizeHelper = "GetRmsNormMaxMinTmpSize";
  Shape shape{clampedBytes(uint64_t(tiling.bLength) * tiling.sLength), tiling.hLength};
  checkTiling(name, tiling.mainBsLength, sizeHelper, shape.width, tiling.mainBshLength);
  checkWidth(name, shape, sizeof(T));
  checkRounds(name, tiling.loopRound, tiling.mainBsLength, tiling.tailBsLength, shape.rows);
  checkFields(name, {{"mainBshLength", tiling.mainBshLength, uint64_t(tiling.mainBsLength) * shape.width},
                     {"mainBsLengthAlign", tiling.mainBsLengthAlign, alignUp(tiling.mainBsLength, floatsPerBlock)}});
  if (tiling.tailBsLength != 0)
    checkFields(name, {{"tailBshLength", tiling.tailBshLength, uint64_t(tiling.tailBsLength) * shape.width},
                       {"inputTailPos", tiling.inputTailPos, uint64_t(tiling.loopRound) * tiling.mainBshLength}});
  if (isBasicBlock && !norm::isBasicBlockOfRmsNorm(shape.rows, shape.width)) {
    reject(name, text("[%u, %u] are no basic blocks", shape.rows, shape.width),
           "isBasicBlock takes a multiple of 8 rows of a multiple of 64 elements below 2048");
  }
  const WorkingMemory working = workingMemory(
      name, call.temporary,
      clampedBytes((tiling.mainBsLengthAlign + uint64_t(tiling.mainBshLength) * norm::buffersOfRmsNorm(sizeof(T))) * 4),
      sizeHelper);
  uint64_t bytes = uint64_t(shape.rows) * shape.width * sizeof(T);
  Extents extents(working);
  extents.add(call.dst, bytes, writes, "dst");
  extents.add(call.src, bytes, reads, "src");
  extents.add(call.gamma, shape.width * sizeof(T), reads, "gamma");
  const uint32_t counted = isBasicBlock ? shape.width : std::min(tiling.originalHLength, shape.width);
  extents.issue(name,
                workOfRmsNorm(shape, call, tiling, sizeof(T), counted, isBasicBlock).bears("dst", "src", Lies::InPlace),
                [&] {
                  std::vector<float> memory(size_t(shape.width) * 2);
                  float *values = memory.data(), *squares = values + shape.width;
                  std::vector<float> gamma = weightsOf<T>(call.gamma, shape.width, 1);
                  for (size_t r = 0; r < shape.rows; ++r) {
                    loadRow<T>(values, call.src, r * shape.width, shape.width);
                    for (size_t i = 0; i < counted; ++i)
                      squares[i] = values[i] * values[i] * tiling.reciprocalOfHLength;
                    float factor = reciprocalRoot(sumOfRow(squares, counted) + call.epsilon);
                    for (size_t i = 0; i < shape.width; ++i) values[i] = values[i] * factor * gamma[i];
                    storeRow<T>(call.dst, r * shape.width, values, shape.width);
                  }
                });
}

template <typename T>
void welfordUpdate(const WelfordState& state, Operand src, const Temporary& temporary,
                   const AscendC::WelfordUpdateParam& para, bool keepsRest, bool isReuseSource) {
  constexpr const char* name = "WelfordUpdate";
  if (para.abLength > extentLimit) reject(name, text("abLength is %u", para.abLength), "the source has to fit into UB");
  if (para.rnLength != 1) reject(name, text("rnLength is %u", para.rnLength), "rnLength is 1");
  if (para.abLength * sizeof(T) % blockBytes != 0)
    reject(name, text("abLength is %u", para.abLength), "abLength takes a multiple of 32 bytes");
  if (para.abComputeLength == 0 || para.abComputeLength > para.abLength) {
    reject(name, text("abComputeLength is %u, abLength is %u", para.abComputeLength, para.abLength),
           "abComputeLength is the part of abLength that is computed");
  }
  const Range sizes = sizesOfWelfordUpdate(para.abLength, sizeof(T), isReuseSource);
  const WorkingMemory working =
      workingMemory(name, temporary, sizes.least * 4, sizes.most * 4, "GetWelfordUpdateMaxMinTmpSize");
  uint32_t n = para.abComputeLength, bytes = (keepsRest ? para.abLength : n) * 4;
  Extents extents(working);
  extents.add(state.mean, bytes, writes, "outputMean");
  extents.add(state.variance, bytes, writes, "outputVariance");
  extents.add(state.inMean, bytes, reads, "inputMean");
  extents.add(state.inVariance, bytes, reads, "inputVariance");
  extents.add(src, n * sizeof(T), reads, "inputX");
  Work work = workOfWelfordUpdate<T>(state, src, temporary, n, isReuseSource);
  if (keepsRest && n < para.abLength) work.step((para.abLength - n) * 4, 1, 2);
  work.bears("outputMean", "inputMean", Lies::InPlace).bears("outputVariance", "inputVariance", Lies::InPlace);
  extents.issue(name, work, [&] {
    std::vector<float> memory(size_t(para.abLength) * 3);
    float *values = memory.data(), *mean = values + para.abLength, *variance = mean + para.abLength;
    loadRow<T>(values, src, 0, n);
    loadRow<float>(mean, state.inMean, 0, bytes / 4);
    loadRow<float>(variance, state.inVariance, 0, bytes / 4);
    for (size_t i = 0; i < n; ++i) {
      float before = values[i] - mean[i];
      mean[i] = before * para.nRec + mean[i];
      variance[i] = before * (values[i] - mean[i]) + variance[i];
    }
    storeRow<float>(state.mean, 0, mean, bytes / 4);
    storeRow<float>(state.variance, 0, variance, bytes / 4);
  });
}

// In rounds of as many elements as two tensors have room for, beside the sums of the rounds: first of all means, then of
// all variances, each about the mean that is known by then.
static Work workOfWelfordFinalize(const AscendC::WelfordFinalizePara& para, bool isCounted, uint64_t floats) {
  constexpr uint64_t sums = 2 * floatsOfRepeat;
  const uint64_t parts = floats < 2 * sums ? 1 : (floats - sums) / sums, most = parts * floatsOfRepeat;
  const bool hasTail = !isCounted && para.tailCountLength != 0 && para.tailCount != 0;
  Work work;
  for (const bool isVariance : {false, true}) {
    uint32_t rounds = 0;
    for (uint64_t at = 0, length; at < para.abLength; at += length) {
      length = std::min(most, para.abLength - at);
      const uint64_t bytes = length * sizeof(float), weighed = isCounted ? 2 : hasTail ? 1 : 0;
      if (isVariance) {
        work.step(blockBytes);
        addSpreads(work, 1, static_cast<uint32_t>(length));
        work.step(blockBytes).step(bytes, 1, isCounted ? 6 : 5);
      } else {
        work.step(bytes, 1, 1 + static_cast<uint32_t>(weighed));
      }
      if (hasTail && at < para.headCountLength) work.step(std::min(length, para.headCountLength - at) * sizeof(float));
      addSumsByFronts(work, 1, static_cast<uint32_t>(length));
      if (++rounds % floatsOfRepeat == 0) work.reduction(repeatBytes, wholeCycles);
    }
    work.reduction(repeatBytes, wholeCycles);
  }
  return work.step(blockBytes, 1, 4);
}

void welfordFinalize(const WelfordState& state, const Operand* counts, const Temporary& temporary,
                     const AscendC::WelfordFinalizePara& para) {
  constexpr const char* name = "WelfordFinalize";
  uint32_t n = para.abLength;
  if (n == 0 || n % 8 != 0 || n > extentLimit)
    reject(name, text("abLength is %u", n), "abLength is a multiple of 8 that fits into UB");
  if (counts == nullptr && para.headCountLength + para.tailCountLength != n) {
    reject(name,
           text("headCountLength is %u, tailCountLength is %u, abLength is %u", para.headCountLength,
                para.tailCountLength, n),
           "the two lengths add up to abLength");
  }
  if (para.tailCount == 0 && para.tailCountLength != 0)
    reject(name, "tailCount is 0, tailCountLength is not", "without a tail tailCountLength is 0");
  const Range sizes = sizesOfWelfordFinalize(n);
  const WorkingMemory working =
      workingMemory(name, temporary, sizes.least * 4, sizes.most * 4, "GetWelfordFinalizeMaxMinTmpSize");
  Extents extents(working);
  extents.add(state.mean, blockBytes, writes, "outputMean");
  extents.add(state.variance, blockBytes, writes, "outputVariance");
  extents.add(state.inMean, n * 4, reads, "inputMean");
  extents.add(state.inVariance, n * 4, reads, "inputVariance");
  if (counts != nullptr) extents.add(*counts, n * 4, reads, "counts");
  Work work = workOfWelfordFinalize(para, counts != nullptr, temporary.bytes / sizeof(float));
  for (const char* read : {"inputMean", "inputVariance", "counts"}) work.bears("outputVariance", read, Lies::Anywhere);
  extents.issue(name, work, [&] {
    std::vector<float> memory(size_t(n) * 4);
    float *means = memory.data(), *variances = means + n, *weights = variances + n, *scratch = weights + n;
    loadRow<float>(means, state.inMean, 0, n);
    loadRow<float>(variances, state.inVariance, 0, n);
    bool hasTail = para.tailCountLength != 0;
    for (uint32_t i = 0; i < n; ++i) {
      int32_t count = static_cast<int32_t>(!hasTail                   ? para.rnLength
                                           : i < para.headCountLength ? para.headCount
                                                                      : para.tailCount);
      if (counts != nullptr) std::memcpy(&count, counts->address + size_t(i) * 4, sizeof count);
      weights[i] = static_cast<float>(count);
    }
    // Without a tail all means weigh the same.
    bool weighs = counts != nullptr || hasTail;
    for (uint32_t i = 0; i < n; ++i) scratch[i] = weighs ? means[i] * weights[i] * para.rRec : means[i] * para.abRec;
    float mean = sumOfRow(scratch, n);
    for (uint32_t i = 0; i < n; ++i) {
      float difference = means[i] - mean;
      scratch[i] = (difference * difference * weights[i] + variances[i]) * para.rRec;
    }
    const float means8[8] = {mean}, variances8[8] = {sumOfRow(scratch, n)};
    storeRow<float>(state.mean, 0, means8, 8);
    storeRow<float>(state.variance, 0, variances8, 8);
  });
}

namespace {
template <typename... T>
constexpr auto normalisations(Types<T...>) {
  return std::make_tuple(&layerNorm<T>..., &layerNormRstd<T, float>..., &normalize<T, float>..., &rmsNorm<T>...,
                         &welfordUpdate<T>...);
}
constexpr auto instantiated = asTuple(normalisations(isa::Floating{}));
const OffersOf<instantiated> offered;
constexpr auto ofHalf = asTuple(std::make_tuple(&layerNormRstd<half, half>, &normalize<half, half>));
const OffersOf<ofHalf> alsoOffered;
}  // namespace

}  // namespace vec
}  // namespace npu_emu
