// Transpositions of 16 x 16 elements and what the library builds from them. Only bytes are moved.
#include <cstring>

#include "walk.h"

namespace npu_emu {

namespace {

constexpr uint32_t rows = 16, squareBytes = rows * rows * 2, transposeTail = 25;
constexpr uint32_t cyclesPerSquare = 2;  // 512 bytes

Operand operandAt(uint64_t address) { return {reinterpret_cast<uint8_t*>(address), 0, TPosition::VECCALC}; }

// Source and destination blocks of one repeat as a matrix of elements: dst element (i, j) is src element (j, i).
template <typename T>
void transposeRepeat(uint8_t* const* dst, const uint8_t* const* src, bool dstHigh, bool srcHigh) {
  constexpr uint32_t columns = sizeof(T) == 4 ? 8 : 16;
  T image[columns][rows];
  for (uint32_t row = 0; row < rows; ++row) {
    const T* in = reinterpret_cast<const T*>(src[row]) + (sizeof(T) == 1 && srcHigh ? 16 : 0);
    for (uint32_t column = 0; column < columns; ++column) image[column][row] = in[column];
  }
  if constexpr (sizeof(T) == 4) {
    // A column of sixteen words fills two blocks.
    for (uint32_t block = 0; block < rows; ++block)
      std::memcpy(dst[block], &image[block / 2][block % 2 * 8], blockBytes);
  } else {
    uint32_t half = sizeof(T) == 1 && dstHigh ? 16 : 0;
    for (uint32_t block = 0; block < rows; ++block) std::memcpy(dst[block] + half, image[block], rows * sizeof(T));
  }
}

// The smallest range that holds all blocks of one side: what the clock sees.
OldExtent hullOf(const uint64_t* addresses, uint32_t bytes, bool write) {
  uint64_t low = addresses[0], high = addresses[0];
  for (uint32_t i = 1; i < rows; ++i) {
    low = std::min(low, addresses[i]);
    high = std::max(high, addresses[i]);
  }
  return {operandAt(low), static_cast<uint32_t>(high - low + bytes), write, blockBytes, ""};
}

// Checks the sixteen ranges of one side; returns the first address that each repeat counts from.
void checkSide(const uint64_t* addresses, uint32_t repeats, uint32_t stride, bool write, uint64_t (&starts)[rows]) {
  uint32_t skipped = repeats == 1 ? stride * blockBytes : 0;  // a single repeat starts one stride on
  for (uint32_t i = 0; i < rows; ++i) {
    starts[i] = addresses[i] + skipped;
    checkLocal("TransDataTo5HD",
               {operandAt(starts[i]), (repeats - 1) * stride * blockBytes + blockBytes, write, blockBytes,
                write ? "a tensor of dstList" : "a tensor of srcList"},
               Memory::UB);
  }
}

void checkRange(const char* what, uint32_t value, uint32_t limit) {
  if (value > limit)
    trap({Check::ParameterRange, "Transpose", text("%s is %u, more than %u", what, value, limit),
          "transpose the image in parts"});
}

// dst[j][i] = src[i][j] for elements of any size.
template <typename T>
void transposeMatrix(uint8_t* dst, const uint8_t* src, uint32_t height, uint32_t width) {
  for (uint32_t i = 0; i < height; ++i)
    for (uint32_t j = 0; j < width; ++j)
      reinterpret_cast<T*>(dst)[size_t(j) * height + i] = reinterpret_cast<const T*>(src)[size_t(i) * width + j];
}

}  // namespace

namespace vec {

void transposeBlocks(const uint64_t* dst, const uint64_t* src, const Transposition& how, uint32_t elementBytes) {
  if (how.repeats == 0) return;
  uint64_t to[rows], from[rows];
  checkSide(dst, how.repeats, how.dstStride, true, to);
  checkSide(src, how.repeats, how.srcStride, false, from);
  recordScalar(4);  // the address registers
  OldExtent extents[] = {hullOf(to, (how.repeats - 1u) * how.dstStride * blockBytes + blockBytes, true),
                      hullOf(from, (how.repeats - 1u) * how.srcStride * blockBytes + blockBytes, false)};
  recordVector(std::max<uint32_t>(3, cyclesPerSquare * how.repeats), transposeTail, extents, 2);
  auto rule = elementBytes == 1   ? transposeRepeat<uint8_t>
              : elementBytes == 2 ? transposeRepeat<uint16_t>
                                  : transposeRepeat<uint32_t>;
  for (uint32_t repeat = 0; repeat < how.repeats; ++repeat) {
    uint8_t* out[rows];
    const uint8_t* in[rows];
    for (uint32_t i = 0; i < rows; ++i) {
      out[i] = operandAt(to[i]).address + size_t(repeat) * how.dstStride * blockBytes;
      in[i] = operandAt(from[i]).address + size_t(repeat) * how.srcStride * blockBytes;
    }
    rule(out, in, how.dstHighHalf, how.srcHighHalf);
  }
}

void transposeBlocks(Operand dst, Operand src, const Transposition& how, uint32_t elementBytes) {
  constexpr uint32_t listBytes = rows * sizeof(uint64_t);
  checkLocal("TransDataTo5HD", {dst, listBytes, false, blockBytes, "dst"}, Memory::UB);
  checkLocal("TransDataTo5HD", {src, listBytes, false, blockBytes, "src"}, Memory::UB);
  recordOrder(Pipe::S, Pipe::V);
  transposeBlocks(reinterpret_cast<const uint64_t*>(dst.address), reinterpret_cast<const uint64_t*>(src.address), how,
                  elementBytes);
}

void setAddressRegister(uint32_t index, const uint64_t* addresses) {
  for (size_t i = 0; i < 8; ++i) core->registers.addresses[index % 8][i] = addresses[i];
  recordScalar(1);
}

// An operand of sixteen addresses is a pair of registers.
void transposeRegisters(uint32_t dst, uint32_t src, const Transposition& how, uint32_t elementBytes) {
  uint64_t to[rows], from[rows];
  for (uint32_t i = 0; i < rows; ++i) {
    to[i] = core->registers.addresses[(dst + i / 8) % 8][i % 8];
    from[i] = core->registers.addresses[(src + i / 8) % 8][i % 8];
  }
  transposeBlocks(to, from, how, elementBytes);
}

void transposeSquare(Operand dst, Operand src) {
  OldExtent extents[] = {{dst, squareBytes, true, blockBytes, "dst"}, {src, squareBytes, false, blockBytes, "src"}};
  for (const OldExtent& extent : extents) checkLocal("Transpose", extent, Memory::UB);
  recordVector(3, transposeTail, extents, 2);
  uint8_t image[squareBytes];
  std::memcpy(image, src.address, squareBytes);
  transposeMatrix<uint16_t>(dst.address, image, rows, rows);
}

void transposeImage(Operand dst, Operand src, Operand work, uint32_t workBytes, uint32_t n, uint32_t c, uint32_t image,
                    bool channelsLast, uint32_t elementBytes) {
  if (n == 0 || c == 0 || image == 0) return;
  checkRange("cSize", c, 4095);
  checkRange("hSize * wSize", image, 4095);
  if (image * elementBytes % blockBytes != 0) {
    trap({Check::ParameterRange, "Transpose", text("hSize * wSize of %u elements is no multiple of 32 bytes", image),
          "pad the image to whole blocks"});
  }
  uint32_t square = (elementBytes == 1 ? 32 : 16) * blockBytes;
  uint32_t needed = c == 1 ? 0 : (channelsLast ? c * 2 + 1 : c + 2) * square;
  if (workBytes < needed) {
    trap({Check::BufferSize, "Transpose", text("sharedTmpBuffer has %u bytes, %u are needed", workBytes, needed),
          "see the formula of sharedTmpBuffer of Transpose"});
  }
  uint32_t planes = c * image * elementBytes;
  OldExtent extents[] = {{dst, n * planes, true, blockBytes, "dst"},
                      {src, n * planes, false, blockBytes, "src"},
                      {work, needed, true, blockBytes, "sharedTmpBuffer"}};
  for (const OldExtent& extent : extents) checkLocal("Transpose", extent, Memory::UB);
  // The library goes through the temporary tensor: two transpositions and two copies of every square.
  uint32_t squares = (n * planes + 511) / 512;
  recordScalar(20 * ((squares + 7) / 8));
  recordVector(4 * cyclesPerSquare * squares, transposeTail, extents, 3);
  auto rule = elementBytes == 1   ? transposeMatrix<uint8_t>
              : elementBytes == 2 ? transposeMatrix<uint16_t>
                                  : transposeMatrix<uint32_t>;
  uint32_t height = channelsLast ? image : c, width = channelsLast ? c : image;
  for (uint32_t i = 0; i < n; ++i)
    rule(dst.address + size_t(i) * planes, src.address + size_t(i) * planes, height, width);
}

}  // namespace vec
}  // namespace npu_emu
