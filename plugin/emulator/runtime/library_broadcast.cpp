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
  if (elementBytes == 1) work.step(srcElements * 2).step(dstElements * 2);
  if (plain) {
    work.step(dstElements * computedBytes);
  } else if (axis == 0) {
    work.step(blockBytes).step(uint64_t(rows) * rowBytes);
  } else {
    const uint64_t padded = sizes::roundUp(rowBytes, blockBytes);
    work.step(uint64_t(rows) * blockBytes).step(rows * sizes::roundUp(static_cast<uint32_t>(padded), repeatBytes));
    if (padded != rowBytes) work.step(rows * sizes::roundUp(static_cast<uint32_t>(padded), repeatBytes), keepCycles);
  }
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
