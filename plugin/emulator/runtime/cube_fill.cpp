// The cube core: memory filled with one element, and the tables of bias and quantisation parameters.
#include "cube.h"

namespace npu_emu::cube {

void fill(Operand dst, uint32_t repeats, uint32_t blocks, uint32_t gap, uint64_t bits, uint32_t elementBytes) {
  const char* name = "Fill";
  requireSize(name, elementBytes, {1, 2, 4});
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

uint32_t tableUnit(Memory memory) { return memory == Memory::BT ? 64 : memory == Memory::FB ? 128 : 0; }

namespace {

// Blocks of bias or of quantisation parameters. Between those of a bias are gaps; parameters count from head to head.
struct TableCopy {
  uint32_t blockBytes, outBytes;
  uint64_t srcStep, dstStep;

  TableCopy(const AscendC::DataCopyParams& p, Memory memory, bool widens) {
    const uint32_t unit = tableUnit(memory);
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
  if (tableUnit(memory) == 0)
    return dma::copyLocal(dst, src, p.blockCount, p.blockLen * blockBytes, p.srcStride, p.dstStride);
  requireRange(name, "blockCount", p.blockCount, 0, 4095);
  if (p.blockCount == 0 || p.blockLen == 0) return;
  const TableCopy copy(p, memory, widens);
  const uint32_t number = p.blockCount;
  const auto runs = [&](uint32_t bytes, uint64_t step) {
    return Reach(clipped((number - 1) * step + bytes), {bytes, number, clipped(step), 1, 0, 0});
  };
  issueMove({name, memory == Memory::FB ? Pipe::FIX : Pipe::MTE1, 14 + clipped(uint64_t(number) * copy.blockBytes / 32),
             cubeTail},
            {{dst, runs(copy.outBytes, copy.dstStep), writes, "dst", static_cast<uint16_t>(tableUnit(memory)), memory},
             {src, runs(copy.blockBytes, copy.srcStep), reads, "src", blockBytes, Memory::L1}},
            [&] {
              for (uint32_t block = 0; block < number; ++block) {
                const uint8_t* from = src.address + block * copy.srcStep;
                uint8_t* to = dst.address + block * copy.dstStep;
                if (widens)
                  widen(reinterpret_cast<float*>(to), reinterpret_cast<const half*>(from), copy.blockBytes / 2);
                else std::memcpy(to, from, copy.blockBytes);
              }
            });
}

}  // namespace npu_emu::cube
