// The cube core: GM -> L1 (ND to NZ), and L1 -> L0 by 512-byte fractals.
#include "cube.h"

namespace npu_emu::cube {

void loadNd2Nz(Operand dst, GmAddress src, const AscendC::Nd2NzParams& p, uint32_t elementBytes) {
  const char* name = "DataCopy";
  requireRange(name, "nValue", p.nValue, 0, 16384);
  requireRange(name, "dValue", p.dValue, 0, 65535);
  requireRange(name, "ndNum", p.ndNum, 0, 4095);
  if (p.ndNum == 0 || p.nValue == 0 || p.dValue == 0) return;
  requireRange(name, "srcDValue", p.srcDValue, 1, 65535);
  requireRange(name, "dstNzC0Stride", p.dstNzC0Stride, 1, 16384);
  requireRange(name, "dstNzNStride", p.dstNzNStride, 1, 16384);
  uint32_t groupElements = blockBytes / elementBytes, groups = ceilDivide(p.dValue, groupElements);
  uint64_t matrix = (uint64_t(groups - 1) * p.dstNzC0Stride + uint64_t(p.nValue - 1u) * p.dstNzNStride + 1) * blockBytes;
  uint64_t span = uint64_t(p.ndNum - 1u) * p.dstNzMatrixStride * elementBytes + matrix;
  Reach touched = clipped(span);
  if (p.ndNum == 1 && p.dstNzNStride == 1) touched.runs = {p.nValue * blockBytes, groups, p.dstNzC0Stride * blockBytes, 1, 0, 0};
  checkLocal(name, {dst, touched, true, blockBytes, "dst"}, Memory::L1);
  for (uint32_t nd = 0; nd < p.ndNum; ++nd) {
    for (uint32_t row = 0; row < p.nValue; ++row) {
      const uint8_t* from = src + (uint64_t(nd) * p.srcNdMatrixStride + uint64_t(row) * p.srcDValue) * elementBytes;
      checkGm(name, from, uint64_t(p.dValue) * elementBytes, false);
      uint8_t* to = dst.address + uint64_t(nd) * p.dstNzMatrixStride * elementBytes + uint64_t(row) * p.dstNzNStride * blockBytes;
      const uint64_t step = uint64_t(p.dstNzC0Stride) * blockBytes;
      uint32_t rest = p.dValue * elementBytes;
      for (; rest >= blockBytes; rest -= blockBytes, to += step, from += blockBytes) std::memcpy(to, from, blockBytes);
      if (rest != 0) {
        std::memcpy(to, from, rest);
        std::memset(to + rest, 0, blockBytes - rest);
      }
    }
  }
  constexpr uint32_t convertCycles = 700;  // what the change of layout costs beyond a plain copy, per command
  record({TraceEntry::Read, Pipe::MTE2, false, 8, 0, convertCycles, 0, static_cast<uint32_t>(uint64_t(p.ndNum) * p.nValue * p.dValue * elementBytes)});
}

namespace {

Memory destinationOf(const char* name, const Operand& dst) {
  const Memory memory = memoryHolding(dst);
  if (memory != Memory::L0A && memory != Memory::L0B)
    trap({"ErrorBuffer3", name, text("dst is in %s; data is loaded to L0A or L0B", nameOf(memory)), "use a buffer at TPosition::A2 or TPosition::B2"});
  return memory;
}

uint32_t loadCycles(Memory memory, uint32_t bytes) { return 2 + bytes / (memory == Memory::L0A ? 256 : 128); }

}  // namespace

void loadData(Operand dst, Operand src, const AscendC::LoadData2DParams& p, uint32_t elementBytes) {
  const char* name = "LoadData";
  if (p.repeatTimes == 0) return;
  if (p.ifTranspose && elementBytes != 2) trap({"ParameterRange", name, "ifTranspose works on 16-bit elements only", "use LoadDataWithTranspose"});
  Memory memory = destinationOf(name, dst);
  uint32_t repeats = p.repeatTimes;
  uint64_t srcSpan = (uint64_t(p.startIndex) + uint64_t(repeats - 1) * p.srcStride + 1) * fractalBytes;
  uint64_t dstSpan = (uint64_t(repeats - 1) * (p.dstGap + 1u) + 1) * fractalBytes;
  if (p.addrMode != 0) srcSpan = (uint64_t(p.startIndex) + 1) * fractalBytes;
  checkLocal(name, {dst, Reach(clipped(dstSpan), {fractalBytes, repeats, (p.dstGap + 1u) * fractalBytes, 1, 0, 0}), true, fractalBytes, "dst"}, memory);
  checkLocal(name, {src, clipped(srcSpan), false, blockBytes, "src"}, Memory::L1);
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    int64_t index = p.addrMode == 0 ? int64_t(p.startIndex) + int64_t(repeat) * p.srcStride : int64_t(p.startIndex) - int64_t(repeat) * p.srcStride;
    if (index < 0) trap({"ErrorRead3", name, "addrMode 1 counts below the start of src", "raise startIndex"});
    const uint8_t* from = src.address + index * fractalBytes;
    uint8_t* to = dst.address + uint64_t(repeat) * (p.dstGap + 1u) * fractalBytes;
    if (!p.ifTranspose) {
      std::memcpy(to, from, fractalBytes);
      continue;
    }
    const auto* in = reinterpret_cast<const uint16_t*>(from);
    auto* out = reinterpret_cast<uint16_t*>(to);
    for (uint32_t i = 0; i < fractalSide; i += 8)
      for (uint32_t j = 0; j < fractalSide; j += 8) turnSquare<Halves8>(out + j * fractalSide + i, fractalSide, in + i * fractalSide + j, fractalSide);
  }
  recordCube(Pipe::MTE1, loadCycles(memory, repeats * fractalBytes), 20);
}

// Squares of one 16-bit fractal, of two 8-bit ones above each other, or of two 32-bit ones side by side; each is transposed and
// falls into as many fractals.
void loadDataTranspose(Operand dst, Operand src, const AscendC::LoadData2dTransposeParams& p, uint32_t elementBytes) {
  const char* name = "LoadDataWithTranspose";
  if (p.repeatTimes == 0) return;
  Memory memory = destinationOf(name, dst);
  const uint32_t side = elementBytes == 1 ? 32 : 16, width = blockBytes / elementBytes, parts = elementBytes == 2 ? 1 : 2;
  const uint32_t squareBytes = side * side * elementBytes, repeats = p.repeatTimes;
  uint64_t srcSpan = (p.addrMode != 0 ? uint64_t(p.startIndex) + 1 : uint64_t(p.startIndex) + uint64_t(repeats - 1) * p.srcStride + 1) * squareBytes;
  const uint64_t step = (p.dstGap + 1u) * uint64_t(fractalBytes), partStep = (p.dstFracGap + 1u) * uint64_t(fractalBytes);
  uint64_t dstSpan = (repeats - 1) * step + (parts - 1) * partStep + fractalBytes;
  Reach reach = parts == 1 ? Reach(clipped(dstSpan), {fractalBytes, repeats, clipped(step), 1, 0, 0})
                           : Reach(clipped(dstSpan), {fractalBytes, repeats, clipped(step), parts, clipped(partStep), 0});
  checkLocal(name, {dst, reach, true, fractalBytes, "dst"}, memory);
  checkLocal(name, {src, clipped(srcSpan), false, blockBytes, "src"}, Memory::L1);
  std::vector<uint8_t> square(squareBytes);
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    int64_t index = p.addrMode == 0 ? int64_t(p.startIndex) + int64_t(repeat) * p.srcStride : int64_t(p.startIndex) - int64_t(repeat) * p.srcStride;
    if (index < 0) trap({"ErrorRead3", name, "addrMode 1 counts below the start of src", "raise startIndex"});
    std::memcpy(square.data(), src.address + index * squareBytes, squareBytes);
    auto place = [&](uint32_t row, uint32_t column) { return ((column / width) * 16 * width + row * width + column % width) * elementBytes; };
    for (uint32_t row = 0; row < side; ++row) {
      for (uint32_t column = 0; column < side; ++column) {
        // 8-bit fractals lie above each other: rows of a fractal go on in the next one
        uint32_t from = elementBytes == 1 ? (column * side + row) : place(column, row);
        uint32_t part = elementBytes == 1 ? row / 16 : column / width;
        uint32_t to = elementBytes == 1 ? row % 16 * width + column : (row * width + column % width) * elementBytes;
        std::memcpy(dst.address + repeat * step + part * partStep + to, square.data() + from, elementBytes);
      }
    }
  }
  recordCube(Pipe::MTE1, loadCycles(memory, repeats * squareBytes), 20);
}

void fill(Operand dst, uint32_t repeats, uint32_t blocks, uint32_t gap, uint64_t bits, uint32_t elementBytes) {
  const char* name = "Fill";
  requireRange(name, "repeatTimes", repeats, 0, 32767);
  requireRange(name, "blockNum", blocks, 0, 32767);
  requireRange(name, "dstGap", gap, 0, 32767);
  if (repeats == 0 || blocks == 0) return;
  const Memory memory = memoryHolding(dst);
  if (memory != Memory::L1 && memory != Memory::L0A && memory != Memory::L0B)
    trap({"ErrorBuffer3", name, text("dst is in %s; L1, L0A and L0B can be filled", nameOf(memory)), "use Duplicate for UB"});
  const uint32_t unit = memory == Memory::L1 ? blockBytes : fractalBytes;
  const uint64_t stride = uint64_t(blocks + gap) * unit, run = uint64_t(blocks) * unit;
  checkLocal(name, {dst, Reach(clipped((repeats - 1) * stride + run), {clipped(run), repeats, clipped(stride), 1, 0, 0}), true, static_cast<uint16_t>(unit), "dst"}, memory);
  for (uint32_t repeat = 0; repeat < repeats; ++repeat)
    for (uint64_t at = 0; at < run; at += elementBytes) std::memcpy(dst.address + repeat * stride + at, &bits, elementBytes);
  recordCube(memory == Memory::L1 ? Pipe::MTE2 : Pipe::MTE1, 8 + clipped(repeats * run / 256), 20);
}

void copyLocal(Operand dst, Operand src, const AscendC::DataCopyParams& p) {
  const Memory memory = memoryHolding(dst);
  // lengths count in blocks of the memory they go to
  uint32_t unit = memory == Memory::BT ? 2 : memory == Memory::FB ? 4 : 1;
  if (memory == Memory::FB && p.blockCount > 1) trap({"Unsupported", "DataCopy", "only one block at a time is copied to FB so far", "copy the blocks one by one"});
  dma::copyLocal(dst, src, p.blockCount, p.blockLen * blockBytes * unit, p.srcStride, p.dstStride * unit);
}

}  // namespace npu_emu::cube
