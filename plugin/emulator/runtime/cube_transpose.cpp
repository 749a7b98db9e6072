// The cube core: loads from L1 to L0 that transpose squares of elements.
#include "cube_fractals.h"

namespace npu_emu::cube {

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

// Squares of one 16-bit fractal, of two 8-bit or four 4-bit ones above each other, or of two 32-bit ones side by
// side; each is transposed and falls into as many fractals.
void loadDataTranspose(Operand dst, Operand src, const AscendC::LoadData2dTransposeParams& given,
                       uint32_t elementBits) {
  const char* name = "LoadDataWithTranspose";
  const AscendC::LoadData2dTransposeParams p = countingUp(given);
  if (p.repeatTimes == 0) return;
  requireBits(name, elementBits);
  Memory memory = destinationOf(name, dst);
  if (elementBits == 4 && memory != Memory::L0B)
    trap({Check::ParameterRange, name, "int4b_t is transposed on its way to L0B only",
          "load the left matrix with LoadData"});
  const uint32_t side = elementBits < 16 ? 256 / elementBits : 16, width = 256 / elementBits,
                 parts = elementBits == 32 ? 2 : side / 16;
  const uint32_t squareBytes = side * side * elementBits / 8, repeats = p.repeatTimes;
  requireIndices(Check::ErrorRead3, name, p);
  const uint64_t step = (p.dstGap + 1u) * uint64_t(fractalBytes),
                 partStep = (p.dstFracGap + 1u) * uint64_t(fractalBytes);
  const uint64_t span = (repeats - 1) * step + (parts - 1) * partStep + fractalBytes;
  const Reach reach(clipped(span),
                    {fractalBytes, repeats, clipped(step), parts, parts == 1 ? 0 : clipped(partStep), 0});
  // Where a square only half fits, Matmul objects have the next load overwrite what is too much, without a barrier.
  Instruction instruction{name, Pipe::MTE1, loadCycles(memory, repeats * squareBytes), cubeTail};
  instruction.keepsOwnOrder = true;
  issueMove(instruction,
            {{dst, reach, writes, "dst", fractalBytes, memory},
             {src, sourcesOf(p, squareBytes), reads, "src", blockBytes, Memory::L1}},
            [&] {
              const Square square{elementBits, side, width, partStep};
              for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
                const int64_t index = sourceIndex(p.startIndex, p.srcStride, p.addrMode, repeat);
                square.transpose(dst.address + repeat * step, src.address + index * squareBytes);
              }
            });
}

}  // namespace npu_emu::cube
