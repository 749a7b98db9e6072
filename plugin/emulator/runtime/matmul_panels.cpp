// A and B of a Matmul object in L1: panels that stay until another one needs their slot.
#include <algorithm>

#include "matmul_stages.h"
#include "replay.h"

namespace npu_emu::matmul {

namespace {

// A part of a matrix as it lies in memory.
struct Part {
  uint32_t row, column, rows, columns;
};

// `part` of a matrix in columns of fractals.
void loadFractals(const InputMatrix& matrix, Operand to, const Part& part, uint32_t paddedRows) {
  const int32_t outer = matrix.source.alone ? matrix.singleOuter : matrix.orgOuter,
                depth = matrix.source.alone ? matrix.singleDepth : matrix.orgDepth;
  const auto allRows = alignedUp(static_cast<uint32_t>(matrix.isTransposedInL0() ? depth : outer), 16);
  const GmAddress from = matrix.source.gm + (uint64_t(part.column / matrix.width()) * allRows + part.row) * blockBytes;
  const uint32_t groups = ceilDivide(part.columns, matrix.width()),
                 length = std::min(alignedUp(part.rows, 16), allRows - part.row);
  dma::loadGm(to, from, groups, length * blockBytes, allRows - length, paddedRows - length);
}

// `part` of a matrix in rows.
void loadRows(const Job& job, const InputMatrix& matrix, Operand to, const Part& part, uint32_t paddedRows) {
  constexpr uint32_t strideLimit = 65535;
  const auto stride = static_cast<uint32_t>(matrix.isTransposedInL0() ? matrix.orgOuter : matrix.orgDepth);
  const auto padded = static_cast<uint16_t>(paddedRows);
  const GmAddress from = matrix.source.gm + (uint64_t(part.row) * stride + part.column) * matrix.bytes();
  if (stride <= strideLimit) {
    cube::loadNd2Nz(to, from,
                    AscendC::Nd2NzParams(1, static_cast<uint16_t>(part.rows), part.columns, 0, stride, padded, 1, 0),
                    matrix.bytes());
    return;
  }
  if (!job.object.traits->config.intrinsicsCheck) {
    trap({Check::ParameterRange, job.instruction,
          text("rows of matrix %s are %u elements long; one copy reaches over 65535", matrix.name, stride),
          "set intrinsicsCheck in the MatmulConfig"});
  }
  for (uint32_t i = 0; i < part.rows; ++i)
    cube::loadNd2Nz(moved(to, uint64_t(i) * blockBytes), from + uint64_t(i) * stride * matrix.bytes(),
                    AscendC::Nd2NzParams(1, 1, part.columns, 0, part.columns, padded, 1, 0), matrix.bytes());
}

// A part of a matrix in global memory to a panel of columns of fractals.
void loadPanel(const Job& job, const InputMatrix& matrix, const Part& part, const PanelView& view) {
  const bool inBands = matrix.isTransposedInL0() && matrix.bytes() == 4;  // of 16 rows, so that squares lie together
  const uint32_t bandRows = inBands ? 16 : part.rows, paddedRows = inBands ? 16 : view.rows;
  for (uint32_t first = 0; first < part.rows; first += bandRows) {
    const Operand to = moved(view.panel, uint64_t(first) * view.columns * matrix.bytes());
    const Part band{part.row + first, part.column, std::min(bandRows, part.rows - first), part.columns};
    if (matrix.kind.format == CubeFormat::NZ) loadFractals(matrix, to, band, paddedRows);
    else loadRows(job, matrix, to, band, paddedRows);
  }
}

// What says which elements of a panel are there: rows of 8 bytes in columns, 32 elements of the matrix each.
void loadIndex(const Job& job, const InputMatrix& matrix, const Part& part, const PanelView& view) {
  constexpr uint32_t rowBytes = 8;
  const uint32_t allRows = alignedUp(static_cast<uint32_t>(matrix.orgOuter), 16),
                 length = std::min(alignedUp(part.rows, 16), allRows - part.row);
  const GmAddress from = job.object.index.gm + (uint64_t(part.column / 32) * allRows + part.row) * rowBytes;
  dma::loadGm(view.index, from, ceilDivide(part.columns, 32), length * rowBytes,
              (allRows - length) * rowBytes / blockBytes, (view.rows - length) * rowBytes / blockBytes);
}

// The block of a matrix that the kernel has put into L1 as a whole.
PanelView viewInL1(const Job& job, const InputMatrix& matrix, uint32_t row, uint32_t column) {
  const bool transposed = matrix.isTransposedInL0();
  if (transposed && matrix.bytes() == 4)
    matmulUnsupported(job.instruction, "a float matrix in L1 that has to be transposed");
  if (matrix.kind.sparse) matmulUnsupported(job.instruction, "a sparse matrix in L1");
  const auto rows = static_cast<uint32_t>(transposed ? matrix.singleDepth : matrix.singleOuter),
             columns = static_cast<uint32_t>(transposed ? matrix.singleOuter : matrix.singleDepth);
  return {matrix.source.local, alignedUp(rows, 16), alignedUp(columns, matrix.width()), row, column, 0, 0};
}

// The slot of a panel; one that has to be loaded takes the next in turn.
uint32_t slotFor(PanelCache& panels, const PanelCache::Slot& wanted, bool& isLoaded) {
  for (uint32_t index = 0; index < panels.slots.size(); ++index) {
    isLoaded = panels.slots[index].outer == wanted.outer && panels.slots[index].depth == wanted.depth;
    if (isLoaded) return index;
  }
  const uint32_t index = panels.next;
  panels.next = (panels.next + 1) % static_cast<uint32_t>(panels.slots.size());
  panels.slots[index] = wanted;
  return index;
}

// A panel is copied by a function of the kernel.
void copyByKernel(const Job& job, const InputMatrix& matrix, const PanelCache::Slot& slot, int32_t lengthOuter,
                  int32_t lengthDepth, Operand panel) {
  const Object& o = job.object;
  const uint32_t bytes = matrix.panels.slotBytes;
  const GmAddress from = matrix.source.gm;
  callKernelFunction(matrix.copy, matrix.isLeft ? UserCopy{panel, bytes, from, slot.outer, slot.depth, lengthOuter,
                                                           lengthDepth, nullptr, o.info, o.data}
                                                : UserCopy{panel, bytes, from, slot.depth, slot.outer, lengthDepth,
                                                           lengthOuter, nullptr, o.info, o.data});
}

// The panel of a matrix by its place among panels, from its first row and column on: it is loaded where it is not there.
PanelView panelAt(const Job& job, const InputMatrix& matrix, const PanelCache::Slot& wanted) {
  const bool transposed = matrix.isTransposedInL0();
  const int32_t panelOuter = matrix.stepOuter * matrix.baseOuter, panelDepth = matrix.stepDepth * matrix.baseDepth;
  const int32_t fromOuter = wanted.outer * panelOuter, fromDepth = wanted.depth * panelDepth;
  const int32_t lengthOuter = std::min(panelOuter, matrix.singleOuter - fromOuter),
                lengthDepth = std::min(panelDepth, matrix.singleDepth - fromDepth);
  const Part part{static_cast<uint32_t>(transposed ? fromDepth : fromOuter),
                  static_cast<uint32_t>(transposed ? fromOuter : fromDepth),
                  static_cast<uint32_t>(transposed ? lengthDepth : lengthOuter),
                  static_cast<uint32_t>(transposed ? lengthOuter : lengthDepth)};

  PanelCache& panels = matrix.panels;
  bool isLoaded = false;
  const uint32_t slot = slotFor(panels, wanted, isLoaded);
  PanelView view{at(panels.buffer, uint64_t(slot) * panels.slotBytes, matrix.isLeft ? TPosition::A1 : TPosition::B1),
                 alignedUp(part.rows, matrix.rowUnit()),
                 alignedUp(part.columns, matrix.columnUnit()),
                 part.row,
                 part.column,
                 panels.firstToken + 2 * slot,
                 panels.firstToken + 2 * slot + 1};
  view.index = moved(view.panel, panels.indexAt);
  if (isLoaded) return view;
  wait(Pipe::MTE2, view.released);
  if (matrix.copy != nullptr) copyByKernel(job, matrix, wanted, lengthOuter, lengthDepth, view.panel);
  else loadPanel(job, matrix, part, view);
  if (matrix.kind.sparse) loadIndex(job, matrix, part, view);
  requireFlagOfMatmul(job.instruction, AscendC::HardEvent::MTE2_MTE1, noEventId, 0);
  set(Pipe::MTE2, view.ready);
  return view;
}

}  // namespace

PanelView fetchPanel(const Job& job, const InputMatrix& matrix, int32_t outer, int32_t depth) {
  const bool transposed = matrix.isTransposedInL0();
  const auto row = static_cast<uint32_t>(transposed ? depth * matrix.baseDepth : outer * matrix.baseOuter);
  const auto column = static_cast<uint32_t>(transposed ? outer * matrix.baseOuter : depth * matrix.baseDepth);
  if (matrix.source.place == Source::Local) return viewInL1(job, matrix, row, column);
  PanelView view = panelAt(job, matrix, {outer / matrix.stepOuter, depth / matrix.stepDepth});
  view.row = row - view.row;
  view.column = column - view.column;
  wait(Pipe::MTE1, view.ready);
  return view;
}

void prefetchPanel(const Job& job, const InputMatrix& matrix, int32_t outer, int32_t depth) {
  const int32_t next = depth / matrix.stepDepth + 1;
  // functions of the kernel are called when a panel is needed
  const bool hasRoom = matrix.panels.slots.size() > 1 && matrix.copy == nullptr && matrix.source.place != Source::Local;
  if (!hasRoom || next * matrix.stepDepth * matrix.baseDepth >= matrix.singleDepth) return;
  panelAt(job, matrix, {outer / matrix.stepOuter, next});
}

}  // namespace npu_emu::matmul
