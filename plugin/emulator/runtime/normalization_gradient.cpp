// The gradients of LayerNorm, in the order of the instructions of the device.
#include "ascendc/normalization_gradient.h"

#include <tuple>

#include "normalization_rows.h"
#include "api_calls.h"
#include "legal_library.h"

namespace npu_emu {

using namespace norm;

namespace {

// A value of each row in all of it: eight rows a repeat, a block of each at a time. What is left of the rows goes by the scalar unit.
void addValuesOfRows(Work& work, uint32_t rows, uint64_t rowBytes) {
  const uint32_t eights = rows / blocksPerRepeat, rest = rows % blocksPerRepeat;
  if (eights != 0) work.move(uint64_t(eights) * repeatBytes, static_cast<uint32_t>(rowBytes / blockBytes));
  if (rest != 0) work.awaitScalars(rest * localReadCycles).together(rest, rowBytes, 0);
}

// Row by row: whole repeats, and what is left, of each level.
void addSumsByLevels(Work& work, uint32_t rows, uint32_t width) {
  for (uint32_t left = width; left > 1; left = ceilDivide(left, floatsOfRepeat)) {
    const uint32_t whole = left / floatsOfRepeat, tail = left % floatsOfRepeat;
    if (whole != 0) work.reduction(uint64_t(whole) * repeatBytes, wholeCycles, rows);
    if (tail != 0) work.reduction(tail * sizeof(float), wholeCycles, rows);
  }
}

Work workOfLayerNormGrad(Shape shape, uint32_t rowsAtATime, uint32_t bytes) {
  const bool isHalf = bytes != sizeof(float);
  const uint64_t row = uint64_t(shape.width) * sizeof(float);
  Work work;
  inSteps(shape, rowsAtATime, [&](uint32_t rows) {
    const uint64_t all = rows * row, results = uint64_t(rows) * sizeof(float);
    const auto addOneByRoot = [&](uint32_t simple) {
      work.step(results, 1, simple).step(results, 2).step(blockBytes).step(results, 4);
      addValuesOfRows(work, rows, row);
    };
    if (isHalf) work.step(all).beside(row);
    work.together(rows, row, 0);
    if (isHalf) work.step(all).beside(results);
    addValuesOfRows(work, rows, row);
    work.step(all);
    if (isHalf) work.step(results);
    addOneByRoot(3);
    work.step(all, 1, 3);
    addSumsByLevels(work, rows, shape.width);
    addOneByRoot(1);
    work.step(all, 1, 3);
    addSumsByLevels(work, rows, shape.width);
    work.step(all);
    addSumsByLevels(work, rows, shape.width);
    work.step(results, 1, 4);
    addValuesOfRows(work, rows, row);
    work.step(all).step(results);
    addValuesOfRows(work, rows, row);
    work.step(all, 1, 2);
    if (isHalf) work.step(all).beside(all);
  });
  return work;
}

}  // namespace

namespace vec {

template <typename T>
void layerNormGrad(const NormGradCall& call, const AscendC::tiling::LayerNormGradTiling& tiling, bool isReuseSource) {
  constexpr const char *name = "LayerNormGrad", *sizeHelper = "GetLayerNormGradMaxMinTmpSize";
  if (!call.isPlain) reject(name, "the format is not ND", "LayerNormGrad takes DataFormat::ND");
  Shape shape{clampedBytes(uint64_t(tiling.bLength) * tiling.sLength), tiling.hLength};
  checkTiling(name, tiling.nohCalSize, sizeHelper);
  checkWidth(name, shape, sizeof(T));
  checkRounds(name, tiling.loopNum, tiling.nohCalSize, tiling.nohTailSize, shape.rows);
  checkFields(name, {{"oneCalSize", tiling.oneCalSize, uint64_t(tiling.nohCalSize) * shape.width},
                     {"tailSize", tiling.tailSize, uint64_t(tiling.nohTailSize) * shape.width}});
  uint64_t size = uint64_t(shape.rows) * shape.width;
  uint32_t needed = clampedBytes(endOfLayerNormGrad(tiling, size, sizeof(T), isReuseSource) * floatBytes);
  if (needed > tiling.stackBufferSize)
    reportAsserted(name,
                   text("the tiling was made for %u bytes, but %u rows at a time take %u", tiling.stackBufferSize,
                        tiling.nohCalSize, needed),
                   text("rows are rounded up to a multiple of %u: give the tiling function memory for that many",
                        blockBytes / static_cast<uint32_t>(sizeof(T)))
                       .c_str());
  const WorkingMemory working = workingMemory(name, call.temporary, needed, sizeHelper);
  uint64_t bytes = size * sizeof(T), row = shape.width * sizeof(T), results = shape.rows * sizeof(T);
  Extents extents(working);
  extents.add(call.dst, bytes, writes, "outputPdX");
  extents.add(call.forGamma, bytes, writes, "resForGamma");
  extents.add(call.gradient, bytes, isReuseSource, "inputDy");
  extents.add(call.src, bytes, isReuseSource, "inputX");
  extents.add(call.variance, results, reads, "inputVariance");
  extents.add(call.mean, results, reads, "inputMean");
  extents.add(call.gamma, row, reads, "inputGamma");
  Work work = workOfLayerNormGrad(shape, tiling.nohCalSize, sizeof(T));
  for (const char* read : {"inputDy", "inputX"}) {
    work.allows("outputPdX", read, Lies::InPlace).allows("resForGamma", read, Lies::InPlace).takes(read);
  }
  extents.issue(name, work, [&] {
    float reciprocal = bitCast<float>(tiling.lastDimValueBack),
          reciprocalTwice = bitCast<float>(tiling.lastDimValueBackMulTwo);
    size_t n = shape.width;
    std::vector<float> memory(n * 4), gamma = weightsOf<T>(call.gamma, n, 1);
    float *x1 = memory.data(), *x2 = x1 + n, *x3 = x2 + n, *scratch = x3 + n;
    for (size_t r = 0; r < shape.rows; ++r) {
      float variance, mean;
      loadRow<T>(&variance, call.variance, r, 1);
      loadRow<T>(&mean, call.mean, r, 1);
      loadRow<T>(x1, call.gradient, r * n, n);
      loadRow<T>(x2, call.src, r * n, n);
      float sum = variance + call.epsilon, root = reciprocalRoot(sum), cubed = reciprocalRoot(sum * sum * sum);
      for (size_t i = 0; i < n; ++i) {
        x1[i] *= gamma[i];
        x2[i] -= mean;
        scratch[i] = x1[i] * (x2[i] * cubed) * -0.5f;
      }
      float ofVariance = sumOfRepeats(scratch, n);
      for (size_t i = 0; i < n; ++i) {
        x3[i] = x1[i] * root;
        scratch[i] = -x3[i];
      }
      float ofMean = sumOfRepeats(scratch, n);
      for (size_t i = 0; i < n; ++i) scratch[i] = x2[i] * -2.0f;
      ofMean += ofVariance * (sumOfRepeats(scratch, n) * reciprocal);
      ofVariance *= reciprocalTwice;
      ofMean *= reciprocal;
      for (size_t i = 0; i < n; ++i) {
        scratch[i] = x2[i] * root;
        x1[i] = ofVariance * x2[i] + ofMean;
        x3[i] += x1[i];
      }
      if (isReuseSource) {
        storeRow<T>(call.gradient, r * n, x1, n);
        storeRow<T>(call.src, r * n, x2, n);
      }
      storeRow<T>(call.dst, r * n, x3, n);
      storeRow<T>(call.forGamma, r * n, scratch, n);
    }
  });
}

template <typename T>
void layerNormGradBeta(Operand gammaOut, Operand betaOut, Operand forGamma, Operand gradient,
                       const Temporary& temporary, const AscendC::tiling::LayerNormGradBetaTiling& tiling,
                       bool isReuseSource) {
  constexpr const char *name = "LayerNormGradBeta", *sizeHelper = "GetLayerNormGradBetaMaxMinTmpSize";
  Shape shape{tiling.bsLength, tiling.hLength};
  checkTiling(name, tiling.oneCalSize, sizeHelper);
  checkWidth(name, shape, sizeof(T));
  checkRounds(name, tiling.loopRound, tiling.bsCurLength, tiling.bsTailSize, shape.rows);
  const uint64_t ofRound = uint64_t(tiling.bsCurLength) * shape.width;
  checkFields(name, {{"oneCalSize", tiling.oneCalSize, ofRound},
                     {"bshCurLength", tiling.bshCurLength, ofRound},
                     {"inputTailSize", tiling.inputTailSize, uint64_t(tiling.bsTailSize) * shape.width}});
  if (tiling.bsTailSize != 0) checkFields(name, {{"inputTailPos", tiling.inputTailPos, tiling.loopRound * ofRound}});
  if (tiling.originalHLength != shape.width) {
    reject(name, text("originHLength is %u, storageHLength is %u", tiling.originalHLength, shape.width),
           "LayerNormGradBeta takes rows without padding");
  }
  const uint64_t needed =
      isReuseSource ? 0 : (uint64_t(tiling.resForGammaTmpTensorPos) + tiling.oneCalSize) * floatBytes;
  const WorkingMemory working = workingMemory(name, temporary, clampedBytes(needed), sizeHelper);
  uint64_t bytes = uint64_t(shape.rows) * shape.width * sizeof(T), row = shape.width * sizeof(T);
  Extents extents(working);
  extents.add(gammaOut, row, writes, "outputPdGamma");
  extents.add(betaOut, row, writes, "outputPdBeta");
  extents.add(forGamma, bytes, isReuseSource, "resForGamma");
  extents.add(gradient, bytes, reads, "inputDy");
  // rows are added one by one
  Work work;
  const uint64_t floats = uint64_t(shape.width) * floatBytes;
  inSteps(shape, tiling.bsCurLength, [&](uint32_t rows) {
    const uint64_t all = rows * floats;
    if (sizeof(T) == sizeof(float)) work.step(all, sourceOf(gradient.address, all), sourceOf(forGamma.address, all));
    else work.step(all, 1, 3);
    work.step(floats, 1, 2 * rows + (sizeof(T) == sizeof(float) ? 0 : 2));
  });
  extents.issue(name,
                work.allows("outputPdGamma", "resForGamma", Lies::InPlace)
                    .allows("outputPdGamma", "inputDy", Lies::InPlace)
                    .allows("outputPdBeta", "resForGamma", Lies::InPlace)
                    .allows("outputPdBeta", "inputDy", Lies::InPlace)
                    .takes("resForGamma"),
                [&] {
                  size_t n = shape.width;
                  std::vector<float> memory(n * 4);
                  float *gamma = memory.data(), *beta = gamma + n, *dy = beta + n, *product = dy + n;
                  for (size_t r = 0; r < shape.rows; ++r) {
                    loadRow<T>(dy, gradient, r * n, n);
                    loadRow<T>(product, forGamma, r * n, n);
                    for (size_t i = 0; i < n; ++i) {
                      product[i] *= dy[i];
                      gamma[i] += product[i];
                      beta[i] += dy[i];
                    }
                    if (isReuseSource) storeRow<T>(forGamma, r * n, product, n);
                  }
                  storeRow<T>(gammaOut, 0, gamma, n);
                  storeRow<T>(betaOut, 0, beta, n);
                });
}

namespace {
constexpr auto instantiated = asTuple(
    std::make_tuple(&layerNormGrad<half>, &layerNormGrad<float>, &layerNormGradBeta<half>, &layerNormGradBeta<float>));
const OffersOf<instantiated> offered;
}  // namespace

}  // namespace vec
}  // namespace npu_emu
