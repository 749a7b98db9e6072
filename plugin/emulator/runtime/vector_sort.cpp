// Sorting. A sorted list is a row of 8-byte pairs: the score in the low bytes, the index in the upper four.
#include <algorithm>
#include <cstring>
#include <tuple>

#include "library.h"
#include "numerics.h"
#include "repeat_order.h"
#include "walk.h"
#include "api_calls.h"

namespace npu_emu {

namespace {

constexpr uint32_t rowElements = 32, pairBytes = 8, listCount = 4;

struct Pair {
  uint32_t score, index;  // the score is a float, or a half in the lower two bytes
};

template <typename T>
float scoreOf(uint32_t bits) {
  if constexpr (sizeof(T) == 2) return static_cast<float>(bitCast<half>(static_cast<uint16_t>(bits)));
  else return bitCast<float>(bits);
}

// Descending; NaN comes first. Equal scores are in no order: sorting is stable.
template <typename T>
bool before(const Pair& a, const Pair& b) {
  float x = scoreOf<T>(a.score), y = scoreOf<T>(b.score);
  if (x != x) return y == y;
  return x > y;
}

uint32_t rowBytes(int32_t rows, uint32_t bytes) { return static_cast<uint32_t>(rows) * rowElements * bytes; }

void checkRepeats(const char* name, int32_t repeats) {
  if (repeats < 0 || repeats > 255)
    trap({Check::RepeatRange, name, text("repeatTime %d is out of range 0..255", repeats), "split the call"});
}

Operand advanced(Operand operand, size_t bytes) {
  operand.address += bytes;
  return operand;
}

// One merge of up to four lists to `out`; fills `taken`.
template <typename T>
void mergeOnce(Pair* out, const Pair* const* lists, const uint16_t* lengths, bool suspends, uint16_t* taken) {
  for (uint32_t i = 0; i < listCount; ++i) taken[i] = 0;
  for (;;) {
    uint32_t best = listCount;
    for (uint32_t i = 0; i < listCount; ++i) {
      if (taken[i] == lengths[i]) continue;
      if (best == listCount || before<T>(lists[i][taken[i]], lists[best][taken[best]])) best = i;
    }
    if (best == listCount) return;
    *out++ = lists[best][taken[best]++];
    if (suspends && taken[best] == lengths[best]) return;
  }
}

// Pairs are written while others are still to be read.
void loseOverlap(const Extent& dst, const Extent& list) {
  if (list.bytes == 0 || !meet(dst, list)) return;
  report({Check::OverlapForbidden, "MrgSort", "dst overlaps a list, which the documentation forbids: pairs get lost",
          "use another tensor for dst"});
  uint8_t* begin = std::max(dst.operand.address, list.operand.address);
  std::memset(begin, garbage, static_cast<size_t>(std::min(dst.end(), list.end()) - begin));
}

}  // namespace

namespace vec {

template <typename T>
void sortRows(Operand dst, Operand scores, Operand indices, int32_t repeats) {
  checkRepeats("Sort32", repeats);
  if (repeats == 0) return;
  const Extent extents[] = {{dst, rowBytes(repeats, pairBytes), writes, "dst"},
                            {scores, rowBytes(repeats, sizeof(T)), reads, "src0"},
                            {indices, rowBytes(repeats, 4), reads, "src1"}};
  issue({"Sort32", Pipe::V, sortCycles * static_cast<uint32_t>(repeats), sortTail}, extents, [&] {
    const auto rowsOf = [](const Operand& operand, uint32_t bytes) {
      return Footprint(operand.address, rowBytes(1, bytes), {{0, rowBytes(1, bytes)}});
    };
    RepeatOrder order;
    if (meet(extents[0], extents[1]) || meet(extents[0], extents[2]))
      order = RepeatOrder("Sort32", static_cast<uint32_t>(repeats), rowsOf(dst, pairBytes),
                          {rowsOf(scores, sizeof(T)), rowsOf(indices, 4)});
    const uint8_t *scoresAt = order.source(scores.address), *indicesAt = order.source(indices.address);
    for (int32_t row = 0; row < repeats; order.end(static_cast<uint32_t>(row++))) {
      Pair pairs[rowElements];
      for (uint32_t i = 0; i < rowElements; ++i) {
        pairs[i] = {0, 0};
        std::memcpy(&pairs[i].score, scoresAt + rowBytes(row, sizeof(T)) + i * sizeof(T), sizeof(T));
        std::memcpy(&pairs[i].index, indicesAt + rowBytes(row, 4) + i * 4, 4);
      }
      std::stable_sort(pairs, pairs + rowElements, before<T>);
      std::memcpy(dst.address + rowBytes(row, pairBytes), pairs, sizeof pairs);
    }
  });
}

template <typename T>
void mergeLists(Operand dst, const Merge& merge) {
  if (merge.validLists != 3 && merge.validLists != 7 && merge.validLists != 15) {
    trap({Check::ParameterRange, "MrgSort", text("validBit is %u", merge.validLists),
          "use 3, 7 or 15: the first two, three or four lists"});
  }
  checkRepeats("MrgSort", merge.repeats);
  if (merge.repeats == 0) return;
  uint16_t lengths[listCount] = {};
  uint32_t total = 0;
  bool repeatable = merge.validLists == 15 && !merge.suspends;
  for (uint32_t i = 0; i < listCount; ++i) {
    if ((merge.validLists >> i & 1) == 0) continue;
    lengths[i] = merge.lengths[i];
    if (lengths[i] > 4095) {
      trap({Check::ParameterRange, "MrgSort", text("list %u has %u elements, more than 4095", i + 1, lengths[i]),
            "merge shorter lists"});
    }
    total += lengths[i];
    repeatable &= lengths[i] == lengths[0] &&
                  merge.lists[i].address == merge.lists[0].address + size_t(i) * lengths[0] * pairBytes;
  }
  // Further repeats are only carried out for four lists of one length, one behind the other.
  auto repeats = static_cast<uint32_t>(repeatable ? merge.repeats : 1);
  Extent extents[listCount + 1] = {{dst, repeats * total * pairBytes, writes, "dst"}};
  for (uint32_t i = 0; i < listCount; ++i) {
    uint32_t bytes = lengths[i] == 0 ? 0 : ((repeats - 1) * total + lengths[i]) * pairBytes;
    extents[i + 1] = {merge.lists[i], bytes, reads, "a list of src", pairBytes};
  }
  issue({"MrgSort", Pipe::V, std::max<uint32_t>(3, repeats * total * sortCycles / rowElements), sortTail}, extents,
        [&] {
          uint16_t taken[listCount] = {};
          for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
            size_t offset = size_t(repeat) * total * pairBytes;
            const Pair* lists[listCount];
            for (uint32_t i = 0; i < listCount; ++i)
              lists[i] = reinterpret_cast<const Pair*>(merge.lists[i].address + offset);
            mergeOnce<T>(reinterpret_cast<Pair*>(dst.address + offset), lists, lengths, merge.suspends, taken);
          }
          markSet(Register::Merged);
          uint64_t merged = 0;
          for (uint32_t i = 0; i < listCount; ++i) merged |= uint64_t(taken[i]) << (16 * i);
          leave(core->registers.merged, merged);
          for (uint32_t i = 0; i < listCount; ++i) loseOverlap(extents[0], extents[i + 1]);
        });
}

// SetSize may have made the tensor shorter than its memory, which is what counts.
uint32_t bytesOfMemory(const Operand& operand, uint32_t ofTensor) {
  if (operand.buffer == 0 || operand.buffer >= core->buffers.size()) return ofTensor;
  const Buffer& buffer = core->buffers[operand.buffer];
  if (operand.address < buffer.base || operand.address >= buffer.base + buffer.bytes) return ofTensor;
  return static_cast<uint32_t>(buffer.base + buffer.bytes - operand.address);
}

// Rows of 32, then merges of four lists at a time; after each round the whole is copied back to the temporary tensor.
template <typename T>
void sortAll(Operand dst, Operand scores, Operand indices, Operand work, uint32_t workBytes, int32_t repeats) {
  checkRepeats("Sort", repeats);
  sortRows<T>(dst, scores, indices, repeats);
  if (repeats == 0) return;
  uint32_t bytes = rowBytes(repeats, pairBytes), elements = rowBytes(repeats, 1);
  workBytes = bytesOfMemory(work, workBytes);
  if (workBytes < bytes)
    reportAsserted("Sort", text("tmp has %u bytes, %u are needed", workBytes, bytes),
                   "take the size from GetSortTmpSize");
  const auto copyBack = [&] {
    pipeBarrierOf(Pipe::V);
    dma::copyLocal(work, dst, 1, bytes, 0, 0);
    pipeBarrierOf(Pipe::V);
  };
  copyBack();
  for (uint32_t length = rowElements; length < elements; length *= listCount) {
    uint32_t group = listCount * length, groups = elements / group;
    auto merge = [&](uint32_t first, uint32_t lists, int32_t times) {
      Merge step{{}, {}, static_cast<uint16_t>((1u << lists) - 1), false, times};
      for (uint32_t i = 0; i < lists; ++i) {
        step.lists[i] = advanced(work, size_t(first + i * length) * pairBytes);
        step.lengths[i] = static_cast<uint16_t>(std::min(length, elements - first - i * length));
      }
      mergeLists<T>(advanced(dst, size_t(first) * pairBytes), step);
    };
    if (groups != 0) merge(0, listCount, static_cast<int32_t>(groups));
    pipeBarrierOf(Pipe::V);
    uint32_t done = groups * group, left = (elements - done + length - 1) / length;
    if (left == 1)
      dma::copyLocal(advanced(dst, size_t(done) * pairBytes), advanced(work, size_t(done) * pairBytes), 1,
                     (elements - done) * pairBytes, 0, 0);
    else if (left > 1) merge(done, left, 1);
    copyBack();
  }
}

template <typename T>
void extractSorted(Operand values, Operand indices, Operand sorted, int32_t repeats) {
  checkRepeats("Extract", repeats);
  auto count = static_cast<uint32_t>(repeats);
  constexpr uint8_t firstOfFour = 3, even = 1, odd = 2;
  gatherMask(values, sorted, {nullptr, sizeof(T) == 2 ? firstOfFour : even, false, 0, count, 1, 8, 0}, sizeof(T));
  pipeBarrierOf(Pipe::V);
  // of halves the library goes through twice as many repeats as there are, for indices behind those that were asked for
  const uint32_t repeatsOfIndices = sizeof(T) == 2 ? 2 * count : count;
  gatherMask(indices, sorted, {nullptr, odd, false, 0, repeatsOfIndices, 1, 8, 0}, sizeof(uint32_t));
}

namespace {

template <typename... T>
constexpr auto sorts(Types<T...>) {
  return std::make_tuple(&sortRows<T>..., &mergeLists<T>..., &sortAll<T>..., &extractSorted<T>...);
}
constexpr auto instantiated = asTuple(sorts(isa::Floating{}));
const OffersOf<instantiated> offered;

}  // namespace
}  // namespace vec
}  // namespace npu_emu
