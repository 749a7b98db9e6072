// What paddings and transpositions take: the instructions that the library is made of, which go square by square through memory
// they work in. Each of them waits for the one before.
#pragma once

#include <algorithm>

#include "ascendc/rearrangement_tiling.h"
#include "library_work.h"

namespace npu_emu::rearrange_work {

constexpr uint32_t side = sizes::cubeSide;

// A square of elements of four bytes takes two instructions.
inline uint32_t instructionsOfSquare(uint32_t elementBytes) { return elementBytes == 4 ? 2 : 1; }

// An address of a list that is written down in a loop of its own: what a kernel pays that has such a loop.
constexpr uint64_t cyclesOfAddress = 7;

// Columns of squares change places with heads: as many squares at a time as the memory holds, into it and out of it.
inline Work ofExchange(uint32_t columns, uint32_t squares, uint32_t squaresAtATime, uint32_t elementBytes) {
  const uint32_t times = columns * instructionsOfSquare(elementBytes) * 2;
  Work work;
  work.listedTransposition(squaresAtATime, times * (squares / squaresAtATime), cyclesOfAddress);
  if (squares % squaresAtATime != 0) work.listedTransposition(squares % squaresAtATime, times, cyclesOfAddress);
  return work;
}

// The last axis of `heads` parts is split or merged: rows of the transposed squares of one layout are collected, as far as they
// belong together, to squares of the other.
inline Work ofRegrouping(uint32_t rowsOfSquares, uint32_t heads, uint32_t part, uint32_t elementBytes, bool splits) {
  const uint32_t all = heads * part, times = rowsOfSquares * instructionsOfSquare(elementBytes);
  Work work;
  for (uint32_t at = 0, end; at < all; at = end) {
    const uint32_t inHead = at % part, endOfMerged = std::min(all, (at / side + 1) * side),
                   endOfSplit = at - inHead + std::min(part, (inHead / side + 1) * side);
    end = std::min(endOfMerged, endOfSplit);
    if ((splits ? at : inHead) % side == 0) work.listedTransposition(1, times, cyclesOfAddress);
    work.move(uint64_t(end - at) * side * elementBytes, rowsOfSquares);
    if (end == (splits ? endOfSplit : endOfMerged)) work.listedTransposition(1, times, cyclesOfAddress);
  }
  return work;
}

// Images whose channels become the last axis, or no longer are that: blocks are spread, each element into a block of its own, and
// these are collected one by one to squares: meanwhile the scalar unit writes down where the next square is.
inline Work ofImages(uint32_t images, uint32_t channels, uint32_t pixels, bool channelsLast, uint32_t elementBytes) {
  const uint32_t rows = elementBytes == 1 ? 2 * side : side, instructions = elementBytes == 1 ? 4 : 1;
  const uint32_t elements = images * channels * pixels, blocks = elements * elementBytes / blockBytes,
                 blocksAtATime = channelsLast ? 1 : channels;
  const uint32_t squares =
      images * (channelsLast ? channels * ceilDivide(pixels, rows) : ceilDivide(channels * pixels, rows));
  const uint32_t squaresAtATime = channelsLast ? channels : 1;
  return Work()
      .transposition(blocksAtATime, blocks / blocksAtATime * instructions)
      .move(blockBytes, elements)
      .transposition(1, squares * instructions)
      .move(uint64_t(squaresAtATime) * repeatBytes, squares / squaresAtATime);
}

// Rows that are no whole blocks: each element becomes a block, blocks and paddings are collected to squares, and of these the first
// rows are what is left. `squares`: that the memory holds.
inline Work ofPadding(uint32_t height, uint32_t width, uint32_t left, uint32_t right, uint32_t squares) {
  const uint64_t elements = uint64_t(height) * width, room = uint64_t(squares) * side;
  const uint64_t row = uint64_t(width) + left + right;
  Work work;
  uint64_t taken = 0, spread = 0;
  for (uint32_t i = 0; i < height; ++i) {
    for (uint64_t at = 0; at < row; at += room) {
      const bool isFirst = at == 0, isLast = at + room >= row;
      const uint64_t all = std::min(room, row - at);
      if (isFirst && left != 0) work.beside(uint64_t(left) * repeatBytes, moveCost.tail);
      if (isLast && right != 0) work.beside(uint64_t(right) * repeatBytes, moveCost.tail);
      for (uint64_t needed = all - (isFirst ? left : 0) - (isLast ? right : 0), part; needed != 0; needed -= part) {
        if (taken == spread) {
          const uint64_t more = std::min(room, elements - spread);
          work.move(more * blockBytes);
          spread += more;
        }
        part = std::min(needed, spread - taken);
        work.move(part * blockBytes);
        taken += part;
      }
      work.transposition(squares).move(all / side * repeatBytes);
      if (all % side != 0) work.beside(blockBytes, moveCost.tail);
    }
  }
  return work;
}

}  // namespace npu_emu::rearrange_work
