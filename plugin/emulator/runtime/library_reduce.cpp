// Reductions along one axis and running sums. One rounding for each instruction that the library is made of.
#include "ascendc/library_reduce.h"

#include <cstring>
#include <tuple>
#include <vector>

#include "ascendc/reduce_sizes.h"
#include "library_reduce_work.h"
#include "numerics.h"
#include "api_calls.h"
#include "legal_library.h"

namespace npu_emu::vec {

namespace {

constexpr uint8_t garbage = 0xff;

struct Named {
  const char *name, *helper;
};
constexpr Named names[] = {{"ReduceSum", "GetReduceSumMaxMinTmpSize"},   {"ReduceMean", "GetReduceMeanMaxMinTmpSize"},
                           {"ReduceMax", "GetReduceMaxMaxMinTmpSize"},   {"ReduceMin", "GetReduceMinMaxMinTmpSize"},
                           {"ReduceProd", "GetReduceProdMaxMinTmpSize"}, {"ReduceAny", "GetReduceAnyMaxMinTmpSize"},
                           {"ReduceAll", "GetReduceAllMaxMinTmpSize"}};

template <typename T>
float rounded(float value) {
  return static_cast<float>(static_cast<T>(value));
}

// Neighbours are added until one value is left.
template <typename T>
float sumNeighbours(float* values, size_t n) {
  for (; n > 1; n = (n + 1) / 2) {
    for (size_t i = 0; i < n / 2; ++i) values[i] = rounded<T>(values[2 * i] + values[2 * i + 1]);
    if (n % 2 != 0) values[n / 2] = values[n - 1];
  }
  return values[0];
}

// What lies behind the power of two is folded onto the front, then the rear half onto the front half.
template <typename V, typename F>
void foldHalves(V* values, uint32_t n, F f) {
  const uint32_t power = sizes::powerBelow(n);
  for (uint32_t i = 0; i < n - power; ++i) values[i] = f(values[i], values[power + i]);
  for (uint32_t half = power / 2; half != 0; half /= 2) {
    for (uint32_t i = 0; i < half; ++i) values[i] = f(values[i], values[half + i]);
  }
}

float combine(Fold fold, float a, float b) {
  switch (fold) {
    case Fold::Sum:
    case Fold::Mean: return a + b;
    case Fold::Product: return a * b;
    case Fold::Max:
    case Fold::Any: return isa::Max::element(a, b);
    default: return isa::Min::element(a, b);
  }
}

// The first of equals; NaN before numbers: a reduction in one instruction, unlike Max and Min.
float firstExtreme(Fold fold, const float* values, uint32_t n) {
  const bool greatest = fold == Fold::Max || fold == Fold::Any;
  float best = values[0];
  for (uint32_t i = 1; i < n && best == best; ++i) {
    if (values[i] != values[i] || (greatest ? values[i] > best : values[i] < best)) best = values[i];
  }
  return best;
}

float sumRow(float* row, uint32_t n) {
  if (n <= repeatBytes / sizeof(float)) return sumNeighbours<float>(row, n);
  const uint32_t power = sizes::powerBelow(n), front = power == n ? power / 2 : power;
  for (uint32_t i = 0; i < n - front; ++i) row[i] = row[i] + row[front + i];
  return sumNeighbours<float>(row, front);
}

// Blocks or repeats of the row are compared lane by lane, then the lanes.
template <typename T>
float extremeRow(Fold fold, float* row, uint32_t n) {
  constexpr uint32_t perBlock = blockBytes / sizeof(T), perRepeat = repeatBytes / sizeof(T);
  if (n <= perBlock) return firstExtreme(fold, row, n);
  const uint32_t lanes = n < perRepeat ? perBlock : perRepeat;
  for (uint32_t i = 0; i < lanes; ++i) row[i] += 0.0f;
  for (uint32_t i = lanes; i < n; ++i) row[i % lanes] = combine(fold, row[i % lanes], row[i]);
  return firstExtreme(fold, row, lanes);
}

template <typename T>
float foldRow(Fold fold, float* row, uint32_t n) {
  if (fold == Fold::Product) {
    foldHalves(row, n, [](float a, float b) { return a * b; });
    return row[0] + 0.0f;
  }
  const bool adds = fold == Fold::Sum || fold == Fold::Mean;
  const float result = adds ? sumRow(row, n) : extremeRow<T>(fold, row, n);
  return fold == Fold::Mean ? result * (1.0f / static_cast<float>(n)) : result;
}

template <typename T>
std::vector<float> foldFloats(const T* src, const Folding& f, uint32_t padded) {
  std::vector<float> results(f.alongLast ? f.first : f.last), line(f.alongLast ? f.last : f.first);
  for (uint32_t i = 0; i < results.size(); ++i) {
    for (uint32_t j = 0; j < line.size(); ++j)
      line[j] = static_cast<float>(f.alongLast ? src[size_t(i) * padded + j] : src[size_t(j) * padded + i]);
    if (f.alongLast) {
      results[i] = foldRow<T>(f.fold, line.data(), f.last);
      continue;
    }
    foldHalves(line.data(), f.first, [&](float a, float b) { return combine(f.fold, a, b); });
    const float result = line[0] + 0.0f;
    results[i] = f.fold == Fold::Mean ? result * (1.0f / static_cast<float>(f.first)) : result;
  }
  return results;
}

// Along the first axis bytes are taken in pairs: an odd row ends in one that no one asked for.
std::vector<uint8_t> foldBytes(const uint8_t* src, const Folding& f, uint32_t padded) {
  const bool any = f.fold == Fold::Any;
  if (f.alongLast) {
    std::vector<uint8_t> results(f.first);
    for (uint32_t i = 0; i < f.first; ++i) {
      const uint8_t* row = src + size_t(i) * padded;
      results[i] = any ? *std::max_element(row, row + f.last) : *std::min_element(row, row + f.last);
    }
    return results;
  }
  std::vector<uint8_t> results(src, src + sizes::roundUp(f.last, 2));
  for (uint32_t row = 1; row < f.first; ++row) {
    for (uint32_t i = 0; i < results.size(); ++i) {
      const uint8_t byte = src[size_t(row) * padded + i];
      results[i] = static_cast<uint8_t>(any ? results[i] | byte : results[i] & byte);
    }
  }
  return results;
}

// Along rows products are gathered by GatherMask; extremes of shorter types than float end in one of a whole repeat.
void loseRegisters(const Folding& f, uint32_t elementBytes) {
  if (!f.alongLast) return;
  if (f.fold == Fold::Product) markLost(Register::Kept);
  else if (f.fold != Fold::Sum && f.fold != Fold::Mean && elementBytes < 4) markLost(Register::Extreme);
}

// The result may lie on the source, which is brought into the temporary memory as a whole; short rows are read from where
// they are, one after the other, and so is a source that is worked in. It may be at the start of the temporary memory,
// where the last instruction finds what it makes results of; but products are gathered by a pattern that lies there.
Work& mayOverlap(Work& work, const Folding& f, uint32_t elementBytes) {
  const bool adds = f.fold == Fold::Sum || f.fold == Fold::Mean, isProduct = f.fold == Fold::Product;
  const uint32_t direct = adds                             ? repeatBytes / elementBytes
                          : isProduct || elementBytes == 1 ? 0
                                                           : blockBytes / elementBytes;
  const bool isDirect = f.reusesSource || (f.alongLast ? f.last <= direct : f.first == 1);
  work.bears("dst", "src", isDirect ? Lies::Behind : Lies::Anywhere);
  const bool worksInBytes = elementBytes == 1 && f.alongLast;
  if (!f.reusesSource && !worksInBytes && !(isProduct && f.alongLast))
    work.bears("dst", Overlaps::working, Lies::InPlace);
  return work;
}

uint32_t temporaryFor(const Folding& f, uint32_t elementBytes) {
  const sizes::Reduced r{f.first, f.last, f.alongLast, f.reusesSource};
  if (elementBytes == 1) return sizes::reduceBytes(r);
  if (f.fold == Fold::Sum || f.fold == Fold::Mean) return sizes::reduceSum(r);
  return f.fold == Fold::Product ? sizes::reduceProduct(r) : sizes::reduceExtreme(r, elementBytes);
}

// Rows that fill no more than a block are reduced by an instruction that is given lanes, and nothing tells the device before that the mask
// has lanes.
template <typename T>
bool takesModeOfKernel(const Folding& f) {
  constexpr uint32_t perBlock = blockBytes / sizeof(T);
  if (!f.alongLast || sizeof(T) == 1 || f.fold == Fold::Product) return false;
  return f.fold == Fold::Sum || f.fold == Fold::Mean ? f.last <= perBlock : f.last < perBlock;
}

// There it takes the bits of these lanes for a count of elements.
template <typename T>
void foldByCount(const char* name, Operand dst, Operand src, const Folding& f) {
  constexpr uint32_t perBlock = blockBytes / sizeof(T), lanesOfMask = 64, blocksOfRepeat = repeatBytes / blockBytes;
  uint64_t count = 0;
  for (uint32_t lane = 0; lane < std::min(f.first * perBlock, lanesOfMask); ++lane)
    if (lane % perBlock < f.last) count |= uint64_t(1) << lane;
  if (f.first >= blocksOfRepeat || count > architecture::ubBytes)
    trap({Check::ParameterRange, name, "the mask counts elements here: the library would have all of UB reduced",
          "call SetMaskNorm first"});
  const auto kind = f.fold == Fold::Sum || f.fold == Fold::Mean  ? Reduction::Sum
                    : f.fold == Fold::Max || f.fold == Fold::Any ? Reduction::Max
                                                                 : Reduction::Min;
  const auto counted = static_cast<uint32_t>(count);
  reduceBlock<T>(kind, dst, src, {Walk::Repeats, true, 1, counted, {count, 0}, {1, 1, 1}, {1, 8, 8}});
  if constexpr (std::is_same_v<T, float>)
    if (f.fold == Fold::Mean)
      scalar<isa::Muls, float>(dst, dst, 1.0f / static_cast<float>(f.last), Walk::ofCount(f.first));
  restoreMask();
}

}  // namespace

template <typename T>
void foldMatrix(Operand dst, Operand src, const Temporary& temporary, const Folding& f) {
  const Named& named = names[static_cast<size_t>(f.fold)];
  if (f.first == 0 || f.last == 0)
    trap({Check::ParameterRange, named.name, text("srcShape is %u x %u", f.first, f.last),
          "both axes have at least one element"});
  if (!f.padded)
    trap({Check::ParameterRange, named.name, "srcInnerPad is false",
          "pad the rows of src to 32 bytes and pass true: this device has no other form"});
  requireExtents(named.name, {f.first, f.last, 32});
  if constexpr (sizeof(T) != 1)
    if (core->maskCounter && takesModeOfKernel<T>(f)) return foldByCount<T>(named.name, dst, src, f);
  const uint32_t padded = sizes::roundUp(f.last, blockBytes / sizeof(T)), kept = f.alongLast ? f.first : f.last;
  const uint32_t written = sizeof(T) == 1 && !f.alongLast ? sizes::roundUp(kept, 2) : kept;
  const uint32_t srcBytes = clampedBytes((uint64_t(f.first - 1) * padded + f.last) * sizeof(T));
  const WorkingMemory working = workingMemory(named.name, temporary, temporaryFor(f, sizeof(T)), named.helper);
  const auto source = reinterpret_cast<uintptr_t>(src.address);
  const uintptr_t worked = f.reusesSource ? source : reinterpret_cast<uintptr_t>(working.extent.operand.address);
  Work work = reduce_work::of(f, {source, worked}, padded, sizeof(T));
  mayOverlap(work, f, sizeof(T));
  work.issue(named.name, working,
             {{dst, clampedBytes(uint64_t(written) * sizeof(T)), writes, "dst"},
              {src, srcBytes, reads, "src"},
              {src, f.reusesSource ? srcBytes : 0, writes, "src"}},
             [&] {
               loseRegisters(f, sizeof(T));
               const T* in = reinterpret_cast<const T*>(src.address);
               T* out = reinterpret_cast<T*>(dst.address);
               if constexpr (sizeof(T) == 1) {
                 const std::vector<uint8_t> results = foldBytes(in, f, padded);
                 if (f.reusesSource) std::memset(src.address, garbage, srcBytes);
                 std::copy(results.begin(), results.end(), out);
               } else {
                 const std::vector<float> results = foldFloats(in, f, padded);
                 if (f.reusesSource) std::memset(src.address, garbage, srcBytes);
                 for (size_t i = 0; i < results.size(); ++i) out[i] = static_cast<T>(results[i]);
               }
             });
}

namespace {

// The sums of repeats, then the sums of those, until one is left.
template <typename T>
float sumByRepeats(std::vector<float>& values) {
  constexpr size_t perRepeat = repeatBytes / sizeof(T);
  size_t n = values.size();
  do {
    size_t sums = 0;
    for (size_t first = 0; first < n; first += perRepeat)
      values[sums++] = sumNeighbours<T>(values.data() + first, std::min(perRepeat, n - first));
    n = sums;
  } while (n > 1);
  return values[0];
}

void checkRows(const char* name, uint32_t stride, uint32_t elements, uint32_t elementBytes) {
  if (elements == 0 || elements > stride || stride * elementBytes % blockBytes != 0) {
    trap({Check::ParameterRange, name, text("n is %u and inner is %u", elements, stride),
          "inner is n rounded up to 32 bytes, n is at least 1"});
  }
}

// Rows of more than a repeat leave what they have counted last: the sums of repeats, or the means of all rows. Those of one repeat, and
// those that are added in a wider type, fill the mask.
void leaveMaskOfRows(const RowSums& sums, uint32_t perRepeat) {
  if (sums.widened || sums.elements <= perRepeat) return;
  uint32_t left = sums.elements;
  while (left > perRepeat) left = ceilDivide(left, perRepeat);
  leaveLowBits(sums.mean ? sums.rows : left);
}

}  // namespace

template <typename T>
void sumRows(Operand dst, Operand src, const Temporary& temporary, const RowSums& sums) {
  const char* name = sums.mean ? "Mean" : "Sum";
  checkRows(name, sums.stride, sums.elements, sizeof(T));
  if (sums.rows == 0) return;
  requireExtents(name, {sums.rows, sums.stride, sizeof(T)});
  const uint32_t bytes = sizeof(T), reducedBytes = sums.widened ? 4 : bytes;
  Work work = reduce_work::ofRows(sums, bytes);
  const bool oneRepeat = !sums.widened && sums.elements <= repeatBytes / bytes;
  const uint32_t needed =
      sums.mean ? sizes::mean(sums.elements, bytes, reducedBytes) : sizes::sum(sums.elements, bytes);
  const WorkingMemory working = workingMemory(name, temporary, oneRepeat ? 0 : needed,
                                              sums.mean ? "GetMeanMaxMinTmpSize" : "GetSumMaxMinTmpSize");
  // row by row: its result is written when it has been read, where the next one has its temporary memory
  work.bears("dst", "src", Lies::Behind);
  if (sums.rows == 1) work.bears("dst", Overlaps::working, Lies::Anywhere);
  work.issue(
      name, working,
      {{dst, clampedBytes(uint64_t(sums.rows) * bytes), writes, "dst", static_cast<uint16_t>(bytes)},
       {src, Reach::strided(uint64_t(sums.elements) * bytes, sums.rows, uint64_t(sums.stride) * bytes), reads, "src"}},
      [&] {
        const float reciprocal = 1.0f / static_cast<float>(sums.elements);
        std::vector<T> results(sums.rows);
        for (uint32_t row = 0; row < sums.rows; ++row) {
          const T* in = reinterpret_cast<const T*>(src.address) + size_t(row) * sums.stride;
          std::vector<float> values(in, in + sums.elements);
          const float total = sums.widened ? sumByRepeats<float>(values) : sumByRepeats<T>(values);
          results[row] = static_cast<T>(!sums.mean     ? total
                                        : sums.widened ? total * reciprocal
                                                       : total * rounded<T>(reciprocal));
        }
        std::memcpy(dst.address, results.data(), sums.rows * bytes);
        leaveMaskOfRows(sums, repeatBytes / bytes);
      });
}

void sumXors(Operand dst, Operand src0, Operand src1, const Temporary& temporary, uint32_t count, bool reusesSource) {
  const char* name = "ReduceXorSum";
  if (count == 0) trap({Check::ParameterRange, name, "calCount is 0", "add at least one element"});
  requireExtents(name, {count, sizeof(float)});
  const WorkingMemory working =
      workingMemory(name, temporary, sizes::reduceXorSum(count, reusesSource), "GetReduceXorSumMaxMinTmpSize");
  const Work work = Work()
                        .step(count * 2ull, 1, 4)
                        .step(count * 4ull)
                        .reduction(count * 4ull, wholeCycles)
                        .endOnScalarUnit()
                        .step(4)
                        .bears("dst", "src0", Lies::Anywhere)
                        .bears("dst", "src1", Lies::Anywhere)
                        .bears("dst", Overlaps::working, Lies::Anywhere)
                        .bears("src0", "src1", Lies::InPlace)
                        .bears("src1", "src0", Lies::InPlace);
  work.issue(name, working,
             {{dst, 2, writes, "dst"},
              {src0, clampedBytes(count * 2ull), reads, "src0"},
              {src1, clampedBytes(count * 2ull), reads, "src1"},
              {src0, reusesSource ? clampedBytes(count * 2ull) : 0, writes, "src0"},
              {src1, reusesSource ? clampedBytes(count * 2ull) : 0, writes, "src1"}},
             [&] {
               const int16_t *a = reinterpret_cast<const int16_t*>(src0.address),
                             *b = reinterpret_cast<const int16_t*>(src1.address);
               markLost(Register::Sum);  // it ends in a ReduceSum
               float total = 0;
               constexpr uint32_t perRepeat = repeatBytes / sizeof(float);
               for (uint32_t first = 0; first < count; first += perRepeat) {
                 float values[perRepeat];
                 const uint32_t n = std::min(perRepeat, count - first);
                 for (uint32_t i = 0; i < n; ++i) values[i] = static_cast<float>(a[first + i] ^ b[first + i]);
                 const float sum = sumNeighbours<float>(values, n);
                 total = first == 0 ? sum : total + sum;
               }
               if (reusesSource) {
                 std::memset(src0.address, garbage, count * 2);
                 std::memset(src1.address, garbage, count * 2);
               }
               const float clamped = std::min(32767.0f, std::max(-32768.0f, total));
               *reinterpret_cast<int16_t*>(dst.address) = static_cast<int16_t>(clamped);
             });
}

template <typename T>
void sumRunning(Operand dst, Operand lastRow, Operand src, const Temporary& temporary, const RunningSums& s) {
  const char* name = "CumSum";
  requireExtents(name, {s.rows, s.columns, 16});
  const uint32_t bytes = sizeof(T), all = clampedBytes(uint64_t(s.rows) * s.columns * bytes);
  if (s.rows == 0 || s.columns == 0 || s.columns * bytes % blockBytes != 0) {
    trap({Check::ParameterRange, name, text("outter is %u and inner is %u", s.rows, s.columns),
          "rows are not empty, and a multiple of 32 bytes"});
  }
  const sizes::Range range = sizes::cumSum(s.rows, s.columns, bytes, s.alongLast);
  Work work;
  if (s.alongLast) {
    // in rounds of as many squares of rows as the temporary memory has room for
    const uint32_t room = (bytes == 2 ? 96 : 128) * s.columns, most = 16 * std::max(1u, temporary.bytes / room);
    for (uint32_t left = s.rows, rows; left != 0; left -= rows) {
      rows = std::min(left, most);
      const uint64_t padded = sizes::roundUp(rows, 16);
      // to columns and back, along the longer side
      const uint32_t across = s.columns * bytes / blockBytes, down = static_cast<uint32_t>(padded / 16);
      const bool isTall = padded > s.columns;
      for (const bool alongRows : {isTall && padded == rows, isTall})
        work.transposition(alongRows ? down : across, alongRows ? across : down);
      work.step(padded * 4, 1, s.columns - 1).step(uint64_t(rows) * s.columns * bytes);
      if (bytes == 2) work.step(padded * s.columns * 4, 1, 2);
    }
  } else {
    work.step(s.columns * 4, 1, s.rows);
    if (bytes == 2) work.step(uint64_t(s.rows) * s.columns * 4, 1, 2);
  }
  if (s.lastRow) work.step(s.columns * bytes);
  const WorkingMemory working = workingMemory(name, temporary, range.least, range.most, "GetCumSumMaxMinTmpSize");
  work.bears("dst", "src", Lies::Behind).bears("lastRow", "src", Lies::Anywhere);
  work.issue(name, working,
             {{dst, all, writes, "dst"},
              {lastRow, s.lastRow ? clampedBytes(uint64_t(s.columns) * bytes) : 0, writes, "lastRow"},
              {src, all, reads, "src"}},
             [&] {
               const auto* first = reinterpret_cast<const T*>(src.address);
               const std::vector<T> in(first, first + size_t(s.rows) * s.columns);
               T* out = reinterpret_cast<T*>(dst.address);
               if (s.alongLast) loseAddresses();  // columns become rows, and rows again
               const uint32_t lines = s.alongLast ? s.rows : s.columns, length = s.alongLast ? s.columns : s.rows;
               for (uint32_t line = 0; line < lines; ++line) {
                 float total = 0;
                 for (uint32_t i = 0; i < length; ++i) {
                   const size_t at = s.alongLast ? size_t(line) * s.columns + i : size_t(i) * s.columns + line;
                   const float value = static_cast<float>(in[at]);
                   total = i == 0 ? value : total + value;
                   // The library copies with an addition of zero, but for half along the first axis.
                   out[at] = static_cast<T>(s.alongLast || bytes == 4 ? rounded<T>(total) + 0.0f : total);
                 }
               }
               if (!s.lastRow) {
                 if (s.alongLast || bytes != 2) return;
                 // of half along the first axis it leaves a count of all elements
                 core->maskCounter = true;
                 core->mask[0] = uint64_t(s.rows) * s.columns;
                 core->mask[1] = 0;
                 return;
               }
               T* last = reinterpret_cast<T*>(lastRow.address);
               for (uint32_t i = 0; i < s.columns; ++i)
                 last[i] = static_cast<T>(static_cast<float>(out[size_t(s.rows - 1) * s.columns + i]) + 0.0f);
             });
}

namespace {

template <typename... T>
constexpr auto reductions(Types<T...>) {
  return std::make_tuple(&foldMatrix<T>..., &sumRows<T>..., &sumRunning<T>...);
}
constexpr auto instantiated = asTuple(std::make_tuple(reductions(isa::Floating{}), &foldMatrix<uint8_t>));
const OffersOf<instantiated> offered;

}  // namespace
}  // namespace npu_emu::vec
