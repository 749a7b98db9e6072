// Quantisation of float data, and back.
#include "ascendc/quantization.h"

#include <tuple>
#include <vector>

#include "library_rows.h"
#include "api_calls.h"
#include "legal_library.h"

namespace npu_emu {

namespace {

[[noreturn]] void reject(const char* name, std::string message, const char* hint) {
  trap({Check::ParameterRange, name, std::move(message), hint});
}

float roundedToHalf(float value) { return static_cast<float>(static_cast<half>(value)); }

uint32_t paddedTo(uint32_t n, uint32_t unit) { return ceilDivide(n, unit) * unit; }

uintptr_t addressOf(Operand operand) { return reinterpret_cast<uintptr_t>(operand.address); }

// Repeats of a source one behind the other.
RepeatedSource repeatsAt(uintptr_t begin, uint64_t bytes) { return {begin, bytes / repeatBytes, repeatBytes}; }

// Run by run of scales, in rounds of as many elements as the memory holds that is given.
Work ofQuantization(const QuantCall& call, uint32_t run, bool hasOffsets, bool converts) {
  constexpr uint32_t halfBytes = 2;
  const uint32_t ofRound = std::max(1u, call.temporary.bytes / halfBytes / blockBytes) * blockBytes;
  const bool hasScales = call.scale.address != nullptr;
  const uintptr_t worked = addressOf(call.temporary.operand);
  Work work;
  if (converts && hasScales) work.step(uint64_t(run) * sizeof(float));
  if (converts && hasOffsets) work.beside(uint64_t(run) * sizeof(float));
  for (uint32_t first = 0; first < call.count; first += run) {
    for (uint32_t at = 0, elements; at < run; at += elements) {
      elements = std::min(run - at, ofRound);
      const uint64_t bytes = uint64_t(elements) * halfBytes;
      const uintptr_t src = converts ? worked : addressOf(call.src) + uintptr_t(first + at) * halfBytes;
      const auto together = [&](uintptr_t one, Operand other) {
        if (other.address == nullptr) work.step(bytes);
        else work.step(bytes, repeatsAt(one, bytes), repeatsAt(addressOf(other) + uintptr_t(at) * halfBytes, bytes));
      };
      if (converts) work.step(uint64_t(elements) * sizeof(float));
      together(src, call.scale);
      together(worked, call.offset);
      work.step(bytes);
    }
  }
  return work;
}

// Rows are multiplied 64 columns at a time, as far as one instruction reaches from row to row.
void addScaledRows(Work& work, const AscendC::DequantParams& params, uint32_t rows) {
  constexpr uint32_t floatsOfRepeat = repeatBytes / sizeof(float), furthest = 255 * (blockBytes / sizeof(float)),
                     mostRepeats = 255, leastCycles = 3;
  if (rows == 0) return;
  if (params.n > furthest) {
    work.together(rows, uint64_t(params.calCount) * sizeof(float), 0);
    return;
  }
  // what they write lies between each other where there are more rows, so that the compiler orders them; those of one row are
  // issued while it is converted
  const uint32_t parts = params.calCount / floatsOfRepeat;
  if (rows == 1 && parts != 0) work.step(uint64_t(parts) * leastCycles * repeatBytes);
  else work.step(uint64_t(rows) * repeatBytes, 1, parts);
  for (uint32_t left = params.calCount % floatsOfRepeat == 0 ? 0 : rows, part; left != 0; left -= part)
    work.step(uint64_t(part = std::min(left, mostRepeats)) * repeatBytes);
}

// In rounds of as many rows as the memory holds beside the scales, which are converted once. `scaleBytes`: 0 for one of all elements.
Work ofDequantization(const AscendC::DequantParams& params, uint32_t width, uint64_t elements, uint32_t temporaryBytes,
                      uint32_t scaleBytes, uint32_t elementBytes) {
  const uint64_t scales = uint64_t(params.calCount) * sizeof(float);
  const uint32_t floats = temporaryBytes / sizeof(float), ofScales = paddedTo(params.calCount, 8),
                 room = floats - std::min(floats, ofScales),
                 ofRound = std::max(1u, std::min(params.m, room / params.n)) * params.n;
  Work work;
  if (scaleBytes == 0) work.step(scales);
  // how many it has kept is read
  if (scaleBytes == sizeof(uint64_t)) work.step(2 * scales, keepCycles).waitForScalars().waitForScalars();
  else work.step(scales);
  for (uint64_t left = elements, round; left != 0; left -= round) {
    round = std::min<uint64_t>(left, ofRound);
    const auto rows = static_cast<uint32_t>(round / params.n), rest = static_cast<uint32_t>(round % params.n);
    work.step(round * sizeof(float));
    addScaledRows(work, params, rows);
    if (rest != 0) work.step(uint64_t(rest) * sizeof(float));
    if (elementBytes == sizeof(float) || width == params.n) {
      work.step(round * sizeof(float));
    } else {
      // an instruction a row, of which the scalar unit issues the first while those before them run
      const uint64_t ofRow = std::max(3u, ceilDivide(params.n * static_cast<uint32_t>(sizeof(float)), repeatBytes)),
                     issued = uint64_t(rows) * usualIssueCycles,
                     before = 2 * (isa::simpleCost.tail + round * sizeof(float) / repeatBytes);
      if (rows != 0) work.step(rows * ofRow * repeatBytes);
      if (issued > rows * ofRow + before) work.awaitScalars(issued - rows * ofRow - before);
      if (rest != 0) work.step(uint64_t(rest) * sizeof(float));
    }
  }
  return work;
}

// What is quantised becomes half, which is computed with where it stands, or bfloat16_t, in float.
struct AntiQuantization {
  const QuantCall& call;
  const AntiQuantShape& shape;
  bool isHalf;

  // What scales and offsets of rows take in the temporary memory as blocks of their own: nothing where that has no room for them.
  uint32_t spreadBytes() const {
    const uint64_t bytes = uint64_t(shape.n) * blockBytes * (1 + offsets());
    const bool isSpread = isHalf && shape.isTranspose && call.scale.address != nullptr && shape.k < 4096;
    return isSpread && call.temporary.bytes >= bytes ? static_cast<uint32_t>(bytes) : 0;
  }

  // Whether all rows, or columns, of their scales are taken at once: of groups of them only the first one's.
  bool takesAll() const {
    if (call.scale.address == nullptr) return false;
    if (!shape.isTranspose) return shape.hasOffset && (isHalf || call.temporary.bytes >= columnBytes());
    return isHalf ? spreadBytes() != 0 : shape.k <= 8 * mostRepeats && shape.k % floatsOfRepeat == 0;
  }
  // Whether a row is taken after the other in floats, each with its offset: of groups only the rows of the first one.
  bool takesRows() const { return !isHalf && !shape.isTranspose && shape.hasOffset && !takesAll(); }

  Work work() const {
    const bool isPerChannel = call.scale.address != nullptr;
    if (!isPerChannel) return ofRuns(call.count, 1, isHalf ? 2 : 4);
    if (!shape.isTranspose) return takesAll() ? ofColumns() : ofRows();
    if (takesAll()) return ofSpread();
    const uint32_t elements = shape.k / shape.groups, runs = shape.n * shape.groups;
    Work work = ofRuns(elements, runs, isHalf ? 2 : 4);
    // the scalar unit reads what belongs to a run, and divides it into rounds
    constexpr uint64_t divisionCycles = 100;
    const uint64_t instructions = (isHalf ? 2 : 4) + offsets(),
                   scalarCycles = localReadCycles * (1 + offsets()) + instructions * usualIssueCycles + divisionCycles,
                   ofRun = instructions * (isa::simpleCost.tail +
                                           std::max<uint64_t>(3, uint64_t(elements) * sizeof(float) / repeatBytes));
    if (scalarCycles > ofRun) work.awaitScalars(runs * (scalarCycles - ofRun));
    return work;
  }

 private:
  static constexpr uint32_t halfBytes = 2, floatsOfRepeat = repeatBytes / sizeof(float), mostRepeats = 255;

  uint32_t offsets() const { return shape.hasOffset ? 1 : 0; }
  uint32_t lanes() const { return isHalf ? repeatBytes / halfBytes : floatsOfRepeat; }
  // What floats of 64 columns, and of all scales and offsets, take.
  uint64_t columnBytes() const {
    return (uint64_t(2) * shape.groups * shape.n + uint64_t(floatsOfRepeat) * shape.k) * sizeof(float);
  }
  // Elements of a round in floats.
  uint32_t ofRound() const { return std::max<uint32_t>(1, call.temporary.bytes / (2 * sizeof(float))); }

  // Runs of elements that share a scale: in float in rounds of as many as the memory holds.
  Work ofRuns(uint32_t elements, uint32_t runs, uint32_t instructions) const {
    instructions += offsets();
    Work work;
    if (isHalf) return work.step(uint64_t(elements) * halfBytes, 1, runs * instructions);
    work.step(uint64_t(ofRound()) * sizeof(float), 1, elements / ofRound() * runs * instructions);
    if (elements % ofRound() != 0) work.step(uint64_t(elements % ofRound()) * sizeof(float), 1, runs * instructions);
    return work;
  }
  // Row after row, of which each element has a scale, and may have an offset.
  Work ofRows() const {
    Work work;
    const uint64_t bytes = uint64_t(shape.n) * halfBytes;
    for (uint32_t row = 0; isHalf && row < shape.k; ++row) {
      const uintptr_t scale = addressOf(call.scale) + row / (shape.k / shape.groups) * bytes;
      work.step(bytes).step(bytes, repeatsAt(scale, bytes), repeatsAt(addressOf(call.dst) + row * bytes, bytes));
    }
    if (isHalf) return work;
    for (uint32_t left = shape.n, elements; left != 0; left -= elements) {
      elements = std::min(left, ofRound());
      const uint64_t floats = uint64_t(elements) * sizeof(float);
      const RepeatedSource result = repeatsAt(0, floats), other = repeatsAt(floats, floats);
      work.step(floats, 1, shape.k * (4 + offsets()));
      for (uint32_t i = 0; i < shape.k * (1 + offsets()); ++i) work.step(floats, result, other);
    }
    return work;
  }
  // An instruction takes a repeat of all rows, of which it reaches so many.
  void addRepeats(Work& work, uint32_t rows, uint32_t times) const {
    for (uint32_t left = rows, part; left != 0; left -= part)
      work.step(uint64_t(part = std::min(left, mostRepeats)) * repeatBytes, 1, times);
  }
  // Each column has a scale and an offset, of which a repeat meets those of all rows.
  Work ofColumns() const {
    Work work;
    const uintptr_t memory = addressOf(call.temporary.operand), floats = uintptr_t(shape.n) * sizeof(float);
    if (isHalf) work.step(uint64_t(call.count) * halfBytes);
    else work.step(floats, 1, 2);
    for (uint32_t row = 0, rows; row < shape.k; row += rows) {
      rows = std::min(shape.k - row, mostRepeats);
      for (uint32_t column = 0; column < shape.n; column += lanes()) {
        const uintptr_t at = uintptr_t(column) * (isHalf ? halfBytes : sizeof(float)),
                        dst = addressOf(call.dst) + uintptr_t(row) * shape.n * halfBytes + at;
        const RepeatedSource source = isHalf ? RepeatedSource{dst, rows, uintptr_t(shape.n) * halfBytes}
                                             : RepeatedSource{memory + 2 * floats, rows, repeatBytes};
        const uintptr_t offset = isHalf ? addressOf(call.offset) : memory,
                        scale = isHalf ? addressOf(call.scale) : memory + floats;
        const uint64_t bytes = uint64_t(rows) * repeatBytes;
        if (!isHalf) work.step(bytes, 1, 3);
        work.step(bytes, source, {offset + at, rows, 0}).step(bytes, source, {scale + at, rows, 0});
      }
    }
    return work;
  }
  // Each row has one: they are spread to blocks.
  Work ofSpread() const {
    const uint32_t columns = shape.k / lanes();
    Work work;
    if (isHalf) work.step(uint64_t(call.count) * halfBytes);
    else work.step(uint64_t(shape.n) * sizeof(float), 1, 1 + offsets());
    work.move(uint64_t(shape.n) * blockBytes, 1 + offsets());
    work.step(uint64_t(shape.n) * repeatBytes, 1, columns * ((isHalf ? 1 : 4) + offsets()));
    if (shape.k % lanes() != 0) addRepeats(work, shape.n, 1 + offsets());
    return work;
  }
};

}  // namespace

namespace vec {

template <typename T>
void quantize(const QuantCall& call) {
  constexpr const char* name = "AscendQuant";
  bool perChannel = call.scale.address != nullptr;
  if (perChannel && (call.period == 0 || call.period % 32 != 0 || call.count % call.period != 0)) {
    reject(name, text("scaleCount is %u, calCount is %u", call.period, call.count),
           "scaleCount is a multiple of 32, calCount a multiple of scaleCount");
  }
  if (!perChannel && call.offset.address != nullptr)
    reject(name, "the offset is a tensor, the scale is none", "both are tensors, or both are scalars");
  const quant::Range sizes = quant::sizesOfQuant(call.count);
  const WorkingMemory working =
      workingMemory(name, call.temporary, sizes.least, sizes.most, "GetAscendQuantMaxMinTmpSize");
  if (call.count == 0) return;
  // Float tensors of scales and offsets are converted where they stand.
  bool converts = sizeof(T) == sizeof(float);
  uint32_t periodBytes = clampedBytes(uint64_t(call.period) * sizeof(T));
  bool hasOffsets = call.offset.address != nullptr;
  Extent extents[4] = {{call.dst, call.count, writes, "dst"},
                       {call.src, clampedBytes(uint64_t(call.count) * sizeof(T)), reads, "src"}};
  size_t operands = 2;
  if (perChannel) extents[operands++] = {call.scale, periodBytes, converts, "scale"};
  if (hasOffsets) extents[operands++] = {call.offset, periodBytes, converts, "offset"};
  const uint32_t run = perChannel ? call.period : call.count;
  Work work = ofQuantization(call, run, hasOffsets, converts);
  work.allows("dst", "src", Lies::InPlace).takes("scale").takes("offset");
  work.issue(name, working, extents, operands, [&] {
    std::vector<float> scales(run, roundedToHalf(call.scaleValue)), offsets(run, roundedToHalf(call.offsetValue)),
        values(run);
    auto convert = [&](std::vector<float>& out, Operand operand) {
      loadRow<T>(out.data(), operand, 0, run);
      for (float& value : out) value = roundedToHalf(value);
      if (converts) storeRow<half>(operand, 0, out.data(), run);
    };
    if (perChannel) convert(scales, call.scale);
    if (hasOffsets) convert(offsets, call.offset);
    auto* out = reinterpret_cast<int8_t*>(call.dst.address);
    for (size_t first = 0; first < call.count; first += run) {
      loadRow<T>(values.data(), call.src, first, run);
      for (size_t i = 0; i < run; ++i) {
        float value = roundedToHalf(roundedToHalf(roundedToHalf(values[i]) * scales[i]) + offsets[i]);
        float whole = std::nearbyint(value);
        // as Cast from half does: beyond the range the nearest, 0 for NaN
        out[first + i] = static_cast<int8_t>(whole != whole ? 0 : whole > 127 ? 127 : whole < -128 ? -128 : whole);
      }
    }
  });
}

template <typename T, typename S>
void dequantize(const QuantCall& call, AscendC::DequantParams params, uint32_t limit, bool splitsRow) {
  constexpr const char* name = "AscendDequant";
  constexpr uint32_t perBlock = blockBytes / sizeof(T);
  if (params.m > extentLimit || params.n > extentLimit)
    reject(name, text("the shape is [%u, %u]", params.m, params.n), "the source has to fit into UB");
  if (params.n == 0 || params.n % 8 != 0 || params.m == 0)
    reject(name, text("the shape is [%u, %u]", params.m, params.n), "rows of the source take a multiple of 32 bytes");
  if (params.calCount == 0 || params.calCount > params.n)
    reject(name, text("calCount is %u, n is %u", params.calCount, params.n),
           "calCount is the part of n that is computed");
  bool perChannel = call.scale.address != nullptr;
  if (perChannel && params.calCount > call.period)
    reject(name, text("calCount is %u, deqScale has %u elements", params.calCount, call.period),
           "there is one scale for each of calCount elements");
  if (splitsRow && params.m == 1 && params.calCount % perBlock == 0 && params.n % params.calCount == 0)
    params = {params.n / params.calCount, params.calCount, params.calCount};
  uint32_t width = paddedTo(params.n, perBlock);
  const quant::Range sizes = quant::sizesOfDequant(params.m, params.n);
  const WorkingMemory working =
      workingMemory(name, call.temporary, sizes.least, sizes.most, "GetAscendDequantMaxMinTmpSize");
  Extent extents[3] = {{call.dst, clampedBytes(uint64_t(params.m) * width * sizeof(T)), writes, "dst"},
                       {call.src, clampedBytes(uint64_t(params.m) * params.n * 4), reads, "src"}};
  if (perChannel) extents[2] = {call.scale, params.calCount * static_cast<uint32_t>(sizeof(S)), reads, "deqScale"};
  const uint64_t all = std::min<uint64_t>(limit, uint64_t(params.m) * params.n);
  Work work = ofDequantization(params, width, all, call.temporary.bytes, perChannel ? sizeof(S) : 0, sizeof(T));
  work.bears("dst", "src", Lies::Behind);
  work.issue(name, working, extents, perChannel ? 3 : 2, [&] {
    // of words of 64 bits GatherMask takes every second one
    if (perChannel && sizeof(S) == 8) markLost(Register::Kept);
    std::vector<float> scales(params.calCount, call.scaleValue), values(params.calCount);
    for (uint32_t i = 0; perChannel && i < params.calCount; ++i) {
      // of uint64_t the low half is a float
      if constexpr (sizeof(S) == 8) std::memcpy(&scales[i], call.scale.address + size_t(i) * 8, 4);
      else loadRow<S>(&scales[i], call.scale, i, 1);
    }
    for (uint32_t r = 0; r < params.m; ++r) {
      uint32_t n = std::min(params.calCount, limit - std::min(limit, r * params.n));
      for (uint32_t i = 0; i < n; ++i) {
        int32_t value;
        std::memcpy(&value, call.src.address + (size_t(r) * params.n + i) * 4, sizeof value);
        values[i] = static_cast<float>(value) * scales[i];
      }
      storeRow<T>(call.dst, size_t(r) * width, values.data(), n);
    }
  });
}

template <typename T>
void antiQuantize(const QuantCall& call, const AntiQuantShape& shape, bool isInt4) {
  constexpr const char* name = "AscendAntiQuant";
  constexpr bool isHalf = std::is_same_v<T, half>;
  bool perChannel = call.scale.address != nullptr;
  if (shape.k == 0 || call.count % shape.k != 0)
    reject(name, text("k is %u, the source has %u elements", shape.k, call.count), "k divides the size of the source");
  if (call.count == 0) return;
  if (uint64_t(shape.k) * shape.n != call.count)
    reject(name, text("the source has %u elements, %u x %u are converted", call.count, shape.k, shape.n),
           "k divides the size of the source");
  if (shape.groups == 0 || shape.k % shape.groups != 0) {
    reject(name, text("k is %u, the scale has %u groups along it", shape.k, shape.groups),
           "pass an AntiQuantShapeInfo, or call SetShapeInfo on the scale");
  }
  if (!perChannel && call.offset.address != nullptr)
    reject(name, "the offset is a tensor, the scale is none", "both are tensors, or both are scalars");
  uint32_t scales = perChannel ? shape.groups * shape.n : 1;
  const AntiQuantization conversion{call, shape, isHalf};
  const uint32_t spread = conversion.spreadBytes();
  if (shape.groups > 1 && (conversion.takesAll() || conversion.takesRows()))
    trap({Check::Unsupported, name,
          text("the scale has %u groups along k: the device takes those of the first one for all", shape.groups),
          "convert one group after the other"});
  if (spread != 0 && shape.n % 8 != 0)
    trap({Check::Unsupported, name, text("n is %u: the device spreads the scales of 8 rows at a time", shape.n),
          "n is a multiple of 8 where the source is transposed"});
  const uint32_t ofRows = std::min(call.temporary.bytes, shape.n * 2 * static_cast<uint32_t>(sizeof(float)));
  const quant::Range sizes = spread != 0 ? quant::Range{spread, spread}
                             : conversion.takesRows() && call.temporary.bytes >= repeatBytes
                                 ? quant::Range{ofRows, repeatBytes}
                                 : quant::sizesOfAntiQuant(call.count, shape.k, scales, shape.isTranspose, isHalf);
  const WorkingMemory working =
      workingMemory(name, call.temporary, sizes.least, sizes.most, "GetAscendAntiQuantMaxMinTmpSize");
  bool hasOffsets = call.offset.address != nullptr;
  Extent extents[4] = {{call.dst, clampedBytes(uint64_t(call.count) * 2), writes, "dst"},
                       {call.src, isInt4 ? ceilDivide(call.count, 2) : call.count, reads, "src"}};
  size_t operands = 2;
  if (perChannel) extents[operands++] = {call.scale, clampedBytes(uint64_t(scales) * 2), reads, "scale"};
  if (hasOffsets) extents[operands++] = {call.offset, clampedBytes(uint64_t(scales) * 2), reads, "offset"};
  const Work work = conversion.work();
  work.issue(name, working, extents, operands, [&] {
    uint32_t groupSize = shape.k / shape.groups;
    for (uint32_t i = 0; i < call.count; ++i) {
      uint32_t k = shape.isTranspose ? i % shape.k : i / shape.n, n = shape.isTranspose ? i / shape.k : i % shape.n;
      uint32_t at = shape.isTranspose ? n * shape.groups + k / groupSize : k / groupSize * shape.n + n;
      float scale = call.scaleValue, offset = call.offsetValue;
      if (perChannel) loadRow<T>(&scale, call.scale, at, 1);
      if (hasOffsets) loadRow<T>(&offset, call.offset, at, 1);
      int8_t byte = static_cast<int8_t>(call.src.address[isInt4 ? i / 2 : i]);
      int32_t source = !isInt4      ? byte
                       : i % 2 == 0 ? static_cast<int8_t>(static_cast<uint8_t>(byte) << 4) >> 4
                                    : byte >> 4;
      float value = static_cast<float>(source);
      if (shape.hasOffset) value = isHalf ? roundedToHalf(value + offset) : value + offset;
      value *= scale;
      storeRow<T>(call.dst, i, &value, 1);
    }
  });
}

namespace {
constexpr auto instantiated =
    asTuple(std::make_tuple(&quantize<half>, &quantize<float>, &dequantize<half, uint64_t>, &dequantize<float, float>,
                            &dequantize<float, bfloat16_t>, &dequantize<bfloat16_t, float>,
                            &dequantize<bfloat16_t, bfloat16_t>, &antiQuantize<half>, &antiQuantize<bfloat16_t>));
const OffersOf<instantiated> offered;
}  // namespace

}  // namespace vec
}  // namespace npu_emu
