// What reductions along one axis take: the instructions that the library is made of, by the way it chooses for the shape. Where a
// barrier follows an instruction in its loop over rows, each row waits for the one before.
#pragma once

#include <algorithm>

#include "ascendc/library_reduce.h"
#include "ascendc/reduce_sizes.h"
#include "library_work.h"

namespace npu_emu::reduce_work {

// Where the rows lie, and what is worked in: the same place where the source is used up.
struct Places {
  uintptr_t src, work;
};

// Repeats of one instruction, at most.
constexpr uint32_t mostRepeats = 255;
constexpr uint32_t blocksOfRepeat = repeatBytes / blockBytes;

// Calls f with what each instruction takes where one takes so many at most.
template <typename F>
void inParts(uint32_t all, uint32_t most, const F& f) {
  for (uint32_t left = all; left != 0; left -= std::min(left, most)) f(std::min(left, most));
}

inline uint32_t cyclesOfBlocks(uint32_t elementBytes) {
  return static_cast<uint32_t>(elementBytes == 2 ? blockCost.c16 : blockCost.c32);
}

inline uint64_t bytesOfRepeats(uint32_t repeats) { return uint64_t(repeats) * repeatBytes; }

// Extremes of rows that fill no more than a block each: eight of them a repeat, those of the last one apart.
inline void addExtremesOfBlocks(Work& work, uint32_t rows, uint32_t elementBytes) {
  const bool hasTail = rows > blocksOfRepeat && rows % blocksOfRepeat != 0;
  inParts(ceilDivide(rows, blocksOfRepeat) - (hasTail ? 1 : 0), mostRepeats,
          [&](uint32_t repeats) { work.reduction(bytesOfRepeats(repeats), cyclesOfBlocks(elementBytes)); });
  if (hasTail) work.reduction(repeatBytes, cyclesOfBlocks(elementBytes));
}

// The last repeat or block of each row, which it fills in part: a repeat a row.
inline void addTails(Work& work, uint32_t rows) {
  inParts(rows, mostRepeats, [&](uint32_t repeats) { work.step(bytesOfRepeats(repeats)); });
}

inline Work ofExtremes(const vec::Folding& f, const Places& at, uint32_t padded, uint32_t elementBytes) {
  const uint32_t perBlock = blockBytes / elementBytes, perRepeat = repeatBytes / elementBytes, rows = f.first;
  const uint64_t blocks = uint64_t(rows) * blockBytes, rowBytes = uint64_t(padded) * elementBytes;
  Work work;
  if (f.last < perBlock) {
    addExtremesOfBlocks(work, rows, elementBytes);
    return work;
  }
  if (f.last < perRepeat) {
    if (f.last > perBlock) {
      if (!f.reusesSource) work.step(blocks);
      const uint64_t repeats = rows / blocksOfRepeat, apart = rowBytes * blocksOfRepeat;
      for (uint32_t block = 1; block < f.last / perBlock; ++block)
        work.step(blocks, {at.work, repeats, f.reusesSource ? apart : repeatBytes},
                  {at.src + uint64_t(block) * blockBytes, repeats, apart});
      if (f.last % perBlock != 0) addTails(work, rows);
    }
    return work.reduction(blocks, cyclesOfBlocks(elementBytes));
  }
  if (f.last <= mostRepeats * perBlock) {
    if (!f.reusesSource) work.step(bytesOfRepeats(rows));
    for (uint32_t repeat = 1; repeat < f.last / perRepeat; ++repeat)
      work.step(bytesOfRepeats(rows), {at.work, rows, f.reusesSource ? rowBytes : repeatBytes},
                {at.src + bytesOfRepeats(repeat), rows, rowBytes});
    if (f.last % perRepeat != 0) addTails(work, rows);
  } else {
    // rows are too far apart for one instruction: one for each row and repeat
    work.step(repeatBytes, 1, rows * (ceilDivide(f.last, perRepeat) - (f.reusesSource ? 1 : 0)));
  }
  if (elementBytes == 2) {
    inParts(rows, mostRepeats, [&](uint32_t repeats) { work.reduction(bytesOfRepeats(repeats), wholeCycles); });
    return work;
  }
  return work.reduction(bytesOfRepeats(rows), cyclesOfBlocks(elementBytes))
      .reduction(blocks, cyclesOfBlocks(elementBytes));
}

// Rows of more than a repeat: their tails are added to the front, whose halves follow, then blocks and results.
inline void addLongSums(Work& work, const vec::Folding& f, const Places& at, uint32_t rows, uint32_t padded) {
  constexpr uint32_t perRepeat = repeatBytes / sizeof(float), bytes = sizeof(float);
  const uint32_t power = sizes::powerBelow(f.last), front = power == f.last ? power / 2 : power,
                 tail = power == f.last ? padded - front : f.last - power, parts = ceilDivide(tail, perRepeat);
  const uint64_t fronts = uint64_t(rows) * front * bytes;
  if (!f.reusesSource) work.step(fronts);
  const uint64_t rowBytes = uint64_t(padded) * bytes, ownBytes = f.reusesSource ? rowBytes : uint64_t(front) * bytes;
  const uintptr_t tails = at.src + uint64_t(front) * bytes;
  const uint64_t tailBytes = uint64_t(tail) * bytes, repeatsOfTail = tailBytes / repeatBytes;
  if (parts < rows && front * bytes / blockBytes <= mostRepeats)
    work.together(parts, bytesOfRepeats(rows), {at.work, rows, ownBytes}, {tails, rows, rowBytes});
  else work.together(rows, tailBytes, {at.work, repeatsOfTail, repeatBytes}, {tails, repeatsOfTail, repeatBytes});
  if (f.reusesSource) work.step(fronts);
  for (uint32_t left = front; left > perRepeat; left /= 2) work.step(uint64_t(rows) * left * bytes);
  work.reduction(bytesOfRepeats(rows)).reduction(uint64_t(rows) * blockBytes);
}

inline Work ofSums(const vec::Folding& f, const Places& at, uint32_t padded) {
  constexpr uint32_t perBlock = blockBytes / sizeof(float), perRepeat = repeatBytes / sizeof(float), mostRows = 248;
  Work work;
  if (f.last <= perBlock) {
    inParts(f.first / blocksOfRepeat, mostRepeats, [&](uint32_t repeats) { work.reduction(bytesOfRepeats(repeats)); });
    if (f.first % blocksOfRepeat != 0) work.reduction(repeatBytes);
  } else if (f.last <= perRepeat) {
    work.reduction(bytesOfRepeats(f.first), wholeCycles);
  } else {
    inParts(f.first, mostRows, [&](uint32_t rows) { addLongSums(work, f, at, rows, padded); });
  }
  return work;
}

// Row by row: halves down to a block, whose elements become blocks of their own, and halves of these.
inline Work ofProducts(const vec::Folding& f) {
  constexpr uint32_t perBlock = blockBytes / sizeof(float), bytes = sizeof(float);
  const uint32_t power = sizes::powerBelow(f.last), tail = f.last - power;
  Work work;
  if (f.last >= perBlock && tail != 0) {
    if (!f.reusesSource) work.step(power * bytes, 1, f.first);
    work.step(tail * bytes, 1, f.first);
  } else if (!f.reusesSource && power <= perBlock) {
    work.step(f.last * bytes, 1, f.first);
  }
  for (uint32_t half = power / 2; half >= perBlock; half /= 2) work.step(half * bytes, 1, f.first);
  work.step(repeatBytes, 1, f.first);
  if (f.last < perBlock && tail != 0) work.step(tail * blockBytes, 1, f.first);
  for (uint32_t half = std::min(power, perBlock) / 2; half != 0; half /= 2) work.step(half * blockBytes, 1, f.first);
  return work.step(blockBytes, 1, f.first).step(repeatBytes).keeping(bytesOfRepeats(f.first));
}

// Bytes are taken as float16, row by row: halves down to a block, which is put beside those of the other rows.
inline Work ofBytes(const vec::Folding& f, uint32_t padded) {
  constexpr uint32_t perBlock = blockBytes / 2;
  const uint32_t power = f.last < blockBytes ? 0 : sizes::powerBelow(f.last), tail = f.last - power;
  Work work;
  work.step(padded * 2ull, 1, f.first);
  if (power != 0 && tail != 0) work.step(tail * 2ull, 1, f.first);
  for (uint32_t half = power / 2; half >= perBlock; half /= 2) work.step(half * 2ull, 1, f.first);
  work.step(blockBytes, 1, f.first);
  inParts(f.first / blocksOfRepeat, mostRepeats,
          [&](uint32_t repeats) { work.reduction(bytesOfRepeats(repeats), cyclesOfBlocks(2)); });
  if (f.first % blocksOfRepeat != 0) work.reduction(repeatBytes, cyclesOfBlocks(2));
  return work.step(f.first * 2ull);
}

// All columns at once: what lies behind a power of two is folded onto the front, then the rear half onto the front half.
inline Work alongFirst(const vec::Folding& f, const Places& at, uint32_t padded, uint32_t elementBytes) {
  const uint64_t rowBytes = uint64_t(padded) * elementBytes;
  const uint32_t power = sizes::powerBelow(f.first), tail = f.first - power;
  Work work;
  const auto fold = [&](uintptr_t front, uintptr_t rear, uint64_t bytes) {
    work.step(bytes, {front, bytes / repeatBytes, repeatBytes}, {rear, bytes / repeatBytes, repeatBytes});
  };
  if (tail != 0) {
    if (!f.reusesSource) work.step(power * rowBytes);
    fold(at.work, at.src + power * rowBytes, tail * rowBytes);
  }
  for (uint64_t half = power / 2; half != 0; half /= 2) {
    const uintptr_t front = tail == 0 && half == power / 2 ? at.src : at.work;
    fold(front, front + half * rowBytes, half * rowBytes);
  }
  return work.step(uint64_t(f.last) * elementBytes);
}

inline Work of(const vec::Folding& f, const Places& at, uint32_t padded, uint32_t elementBytes) {
  const bool adds = f.fold == vec::Fold::Sum || f.fold == vec::Fold::Mean;
  Work work = !f.alongLast                   ? alongFirst(f, at, padded, elementBytes)
              : f.fold == vec::Fold::Product ? ofProducts(f)
              : elementBytes == 1            ? ofBytes(f, padded)
              : adds                         ? ofSums(f, at, padded)
                                             : ofExtremes(f, at, padded, elementBytes);
  if (f.fold == vec::Fold::Mean) work.step(uint64_t(f.alongLast ? f.first : f.last) * elementBytes);
  return work;
}

// The sums of repeats, then those of these, until one is left. Rows of one repeat do not wait for each other; those of more share
// what they work in, and each level waits.
inline Work ofRows(const vec::RowSums& sums, uint32_t elementBytes) {
  const uint32_t reducedBytes = sums.widened ? 4 : elementBytes, perRepeat = repeatBytes / reducedBytes;
  Work work;
  if (sums.widened) work.step(uint64_t(sums.elements) * reducedBytes, 1, sums.rows);
  else if (sums.elements <= perRepeat) {
    work.reductionsTogether(uint64_t(sums.elements) * reducedBytes, wholeCycles, sums.rows);
    return sums.mean ? work.step(uint64_t(sums.rows) * elementBytes) : work;
  }
  for (uint32_t left = sums.elements;;) {
    work.reduction(uint64_t(left) * reducedBytes, wholeCycles, sums.rows);
    left = ceilDivide(left, perRepeat);
    if (left == 1) break;
  }
  if (sums.widened) return work.step(reducedBytes, 1, 2 * sums.rows).reduction(elementBytes, wholeCycles, sums.rows);
  return sums.mean ? work.step(uint64_t(sums.rows) * elementBytes) : work;
}

}  // namespace npu_emu::reduce_work
