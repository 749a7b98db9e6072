// Broadcasting, element by element whatever the type.
#include "ascendc/library_broadcast.h"

#include <cstring>
#include <vector>

#include "ascendc/reduce_sizes.h"
#include "library_work.h"

namespace npu_emu::vec {

namespace {

template <typename T>
void fill(uint8_t* row, const uint8_t* element, uint32_t count) {
  T value;
  std::memcpy(&value, element, sizeof value);
  std::fill_n(reinterpret_cast<T*>(row), count, value);
}

void fillRow(uint8_t* row, const uint8_t* element, uint32_t bytes, uint32_t count) {
  (bytes == 1 ? fill<uint8_t> : bytes == 2 ? fill<uint16_t> : fill<uint32_t>)(row, element, count);
}

// Eight copies of a row are one instruction, a block of each in every repeat, as far as blocks are near enough for that.
void addCopiesOfRow(Work& work, uint32_t rows, uint32_t rowBytes) {
  constexpr uint32_t furthest = 255, together = 8;
  const uint32_t blocks = rowBytes / blockBytes, rest = rows % together;
  work.move(blockBytes);
  if (blocks >= furthest) {
    work.together(rows, rowBytes, 0);
    return;
  }
  work.together(rows / together, uint64_t(blocks) * turnsOf(together, blocks) * repeatBytes, 0);
  if (rest != 0) work.beside(uint64_t(blocks) * turnsOf(rest, blocks) * repeatBytes);
}

// Each element becomes a block, which is copied along its row: in rounds of as many rows as the memory holds. Rows of parts of blocks
// are made there, and pushed together.
void addSpreadColumn(Work& work, uint32_t rows, uint32_t rowBytes, uint32_t elementBytes, uint64_t room) {
  const uint32_t perBlock = blockBytes / elementBytes, padded = sizes::roundUp(rowBytes, blockBytes),
                 pieces = ceilDivide(padded, repeatBytes);
  const bool isWhole = padded == rowBytes;
  const uint64_t least = uint64_t(perBlock) * (isWhole ? blockBytes : blockBytes + padded),
                 ofRound = std::max<uint64_t>(1, room / least) * perBlock;
  for (uint64_t left = rows, round; left != 0; left -= round) {
    round = std::min(left, ofRound);
    work.move(round * blockBytes).move(round * repeatBytes, pieces);
    if (!isWhole) work.keeping(round * pieces * repeatBytes);
  }
}

}  // namespace

void broadcast(Operand dst, Operand src, const Temporary& temporary, const MatrixShape& dstShape,
               const MatrixShape& srcShape, uint32_t dims, uint32_t axis, uint32_t elementBytes) {
  const char* name = "Broadcast";
  if (dims == 0 || dims > 2 || axis > 1)
    trap({Check::ParameterRange, name, text("%u dimensions along axis %u", dims, axis), "it takes one or two"});
  sizes::Broadcast shape{dims, {1, 1}, {1, 1}};
  for (uint32_t i = 0; i < dims; ++i) {
    shape.src[i] = srcShape[i];
    shape.dst[i] = dstShape[i];
    if (srcShape[i] == 0 || (srcShape[i] != dstShape[i] && srcShape[i] != 1)) {
      trap({Check::ParameterRange, name,
            text("dimension %u has %u elements in srcShape and %u in dstShape", i, srcShape[i], dstShape[i]),
            "a dimension is kept or grows from 1"});
    }
  }
  requireSize(name, elementBytes, {1, 2, 4});
  requireExtents(name, {shape.dst[0], shape.dst[1], 4});
  const uint32_t rows = dims == 1 ? 1 : shape.dst[0], columns = dims == 1 ? shape.dst[0] : shape.dst[1];
  const uint64_t srcElements = uint64_t(shape.src[0]) * shape.src[1],
                 dstElements = uint64_t(shape.dst[0]) * shape.dst[1];
  const uint32_t computedBytes = elementBytes == 1 ? 2 : elementBytes, rowBytes = columns * computedBytes;
  const bool plain = srcElements == dstElements || srcElements == 1;
  if (!plain && shape.src[axis] != 1) {
    trap({Check::ParameterRange, name, text("the axis is %u, and srcShape grows along the other", axis),
          "name the axis that has 1 element in srcShape"});
  }
  if (!plain && axis == 0 && rowBytes % blockBytes != 0) {
    trap({Check::ParameterRange, name, text("a row of %u elements is no multiple of 32 bytes", columns),
          "pad rows that are broadcast along the first axis"});
  }

  Work work;
  if (elementBytes == 1) work.step(srcElements * 2);
  if (plain && srcElements == 1) work.waitForScalars().waitForScalars();
  if (plain) {
    work.step(dstElements * computedBytes);
  } else if (axis == 0) {
    addCopiesOfRow(work, rows, rowBytes);
  } else {
    const uint64_t copied =
        elementBytes == 1 ? (sizes::roundUp(srcElements, 16) + sizes::roundUp(dstElements, 16)) * 2 : 0;
    addSpreadColumn(work, rows, rowBytes, computedBytes, temporary.bytes - std::min<uint64_t>(temporary.bytes, copied));
  }
  if (elementBytes == 1) work.step(dstElements * 2);
  const sizes::Range range = sizes::broadcast(shape, elementBytes);
  const WorkingMemory working = workingMemory(name, temporary, range.least, range.most, "GetBroadCastMaxMinTmpSize");
  // Bytes are converted first, a scalar is read once, and rows that fit into the temporary memory are all made there.
  const bool isReadFirst =
      elementBytes == 1 || (plain && srcElements == 1) || (!plain && axis == 1 && temporary.bytes >= range.most);
  if (isReadFirst) work.bears("dst", "src", Lies::Anywhere);
  else if (plain || axis == 0) work.bears("dst", "src", Lies::InPlace);
  work.issue(name, working,
             {{dst, clampedBytes(dstElements * elementBytes), writes, "dst"},
              {src, clampedBytes(srcElements * elementBytes), reads, "src"}},
             [&] {
               if (srcElements == dstElements) {
                 std::memmove(dst.address, src.address, dstElements * elementBytes);
               } else if (srcElements == 1) {
                 fillRow(dst.address, src.address, elementBytes, static_cast<uint32_t>(dstElements));
               } else {
                 const size_t bytes = size_t(columns) * elementBytes;
                 const std::vector<uint8_t> in(src.address, src.address + srcElements * elementBytes);
                 // rows of padded blocks are pushed together by GatherMask
                 if (axis == 1 && rowBytes % blockBytes != 0) markLost(Register::Kept);
                 for (uint32_t row = 0; row < rows; ++row) {
                   if (axis == 0) std::memcpy(dst.address + row * bytes, in.data(), bytes);
                   else
                     fillRow(dst.address + row * bytes, in.data() + size_t(row) * elementBytes, elementBytes, columns);
                 }
               }
             });
}

}  // namespace npu_emu::vec
