// The cube core: GM -> L1 (ND to NZ), and L1 -> L0 by 512-byte fractals.
#include "cube.h"

namespace npu_emu::cube {

namespace {

// A matrix in rows, to columns of fractals; the last block of a row is filled up with zeros.
struct RowsToFractals {
  uint32_t number, bytes;
  uint64_t pitch, rowStep, groupStep;

  void copy(uint8_t* out, const uint8_t* source) const {
    // columns of fractals are often a page apart, and would push each other out of the cache
    constexpr uint32_t together = 8;
    const uint32_t rest = bytes % blockBytes;
    for (uint32_t first = 0; first < number; first += together) {
      const uint32_t rows = std::min(together, number - first);
      const uint8_t* from = source + first * pitch;
      uint8_t* to = out + first * rowStep;
      for (uint32_t done = 0; done + blockBytes <= bytes; done += blockBytes, to += groupStep)
        for (uint32_t row = 0; row < rows; ++row)
          std::memcpy(to + row * rowStep, from + row * pitch + done, blockBytes);
      for (uint32_t row = 0; rest != 0 && row < rows; ++row) {
        std::memcpy(to + row * rowStep, from + row * pitch + bytes - rest, rest);
        std::memset(to + row * rowStep + rest, 0, blockBytes - rest);
      }
    }
  }
};

}  // namespace

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
  uint64_t matrix =
      (uint64_t(groups - 1) * p.dstNzC0Stride + uint64_t(p.nValue - 1u) * p.dstNzNStride + 1) * blockBytes;
  uint64_t span = uint64_t(p.ndNum - 1u) * p.dstNzMatrixStride * elementBytes + matrix;
  Reach touched = clipped(span);
  if (p.ndNum == 1 && p.dstNzNStride == 1)
    touched.runs = {p.nValue * blockBytes, groups, p.dstNzC0Stride * blockBytes, 1, 0, 0};
  const uint64_t srcMatrix = uint64_t(p.srcNdMatrixStride) * elementBytes,
                 dstMatrix = uint64_t(p.dstNzMatrixStride) * elementBytes;
  const RowsToFractals rows{p.nValue, p.dValue * elementBytes, uint64_t(p.srcDValue) * elementBytes,
                            uint64_t(p.dstNzNStride) * blockBytes, uint64_t(p.dstNzC0Stride) * blockBytes};
  constexpr uint32_t convertCycles = 700;  // what the change of layout costs beyond a plain copy, per command
  issue(
      {name, Pipe::MTE2, convertCycles, 0,
       static_cast<uint32_t>(uint64_t(p.ndNum) * p.nValue * p.dValue * elementBytes)},
      [&](Touches& touches) {
        touches.add(Extent{dst, touched, writes, "dst", blockBytes, Memory::L1});
        for (uint32_t nd = 0; nd < p.ndNum; ++nd)
          touches.add(GmExtent{src + nd * srcMatrix, rows.bytes, reads, rows.number, rows.pitch});
      },
      [&] {
        for (uint32_t nd = 0; nd < p.ndNum; ++nd) rows.copy(dst.address + nd * dstMatrix, src + nd * srcMatrix);
      });
}

namespace {

// The source fractal, or square, of a repeat.
int64_t sourceIndex(uint16_t startIndex, uint16_t srcStride, uint8_t addrMode, uint32_t repeat) {
  const int64_t distance = int64_t(repeat) * srcStride;
  return addrMode == 0 ? startIndex + distance : startIndex - distance;
}

// Of indices that count down, the last one is the lowest.
template <typename Params>
void requireIndices(Check check, const char* name, const Params& p) {
  if (sourceIndex(p.startIndex, p.srcStride, p.addrMode, p.repeatTimes - 1u) < 0)
    trap({check, name, "addrMode 1 counts below the start of src", "raise startIndex"});
}

// Fractals one after the other, or with gaps between them.
Extent writesFractals(Operand dst, uint32_t number, uint32_t step, uint16_t alignment, Memory memory) {
  const uint64_t span = uint64_t(number - 1) * step + fractalBytes;
  return {dst, Reach(clipped(span), {fractalBytes, number, step, 1, 0, 0}), writes, "dst", alignment, memory};
}

void transposeFractal(uint8_t* to, const uint8_t* from) {
  const auto* in = reinterpret_cast<const uint16_t*>(from);
  auto* out = reinterpret_cast<uint16_t*>(to);
  for (uint32_t i = 0; i < fractalSide; i += 8)
    for (uint32_t j = 0; j < fractalSide; j += 8)
      turnSquare<Halves8>(out + j * fractalSide + i, fractalSide, in + i * fractalSide + j, fractalSide);
}

}  // namespace

void loadData(Operand dst, Operand src, const AscendC::LoadData2DParams& p, uint32_t elementBytes) {
  const char* name = "LoadData";
  if (p.repeatTimes == 0) return;
  if (p.ifTranspose && elementBytes != 2)
    trap({Check::ParameterRange, name, "ifTranspose works on 16-bit elements only", "use LoadDataWithTranspose"});
  const Memory memory = destinationOf(name, dst);
  requireIndices(Check::ErrorRead3, name, p);
  const uint32_t repeats = p.repeatTimes, step = (p.dstGap + 1u) * fractalBytes;
  const uint64_t last = p.startIndex + (p.addrMode == 0 ? uint64_t(repeats - 1) * p.srcStride : 0);
  issue({name, Pipe::MTE1, loadCycles(memory, repeats * fractalBytes), cubeTail},
        {writesFractals(dst, repeats, step, fractalBytes, memory),
         {src, clipped((last + 1) * fractalBytes), reads, "src", blockBytes, Memory::L1}},
        [&] {
          for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
            const int64_t index = sourceIndex(p.startIndex, p.srcStride, p.addrMode, repeat);
            const uint8_t* from = src.address + index * fractalBytes;
            uint8_t* to = dst.address + uint64_t(repeat) * step;
            if (p.ifTranspose) transposeFractal(to, from);
            else std::memcpy(to, from, fractalBytes);
          }
        });
}

void loadDataGm(Operand dst, GmAddress src, const AscendC::LoadData2DParams& p) {
  const char* name = "LoadData";
  if (p.repeatTimes == 0) return;
  if (p.ifTranspose)
    trap({Check::ParameterRange, name, "ifTranspose does not work on the way from global memory",
          "transpose from L1 to L0"});
  const Memory memory = memoryHolding(dst) == Memory::L1 ? Memory::L1 : destinationOf(name, dst);
  requireIndices(Check::ErrorGmRead, name, p);
  const uint32_t repeats = p.repeatTimes, step = (p.dstGap + 1u) * fractalBytes;
  const auto fractalAt = [&](uint32_t repeat) {
    return src + sourceIndex(p.startIndex, p.srcStride, p.addrMode, repeat) * fractalBytes;
  };
  issue(
      {name, Pipe::MTE2, 20, 0, repeats * fractalBytes},
      [&](Touches& touches) {
        const auto alignment = static_cast<uint16_t>(memory == Memory::L1 ? blockBytes : fractalBytes);
        touches.add(writesFractals(dst, repeats, step, alignment, memory));
        for (uint32_t repeat = 0; repeat < repeats; ++repeat)
          touches.add(GmExtent{fractalAt(repeat), fractalBytes, reads});
      },
      [&] {
        for (uint32_t repeat = 0; repeat < repeats; ++repeat)
          std::memcpy(dst.address + uint64_t(repeat) * step, fractalAt(repeat), fractalBytes);
      });
}

namespace {

// Elements of 4 to 32 bits by their index.
struct Elements {
  uint8_t* bytes;
  uint32_t bits;

  void copy(uint32_t to, const uint8_t* source, uint32_t from) const {
    if (bits == 4) {
      const uint8_t value = source[from / 2] >> (from % 2 * 4) & 15;
      uint8_t& pair = bytes[to / 2];
      pair = static_cast<uint8_t>(to % 2 == 0 ? (pair & 0xf0) | value : (pair & 15) | value << 4);
    } else {
      std::memcpy(bytes + size_t(to) * (bits / 8), source + size_t(from) * (bits / 8), bits / 8);
    }
  }
};

// What is transposed as a whole, in fractals of `width` columns.
struct Square {
  uint32_t bits, side, width;
  uint64_t partStep;  // from one fractal of the result to the next

  void transpose(uint8_t* to, const uint8_t* from) const {
    for (uint32_t row = 0; row < side; ++row) {
      for (uint32_t column = 0; column < side; ++column) {
        // rows of a fractal go on in the one below, columns in the one beside it
        const uint32_t place =
            bits < 16 ? column * side + row : row / width * 16 * width + column * width + row % width;
        const uint32_t part = bits < 16 ? row / 16 : column / width;
        const Elements out{to + part * partStep, bits};
        out.copy(row % 16 * width + column % width, from, place);
      }
    }
  }
};

}  // namespace

// Squares of one 16-bit fractal, of two 8-bit or four 4-bit ones above each other, or of two 32-bit ones side by side; each is
// transposed and falls into as many fractals.
void loadDataTranspose(Operand dst, Operand src, const AscendC::LoadData2dTransposeParams& p, uint32_t elementBits) {
  const char* name = "LoadDataWithTranspose";
  if (p.repeatTimes == 0) return;
  Memory memory = destinationOf(name, dst);
  if (elementBits == 4 && memory != Memory::L0B)
    trap({Check::ParameterRange, name, "int4b_t is transposed on its way to L0B only",
          "load the left matrix with LoadData"});
  const uint32_t side = elementBits < 16 ? 256 / elementBits : 16, width = 256 / elementBits,
                 parts = elementBits == 32 ? 2 : side / 16;
  const uint32_t squareBytes = side * side * elementBits / 8, repeats = p.repeatTimes;
  requireIndices(Check::ErrorRead3, name, p);
  const uint64_t last = p.startIndex + (p.addrMode == 0 ? uint64_t(repeats - 1) * p.srcStride : 0);
  const uint64_t step = (p.dstGap + 1u) * uint64_t(fractalBytes),
                 partStep = (p.dstFracGap + 1u) * uint64_t(fractalBytes);
  const uint64_t span = (repeats - 1) * step + (parts - 1) * partStep + fractalBytes;
  const Reach reach(clipped(span),
                    {fractalBytes, repeats, clipped(step), parts, parts == 1 ? 0 : clipped(partStep), 0});
  // Where a square only half fits, Matmul objects have the next load overwrite what is too much, without a barrier.
  Instruction instruction{name, Pipe::MTE1, loadCycles(memory, repeats * squareBytes), cubeTail};
  instruction.ownOrder = OwnOrder::Accumulator;
  issue(instruction,
        {{dst, reach, writes, "dst", fractalBytes, memory},
         {src, clipped((last + 1) * squareBytes), reads, "src", blockBytes, Memory::L1}},
        [&] {
          const Square square{elementBits, side, width, partStep};
          for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
            const int64_t index = sourceIndex(p.startIndex, p.srcStride, p.addrMode, repeat);
            square.transpose(dst.address + repeat * step, src.address + index * squareBytes);
          }
        });
}

void loadDataSparse(Operand dst, Operand src, Operand index, const AscendC::LoadData2DParams& p) {
  const char* name = "LoadDataWithSparse";
  constexpr uint32_t indexBytes = fractalBytes / 4;
  if (p.repeatTimes == 0) return;
  const uint32_t bytes = p.repeatTimes * fractalBytes, l0b = core->capacity[static_cast<size_t>(Memory::L0B)];
  const uint32_t end = p.startIndex + p.repeatTimes;
  issue({name, Pipe::MTE1, loadCycles(Memory::L0B, bytes + bytes / 4), cubeTail},
        {{dst, bytes, writes, "dst", fractalBytes, Memory::L0B},
         {src, end * fractalBytes, reads, "src", blockBytes, Memory::L1},
         {index, end * indexBytes, reads, "idx", blockBytes, Memory::L1}},
        [&] {
          std::vector<uint8_t>& own = core->cube.sparseIndex;
          own.resize(l0b / 4);
          std::memcpy(dst.address, src.address + p.startIndex * fractalBytes, bytes);
          std::memcpy(own.data() + (dst.address - core->memory[static_cast<size_t>(Memory::L0B)]) / 4,
                      index.address + p.startIndex * indexBytes, bytes / 4);
        });
}

void fill(Operand dst, uint32_t repeats, uint32_t blocks, uint32_t gap, uint64_t bits, uint32_t elementBytes) {
  const char* name = "Fill";
  requireRange(name, "repeatTimes", repeats, 0, 32767);
  requireRange(name, "blockNum", blocks, 0, 32767);
  requireRange(name, "dstGap", gap, 0, 32767);
  if (repeats == 0 || blocks == 0) return;
  const Memory memory = memoryHolding(dst);
  if (memory != Memory::L1 && memory != Memory::L0A && memory != Memory::L0B)
    trap({Check::ErrorBuffer3, name, text("dst is in %s; L1, L0A and L0B can be filled", nameOf(memory)),
          "use Duplicate for UB"});
  const uint32_t unit = memory == Memory::L1 ? blockBytes : fractalBytes;
  const uint64_t stride = uint64_t(blocks + gap) * unit, run = uint64_t(blocks) * unit;
  const Reach reach(clipped((repeats - 1) * stride + run), {clipped(run), repeats, clipped(stride), 1, 0, 0});
  issue({name, memory == Memory::L1 ? Pipe::MTE2 : Pipe::MTE1, 8 + clipped(repeats * run / 256), cubeTail},
        {{dst, reach, writes, "dst", static_cast<uint16_t>(unit), memory}}, [&] {
          for (uint32_t repeat = 0; repeat < repeats; ++repeat)
            for (uint64_t at = 0; at < run; at += elementBytes)
              std::memcpy(dst.address + repeat * stride + at, &bits, elementBytes);
        });
}

namespace {

// Blocks of bias or of quantisation parameters. Between those of a bias are gaps; parameters count from head to head.
struct TableCopy {
  uint32_t blockBytes, outBytes;
  uint64_t srcStep, dstStep;

  TableCopy(const AscendC::DataCopyParams& p, Memory memory, bool widens) {
    const uint32_t unit = memory == Memory::BT ? 64 : 128;
    blockBytes = p.blockLen * unit;
    outBytes = widens ? 2 * blockBytes : blockBytes;
    const bool gaps = memory == Memory::BT;
    srcStep = p.srcStride * 32u + (gaps ? blockBytes : 0);
    dstStep = uint64_t(p.dstStride) * unit + (gaps ? outBytes : 0);
  }
};

}  // namespace

void copyLocal(Operand dst, Operand src, const AscendC::DataCopyParams& p, bool widens) {
  const char* name = "DataCopy";
  const Memory memory = memoryHolding(dst);
  if (widens && memory != Memory::BT)
    trap({Check::ErrorBuffer3, name, text("dst is in %s; only a copy to the bias table converts", nameOf(memory)),
          "use a buffer at TPosition::C2"});
  if (memory != Memory::BT && memory != Memory::FB)
    return dma::copyLocal(dst, src, p.blockCount, p.blockLen * blockBytes, p.srcStride, p.dstStride);
  requireRange(name, "blockCount", p.blockCount, 0, 4095);
  if (p.blockCount == 0 || p.blockLen == 0) return;
  const TableCopy copy(p, memory, widens);
  const uint32_t number = p.blockCount;
  const auto runs = [&](uint32_t bytes, uint64_t step) {
    return Reach(clipped((number - 1) * step + bytes), {bytes, number, clipped(step), 1, 0, 0});
  };
  issue({name, memory == Memory::FB ? Pipe::FIX : Pipe::MTE1, 14 + clipped(uint64_t(number) * copy.blockBytes / 32),
         cubeTail},
        {{dst, runs(copy.outBytes, copy.dstStep), writes, "dst", static_cast<uint16_t>(memory == Memory::BT ? 64 : 128),
          memory},
         {src, runs(copy.blockBytes, copy.srcStep), reads, "src", blockBytes, Memory::L1}},
        [&] {
          for (uint32_t block = 0; block < number; ++block) {
            const uint8_t* from = src.address + block * copy.srcStep;
            uint8_t* to = dst.address + block * copy.dstStep;
            if (widens) widen(reinterpret_cast<float*>(to), reinterpret_cast<const half*>(from), copy.blockBytes / 2);
            else std::memcpy(to, from, copy.blockBytes);
          }
        });
}

}  // namespace npu_emu::cube
