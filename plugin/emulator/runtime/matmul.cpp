// The Matmul object on a cube core: which blocks, in which order, from where, and where the results go.
#include "matmul.h"

#include <algorithm>

#include "numerics.h"

namespace npu_emu::matmul {

namespace {

using cube::bytesOf;
using cube::Element;

// Tokens of the trace that no flag and no buffer uses.
constexpr uint32_t tokens = 1024;
enum Token : uint32_t {
  LeftFree = tokens,
  RightFree = tokens + 2,
  Loaded = tokens + 4,
  SumFree,
  SumReady = SumFree + 8,
  BiasLoaded,
  BiasCopied,
  BiasUsed,
  ScalesLoaded,
  ScalesUsed,
  FirstSlot
};

// Bytes of so many elements.
uint64_t bytesIn(Element element, uint64_t elements) {
  return element == Element::Int4 ? elements / 2 : elements * bytesOf(element);
}
bool isInteger(Element element) { return element == Element::Int4 || element == Element::Int8; }

void set(Pipe pipe, uint32_t token) { record({TraceEntry::Set, pipe, false, 2, token, 0, 0, 0}); }
void wait(Pipe pipe, uint32_t token) { record({TraceEntry::Wait, pipe, false, 2, token, 0, 0, 0}); }

constexpr uint32_t alignedUp(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }
uint32_t ceilOf(int32_t value, int32_t unit) { return static_cast<uint32_t>((value + unit - 1) / unit); }

Operand at(const LocalBuffer& buffer, uint64_t offset, TPosition position) {
  return {buffer.address + offset, buffer.buffer, position};
}
Operand moved(Operand operand, uint64_t bytes) {
  operand.address += bytes;
  return operand;
}

// A or B of a call: what a block of it is along the result (m or n) and along k. Two elements of 4 bits count as one where they lie
// beside each other, and of a sparse matrix the elements that are there.
struct Side {
  const char* name;
  bool isLeft;
  const Kind& kind;
  const Source& source;
  Panels& panels;
  UserFunction copy;
  int32_t orgOuter, orgDepth, singleOuter, singleDepth, baseOuter, baseDepth, stepOuter, stepDepth, depth;

  uint32_t bytes() const { return bytesOf(kind.element); }
  uint32_t width() const { return blockBytes / bytes(); }
  // Rows of the matrix in memory run along k: its fractals have to be turned on the way to L0.
  bool turned() const { return isLeft == source.transposed; }
  // Rows and columns of what is turned as a whole, in elements of their own.
  uint32_t turnedRows() const { return kind.element == Element::Int4 ? 64 : bytes() == 1 ? 32 : 16; }
  uint32_t rowUnit() const { return turned() ? turnedRows() : 16; }
  uint32_t columnUnit() const { return turned() && bytes() == 4 ? 16 : width(); }
  uint32_t slotBytes() const {
    const auto outer = static_cast<uint32_t>(stepOuter * baseOuter),
               inner = static_cast<uint32_t>(stepDepth * baseDepth);
    // either way round, as the transposition is known only when the matrix is set
    const uint32_t pair = kind.element == Element::Int4 ? 2 : 1, share = kind.sparse ? 2 : 1;
    const uint32_t straight = alignedUp(outer, 16) * alignedUp(inner / (pair * share), width());
    const uint32_t across = alignedUp(inner, turnedRows()) * alignedUp(outer / pair, bytes() == 4 ? 16 : width());
    return (kind.transposes ? std::max(straight, across) : isLeft ? straight : across) * bytes();
  }
  // Of a sparse matrix: one byte for four elements, in columns of fractals beside the matrix.
  uint32_t indexBytes() const { return kind.sparse ? slotBytes() / 4 : 0; }

  // As they lie in memory.
  Side packed() const {
    Side side = *this;
    const bool pairs = kind.element == Element::Int4;
    const int32_t alongDepth = (pairs && !turned() ? 2 : 1) * (kind.sparse ? 2 : 1),
                  alongOuter = pairs && turned() ? 2 : 1;
    for (int32_t* extent : {&side.orgDepth, &side.singleDepth, &side.baseDepth}) *extent /= alongDepth;
    for (int32_t* extent : {&side.orgOuter, &side.singleOuter, &side.baseOuter}) *extent /= alongOuter;
    return side;
  }
};

bool loadsBigBlocks(const Traits& traits) { return traits.config.doMultiDataLoad || traits.config.doSpecialMDL; }

Side leftOf(const Job& job) {
  const Object& o = job.object;
  const AscendC::tiling::TCubeTiling& t = o.tiling;
  const bool big = loadsBigBlocks(*o.traits);
  return {"A",       true,      o.traits->a, o.a,     job.engine.a,      o.traits->copyA,    o.orgM,   o.orgKa,
          o.singleM, o.singleK, t.baseM,     t.baseK, big ? t.stepM : 1, big ? t.stepKa : 1, t.depthA1};
}
Side rightOf(const Job& job) {
  const Object& o = job.object;
  const AscendC::tiling::TCubeTiling& t = o.tiling;
  const bool big = loadsBigBlocks(*o.traits);
  return {"B",       false,     o.traits->b, o.b,     job.engine.b,      o.traits->copyB,    o.orgN,   o.orgKb,
          o.singleN, o.singleK, t.baseN,     t.baseK, big ? t.stepN : 1, big ? t.stepKb : 1, t.depthB1};
}

// Traps when a field of the tiling is not usable.
void requireField(const Job& job, const char* field, int32_t value) {
  if (value > 0) return;
  trap({Check::ParameterRange, job.instruction, text("%s of the tiling is %d", field, value),
        "compute the tiling with GetTiling and hand it over as it is; every size, depth and step is at least 1"});
}

void requireFit(const Job& job, const char* what, uint64_t bytes, Memory memory) {
  const uint32_t capacity = core->capacity[static_cast<size_t>(memory)];
  if (bytes <= capacity) return;
  trap({Check::BufferSize, job.instruction,
        text("%s takes %llu bytes of %s, which has %u", what, static_cast<unsigned long long>(bytes), nameOf(memory),
             capacity),
        "choose smaller base blocks, smaller depths or no double buffers in the tiling"});
}

uint32_t slotsOf(const Side& side) {
  return static_cast<uint32_t>(std::max(1, side.depth / (side.stepOuter * side.stepDepth)));
}

LocalBuffer allot(const Job& job, const void* pipe, TPosition position, uint32_t bytes, uint32_t& offset) {
  const uint32_t from = offset;
  offset += alignedUp(bytes, 512);
  return job.shared ? localMemoryOf(position, from, bytes) : initBuffer(pipe, position, bytes);
}

// Blocks that are computed side by side.
bool takesPairs(const Traits& traits) { return traits.config.scheduleType == ScheduleType::OUTER_PRODUCT; }
uint32_t sumsOf(const Job& job) {
  return takesPairs(*job.object.traits) ? 2 : static_cast<uint32_t>(job.object.tiling.dbL0C);
}

void checkTiling(const Job& job) {
  const AscendC::tiling::TCubeTiling& t = job.object.tiling;
  const struct {
    const char* name;
    int32_t value;
  } fields[] = {{"M", t.M},
                {"N", t.N},
                {"Ka", t.Ka},
                {"Kb", t.Kb},
                {"singleCoreM", t.singleCoreM},
                {"singleCoreN", t.singleCoreN},
                {"singleCoreK", t.singleCoreK},
                {"baseM", t.baseM},
                {"baseN", t.baseN},
                {"baseK", t.baseK},
                {"depthA1", t.depthA1},
                {"depthB1", t.depthB1},
                {"stepM", t.stepM},
                {"stepN", t.stepN},
                {"stepKa", t.stepKa},
                {"stepKb", t.stepKb},
                {"dbL0A", t.dbL0A},
                {"dbL0B", t.dbL0B},
                {"dbL0C", t.dbL0C}};
  for (const auto& field : fields) requireField(job, field.name, field.value);
  const auto m = static_cast<uint64_t>(alignedUp(static_cast<uint32_t>(t.baseM), 16)),
             n = static_cast<uint64_t>(alignedUp(static_cast<uint32_t>(t.baseN), 16));
  const Traits& traits = *job.object.traits;
  const uint64_t k = alignedUp(static_cast<uint32_t>(t.baseK), cube::widthOf(traits.a.element));
  requireFit(job, "baseM * baseK * dbL0A", bytesIn(traits.a.element, m * k) * static_cast<uint32_t>(t.dbL0A),
             Memory::L0A);
  requireFit(job, "baseK * baseN * dbL0B",
             bytesIn(traits.a.element, k * n) / (traits.b.sparse ? 2 : 1) * static_cast<uint32_t>(t.dbL0B),
             Memory::L0B);
  requireFit(job, "baseM * baseN * dbL0C", m * n * 4 * sumsOf(job), Memory::L0C);
  if (t.isBias != 0) requireFit(job, "the bias of baseN columns", n * 4, Memory::BT);
  if (t.iterateOrder != 0 && t.iterateOrder != 1)
    trap({Check::ParameterRange, job.instruction, text("iterateOrder of the tiling is %d", t.iterateOrder),
          "0 goes along M first, 1 along N"});
}

// What the type of the object asks for, and cannot have.
void checkTraits(const Job& job) {
  const Traits& traits = *job.object.traits;
  const MatmulConfig& config = traits.config;
  const auto refuse = [&](const char* what, const char* hint) {
    trap({Check::ParameterRange, job.instruction, what, hint});
  };
  if (takesPairs(traits)) {
    if (job.shared)
      refuse("ScheduleType::OUTER_PRODUCT is for cube cores that work alone",
             "define ASCENDC_CUBE_ONLY, or take ScheduleType::INNER_PRODUCT");
    if (traits.policy == Policy::Upper || traits.policy == Policy::Lower)
      refuse("ScheduleType::OUTER_PRODUCT computes all blocks", "take MatmulPolicy");
    if (config.doMultiDataLoad && job.object.tiling.singleCoreK > job.object.tiling.baseK)
      refuse("ScheduleType::OUTER_PRODUCT with MDL takes a K of one block", "make baseK as large as singleCoreK");
  }
  if (config.intraBlockPartSum && !job.shared)
    refuse("intraBlockPartSum adds up what two vector cores ask for", "leave ASCENDC_CUBE_ONLY out");
  if (config.isPartialOutput && !config.doMultiDataLoad)
    refuse("isPartialOutput belongs to MDL", "take the configuration of GetMDLConfig");
  if (config.isPartialOutput && job.object.tiling.isBias != 0)
    refuse("isPartialOutput does not take a bias", "add it to the sum of the parts");
  if (traits.policy == Policy::NBuffer33) {
    const AscendC::tiling::TCubeTiling& t = job.object.tiling;
    const auto steps = static_cast<int32_t>(ceilOf(t.singleCoreK, t.baseK));
    if (job.shared || !config.doMultiDataLoad)
      refuse("NBuffer33MatmulPolicy is for cube cores that work alone, with MDL",
             "define ASCENDC_CUBE_ONLY and take CFG_MDL");
    if (t.stepM > 3 || t.stepKa > 3 || t.stepKa != t.stepKb || t.stepKa != steps)
      refuse("NBuffer33MatmulPolicy takes stepM, stepKa and stepKb of 3 at most, and all of K at once",
             "call SetMatmulConfigParams with ScheduleType::N_BUFFER_33 before GetTiling");
  }
  if (traits.b.sparse && job.object.tiling.baseK % 64 != 0)
    refuse("base blocks of a sparse matrix are no whole fractals along K", "make baseK a multiple of 64");
  if (traits.b.sparse && (job.shared || !config.doMultiDataLoad))
    refuse("a sparse matrix is for cube cores that work alone, with MDL", "define ASCENDC_CUBE_ONLY and take CFG_MDL");
}

// ---- L1 and L0 -------------------------------------------------------------------------------------------------------

void checkSource(const Job& job, const Side& side) {
  if (side.source.place == Source::None) {
    trap({Check::ParameterRange, job.instruction, text("matrix %s was never set", side.name),
          "call SetTensorA and SetTensorB before Iterate, IterateAll and IterateBatch"});
  }
  if (side.source.transposed && !side.kind.transposes) {
    trap({Check::ParameterRange, job.instruction,
          text("matrix %s is set as transposed, and its MatmulType does not allow it", side.name),
          "pass true for ISTRANS of MatmulType"});
  }
  if (side.kind.element == Element::Int4) {
    if (side.isLeft && side.turned()) matmulUnsupported(job.instruction, "a transposed A of int4b_t");
    const int32_t inner = side.turned() ? side.singleOuter : side.singleDepth;
    if (inner % 2 != 0)
      trap({Check::ParameterRange, job.instruction,
            text("rows of matrix %s are %d elements long; int4b_t come in pairs", side.name, inner),
            "pad them to an even number"});
  }
  if (side.kind.sparse && job.object.index.place == Source::None)
    trap({Check::ParameterRange, job.instruction, "nothing says which elements of B are there", "call SetSparseIndex"});
  // a part that several cores compute lies inside of the whole matrix
  if (side.source.place == Source::Global && !side.source.alone && side.kind.layout == LayoutMode::NONE &&
      (side.singleOuter > side.orgOuter || side.singleDepth > side.orgDepth)) {
    trap({Check::ParameterRange, job.instruction,
          text("%d x %d of matrix %s are to be computed, the whole of it is %d x %d", side.singleOuter,
               side.singleDepth, side.name, side.orgOuter, side.orgDepth),
          "check SetOrgShape, SetSingleShape and SetTail against the tiling"});
  }
}

// Rows by columns at (row, column) of a matrix in global memory to a panel of columns of fractals.
void loadPanel(const Job& job, const Side& side, Operand to, uint32_t row, uint32_t column, uint32_t rows,
               uint32_t columns, const View& panel) {
  const auto stride = static_cast<uint32_t>(side.turned() ? side.orgOuter : side.orgDepth);
  const int32_t outer = side.source.alone ? side.singleOuter : side.orgOuter,
                depth = side.source.alone ? side.singleDepth : side.orgDepth;
  const auto allRows = alignedUp(static_cast<uint32_t>(side.turned() ? depth : outer), 16);
  const bool inBands = side.turned() && side.bytes() == 4;  // of 16 rows, so that squares lie together
  const uint32_t bandRows = inBands ? 16 : rows, padded = inBands ? 16 : panel.rows;
  for (uint32_t first = 0; first < rows; first += bandRows) {
    const uint32_t now = std::min(bandRows, rows - first);
    const Operand band = moved(to, uint64_t(first) * panel.columns * side.bytes());
    if (side.kind.format == CubeFormat::NZ) {
      const GmAddress from = side.source.gm + (uint64_t(column / side.width()) * allRows + row + first) * blockBytes;
      const uint32_t groups = ceilDivide(columns, side.width()),
                     length = std::min(alignedUp(now, 16), allRows - row - first);
      dma::loadGm(band, from, groups, length * blockBytes, allRows - length, padded - length);
      continue;
    }
    const GmAddress from = side.source.gm + (uint64_t(row + first) * stride + column) * side.bytes();
    if (stride <= 65535) {
      cube::loadNd2Nz(
          band, from,
          AscendC::Nd2NzParams(1, static_cast<uint16_t>(now), columns, 0, stride, static_cast<uint16_t>(padded), 1, 0),
          side.bytes());
      continue;
    }
    if (!job.object.traits->config.intrinsicsCheck) {
      trap({Check::ParameterRange, job.instruction,
            text("rows of matrix %s are %u elements long; one copy reaches over 65535", side.name, stride),
            "set intrinsicsCheck in the MatmulConfig"});
    }
    for (uint32_t i = 0; i < now; ++i)
      cube::loadNd2Nz(moved(band, uint64_t(i) * blockBytes), from + uint64_t(i) * stride * side.bytes(),
                      AscendC::Nd2NzParams(1, 1, columns, 0, columns, static_cast<uint16_t>(padded), 1, 0),
                      side.bytes());
  }
}

// What says which elements of a panel are there: rows of 8 bytes in columns, 32 elements of the matrix each.
void loadIndex(const Job& job, const Side& side, Operand to, uint32_t row, uint32_t column, uint32_t rows,
               uint32_t columns, const View& panel) {
  constexpr uint32_t rowBytes = 8;
  const uint32_t allRows = alignedUp(static_cast<uint32_t>(side.orgOuter), 16),
                 length = std::min(alignedUp(rows, 16), allRows - row);
  const GmAddress from = job.object.index.gm + (uint64_t(column / 32) * allRows + row) * rowBytes;
  dma::loadGm(to, from, ceilDivide(columns, 32), length * rowBytes, (allRows - length) * rowBytes / blockBytes,
              (panel.rows - length) * rowBytes / blockBytes);
}

// The base block (outer, depth) of a matrix in L1: it stays there until another one needs its slot.
View fetch(const Job& job, const Side& side, int32_t outer, int32_t depth) {
  const auto row = static_cast<uint32_t>(side.turned() ? depth * side.baseDepth : outer * side.baseOuter);
  const auto column = static_cast<uint32_t>(side.turned() ? outer * side.baseOuter : depth * side.baseDepth);
  if (side.source.place == Source::Local) {
    if (side.turned() && side.bytes() == 4)
      matmulUnsupported(job.instruction, "a float matrix in L1 that has to be transposed");
    if (side.kind.sparse) matmulUnsupported(job.instruction, "a sparse matrix in L1");
    const auto rows = static_cast<uint32_t>(side.turned() ? side.singleDepth : side.singleOuter),
               columns = static_cast<uint32_t>(side.turned() ? side.singleOuter : side.singleDepth);
    return {side.source.local, alignedUp(rows, 16), alignedUp(columns, side.width()), row, column, 0, 0};
  }
  const int32_t slotOuter = outer / side.stepOuter, slotDepth = depth / side.stepDepth;
  const int32_t fromOuter = slotOuter * side.stepOuter * side.baseOuter,
                fromDepth = slotDepth * side.stepDepth * side.baseDepth;
  const auto lengthOuter =
      static_cast<uint32_t>(std::min(side.stepOuter * side.baseOuter, side.singleOuter - fromOuter));
  const auto lengthDepth =
      static_cast<uint32_t>(std::min(side.stepDepth * side.baseDepth, side.singleDepth - fromDepth));
  const uint32_t rows = side.turned() ? lengthDepth : lengthOuter, columns = side.turned() ? lengthOuter : lengthDepth;
  const auto firstRow = static_cast<uint32_t>(side.turned() ? fromDepth : fromOuter),
             firstColumn = static_cast<uint32_t>(side.turned() ? fromOuter : fromDepth);

  Panels& panels = side.panels;
  uint32_t index = 0;
  while (index < panels.slots.size() &&
         (panels.slots[index].outer != slotOuter || panels.slots[index].depth != slotDepth))
    ++index;
  const bool there = index < panels.slots.size();
  if (!there) {
    index = panels.next;
    panels.next = (panels.next + 1) % static_cast<uint32_t>(panels.slots.size());
    panels.slots[index] = {slotOuter, slotDepth};
  }
  View view{at(panels.place, uint64_t(index) * panels.slotBytes, side.isLeft ? TPosition::A1 : TPosition::B1),
            alignedUp(rows, side.rowUnit()),
            alignedUp(columns, side.columnUnit()),
            row - firstRow,
            column - firstColumn,
            panels.firstToken + 2 * index,
            panels.firstToken + 2 * index + 1};
  view.index = moved(view.panel, panels.indexAt);
  if (!there) {
    wait(Pipe::MTE2, view.released);
    const auto height = static_cast<int32_t>(lengthOuter), width = static_cast<int32_t>(lengthDepth);
    const Object& o = job.object;
    if (side.copy != nullptr) {
      side.copy(side.isLeft ? UserCopy{view.panel, panels.slotBytes, side.source.gm, slotOuter, slotDepth, height,
                                       width, nullptr, o.info, o.data}
                            : UserCopy{view.panel, panels.slotBytes, side.source.gm, slotDepth, slotOuter, width,
                                       height, nullptr, o.info, o.data});
    } else {
      loadPanel(job, side, view.panel, firstRow, firstColumn, rows, columns, view);
    }
    if (side.kind.sparse) loadIndex(job, side, view.index, firstRow, firstColumn, rows, columns, view);
    set(Pipe::MTE2, view.ready);
  }
  wait(Pipe::MTE1, view.ready);
  return view;
}

// A block of `length` by `depth` from L1 to L0, in the order of fractals that the multiplication takes.
void split(const Job& job, const Side& side, const View& view, Operand to, uint32_t length, uint32_t depth) {
  using AscendC::LoadData2DParams;
  using AscendC::LoadData2dTransposeParams;
  constexpr uint32_t fractal = cube::fractalBytes;
  const uint32_t blocks = ceilDivide(length, 16), deep = ceilDivide(depth, side.width());
  const auto u8 = [](uint32_t value) { return static_cast<uint8_t>(value); };
  const auto u16 = [](uint32_t value) { return static_cast<uint16_t>(value); };
  if (!side.turned() && side.kind.sparse) {
    for (uint32_t i = 0; i < deep; ++i) {
      const uint64_t first = (uint64_t(view.column / side.width() + i) * view.rows + view.row) / 16;
      cube::loadDataSparse(moved(to, uint64_t(i) * blocks * fractal), moved(view.panel, first * fractal),
                           moved(view.index, first * (fractal / 4)),
                           LoadData2DParams(0, u8(blocks), 1, 0, 0, false, 0));
    }
    return;
  }
  if (!side.turned()) {
    for (uint32_t i = 0; i < deep; ++i) {
      const Operand from =
          moved(view.panel, (uint64_t(view.column / side.width() + i) * view.rows + view.row) * blockBytes);
      // rows of fractals in L0A, along k in L0B
      if (side.isLeft)
        cube::loadData(moved(to, uint64_t(i) * fractal), from,
                       LoadData2DParams(0, u8(blocks), 1, 0, u16(deep - 1), false, 0), side.bytes());
      else
        cube::loadData(moved(to, uint64_t(i) * blocks * fractal), from,
                       LoadData2DParams(0, u8(blocks), 1, 0, 0, false, 0), side.bytes());
    }
    return;
  }
  if (side.bytes() == 2) {
    for (uint32_t i = 0; i < blocks; ++i) {
      const Operand from = moved(view.panel, (uint64_t(view.column / 16 + i) * view.rows + view.row) * blockBytes);
      if (side.isLeft)
        cube::loadData(moved(to, uint64_t(i) * deep * fractal), from, LoadData2DParams(0, u8(deep), 1, 0, 0, true, 0),
                       2);
      else
        cube::loadData(moved(to, uint64_t(i) * fractal), from,
                       LoadData2DParams(0, u8(deep), 1, 0, u16(blocks - 1), true, 0), 2);
    }
    return;
  }
  if (side.bytes() == 4) {
    // bands of 16 rows, each a row of squares of two fractals; a square that only half fits writes a fractal too many, which
    // the load after it overwrites
    const uint32_t squares = view.columns / 16, bands = ceilDivide(depth, 16);
    for (uint32_t i = 0; i < (side.isLeft ? blocks : bands); ++i) {
      const uint32_t start = side.isLeft ? view.row / 16 * squares + view.column / 16 + i
                                         : (view.row / 16 + i) * squares + view.column / 16;
      const LoadData2dTransposeParams params =
          side.isLeft ? LoadData2dTransposeParams(u16(start), u8(bands), u16(squares), 1, 0)
                      : LoadData2dTransposeParams(u16(start), u8(blocks), 1, 0, u16(blocks - 1));
      cube::loadDataTranspose(moved(to, uint64_t(i) * (side.isLeft ? deep : 2 * blocks) * fractal), view.panel, params,
                              32);
    }
    return;
  }
  // squares of 32 bytes by 32 or 64 rows
  const uint32_t square = side.turnedRows(), high = square / 16;
  if (view.column % 32 != 0 || view.row % square != 0) {
    trap({Check::ParameterRange, job.instruction,
          text("a block of matrix %s starts in the middle of a square of %u x %u, which is turned as a whole",
               side.name, square, square),
          "where the fractals of A or B are turned, make baseM or baseN, and baseK, multiples of 32 for int8_t and of "
          "64 for int4b_t"});
  }
  const uint32_t below = view.rows / square, across = ceilDivide(blocks, high), down = ceilDivide(depth, square);
  for (uint32_t i = 0; i < (side.isLeft ? across : down); ++i) {
    const uint32_t start = side.isLeft ? (view.column / 32 + i) * below + view.row / square
                                       : view.column / 32 * below + view.row / square + i;
    const LoadData2dTransposeParams params =
        side.isLeft ? LoadData2dTransposeParams(u16(start), u8(down), 1, 0, u16(down - 1))
                    : LoadData2dTransposeParams(u16(start), u8(across), u16(below), u16(high - 1), 0);
    cube::loadDataTranspose(moved(to, uint64_t(i) * (side.isLeft ? high * down : blocks) * fractal), view.panel, params,
                            256 / square);
  }
}

// A block of L0 that holds one value.
void fillBlock(const Side& side, Operand to, uint32_t length, uint32_t depth) {
  cube::fill(to, 1, ceilDivide(length, 16) * ceilDivide(depth, side.width()), 0, side.source.bits, side.bytes());
}

// ---- bias --------------------------------------------------------------------------------------------------------------

// The bias of `n` columns to the bias table, as float or int32.
Operand loadBias(const Job& job, uint32_t column, uint32_t n) {
  const Source& bias = job.object.bias;
  const uint32_t bytes = bytesOf(job.object.traits->bias.element);
  Operand inL1 = at(job.engine.bias, 0, TPosition::C1);
  if (bias.place == Source::Local) {
    inL1 = moved(bias.local, uint64_t(column) * bytes);
  } else {
    wait(Pipe::MTE2, BiasCopied);
    cube::loadNd2Nz(inL1, bias.gm + uint64_t(column) * bytes, AscendC::Nd2NzParams(1, 1, n, 0, n, 1, 1, 0), bytes);
    set(Pipe::MTE2, BiasLoaded);
    wait(Pipe::MTE1, BiasLoaded);
  }
  const LocalBuffer table = localMemoryOf(TPosition::C2, 0, alignedUp(n, 16) * 4);
  const Operand to{table.address, 0, TPosition::C2};
  wait(Pipe::MTE1, BiasUsed);
  checkLocal(job.instruction, {inL1, alignedUp(n * bytes, blockBytes), false, blockBytes, "the bias"}, Memory::L1);
  checkLocal(job.instruction, {to, alignedUp(n, 16) * 4, true, 64, "the bias table"}, Memory::BT);
  if (bytes == 2) {
    std::vector<half> narrowed(n);
    std::vector<float> wide(n);
    std::memcpy(narrowed.data(), inL1.address, n * sizeof(half));
    widen(wide.data(), narrowed.data(), n);
    std::memcpy(to.address, wide.data(), n * sizeof(float));
  } else {
    std::memcpy(to.address, inL1.address, size_t(n) * 4);
  }
  cube::recordCube(Pipe::MTE1, 14 + n * 4 / 32, 20);
  set(Pipe::MTE1, BiasCopied);
  return to;
}

// ---- blocks --------------------------------------------------------------------------------------------------------------

void listBlocks(const Job& job) {
  const Object& o = job.object;
  const AscendC::tiling::TCubeTiling& t = o.tiling;
  const auto rows = static_cast<int32_t>(ceilOf(o.singleM, t.baseM)),
             columns = static_cast<int32_t>(ceilOf(o.singleN, t.baseN));
  std::vector<Engine::Block>& order = job.engine.order;
  order.clear();
  // what lies in L1 together is used together: steps of one matrix inside those of the other
  const bool alongM = t.iterateOrder == 0;
  const int32_t outer = alongM ? columns : rows, inner = alongM ? rows : columns,
                outerStep = alongM ? t.stepN : t.stepM, innerStep = alongM ? t.stepM : t.stepN;
  // pairs lie beside each other in the direction that is followed last
  const int32_t pair = takesPairs(*o.traits) ? 2 : 1;
  const auto steps = static_cast<int32_t>(ceilOf(o.singleK, t.baseK));
  const auto add = [&](Engine::Block block) {
    if (!o.traits->config.isPartialOutput) order.push_back(block);
    else
      for (block.step = 0; block.step < steps; ++block.step) order.push_back(block);
  };
  for (int32_t o0 = 0; o0 < outer; o0 += outerStep)
    for (int32_t i0 = 0; i0 < inner; i0 += innerStep)
      for (int32_t i = i0; i < std::min(inner, i0 + innerStep); ++i)
        for (int32_t o1 = o0; o1 < std::min(outer, o0 + outerStep); o1 += pair) {
          const auto number = static_cast<uint32_t>(std::min(pair, std::min(outer, o0 + outerStep) - o1));
          add(alongM ? Engine::Block{i, o1, -1, number} : Engine::Block{o1, i, -1, number});
        }
}

// Block `index` of those that are computed together.
Engine::Block partOf(const Job& job, uint32_t index) {
  Engine::Block block = job.engine.current;
  (job.object.tiling.iterateOrder == 0 ? block.n : block.m) += static_cast<int32_t>(index);
  return block;
}

// Whether a policy leaves the block out.
bool isLeftOut(const Traits& traits, const Engine::Block& block) {
  return (traits.policy == Policy::Upper && block.m > block.n) || (traits.policy == Policy::Lower && block.m < block.n);
}

Operand sumsAt(const Job& job) {
  return at(job.engine.sums, uint64_t(job.engine.sum) * job.engine.sumBytes, TPosition::CO1);
}

struct Extents {
  uint32_t m, n;
};
Extents extentsOf(const Job& job, const Engine::Block& block) {
  const Object& o = job.object;
  return {static_cast<uint32_t>(std::min(o.tiling.baseM, o.singleM - block.m * o.tiling.baseM)),
          static_cast<uint32_t>(std::min(o.tiling.baseN, o.singleN - block.n * o.tiling.baseN))};
}

void load(const Job& job, const Side& side, int32_t outer, int32_t step, Operand to, uint32_t length,
          uint32_t depthOfK) {
  // as they lie in memory, along k
  const uint32_t depth =
      depthOfK / (side.kind.sparse ? 2 : 1) / (side.kind.element == Element::Int4 && !side.turned() ? 2 : 1);
  if (side.source.place == Source::Constant) {
    fillBlock(side, to, length, depth);
    return;
  }
  const View view = fetch(job, side, outer, step);
  split(job, side, view, to, length, depth);
  if (view.released != 0) set(Pipe::MTE1, view.released);
}

// Blocks side by side share what they have in common in L0.
void compute(const Job& job, Engines& engines, bool accumulates, Operand sums) {
  const Object& o = job.object;
  const Side left = leftOf(job).packed(), right = rightOf(job).packed();
  const bool adds = !o.usesBias || accumulates, keepsLeft = o.tiling.iterateOrder == 0;
  const uint32_t number = job.engine.current.number;
  const int32_t steps = static_cast<int32_t>(ceilOf(o.singleK, o.tiling.baseK)), only = job.engine.current.step;
  constexpr uint32_t half = 32 * 1024;
  uint32_t l = 0, r = 0;
  cube::setHf32(o.hf32);
  cube::setHf32TiesToZero(o.hf32TiesToZero);
  for (int32_t step = only < 0 ? 0 : only; step < (only < 0 ? steps : only + 1); ++step) {
    const auto depth = static_cast<uint32_t>(std::min(o.tiling.baseK, o.singleK - step * o.tiling.baseK));
    for (uint32_t part = 0; part < number; ++part) {
      const Engine::Block block = partOf(job, part);
      if (isLeftOut(*o.traits, block)) continue;
      const Extents size = extentsOf(job, block);
      const Operand to = moved(sums, uint64_t(part) * job.engine.sumBytes);
      // one row alone would be taken for a vector
      const uint32_t rows = size.m == 1 ? 16 : size.m;
      const bool loadsLeft = part == 0 || !keepsLeft, loadsRight = part == 0 || keepsLeft, last = part + 1 == number;
      if (loadsLeft) {
        l = o.tiling.dbL0A == 2 ? engines.left : 0;
        engines.left = 1 - l;
      }
      if (loadsRight) {
        r = o.tiling.dbL0B == 2 ? engines.right : 0;
        engines.right = 1 - r;
      }
      const Operand a{localMemoryOf(TPosition::A2, l * half, 0).address, 0, TPosition::A2},
          b{localMemoryOf(TPosition::B2, r * half, 0).address, 0, TPosition::B2};
      if (loadsLeft) {
        wait(Pipe::MTE1, LeftFree + l);
        load(job, left, block.m, step, a, size.m, depth);
      }
      if (loadsRight) {
        wait(Pipe::MTE1, RightFree + r);
        load(job, right, block.n, step, b, size.n, depth);
      }
      const bool startsAnew = step == 0 || only >= 0, withBias = startsAnew && !adds;
      Operand bias{};
      if (withBias) bias = loadBias(job, static_cast<uint32_t>(block.n * o.tiling.baseN), size.n);
      set(Pipe::MTE1, Loaded);
      wait(Pipe::M, Loaded);
      AscendC::MmadParams params(static_cast<uint16_t>(rows), static_cast<uint16_t>(size.n),
                                 static_cast<uint16_t>(depth), 0, false, startsAnew && !accumulates && !withBias);
      if (o.traits->b.sparse) {
        // a bias is taken from the start of its table
        params.cmatrixSource = withBias;
        cube::mmadSparse(to, a, b, params);
      } else {
        cube::mmad(to, a, b, withBias ? &bias : nullptr, params, o.traits->a.element);
      }
      constexpr uint32_t keepsOrderFrom = 10;
      if (ceilDivide(rows, 16) * ceilDivide(size.n, 16) < keepsOrderFrom)
        record({TraceEntry::Barrier, Pipe::M, false, 1, 0, 0, 0, 0});
      if (last || !keepsLeft) set(Pipe::M, LeftFree + l);
      if (last || keepsLeft) set(Pipe::M, RightFree + r);
      if (withBias) set(Pipe::M, BiasUsed);
    }
  }
  cube::setHf32(false);
  cube::setHf32TiesToZero(false);
}

// ---- the way out -----------------------------------------------------------------------------------------------------------

QuantMode_t modeOf(const Job& job) {
  const Traits& traits = *job.object.traits;
  const bool integers = isInteger(traits.a.element), perColumn = job.object.scaling == Object::ScalePerColumn;
  const Element to = traits.c.element;
  const bool bytes = to == Element::Int8 || to == Element::UInt8;
  if (!bytes && !(integers && to == Element::Half))
    return to == Element::Half ? F322F16 : to == Element::Bf16 ? F322BF16 : NoQuant;
  if (job.object.scaling == Object::NoScale) {
    trap({Check::FixpipeQuant, job.instruction, "the result has another type than the sums, and no scale was set",
          "call SetQuantScalar or SetQuantVector before Iterate and IterateAll"});
  }
  if (integers) return bytes ? (perColumn ? VREQ8 : REQ8) : (perColumn ? VDEQF16 : DEQF16);
  return perColumn ? VQF322B8_PRE : QF322B8_PRE;
}

vec::AtomicType atomicTypeOf(Element element) {
  switch (element) {
    case Element::Half: return vec::AtomicType::Half;
    case Element::Bf16: return vec::AtomicType::Bf16;
    case Element::Int32: return vec::AtomicType::Int32;
    case Element::Int8:
    case Element::UInt8: return vec::AtomicType::Int8;
    default: return vec::AtomicType::Float;
  }
}

// A block is copied by a function of the kernel.
void copyOutByKernel(const Job& job, GmAddress to, Operand sums, const Engine::Block& block, const Extents& size,
                     const AscendC::FixpipeParamsV220& params, const cube::WayOut& way) {
  AscendC::DataCopyOutParams out;
  out.quantMode = static_cast<uint8_t>(params.quantPre);
  out.cBurstNum = static_cast<uint16_t>(ceilDivide(size.n, 16));
  out.burstLen = static_cast<uint16_t>(size.m * 16 * 4 / blockBytes);
  out.dstStride = params.dstStride;
  out.oriNSize = static_cast<uint16_t>(way.layout == AscendC::CO2Layout::NZ ? 0 : size.n);
  out.quantScalar = params.deqScalar;
  out.curM = block.m;
  out.curN = block.n;
  if (way.scales != nullptr) out.cbufWorkspaceAddr = reinterpret_cast<uint64_t>(way.scales->address);
  job.object.traits->copyOut({sums, job.engine.sumBytes, to, 0, 0, 0, 0, &out, job.object.info, job.object.data});
}

// One block of the result to global memory.
void store(const Job& job, const Target& target, const Engine::Block& block, Operand sums) {
  const Object& o = job.object;
  const Traits& traits = *o.traits;
  const Extents size = extentsOf(job, block);
  const uint32_t bytes = bytesOf(traits.c.element);
  const uint64_t row = uint64_t(static_cast<uint32_t>(block.m)) * static_cast<uint32_t>(o.tiling.baseM),
                 column = uint64_t(static_cast<uint32_t>(block.n)) * static_cast<uint32_t>(o.tiling.baseN);

  AscendC::FixpipeParamsV220 params(static_cast<uint16_t>(size.n), static_cast<uint16_t>(size.m),
                                    static_cast<uint16_t>(alignedUp(size.m, 16)), 0, false);
  params.quantPre = modeOf(job);
  params.deqScalar = o.scale;
  const Element from = isInteger(traits.a.element) ? Element::Int32 : Element::Float;
  cube::WayOut way{AscendC::CO2Layout::ROW_MAJOR, from, traits.c.element, nullptr};
  uint64_t offset = 0;
  if (traits.c.format == CubeFormat::NZ) {
    const uint32_t width = traits.config.isEnableChannelSplit ? 8
                           : bytes == 1                       ? 32
                                                              : 16,
                   allRows = static_cast<uint32_t>(o.orgM);
    way.layout = AscendC::CO2Layout::NZ;
    params.isChannelSplit = traits.config.isEnableChannelSplit;
    params.nSize = static_cast<uint16_t>(alignedUp(size.n, params.isChannelSplit ? 8 : 16));
    params.dstStride = (target.sequential ? alignedUp(size.m, 16) : allRows) * width * bytes / blockBytes;
    if (!target.sequential) offset = column * allRows + row * width;
  } else {
    const uint32_t unit = traits.c.format == CubeFormat::ND_ALIGN ? blockBytes / bytes : 1;
    params.dstStride = alignedUp(target.sequential ? size.n : static_cast<uint32_t>(o.orgKc), unit);
    if (!target.sequential) offset = row * params.dstStride + column;
    const uint64_t end = (offset + uint64_t(size.m - 1) * params.dstStride + size.n) * bytes;
    if (target.bytes != 0 && end > target.bytes) {
      trap({Check::BufferSize, job.instruction,
            text("the block ends at byte %llu of the result, the tensor in UB has %u",
                 static_cast<unsigned long long>(end), target.bytes),
            "pass true for enSequentialWrite, which writes the block from the start of the tensor on, or use a larger "
            "tensor"});
    }
  }
  Operand scales = at(job.engine.scales, 0, TPosition::A1);
  if (o.scaling == Object::ScalePerColumn && params.quantPre != NoQuant) {
    if (o.scales.place == Source::Local) {
      scales = moved(o.scales.local, column * 8);
    } else {
      wait(Pipe::MTE2, ScalesUsed);
      // as one row of 16-bit elements, which ends with the last parameter
      cube::loadNd2Nz(scales, o.scales.gm + column * 8, AscendC::Nd2NzParams(1, 1, size.n * 4, 0, size.n * 4, 1, 1, 0),
                      2);
      set(Pipe::MTE2, ScalesLoaded);
      wait(Pipe::FIX, ScalesLoaded);
    }
    way.scales = &scales;
  }
  const vec::Atomic kinds[] = {vec::Atomic::None, vec::Atomic::Add, vec::Atomic::Max, vec::Atomic::Min};
  if (target.atomic > 3)
    trap({Check::ParameterRange, job.instruction, text("enAtomic is %u; it has to be in 0..3", target.atomic),
          "0 stores, 1 adds, 2 takes the larger and 3 the smaller value"});
  if (target.atomic != 0) vec::setAtomic(kinds[target.atomic], atomicTypeOf(traits.c.element));
  const GmAddress to = target.gm + offset * bytes;
  if (traits.copyOut == nullptr) cube::fixpipe(to, sums, params, way);
  else copyOutByKernel(job, to, sums, block, size, params, way);
  if (target.atomic != 0) vec::setAtomic(vec::Atomic::None, vec::AtomicType::Float);
  if (way.scales != nullptr) set(Pipe::FIX, ScalesUsed);
}

bool takesScales(const Traits& traits) {
  return bytesOf(traits.c.element) == 1 || (isInteger(traits.a.element) && traits.c.element == Element::Half);
}

// Objects share L0 and what else there is once: what the one before has begun ends first.
Engines& activate(const Job& job) {
  Engines& engines = enginesOf(*core);
  if (engines.active == &job.engine) return engines;
  if (engines.active != nullptr) {
    recordOrder(Pipe::MTE1, Pipe::MTE2);
    recordOrder(Pipe::M, Pipe::MTE1);
    recordOrder(Pipe::FIX, Pipe::M);
    recordOrder(Pipe::FIX, Pipe::MTE2);
  }
  engines.active = &job.engine;
  return engines;
}

void forgetPanels(Engine& engine) {
  for (Panels* panels : {&engine.a, &engine.b}) std::fill(panels->slots.begin(), panels->slots.end(), Panels::Slot());
}

}  // namespace

uint32_t resultBytes(const Traits& traits) { return bytesOf(traits.c.element); }

void refuseAllOfParts(const Job& job) {
  trap({Check::ParameterRange, job.instruction,
        "with isPartialOutput, results come one by one, and this would write all parts of a sum to one place",
        "call Iterate and GetTensorC"});
}

uint32_t countResults(const Object& object) {
  const AscendC::tiling::TCubeTiling& t = object.tiling;
  const auto parts = [](int32_t length, int32_t unit) { return unit <= 0 ? 1u : ceilOf(length, unit); };
  return parts(object.singleM, t.baseM) * parts(object.singleN, t.baseN) *
         (object.traits->config.isPartialOutput ? parts(object.singleK, t.baseK) : 1);
}

// Local memory for the object, by its tiling.
void prepare(const Job& job, const void* pipe) {
  checkTraits(job);
  checkTiling(job);
  Engine& engine = job.engine;
  const AscendC::tiling::TCubeTiling& t = job.object.tiling;
  const Side left = leftOf(job), right = rightOf(job);
  const uint32_t leftBytes = left.slotBytes(), rightBytes = right.slotBytes() + right.indexBytes(),
                 leftSlots = slotsOf(left), rightSlots = slotsOf(right);
  const uint32_t columns = alignedUp(static_cast<uint32_t>(t.baseN), 16), biasBytes = t.isBias != 0 ? columns * 4 : 0;
  const bool scales = takesScales(*job.object.traits);
  requireFit(
      job, "A and B with depthA1 and depthB1",
      uint64_t(leftBytes) * leftSlots + uint64_t(rightBytes) * rightSlots + biasBytes + (scales ? columns * 8 : 0),
      Memory::L1);
  const uint32_t sumBytes = alignedUp(static_cast<uint32_t>(t.baseM), 16) * columns * 4;
  // set anew with the same needs: the memory is there
  const bool same = engine.prepared && engine.a.slotBytes == leftBytes && engine.b.slotBytes == rightBytes &&
                    engine.a.slots.size() == leftSlots && engine.b.slots.size() == rightSlots &&
                    engine.sumBytes == sumBytes;
  forgetPanels(engine);
  engine.order.clear();
  engine.waiting = false;
  if (same) return;
  uint32_t l1 = 0, l0c = 0;
  // what a vector core has put into L1 is on its way through global memory
  const bool inL1[] = {!job.shared && left.kind.position == TPosition::TSCM,
                       !job.shared && right.kind.position == TPosition::TSCM};
  engine.a.slots.assign(leftSlots, {});
  engine.b.slots.assign(rightSlots, {});
  engine.a.slotBytes = leftBytes;
  engine.b.slotBytes = rightBytes;
  engine.b.indexAt = right.slotBytes();
  engine.a.next = engine.b.next = 0;
  engine.a.firstToken = FirstSlot;
  engine.b.firstToken = FirstSlot + 2 * leftSlots;
  if (!inL1[0]) engine.a.place = allot(job, pipe, TPosition::A1, leftBytes * leftSlots, l1);
  if (!inL1[1]) engine.b.place = allot(job, pipe, TPosition::B1, rightBytes * rightSlots, l1);
  if (biasBytes != 0) engine.bias = allot(job, pipe, TPosition::C1, biasBytes, l1);
  if (scales) engine.scales = allot(job, pipe, TPosition::A1, columns * 8, l1);
  engine.sumBytes = sumBytes;
  engine.sum = 0;
  if (job.object.traits->c.position != TPosition::CO1)
    engine.sums = allot(job, pipe, TPosition::CO1, sumBytes * sumsOf(job), l0c);
  engine.prepared = true;
}

void begin(const Job& job) {
  const Object& o = job.object;
  if (!job.engine.prepared) {
    trap({Check::ErrorBuffer0, job.instruction, "the Matmul object has no tiling",
          "call REGIST_MATMUL_OBJ with the object and its tiling, or Init, before using it"});
  }
  checkSource(job, leftOf(job));
  checkSource(job, rightOf(job));
  if (o.usesBias && o.tiling.isBias == 0)
    trap({Check::ParameterRange, job.instruction, "a bias is set, and isBias of the tiling is 0",
          "call EnableBias(true) of the tiling"});
  forgetPanels(job.engine);
  listBlocks(job);
  job.engine.next = 0;
}

bool iterate(const Job& job, bool accumulates, const Operand* accumulator) {
  Engine& engine = job.engine;
  if (engine.next >= engine.order.size()) return false;
  Engines& engines = activate(job);
  engine.current = engine.order[engine.next++];
  engine.ownSums = accumulator == nullptr;
  if (!engine.ownSums) {
    compute(job, engines, accumulates, *accumulator);
    return true;
  }
  if (!accumulates) {
    if (engine.waiting)
      trap({Check::QueueExhausted, job.instruction, "the block before waits in L0C, and nobody has taken it",
            "call GetTensorC after every Iterate"});
    // a pair takes both
    engine.sum = takesPairs(*job.object.traits) ? 0 : (engine.sum + 1) % static_cast<uint32_t>(job.object.tiling.dbL0C);
  }
  engine.waiting = true;
  wait(Pipe::M, SumFree + engine.sum);
  compute(job, engines, accumulates, sumsAt(job));
  set(Pipe::M, SumReady);
  return true;
}

void take(const Job& job, const Target& target) {
  Engine& engine = job.engine;
  if (!engine.waiting)
    trap({Check::QueueEmpty, job.instruction, "there is no block of the result to take",
          "call GetTensorC once after an Iterate that has returned true"});
  wait(Pipe::FIX, SumReady);
  Target to = target;
  for (uint32_t part = 0; part < engine.current.number; ++part) {
    const Engine::Block block = partOf(job, part);
    if (isLeftOut(*job.object.traits, block)) continue;
    store(job, to, block, moved(sumsAt(job), uint64_t(part) * engine.sumBytes));
    if (to.sequential)
      to.gm += uint64_t(static_cast<uint32_t>(job.object.tiling.baseM)) *
               static_cast<uint32_t>(job.object.tiling.baseN) * resultBytes(*job.object.traits);
  }
  set(Pipe::FIX, SumFree + engine.sum);
  engine.waiting = false;
}

void all(const Job& job, const Target& target) {
  while (iterate(job, false, nullptr)) take(job, target);
}

namespace {

// The axes of a matrix of several batches in memory: b, s, n, g and d, or s1 and s2 of a result.
struct Axes {
  int64_t b, s, n, g, d;

  // What lies between two rows of one batch, and between batches.
  int64_t rowStride(LayoutMode layout) const {
    return layout == LayoutMode::BSNGD ? n * g * d : layout == LayoutMode::SBNGD ? b * n * g * d : d;
  }
  int64_t placeOf(LayoutMode layout, int64_t index) const {
    if (layout == LayoutMode::BSNGD) return index / (n * g) * s * n * g * d + index % (n * g) * d;
    return layout == LayoutMode::SBNGD ? index * d : index * s * d;
  }
};

// Which batch of a matrix belongs to batch `index` of the result, where the other matrix has more along one axis.
int64_t broadcast(const Axes& own, const Axes& other, int64_t index) {
  if (own.g == 1 && other.g != 1) return index / other.g;
  if (own.n == 1 && other.n != 1) return index % other.g + index / (other.g * other.n);
  if (own.b == 1 && other.b != 1) return index % (other.g * other.n) + index / (other.g * other.n * other.b);
  return index;
}

// The matrix of one batch, from its place on.
void moveTo(Source& source, int64_t elements, Element element) {
  const uint64_t bytes = bytesIn(element, static_cast<uint64_t>(elements));
  if (source.place == Source::Global) source.gm += bytes;
  if (source.place == Source::Local) source.local.address += bytes;
}

Axes axesOfResult(const AscendC::tiling::TCubeTiling& t) {
  return {t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS2};
}

}  // namespace

uint64_t placeOfLoop(const Object& object, uint32_t batches, uint32_t loop) {
  return static_cast<uint64_t>(axesOfResult(object.tiling).placeOf(object.traits->c.layout, int64_t(loop) * batches)) *
         resultBytes(*object.traits);
}

void batch(const Job& job, const Target& target, const Batch& batch, uint32_t loop) {
  const Object& o = job.object;
  const Traits& traits = *o.traits;
  const AscendC::tiling::TCubeTiling& t = o.tiling;
  const LayoutMode layout = traits.a.layout;
  if (layout == LayoutMode::NONE || traits.b.layout != layout) {
    trap({Check::ParameterRange, job.instruction, "the matrices have no layout of batches, or not the same",
          "give MatmulType of A and B the same LayoutMode other than NONE"});
  }
  if (batch.a == 0 || batch.b == 0 || (batch.a % batch.b != 0 && batch.b % batch.a != 0)) {
    trap({Check::ParameterRange, job.instruction,
          text("%u batches of A and %u of B do not go together", batch.a, batch.b),
          "one number has to be a multiple of the other"});
  }
  const int64_t batches = std::max(batch.a, batch.b);
  const Axes a{t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG, t.ALayoutInfoD},
      b{t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG, t.BLayoutInfoD};
  const Axes c = axesOfResult(t);
  const bool normal = layout == LayoutMode::NORMAL;
  if (!normal && c.g == 1 && (a.g != 1 || b.g != 1)) matmulUnsupported(job.instruction, "a sum over the G axis");
  for (int64_t i = 0; i < batches; ++i) {
    Object part = o;
    Target to = target;
    const int64_t ia = int64_t(loop) * batch.a + (normal ? i * batch.a / batches : broadcast(a, b, i)),
                  ib = int64_t(loop) * batch.b + (normal ? i * batch.b / batches : broadcast(b, a, i));
    const int64_t ic = loop * batches + i;
    int64_t placeA = ia * (batch.strideA != 0 ? batch.strideA : int64_t(o.orgM) * o.orgKa),
            placeB = ib * (batch.strideB != 0 ? batch.strideB : int64_t(o.orgKb) * o.orgN);
    int64_t placeC = i * int64_t(o.orgM) * o.orgKc;
    if (!normal) {
      (o.a.transposed ? part.orgM : part.orgKa) = static_cast<int32_t>(a.rowStride(layout));
      (o.b.transposed ? part.orgKb : part.orgN) = static_cast<int32_t>(b.rowStride(layout));
      placeA = a.placeOf(layout, ia);
      placeB = b.placeOf(layout, ib);
      part.orgKc = static_cast<int32_t>(c.rowStride(traits.c.layout));
      placeC = c.placeOf(traits.c.layout, ic);
    }
    if (target.sequential) {
      part.orgKc = o.singleN;
      placeC = c.placeOf(traits.c.layout, loop * batches) + i * int64_t(o.singleM) * o.singleN;
      to.sequential = false;
    }
    moveTo(part.a, placeA, traits.a.element);
    moveTo(part.b, placeB, traits.b.element);
    if (o.usesBias && traits.config.isBiasBatch) moveTo(part.bias, ic * o.singleN, traits.bias.element);
    to.gm += placeC * resultBytes(traits);
    const Job one{job.engine, part, job.instruction, job.shared};
    begin(one);
    while (iterate(one, batch.accumulates, nullptr)) take(one, to);
  }
}

void sum(const Job& first, const Job& second, bool alone, const Target& target) {
  begin(first);
  if (!alone) begin(second);
  while (iterate(first, false, nullptr)) {
    if (!alone) {
      const Operand sums = sumsAt(first);
      wait(Pipe::M, SumReady);
      // both use all of L1
      forgetPanels(second.engine);
      if (!iterate(second, true, &sums))
        trap({Check::ParameterRange, second.instruction,
              "the two products of intraBlockPartSum have not as many blocks",
              "give both vector cores of a group parts of K of one product"});
      forgetPanels(first.engine);
      set(Pipe::M, SumReady);
    }
    take(first, target);
  }
}

void end(const Job& job) {
  job.engine.order.clear();
  job.engine.next = 0;
  job.engine.waiting = false;
  forgetPanels(job.engine);
}

}  // namespace npu_emu::matmul
