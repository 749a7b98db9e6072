// Blocks of A and B of a Matmul object from L1 to L0, in the order of fractals that the multiplication takes.
#include "matmul_stages.h"

namespace npu_emu::matmul {

namespace {

using AscendC::LoadData2DParams;
using AscendC::LoadData2dTransposeParams;
using cube::fractalBytes;

uint8_t u8(uint32_t value) { return static_cast<uint8_t>(value); }
uint16_t u16(uint32_t value) { return static_cast<uint16_t>(value); }

// A block on its way, counted in fractals: `across` of them along m or n, `deep` along k.
struct Transfer {
  const InputMatrix& matrix;
  const PanelView& view;
  Operand to;
  uint32_t across, deep;
  uint32_t depth;  // in elements

  Operand target(uint64_t fractals) const { return moved(to, fractals * fractalBytes); }
  // The fractals of a column of them, from the row of the block on.
  Operand columnAt(uint32_t column) const {
    return moved(view.panel, (uint64_t(column) * view.rows + view.row) * blockBytes);
  }
};

void loadSparse(const Transfer& t) {
  for (uint32_t i = 0; i < t.deep; ++i) {
    const uint64_t first = (uint64_t(t.view.column / t.matrix.width() + i) * t.view.rows + t.view.row) / 16;
    cube::loadDataSparse(t.target(uint64_t(i) * t.across), moved(t.view.panel, first * fractalBytes),
                         moved(t.view.index, first * (fractalBytes / 4)),
                         LoadData2DParams(0, u8(t.across), 1, 0, 0, false, 0));
  }
}

// Rows of fractals in L0A, along k in L0B.
void loadStraight(const Transfer& t) {
  for (uint32_t i = 0; i < t.deep; ++i) {
    const Operand from = t.columnAt(t.view.column / t.matrix.width() + i);
    const uint32_t gap = t.matrix.isLeft ? t.deep - 1 : 0;
    cube::loadData(t.target(t.matrix.isLeft ? i : uint64_t(i) * t.across), from,
                   LoadData2DParams(0, u8(t.across), 1, 0, u16(gap), false, 0), t.matrix.bytes());
  }
}

void transposeHalves(const Transfer& t) {
  for (uint32_t i = 0; i < t.across; ++i) {
    const Operand from = t.columnAt(t.view.column / 16 + i);
    const uint32_t gap = t.matrix.isLeft ? 0 : t.across - 1;
    cube::loadData(t.target(t.matrix.isLeft ? uint64_t(i) * t.deep : i), from,
                   LoadData2DParams(0, u8(t.deep), 1, 0, u16(gap), true, 0), 2);
  }
}

// Bands of 16 rows, each a row of squares of two fractals; a square that only half fits writes a fractal too many,
// which the load after it overwrites.
void transposeFloats(const Transfer& t) {
  const uint32_t squares = t.view.columns / 16, bands = ceilDivide(t.depth, 16), firstBand = t.view.row / 16,
                 firstSquare = t.view.column / 16;
  for (uint32_t i = 0; i < (t.matrix.isLeft ? t.across : bands); ++i) {
    const uint32_t start =
        t.matrix.isLeft ? firstBand * squares + firstSquare + i : (firstBand + i) * squares + firstSquare;
    const LoadData2dTransposeParams params =
        t.matrix.isLeft ? LoadData2dTransposeParams(u16(start), u8(bands), u16(squares), 1, 0)
                        : LoadData2dTransposeParams(u16(start), u8(t.across), 1, 0, u16(t.across - 1));
    cube::loadDataTranspose(t.target(uint64_t(i) * (t.matrix.isLeft ? t.deep : 2 * t.across)), t.view.panel, params,
                            32);
  }
}

// Squares of 32 bytes by 32 or 64 rows.
void transposeIntegers(const Job& job, const Transfer& t) {
  const uint32_t square = t.matrix.squareRows(), high = square / 16;
  if (t.view.column % 32 != 0 || t.view.row % square != 0) {
    trap({Check::ParameterRange, job.instruction,
          text("a block of matrix %s starts in the middle of a square of %u x %u, which is turned as a whole",
               t.matrix.name, square, square),
          "where the fractals of A or B are turned, make baseM or baseN, and baseK, multiples of 32 for int8_t and of "
          "64 for int4b_t"});
  }
  const uint32_t below = t.view.rows / square, across = ceilDivide(t.across, high), down = ceilDivide(t.depth, square);
  for (uint32_t i = 0; i < (t.matrix.isLeft ? across : down); ++i) {
    const uint32_t start = t.matrix.isLeft ? (t.view.column / 32 + i) * below + t.view.row / square
                                           : t.view.column / 32 * below + t.view.row / square + i;
    const LoadData2dTransposeParams params =
        t.matrix.isLeft ? LoadData2dTransposeParams(u16(start), u8(down), 1, 0, u16(down - 1))
                        : LoadData2dTransposeParams(u16(start), u8(across), u16(below), u16(high - 1), 0);
    cube::loadDataTranspose(t.target(uint64_t(i) * (t.matrix.isLeft ? high * down : t.across)), t.view.panel, params,
                            256 / square);
  }
}

// The library loads by LoadData3D, for which A sets the image.
bool unfolds(const InputMatrix& matrix) {
  if (!matrix.isTransposedInL0()) return matrix.isLeft && matrix.kind.format != CubeFormat::VECTOR;
  return matrix.bytes() != 1 || (matrix.isLeft && matrix.kind.element == Element::Int4);
}

// It leaves the other registers of such loads alone: what the kernel has set there counts for it as well.
void takeRegistersOfUnfolding(const Job& job, const Transfer& t) {
  CubeRegisters& registers = core->cube;
  if (registers.repeat.repeatTime != 1)
    trap({Check::ParameterRange, job.instruction,
          text("SetLoadDataRepeat has left repeatTime %u, and what comes to L0 by LoadData3D comes that often here too",
               registers.repeat.repeatTime),
          "set repeatTime back to 1 before a Matmul object works"});
  const Operand behind =
      t.columnAt(t.view.column / t.matrix.width() + (t.matrix.isTransposedInL0() ? t.across : t.deep));
  if (registers.boundary != 0 &&
      uint64_t(behind.address - core->memory[static_cast<size_t>(Memory::L1)]) > registers.boundary)
    trap(
        {Check::ParameterRange, job.instruction,
         text("SetLoadDataBoundary has left %u, and matrix %s goes on behind it: LoadData3D goes on at the start of L1",
              registers.boundary, t.matrix.name),
         "set the boundary back to 0 before a Matmul object works"});
  if (!t.matrix.isLeft) return;
  registers.imageHeight = 1;
  registers.imageWidth = static_cast<uint16_t>(alignedUp(t.view.rows, 16));
  std::fill_n(registers.pads, 4, uint8_t(0));
  markSet(Register::Image);
}

}  // namespace

void loadL0(const Job& job, const InputMatrix& matrix, const PanelView& view, Operand to, uint32_t length,
            uint32_t depth) {
  const Transfer transfer{matrix, view, to, ceilDivide(length, 16), ceilDivide(depth, matrix.width()), depth};
  if (unfolds(matrix)) takeRegistersOfUnfolding(job, transfer);
  if (!matrix.isTransposedInL0()) return matrix.kind.sparse ? loadSparse(transfer) : loadStraight(transfer);
  switch (matrix.bytes()) {
    case 2: return transposeHalves(transfer);
    case 4: return transposeFloats(transfer);
    default: return transposeIntegers(job, transfer);
  }
}

}  // namespace npu_emu::matmul
