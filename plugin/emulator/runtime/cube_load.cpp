// The cube core: GM -> L1 (ND to NZ), and L1 -> L0 by 512-byte fractals.
#include "cube_fractals.h"
#include "dma.h"

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
  requireSize(name, elementBytes, {1, 2, 4});
  requireRange(name, "nValue", p.nValue, 0, 16384);
  requireRange(name, "dValue", p.dValue, 0, 65535);
  requireRange(name, "ndNum", p.ndNum, 0, 4095);
  if (p.ndNum == 0 || p.nValue == 0 || p.dValue == 0) return;
  requireRange(name, "srcDValue", p.srcDValue, 1, 65535);
  requireRange(name, "dstNzC0Stride", p.dstNzC0Stride, 1, 16384);
  requireRange(name, "dstNzNStride", p.dstNzNStride, 1, 16384);
  if (p.ndNum > 1) {
    requireRange(name, "srcNdMatrixStride", p.srcNdMatrixStride, 0, 65535);
    requireRange(name, "dstNzMatrixStride", p.dstNzMatrixStride, 0, 65535);
  }
  uint32_t groupElements = blockBytes / elementBytes, groups = ceilDivide(p.dValue, groupElements);
  const uint64_t srcMatrix = uint64_t(p.srcNdMatrixStride) * elementBytes,
                 dstMatrix = uint64_t(p.dstNzMatrixStride) * elementBytes;
  const RowsToFractals rows{p.nValue, p.dValue * elementBytes, uint64_t(p.srcDValue) * elementBytes,
                            uint64_t(p.dstNzNStride) * blockBytes, uint64_t(p.dstNzC0Stride) * blockBytes};
  issueCopy(
      {name, Pipe::MTE2, std::max(copyCycles, clipped(uint64_t(p.ndNum) * p.nValue * convertRowCycles)), convertTail,
       clipped(uint64_t(p.ndNum) * p.nValue * p.dValue * elementBytes)},
      [&](Touches& touches) {
        Operand matrix = dst;
        for (uint32_t nd = 0; nd < p.ndNum; ++nd, matrix.address += dstMatrix)
          touches.add(Extent{matrix, fractalsOf(p, groups), writes, "dst", blockBytes, Memory::L1});
        for (uint32_t nd = 0; nd < p.ndNum; ++nd)
          touches.add(GmExtent{src + nd * srcMatrix, rows.bytes, reads, rows.number, rows.pitch});
      },
      [=] {
        for (uint32_t nd = 0; nd < p.ndNum; ++nd) rows.copy(dst.address + nd * dstMatrix, src + nd * srcMatrix);
      });
  followNd2Nz(dst.address, src, p, elementBytes);
}

namespace {

void transposeFractal(uint8_t* to, const uint8_t* from) {
  const auto* in = reinterpret_cast<const uint16_t*>(from);
  auto* out = reinterpret_cast<uint16_t*>(to);
  for (uint32_t i = 0; i < fractalSide; i += 8)
    for (uint32_t j = 0; j < fractalSide; j += 8)
      turnSquare<Halves8>(out + j * fractalSide + i, fractalSide, in + i * fractalSide + j, fractalSide);
}

}  // namespace

void loadData(Operand dst, Operand src, const AscendC::LoadData2DParams& given, uint32_t elementBytes) {
  const char* name = "LoadData";
  const AscendC::LoadData2DParams p = countingUp(given);
  if (p.repeatTimes == 0) return;
  if (p.ifTranspose && elementBytes != 2)
    trap({Check::ParameterRange, name, "ifTranspose works on 16-bit elements only", "use LoadDataWithTranspose"});
  const Memory memory = destinationOf(name, dst);
  requireIndices(Check::ErrorRead3, name, p);
  const uint32_t repeats = p.repeatTimes, step = (p.dstGap + 1u) * fractalBytes;
  issueMove({name, Pipe::MTE1, loadCycles(memory, repeats * fractalBytes), cubeTail},
            {writesFractals(dst, repeats, step, fractalBytes, memory),
             {src, sourcesOf(p, fractalBytes), reads, "src", blockBytes, Memory::L1}},
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

void loadDataGm(Operand dst, GmAddress src, const AscendC::LoadData2DParams& given) {
  const char* name = "LoadData";
  if (given.repeatTimes == 0) return;
  if (given.ifTranspose)
    trap({Check::ParameterRange, name, "ifTranspose does not work on the way from global memory",
          "transpose from L1 to L0"});
  const Memory memory = memoryHolding(dst) == Memory::L1 ? Memory::L1 : destinationOf(name, dst);
  const AscendC::LoadData2DParams p = memory == Memory::L1 ? given : countingUp(given);
  requireIndices(Check::ErrorGmRead, name, p);
  const uint32_t repeats = p.repeatTimes, step = (p.dstGap + 1u) * fractalBytes;
  const auto fractalAt = [=](uint32_t repeat) {
    return src + sourceIndex(p.startIndex, p.srcStride, p.addrMode, repeat) * fractalBytes;
  };
  issueCopy(
      transferOf(name, Pipe::MTE2, repeats, uint64_t(repeats) * fractalBytes),
      [&](Touches& touches) {
        const auto alignment = static_cast<uint16_t>(memory == Memory::L1 ? blockBytes : fractalBytes);
        touches.add(writesFractals(dst, repeats, step, alignment, memory));
        for (uint32_t repeat = 0; repeat < repeats; ++repeat)
          touches.add(GmExtent{fractalAt(repeat), fractalBytes, reads});
      },
      [=] {
        for (uint32_t repeat = 0; repeat < repeats; ++repeat)
          std::memcpy(dst.address + uint64_t(repeat) * step, fractalAt(repeat), fractalBytes);
      });
  for (uint32_t repeat = 0; repeat < repeats; ++repeat)
    followLoad(dst.address + uint64_t(repeat) * step, fractalAt(repeat), 1, fractalBytes, 0, 0);
}

void loadDataSparse(Operand dst, Operand src, Operand index, const AscendC::LoadData2DParams& p) {
  const char* name = "LoadDataWithSparse";
  constexpr uint32_t indexBytes = fractalBytes / 4;
  if (p.repeatTimes == 0) return;
  const uint32_t bytes = p.repeatTimes * fractalBytes, l0b = core->capacity[static_cast<size_t>(Memory::L0B)];
  const uint32_t end = p.startIndex + p.repeatTimes;
  issueMove({name, Pipe::MTE1, loadCycles(Memory::L0B, bytes + bytes / 4), cubeTail},
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

}  // namespace npu_emu::cube
