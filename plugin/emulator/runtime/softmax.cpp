// SoftMax and its relatives. A row is read, computed in float, and written: operands that may share memory do so row by
// row.
#include "ascendc/softmax.h"

#include <tuple>
#include <vector>

#include "library_rows.h"
#include "api_calls.h"
#include "legal_library.h"

namespace npu_emu {

namespace {

using Kind = SoftMaxKind;
using AscendC::tiling::SoftMaxTiling;

constexpr size_t nzColumns = softmax::nzColumns;

// Passes over the data that take 1, 2 (e^x, logarithm) and 4 (quotient) cycles for each repeat; half takes two more. None where
// the work is told apart.
struct FamilyMember {
  const char* name;
  const char* sizeHelper;
  uint8_t simple, twice, fourfold;
};

constexpr FamilyMember functions[] = {
    {"SoftMax", "GetSoftMaxMinTmpSize", 3, 1, 1},
    {"SimpleSoftMax", "GetSoftMaxMinTmpSize", 1, 1, 1},
    {"SoftmaxFlash", "GetSoftMaxFlashMinTmpSize", 3, 1, 1},
    {"SoftmaxFlashV2", "GetSoftMaxFlashV2MinTmpSize", 3, 1, 0},
    {"SoftmaxFlashV3", "GetSoftMaxFlashV3MaxMinTmpSize", 0, 0, 0},
    {"SoftmaxGrad", "GetSoftMaxGradMinTmpSize", 4, 0, 0},
    {"SoftmaxGradFront", "GetSoftMaxGradMinTmpSize", 2, 0, 0},
    {"LogSoftMax", "GetLogSoftMaxMinTmpSize", 4, 2, 1},
};

const FamilyMember& functionOf(const SoftMaxCall& call) { return functions[static_cast<size_t>(call.kind)]; }

bool isGrad(const SoftMaxCall& call) { return call.kind == Kind::SoftmaxGrad || call.kind == Kind::SoftmaxGradFront; }

// Whether results of earlier columns are taken in.
bool updatesResults(const SoftMaxCall& call) {
  const bool isFlash =
      call.kind == Kind::SoftmaxFlash || call.kind == Kind::SoftmaxFlashV2 || call.kind == Kind::SoftmaxFlashV3;
  return call.isUpdate && isFlash;
}

[[noreturn]] void rejectShape(const SoftMaxCall& call, std::string message, const char* hint) {
  trap({Check::ParameterRange, functionOf(call).name, std::move(message), hint});
}

void checkShape(const SoftMaxCall& call, uint32_t bytes) {
  const auto& [m, k, oriM, oriK] = call.shape;
  if (m > extentLimit || k > extentLimit)
    rejectShape(call, text("the shape is [%u, %u]", m, k), "the source has to fit into UB");
  if (m == 0 || k == 0)
    rejectShape(call, "the shape of the source is not known",
                "pass a SoftMaxShapeInfo, or call SetShapeInfo on the source");
  if (k * bytes % blockBytes != 0)
    rejectShape(call, text("rows of %u elements take %u bytes", k, k * bytes), "rows take a multiple of 32 bytes");
  if (call.kind == Kind::LogSoftMax && call.isNz && bytes == sizeof(float))
    trap({Check::Unsupported, functionOf(call).name,
          "of float in the NZ format the device takes the logarithms of what dst holds, and nothing else",
          "call SoftMax, Ln and Muls"});
  if (call.isNz && k % nzColumns != 0)
    rejectShape(call, text("rows have %u elements", k), "rows of the NZ format have a multiple of 16 elements");
  if (oriK == 0 || oriK > k)
    rejectShape(call, text("oriSrcK is %u, srcK is %u", oriK, k), "oriSrcK is the part of srcK that counts");
  if (oriM > m)
    rejectShape(call, text("oriSrcM is %u, srcM is %u", oriM, m), "oriSrcM is the part of srcM that counts");
  if (call.isBasicBlock && !call.isNz && (k % 64 != 0 || k >= 2048 || k < 256 / bytes || m % 8 != 0)) {
    rejectShape(call, text("[%u, %u] are no basic blocks", m, k),
                "isBasicBlock takes a multiple of 8 rows of a multiple of 64 elements, at least 256 bytes and below "
                "2048 elements");
  }
  if (call.kind == Kind::SoftmaxFlashV3 && (k < 512 || k % 64 != 0 || m % 8 != 0)) {
    rejectShape(call, text("the shape is [%u, %u]", m, k),
                "SoftmaxFlashV3 takes a multiple of 8 rows of at least 512 elements, a multiple of 64");
  }
  const uint32_t parts = call.params.splitMeanCnt;
  if (call.kind == Kind::SoftmaxFlashV3 && (parts == 0 || parts > oriK))
    rejectShape(call, text("splitMeanCnt is %u, rows have %u elements that count", parts, oriK), "splitMeanCnt is 8");
}

// Bytes for each row at a time: what the host helpers plan, and what the device takes when it splits the rows itself.
struct RowBytes {
  uint32_t least, planned, onDevice;
  uint32_t once = 0;  // for all planned rows together
};

RowBytes rowBytesOf(const SoftMaxCall& call, uint32_t bytes, uint32_t sumBytes) {
  using namespace softmax;
  uint32_t m = call.shape.srcM, k = call.shape.srcK, block = perBlock(sumBytes), converted = bytes == halfBytes ? k : 0;
  uint32_t simple = call.isNz ? nzColumns + k : block + converted + lanes;
  switch (call.kind) {
    case Kind::SoftmaxFlash: {
      uint32_t least = rowOfFlash(k, sumBytes, call.isUpdate) * 4;
      return {least, (call.isUpdate ? rowOfFlash(k, sumBytes, true) : simple) * 4,
              ((call.isUpdate ? 4 : 2) * block + 2 * k) * 4};
    }
    case Kind::SoftmaxFlashV2: {
      uint32_t planned = rowOfFlashV2(k, bytes, sumBytes, call.isBasicBlock && isWholeTiles(m, k)) * 4;
      uint32_t onDevice = call.isNz ? (3 * nzColumns + k) * 4 : rowOfFlashV2(k, bytes, sumBytes, false) * 4;
      return {leastOfFlashV2(m, k, bytes, sumBytes, call.isBasicBlock, call.isPacked), planned, onDevice};
    }
    case Kind::SoftmaxFlashV3: {
      // the difference of the means is written out for one row at a time, so that further rows take less than the
      // helper says
      uint32_t row = rowOfFlashV3(k, sumBytes) * 4;
      return {row, row - k * 4, row, k * 4};
    }
    case Kind::SoftmaxGrad:
    case Kind::SoftmaxGradFront: {
      uint32_t row = rowOfGrad(k, bytes, call.isFront) * 4;
      return {row, row, rowOfGrad(k, bytes, call.isFront && !call.isNz) * 4};
    }
    default: return {rowOfSoftMax(k, sumBytes) * 4, simple * 4, simple * 4};
  }
}

// The device goes by fields of their own for the elements of so many rows.
void checkElements(const SoftMaxCall& call, uint32_t sumBytes) {
  const SoftMaxTiling& tiling = call.tiling;
  // of the NZ format a fractal has as many columns, which is as good as a block
  const bool isFractal = call.isNz && tiling.reduceK == nzColumns;
  const struct {
    const char* name;
    uint32_t value;
    uint64_t wanted;
    bool isTail = false;
  } fields[] = {{"splitM", tiling.splitM, tiling.reduceM},
                {"splitK", tiling.splitK, call.shape.srcK},
                {"splitSize", tiling.splitSize, uint64_t(tiling.splitM) * tiling.splitK},
                {"reduceK", tiling.reduceK, isFractal ? nzColumns : softmax::perBlock(sumBytes)},
                {"reduceSize", tiling.reduceSize, uint64_t(tiling.reduceM) * tiling.reduceK},
                {"tailSplitSize", tiling.tailSplitSize, uint64_t(tiling.tailM) * tiling.splitK, true},
                {"tailReduceSize", tiling.tailReduceSize, uint64_t(tiling.tailM) * tiling.reduceK, true}};
  for (const auto& field : fields) {
    if (field.value == field.wanted || (field.isTail && tiling.tailM == 0)) continue;
    rejectShape(call,
                text("%s of the tiling is %u, and by its other fields and the shape %llu", field.name, field.value,
                     static_cast<unsigned long long>(field.wanted)),
                "take the tiling as the tiling function made it for this shape, and for the type of the sums");
  }
}

struct Split {
  uint32_t rows, atATime;
  WorkingMemory working;
};

// How the rows are split, with the temporary memory that takes.
Split splitRows(const SoftMaxCall& call, uint32_t bytes, uint32_t sumBytes) {
  const FamilyMember& function = functionOf(call);
  const SoftMaxTiling& tiling = call.tiling;
  RowBytes row = rowBytesOf(call, bytes, sumBytes);
  bool splitsItself = call.kind == Kind::LogSoftMax || (call.kind == Kind::SoftmaxFlashV2 && call.isNz);
  bool isSame = tiling.srcK == call.shape.srcK && tiling.srcM == call.shape.srcM;
  if (!splitsItself && (isSame || !call.checksTiling)) {
    if (!isSame) {
      rejectShape(call,
                  text("the tiling is that of [%u, %u], the shape is [%u, %u]", tiling.srcM, tiling.srcK,
                       call.shape.srcM, call.shape.srcK),
                  "isCheckTiling = false takes the tiling as it is");
    }
    if (tiling.reduceM == 0)
      rejectShape(call, "the tiling has no rows",
                  text("give the tiling function at least what %s says", function.sizeHelper).c_str());
    if (tiling.tailM >= tiling.reduceM)
      rejectShape(call, text("the tiling takes %u rows at a time, and then %u at once", tiling.reduceM, tiling.tailM),
                  "take the tiling as the tiling function made it");
    uint64_t rows = uint64_t(tiling.rangeM) * tiling.reduceM + tiling.tailM;
    if (rows > call.shape.srcM)
      rejectShape(
          call, text("the tiling has %llu rows, the source %u", static_cast<unsigned long long>(rows), call.shape.srcM),
          "take the tiling as the tiling function made it");
    checkElements(call, sumBytes);
    const uint32_t needed = std::max(row.least, clampedBytes(uint64_t(tiling.reduceM) * row.planned + row.once));
    return {static_cast<uint32_t>(rows), tiling.reduceM,
            workingMemory(function.name, call.temporary, needed, function.sizeHelper)};
  }
  bool wholeShape = call.kind == Kind::SoftmaxFlashV2 || call.kind == Kind::SoftmaxFlashV3 ||
                    call.kind == Kind::SoftmaxFlash || isGrad(call);
  uint32_t rows = wholeShape ? call.shape.srcM : call.shape.oriSrcM;
  uint32_t atATime = std::min(std::max(1u, call.temporary.bytes / row.onDevice), std::max(1u, rows));
  return {rows, atATime, workingMemory(function.name, call.temporary, atATime * row.onDevice, function.sizeHelper)};
}

// Where the elements of a row are. In the NZ format columns of 16 stand one behind the other for all rows.
struct Matrix {
  size_t m, k;
  bool isNz;

  template <typename T>
  void load(float* row, Operand operand, size_t r) const {
    if (!isNz) return loadRow<T>(row, operand, r * k, k);
    for (size_t column = 0; column < k; column += nzColumns)
      loadRow<T>(row + column, operand, column * m + r * nzColumns, nzColumns);
  }
  // The first `n` elements.
  template <typename T>
  void store(Operand operand, size_t r, const float* row, size_t n) const {
    if (!isNz) return storeRow<T>(operand, r * k, row, n);
    for (size_t column = 0; column < n; column += nzColumns)
      storeRow<T>(operand, column * m + r * nzColumns, row + column, std::min(nzColumns, n - column));
  }
};

// One value for each row: a block of it, or one element.
template <typename U>
struct Results {
  bool isPacked;

  uint32_t bytes(uint32_t rows) const { return rows * (isPacked ? static_cast<uint32_t>(sizeof(U)) : blockBytes); }
  size_t at(size_t r) const { return isPacked ? r : r * (blockBytes / sizeof(U)); }
  float load(Operand operand, size_t r) const {
    float value;
    loadRow<U>(&value, operand, at(r), 1);
    return value;
  }
  void store(Operand operand, size_t r, float value) const {
    if (operand.address == nullptr) return;
    float block[blockBytes / sizeof(U)];
    std::fill(std::begin(block), std::end(block), value);
    storeRow<U>(operand, at(r), block, isPacked ? 1 : std::size(block));
  }
};

float maximumOf(const float* row, size_t n) {
  float maximum = row[0];
  for (size_t i = 1; i < n; ++i) maximum = isa::Max::element(maximum, row[i]);
  return maximum;
}

// SoftmaxFlashV3 takes the mean of each eighth of a row closer to that of the row; the device adds what is beyond 512
// elements to the eighths of the first 512. Returns the mean of the row.
float shiftToMean(float* row, size_t k, size_t counted, const AscendC::SoftMaxParams& params) {
  constexpr size_t first = 512, eighth = 64;
  float sums[64];
  for (size_t i = 0; i < 64; ++i) sums[i] = sumOfRow(row + 8 * i, 8, 8);
  for (size_t i = first; i < counted; ++i) sums[(i - first) % 64] += row[i];
  size_t base = counted / params.splitMeanCnt;
  float means[8];
  for (size_t i = 0; i < 8; ++i) means[i] = sumOfRow(sums + 8 * i, eighth / 8, 8) * (1.0f / static_cast<float>(base));
  float mean = sumOfRow(means, 8, 8) * (1.0f / 8);
  for (size_t i = 0; i < k; ++i) {
    size_t part = std::min<size_t>(i / base, 7);
    row[i] -= (mean - means[part]) * (params.alpha / (1.0f - params.alpha));
  }
  return mean;
}

template <typename T, typename U>
struct Rows {
  const SoftMaxCall& call;
  Matrix matrix;
  size_t counted;  // elements of a row that are reduced
  Results<U> results;
  Results<T> factors;

  float subtractAndRaise(float* row, float maximum, size_t n) const {
    for (size_t i = 0; i < n; ++i) row[i] = exponential(row[i] - maximum);
    return sumOfRow(row, counted, matrix.isNz ? nzColumns : 64);
  }

  // Elements that take part in the computation: in the NZ format nothing behind `counted` does.
  size_t computed() const { return matrix.isNz ? counted : matrix.k; }

  void storeResult(size_t r, const float* row) const {
    bool leavesPadding = matrix.isNz && sizeof(T) == sizeof(float) && call.kind != Kind::SoftmaxFlashV2;
    matrix.store<T>(call.dst, r, row, leavesPadding ? counted : matrix.k);
  }

  void divide(float* row, float divisor) const {
    for (size_t i = 0; i < computed(); ++i) row[i] /= divisor;
  }

  void softMax(float* row, size_t r) const {
    matrix.load<T>(row, call.src, r);
    const bool updates = updatesResults(call);
    float own = maximumOf(row, counted), maximum = own;
    float before = 0, sumBefore = 0;
    if (updates) {
      before = results.load(call.inMax, r);
      sumBefore = results.load(call.inSum, r);
      maximum = isa::Max::element(own, before);
    }
    float sum = subtractAndRaise(row, maximum, computed());
    float scale = 0;
    if (updates) {
      scale = exponential(before - maximum);
      sum = scale * sumBefore + sum;
    }
    results.store(call.max, r, maximum);
    results.store(call.sum, r, sum);
    if (call.kind != Kind::SoftmaxFlashV2) divide(row, sum);
    if (updates) {
      factors.store(call.expMax, r, call.kind == Kind::SoftmaxFlash ? scale * sumBefore / sum : scale);
      results.store(call.reduceMax, r, own);
    }
    constexpr float decadic = 0.4342944819f;
    if (call.kind == Kind::LogSoftMax)
      for (size_t i = 0; i < computed(); ++i) row[i] = logarithm(row[i]) * decadic;
    storeResult(r, row);
  }

  void simple(float* row, size_t r) const {
    matrix.load<T>(row, call.src, r);
    subtractAndRaise(row, results.load(call.max, r), computed());
    divide(row, results.load(call.sum, r));
    storeResult(r, row);
  }

  void flashV3(float* row, size_t r) const {
    const AscendC::SoftMaxParams& params = call.params;
    const float weight = params.alpha / (1.0f - params.alpha);
    matrix.load<T>(row, call.src, r);
    float own = shiftToMean(row, matrix.k, counted, params), mean = own;
    float meanBefore = 0, maxBefore = 0, sumBefore = 0;
    if (call.isUpdate) {
      meanBefore = results.load(call.inMean, r);
      maxBefore = results.load(call.inMax, r);
      sumBefore = results.load(call.inSum, r);
      auto loops = static_cast<float>(params.loopCnt);
      mean = (meanBefore * (loops - 1.0f) + own) * (1.0f / loops);
    }
    float shift = (own - mean) * weight;
    float maximum = maximumOf(row, counted) + shift, scale = 0;
    if (call.isUpdate) {
      float shiftBefore = (meanBefore - mean) * weight;
      maximum = isa::Max::element(maximum, maxBefore + shiftBefore);
      scale = exponential(shiftBefore + (maxBefore - maximum));
    }
    float sum = subtractAndRaise(row, maximum - shift, matrix.k);
    if (call.isUpdate) {
      sum = scale * sumBefore + sum;
      factors.store(call.expMax, r, scale);
    }
    results.store(call.mean, r, mean);
    results.store(call.max, r, maximum);
    results.store(call.sum, r, sum);
    storeResult(r, row);
  }

  void gradient(float* row, float* products, size_t r) const {
    float* grad = products + matrix.k;
    matrix.load<T>(row, call.src, r);
    matrix.load<T>(grad, call.grad, r);
    for (size_t i = 0; i < matrix.k; ++i) products[i] = grad[i] * row[i];
    float sum = sumOfRow(products, counted, matrix.isNz ? nzColumns : 64);
    if (call.isFront) return factors.store(call.dst, r, sum);
    for (size_t i = 0; i < computed(); ++i) row[i] = (grad[i] - sum) * row[i];
    matrix.store<T>(call.dst, r, row, computed());
  }
};

// Rows may take the place of their source, and what is updated that of what it was.
void mayOverlap(Work& work, const SoftMaxCall& call) {
  if (call.kind == Kind::LogSoftMax) work.bears("dst", "src", Lies::InPlace);
  else if (!call.isFront || !isGrad(call)) work.allows("dst", "src", Lies::InPlace);
  if (isGrad(call)) work.bears("dst", "grad", call.isFront ? Lies::Behind : Lies::InPlace);
  if (!call.isNz) work.bears("dst", "src", Lies::Behind);
  work.allows("max", "inMax", Lies::InPlace);
  work.allows("sum", "inSum", Lies::InPlace);
  work.allows("mean", "inMean", Lies::InPlace);
  work.bears("expMax", "inMax", Lies::InPlace);
}

// A reduction of rows to their first repeats, then of all rows at once, whose results fill a block each.
void addRowResults(Work& work, uint32_t rows, uint32_t width, bool isBasicBlock) {
  constexpr uint32_t perRepeat = repeatBytes / sizeof(float), longRow = 512, apart = 255 * 8, together = 8;
  const uint64_t fronts = uint64_t(rows) * repeatBytes;
  const uint32_t repeats = width / perRepeat;
  if (width < perRepeat) {
    work.reduction(fronts, wholeCycles);
  } else {
    if (width >= longRow) {
      // eight repeats of each row become one, to which the others are added: an instruction a row
      work.reductionsTogether(together * uint64_t(repeatBytes), 1, rows);
      work.together(repeats > together ? rows : 0, uint64_t(repeats - together) * repeatBytes, 0);
    } else {
      work.step(fronts, 1, std::max(isBasicBlock ? 0u : 1u, repeats - 1));
    }
    if (width % perRepeat != 0 && width <= apart) work.step(fronts);
    else if (width % perRepeat != 0) work.together(rows, repeatBytes, 0);
    work.reduction(fronts).reduction(uint64_t(rows) * blockBytes);
  }
  work.step(uint64_t(ceilDivide(rows, 8)) * repeatBytes).step(uint64_t(rows) * blockBytes);
}

// What belongs to a row is taken from, or divides, all of it: by blocks of all rows where they are short, else row by row; by repeats
// of all rows where they are basic blocks.
void addOfRows(Work& work, uint32_t rows, uint32_t width, uint32_t perRepeat, bool isBasicBlock) {
  constexpr uint32_t shortRow = 192, perBlock = blockBytes / sizeof(float), lanes = repeatBytes / sizeof(float);
  if (isBasicBlock) {
    work.step(uint64_t(rows) * repeatBytes, perRepeat, width / lanes);
    return;
  }
  // what the instructions write lies between each other, so that the compiler orders them
  if (width < shortRow)
    work.step(uint64_t(rows) * blockBytes, std::max(perRepeat, turnsOf(8, width / perBlock)), width / perBlock);
  else work.together(rows, uint64_t(width) * sizeof(float) * perRepeat, 0);
}

// Logarithms, and their share: each waits for the one before, and takes a row or, where rows are short, a block of all of them.
void addLogarithms(Work& work, uint32_t rows, uint32_t width) {
  constexpr uint32_t shortRow = 192, perBlock = blockBytes / sizeof(float), rowsTogether = 8;
  if (width >= shortRow) {
    const uint64_t row = uint64_t(width) * sizeof(float);
    work.step(row, 2, rows).step(row, 1, rows);
    return;
  }
  const uint32_t turns = turnsOf(std::min(rows, rowsTogether), width / perBlock);
  work.step(uint64_t(rows) * blockBytes, std::max(2u, turns), width / perBlock);
  work.step(uint64_t(rows) * blockBytes, turns, width / perBlock);
}

// Sums of rows as the gradients form them: of the blocks of each 64 columns, which are added one by one and wait for each other, and
// then of those sums, which fill a block of each row.
void addBlockSums(Work& work, uint32_t rows, uint32_t counted, uint32_t blocks) {
  constexpr uint32_t perRepeat = repeatBytes / sizeof(float), mostRepeats = 255, rowsTogether = 8;
  const uint64_t fronts = uint64_t(rows) * repeatBytes, sums = uint64_t(rows) * blockBytes;
  const uint32_t repeats = counted / perRepeat, tail = counted % perRepeat, rest = rows % rowsTogether;
  if (repeats != 0) work.reduction(fronts).move(sums);
  for (uint32_t i = 1; i < repeats; ++i) work.reduction(fronts).step(sums);
  if (repeats != 0) work.reduction(sums);
  if (tail != 0) {
    for (uint32_t left = rows, part; left != 0; left -= part)
      work.reduction(uint64_t(part = std::min(left, mostRepeats)) * repeatBytes, wholeCycles);
    if (repeats == 0) work.move(sums);
    else work.step(sums);
  }
  if (rows >= rowsTogether) work.move(sums);
  for (uint32_t i = 1; i < blocks && rows >= rowsTogether; ++i) work.beside(sums, moveCost.tail);
  if (rest != 0)
    work.waitForScalars().waitForScalars().together(rest, blocks * blockBytes, localReadCycles + usualIssueCycles);
}

// What a gradient of so many rows takes. The sum of a row is copied to all of it, a block of each row at a time.
void addGradient(Work& work, const SoftMaxCall& call, uint32_t rows, uint32_t bytes, uintptr_t memory) {
  constexpr uint32_t perBlock = blockBytes / sizeof(float), perRepeat = repeatBytes / sizeof(float), rowsTogether = 8;
  const uint32_t width = call.shape.srcK;
  const uint64_t all = uint64_t(rows) * width * sizeof(float), sums = uint64_t(rows) * blockBytes;
  const bool isHalf = bytes != sizeof(float);
  const uint32_t blocks = isHalf ? 2 : 1;
  if (isHalf) work.step(all).beside(all);
  const uint64_t repeats = all / repeatBytes;
  const auto at = [&](Operand operand) {
    return RepeatedSource{reinterpret_cast<uintptr_t>(operand.address), repeats, repeatBytes};
  };
  // one behind the other in the memory
  const RepeatedSource worked{memory, repeats, repeatBytes}, behind{memory + all, repeats, repeatBytes};
  work.step(all, isHalf ? worked : at(call.src), isHalf ? behind : at(call.grad));
  if (call.isFront && call.isBasicBlock) {
    const uint64_t fronts = uint64_t(rows) * repeatBytes, row = uint64_t(width) * sizeof(float);
    for (uint32_t i = 1; i < width / perRepeat; ++i)
      work.step(fronts, {memory, rows, row}, {memory + uintptr_t(i) * repeatBytes, rows, row});
    work.reduction(fronts).reduction(sums).move(sums);
    if (isHalf) work.beside(sums, moveCost.tail);
  } else {
    addBlockSums(work, rows, call.shape.oriSrcK, blocks);
  }
  if (!call.isFront) {
    work.step(uint64_t(width / perBlock) * ceilDivide(rows, rowsTogether) * repeatBytes,
              turnsOf(std::min(rows, rowsTogether), width / perBlock));
    for (Operand source : {call.grad, call.src}) work.step(all, worked, isHalf ? behind : at(source));
  }
  if (isHalf) work.step(call.isFront ? blocks * sums : all);
}

// In the NZ format rows lie in columns of 16 elements: a reduction goes from column to column, each of which waits, and what is left
// of a row fills a column again. The scalar unit does that for rows of a part of one column, and where they are no multiple of 8.
void addColumnResults(Work& work, const SoftMaxCall& call, uint32_t rows, uint32_t apart, uintptr_t memory) {
  constexpr uint32_t nzBytes = nzColumns * sizeof(float), rowsTogether = 8;
  const uint32_t columns = call.shape.srcK / nzColumns;
  const uint64_t column = uint64_t(rows) * nzBytes, repeats = column / repeatBytes;
  const bool isPart = columns == 1 && call.shape.oriSrcK < nzColumns;
  if (isPart) {
    work.reduction(uint64_t(rows) * repeatBytes, wholeCycles);
  } else {
    if (columns > 1) work.step(column);
    for (uint32_t i = 1; i < columns; ++i)
      work.step(column, {memory + uint64_t(columns) * apart, repeats, repeatBytes},
                {memory + uint64_t(i) * apart, repeats, repeatBytes});
    const uint64_t blocks = uint64_t(rows) * blockBytes;
    work.step(blocks).reduction(blocks, static_cast<uint32_t>(blockCost.c32));
  }
  if (isPart || rows % rowsTogether != 0) {
    work.waitForScalars().together(rows, nzBytes, localReadCycles + usualIssueCycles);
  } else {
    work.together(rows / rowsTogether, rowsTogether * nzBytes, 0).transposition(rows / rowsTogether);
  }
}

// Of so many rows at once; a pass over them is an instruction for each column.
void addColumns(Work& work, const SoftMaxCall& call, uint32_t rows, const Split& split, uint32_t bytes,
                uint32_t sumBytes) {
  const FamilyMember& function = functionOf(call);
  const uint32_t columns = call.shape.srcK / nzColumns,
                 column = rows * nzColumns * static_cast<uint32_t>(sizeof(float)),
                 apart = split.atATime * nzColumns * static_cast<uint32_t>(sizeof(float));
  const auto memory = reinterpret_cast<uintptr_t>(split.working.extent.operand.address);
  const bool isHalf = bytes != sizeof(float), isSimple = call.kind == Kind::SimpleSoftMax;
  const auto sourceAt = [&](uint32_t index) {
    return RepeatedSource{memory + uintptr_t(index) * apart, column / repeatBytes, repeatBytes};
  };
  const auto pass = [&](uint32_t perRepeat, uint32_t times) {
    for (uint32_t i = 0; i < times; ++i) work.together(columns, uint64_t(column) * perRepeat, 0);
  };
  const auto moveResult = [&] {
    if (isHalf) work.step(column);
    else work.move(uint64_t(rows) * repeatBytes);
  };
  if (isSimple) {
    // both blocks of what belongs to a row are copied to a column of their own; all rows lie in the memory, or where they come from
    for (uint32_t i = 0; i < 2; ++i) {
      if (sumBytes == sizeof(float)) work.move(uint64_t(rows) * repeatBytes, 2);
      else work.step(column);
    }
    if (isHalf) pass(1, 2);
    const uintptr_t from = isHalf ? memory + 2 * uintptr_t(apart) : reinterpret_cast<uintptr_t>(call.src.address);
    // columns are whole rounds of the banks apart, as far as they are of so many rows
    const auto together = [&](uint32_t perRepeat, uintptr_t other) {
      const uint64_t repeats = column / repeatBytes;
      const bool meets = conflictCyclesOf({from, repeats, repeatBytes}, {other, repeats, repeatBytes}) > repeats;
      work.together(columns, uint64_t(column) * perRepeat * (meets ? 2 : 1), 0);
    };
    together(1, memory);
    pass(2, 1);
    together(4, memory + apart);
    return;
  }
  const uint32_t reductions = isSimple ? 0 : isGrad(call) ? 1 : 2, subtractions = call.isFront && isGrad(call) ? 0 : 1;
  const uint32_t logarithms = call.kind == Kind::LogSoftMax ? 1 : 0;
  pass(1, function.simple - reductions - subtractions - logarithms);
  for (uint32_t i = 0; i < columns * subtractions; ++i) {
    if (i == 0) work.step(column, sourceAt(0), sourceAt(columns));
    else work.beside(column, sourceAt(i), sourceAt(columns));
  }
  pass(2, function.twice - logarithms);
  pass(4, function.fourfold);
  // column after column: its logarithms, their share, and what becomes of that
  for (uint32_t i = 0; i < columns * logarithms; ++i) work.step(column, 2).step(column).beside(column);
  // to floats in the memory that is worked in, and back
  if (isHalf) pass(1, call.kind == Kind::SoftmaxGrad ? 3 : 2 - logarithms);
  else if (!isGrad(call) && !isSimple) pass(1, 2);
  for (uint32_t i = 0; i < reductions; ++i) {
    addColumnResults(work, call, rows, apart, memory);
    if (call.kind != Kind::SoftmaxGrad) moveResult();
  }
  for (uint32_t i = 0; i < 2 && isSimple; ++i) moveResult();
}

// Means of parts of each row shift it before it is reduced, row after row; its maximum, and the means and maxima of earlier
// columns, are shifted back by small steps that all wait for each other.
void addFlashV3(Work& work, const SoftMaxCall& call, uint32_t rows) {
  constexpr uint32_t perRepeat = repeatBytes / sizeof(float), together = 8;
  const uint32_t width = call.shape.srcK, counted = call.shape.oriSrcK, repeats = counted / perRepeat;
  const uint64_t row = uint64_t(width) * sizeof(float), all = rows * row, fronts = uint64_t(rows) * repeatBytes,
                 results = uint64_t(rows) * blockBytes;
  work.step(all).reductionsTogether(together * uint64_t(repeatBytes), 1, rows);
  if (repeats > together) work.together(rows, uint64_t(repeats - together) * repeatBytes, 0);
  if (counted % perRepeat != 0) work.together(rows, repeatBytes, 0);
  work.reduction(fronts).step(fronts).reduction(fronts);
  work.step(uint64_t(ceilDivide(rows, 8)) * repeatBytes).step(results, 1, 4);
  work.step(repeatBytes, 1, rows).step(row, 1, 2 * rows);
  for (int i = 0; i < 2; ++i) addRowResults(work, rows, width, false);
  addOfRows(work, rows, width, 1, false);
  work.step(all, 2).step(all);
  if (call.isUpdate) work.step(results, 1, 15).step(results, 2).step(2 * results, 1, 2);
  else work.step(results, 1, 5);
}

// Of what was reduced before: rows are reduced as gradients are, what belongs to a row is copied to all of it, and small steps that
// wait for each other bring earlier results to the new maximum.
void addFlashUpdate(Work& work, const SoftMaxCall& call, uint32_t rows, uint32_t bytes) {
  constexpr uint32_t perBlock = blockBytes / sizeof(float), rowsTogether = 8;
  const uint32_t width = call.shape.srcK;
  const uint64_t all = uint64_t(rows) * width * sizeof(float), results = uint64_t(rows) * blockBytes;
  const auto copyAlong = [&] {
    work.step(uint64_t(width / perBlock) * ceilDivide(rows, rowsTogether) * repeatBytes,
              turnsOf(std::min(rows, rowsTogether), width / perBlock));
  };
  if (bytes != sizeof(float)) work.step(all);
  addBlockSums(work, rows, call.shape.oriSrcK, 1);
  copyAlong();
  work.step(all, 2).step(all, 2);
  addBlockSums(work, rows, call.shape.oriSrcK, 1);
  work.move(results, 3).step(results, 1, 7).step(results, 4, 2);
  copyAlong();
  work.step(all, 2);
  if (bytes != sizeof(float)) work.step(all);
}

// By the instructions of the library.
Work workOf(const SoftMaxCall& call, const Split& split, uint32_t bytes, uint32_t sumBytes) {
  const FamilyMember& function = functionOf(call);
  const auto width = static_cast<uint32_t>(call.shape.srcK);
  const uint32_t conversions = bytes == sizeof(float) ? 0 : 2, updating = updatesResults(call) ? 6 : 0;
  // floats by what is known of their rows take no memory: all at once
  const bool isWhole = call.kind == Kind::SimpleSoftMax && !call.isNz && bytes == sizeof(float);
  const bool isBasic = call.isBasicBlock && !call.isNz, isFlash = call.kind == Kind::SoftmaxFlash && updating != 0;
  const uint32_t ofStep = isWhole ? split.rows : split.atATime;
  // one of the simple passes is what each reduction takes, and one takes what belongs to a row
  const uint32_t reductions = call.kind == Kind::SimpleSoftMax ? 0 : 2;
  Work work;
  for (uint32_t left = split.rows, rows; left != 0; left -= rows) {
    rows = std::min(left, ofStep);
    const uint32_t floats = rows * width * 4;
    if (call.kind == Kind::SoftmaxFlashV3) {
      addFlashV3(work, call, rows);
      continue;
    }
    if (isFlash && !isBasic && !call.isNz) {
      addFlashUpdate(work, call, rows, bytes);
      continue;
    }
    if (call.isNz) {
      // results of a row fill a column, to which both their blocks are copied
      const uint32_t copies = updating != 0 && sumBytes != bytes ? 5 : 0;
      work.step(rows * nzColumns * sizeof(float), 1, updating).move(uint64_t(rows) * repeatBytes, copies);
      addColumns(work, call, rows, split, bytes, sumBytes);
      continue;
    }
    if (isGrad(call)) {
      addGradient(work, call, rows, bytes, reinterpret_cast<uintptr_t>(split.working.extent.operand.address));
      continue;
    }
    const uint32_t logarithms = call.kind == Kind::LogSoftMax ? 1 : 0;
    work.step(rows * blockBytes, 1, updating);
    work.step(floats, 2, function.twice - logarithms);
    work.step(floats, 1, function.simple + conversions - reductions - 1 - logarithms);
    for (uint32_t i = 0; i < reductions; ++i) addRowResults(work, rows, width, isBasic);
    addOfRows(work, rows, width, 1, isBasic);
    for (uint32_t i = 0; i < function.fourfold; ++i) addOfRows(work, rows, width, 4, isBasic);
    if (isFlash) work.step(rows * blockBytes, 1, 6), addOfRows(work, rows, width, 1, isBasic);
    if (logarithms != 0) addLogarithms(work, rows, width);
  }
  return work;
}

}  // namespace

namespace vec {

template <typename T, typename U>
void softMax(const SoftMaxCall& call) {
  const FamilyMember& function = functionOf(call);
  checkShape(call, sizeof(T));
  if (call.reduceMax.address != nullptr && !call.isPacked) {
    trap({Check::Unsupported, function.name,
          "the maximum of the row itself is only given without broadcast: the device does nothing",
          "use a SoftmaxConfig with SOFTMAX_OUTPUT_WITHOUT_BRC"});
  }
  Split split = splitRows(call, sizeof(T), sizeof(U));
  auto width = static_cast<uint32_t>(call.shape.srcK);
  if (split.rows == 0) return;
  uint32_t counted = call.isBasicBlock && !call.isNz ? width : call.shape.oriSrcK;
  Rows<T, U> rows{call, {call.shape.srcM, width, call.isNz}, counted, {call.isPacked}, {call.isPacked}};

  // In the NZ format rows are everywhere; otherwise the first ones are one run.
  uint32_t dataBytes = clampedBytes(uint64_t(call.isNz ? call.shape.srcM : split.rows) * width * sizeof(T));
  uint32_t resultBytes = rows.results.bytes(split.rows), factorBytes = rows.factors.bytes(split.rows);
  bool isSimple = call.kind == Kind::SimpleSoftMax, updates = updatesResults(call);
  bool reduces = isGrad(call) && call.isFront;
  Extent extents[11];
  size_t count = 0;
  auto touch = [&](Operand operand, uint32_t bytes, bool write, const char* role) {
    if (bytes != 0) extents[count++] = {operand, bytes, write, role};
  };
  auto touchGiven = [&](Operand operand, uint32_t bytes, bool write, const char* role) {
    if (operand.address != nullptr) touch(operand, bytes, write, role);
  };
  touch(call.dst, reduces ? factorBytes : dataBytes, writes, "dst");
  touch(call.src, dataBytes, reads, "src");
  if (isGrad(call)) touch(call.grad, dataBytes, reads, "grad");
  if (isSimple) {
    touch(call.max, resultBytes, reads, "max");
    touch(call.sum, resultBytes, reads, "sum");
  } else {
    touchGiven(call.max, resultBytes, writes, "max");
    touchGiven(call.sum, resultBytes, writes, "sum");
  }
  touchGiven(call.mean, resultBytes, writes, "mean");
  if (updates) {
    touch(call.inMax, resultBytes, reads, "inMax");
    touch(call.inSum, resultBytes, reads, "inSum");
    if (call.kind == Kind::SoftmaxFlashV3) touch(call.inMean, resultBytes, reads, "inMean");
    touchGiven(call.expMax, factorBytes, writes, "expMax");
    touchGiven(call.reduceMax, resultBytes, writes, "outReduceMax");
  }
  Work work = workOf(call, split, sizeof(T), sizeof(U));
  mayOverlap(work, call);
  work.issue(function.name, split.working, extents, count, [&] {
    // maxima of rows are those of whole repeats
    if (!isGrad(call) && !isSimple) markLost(Register::Extreme);
    // what belongs to a row goes along it by a transposition
    if (call.isNz) loseAddresses();
    std::vector<float> memory(size_t(width) * 3);
    float* row = memory.data();
    for (size_t r = 0; r < split.rows; ++r) {
      if (isGrad(call)) rows.gradient(row, row + width, r);
      else if (isSimple) rows.simple(row, r);
      else if (call.kind == Kind::SoftmaxFlashV3) rows.flashV3(row, r);
      else rows.softMax(row, r);
    }
  });
}

template <typename T, typename U>
bool adjustSoftMax(Operand result, Operand max, uint32_t from, T to, const AscendC::SoftMaxShapeInfo& shape, bool isNz,
                   bool isPacked) {
  constexpr const char* name = "AdjustSoftMaxRes";
  Results<U> maxima{isPacked};
  if (shape.srcM > extentLimit || shape.srcK > extentLimit || (isNz && shape.srcK % nzColumns != 0))
    trap({Check::ParameterRange, name, text("the shape is [%u, %u]", shape.srcM, shape.srcK),
          "rows of the NZ format have a multiple of 16 elements, and all have to fit into UB"});
  const uint32_t rowBytes = shape.srcK * static_cast<uint32_t>(sizeof(T));
  const Extent extents[] = {{result, clampedBytes(uint64_t(shape.srcM) * rowBytes), writes, "softMaxRes"},
                            {max, maxima.bytes(shape.srcM), reads, "maxTensor"}};
  // The maxima are read by the scalar unit, one by one, which then knows how many rows there are to fill. The
  // time of each is that of such a loop in a kernel, which has to prepare itself.
  constexpr uint32_t cyclesPerRow = 21, cyclesToFill = 29, cyclesBefore = sizeof(U) == 2 ? 60 : 150,
                     cyclesOfColumns = 5;
  inspect(name, extents);
  orderPipes(Pipe::V, Pipe::S);
  const auto isAdjusted = [&](size_t r) {
    uint32_t bits = 0;
    std::memcpy(&bits, max.address + maxima.at(r) * sizeof(U), sizeof(U));
    return bits == (sizeof(U) == 2 ? from & 0xffffu : from);
  };
  uint32_t found = 0;
  for (size_t r = 0; r < shape.srcM; ++r) found += isAdjusted(r);
  scalarCycles(cyclesBefore + (cyclesPerRow + (isNz ? cyclesOfColumns : 0)) * shape.srcM + cyclesToFill * found);
  // one instruction for each of them, or for its part of each column of fractals: none waits for another
  const uint32_t parts = isNz ? shape.srcK / nzColumns : 1;
  Work work;
  if (parts != 0) work.together(found * parts, rowBytes / parts, 0);
  // to the compiler all rows are written, and on the device those that are adjusted
  std::vector<Extent> touched{onlyForCompiler(extents[0]), extents[1]};
  for (uint32_t part = 0; part < parts; ++part) {
    const uint32_t bytes = rowBytes / parts;
    for (uint32_t r = 0, end; r < shape.srcM; r = end + 1) {
      for (end = r; end < shape.srcM && isAdjusted(end);) ++end;
      if (end == r) continue;
      Operand rows = result;
      rows.address += (uint64_t(part) * shape.srcM + r) * bytes;
      touched.push_back(unseenByCompiler({rows, (end - r) * bytes, writes, "softMaxRes"}));
    }
  }
  work.issue(name, {}, touched.data(), touched.size(), [&] {
    const Matrix matrix{shape.srcM, shape.srcK, isNz};
    const std::vector<float> row(shape.srcK, static_cast<float>(to));
    for (size_t r = 0; r < shape.srcM; ++r)
      if (isAdjusted(r)) matrix.store<T>(result, r, row.data(), shape.srcK);
  });
  return found != 0;
}

namespace {
template <typename... T>
constexpr auto instances(Types<T...>) {
  return std::make_tuple(&softMax<T, T>..., &softMax<half, float>, &adjustSoftMax<T, half>...,
                         &adjustSoftMax<T, float>...);
}
constexpr auto instantiated = asTuple(instances(isa::Floating{}));
const OffersOf<instantiated> offered;
}  // namespace

}  // namespace vec
}  // namespace npu_emu
