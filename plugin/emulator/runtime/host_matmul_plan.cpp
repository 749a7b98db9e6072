// The choice of blocks is the emulator's own: everything that fits is weighed by estimated cycles.
#include "host_matmul_plan.h"

#include <algorithm>
#include <limits>

namespace npu_emu::host {

namespace {

using AscendC::tiling::TCubeTiling;
using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using matmul_tiling::MatrixTraverse;
using matmul_tiling::TPosition;

constexpr int64_t accumulatorBytes = 4;
constexpr int32_t mostScales = 256;  // columns of a block that are scaled one by one
// Bytes per cycle of a core, and cycles that an instruction costs beside its data.
constexpr double readRate = 64, l0aRate = 256, l0bRate = 128, drainRate = 64, perMmad = 24, perCopy = 300;

constexpr int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t alignUp(int64_t a, int64_t unit) { return ceilDiv(a, unit) * unit; }

struct Extents {
  int64_t m, n, k;
};

struct Block {
  int64_t m, n, k;
  int32_t buffersA, buffersB, buffersC;
};

// What L1 keeps: blocks along M, N and K of each matrix.
struct Kept {
  int64_t m = 1, n = 1, ka = 1, kb = 1;
  int32_t buffersA = 1, buffersB = 1, order = 0;
};

class Planner {
 public:
  explicit Planner(const MatmulProblem& problem) : p(problem) {}

  const char* plan(TCubeTiling& result) {
    if (const char* wrong = check()) return wrong;
    if (const char* wrong = splitOverCores()) return wrong;
    if (const char* wrong = chooseBlock()) return wrong;
    if (const char* wrong = keepInL1()) return wrong;
    if (const char* wrong = checkBatch()) return wrong;
    write(result);
    return nullptr;
  }

 private:
  const char* check() {
    whole = {p.shape.m != -1 ? p.shape.m : p.original.m, p.shape.n != -1 ? p.shape.n : p.original.n,
             p.shape.k != -1 ? p.shape.k : p.original.k};
    if (whole.m <= 0 || whole.n <= 0 || whole.k <= 0) return "M, N and K have to be set and larger than 0";
    if (!isFactor(p.a.type) || !isFactor(p.b.type))
      return "A and B are float, half, bfloat16, int8 or int4 on Atlas A2";
    if (bitsOf(p.a.type) != bitsOf(p.b.type)) return "A and B have elements of one size on Atlas A2";
    if (bitsOf(p.c.type) == 0 || (p.hasBias && bitsOf(p.bias.type) == 0))
      return "the type of C or of the bias is none that is stored";
    if (p.mad == matmul_tiling::MatrixMadType::MXMODE) return "Atlas A2 has no MxMatmul";
    if (p.isSparse && (p.b.type != DataType::DT_INT8 || !p.b.isTransposed)) return "a sparse B is int8, and transposed";
    threes = p.config.scheduleType == matmul_tiling::ScheduleType::N_BUFFER_33;
    if (threes && (isInL1(p.a) || isInL1(p.b))) return "N_BUFFER_33 takes A and B from global memory";
    bits = bitsOf(p.a.type);
    c0 = blockBits / bits;
    // of a sparse matrix, half of the elements along K are there
    square = p.isSparse ? 2 * c0 : std::max<int64_t>(cubeSide, c0);
    biasBytes = p.hasBias && p.bias.position != TPosition::TSCM ? bitsOf(p.bias.type) / 8 : 0;
    if (p.hasBias && p.base.n > biasColumns()) return "the bias of baseN columns is larger than the bias table";
    if (p.base.m > 0 && bytes(p.base.m, c0) > p.l0aBytes) return "baseM is too large for L0A";
    if (p.base.n > 0 && bytes(p.base.n, c0) > p.l0bBytes) return "baseN is too large for L0B";
    if (p.base.m > 0 && p.base.n > 0 && p.base.m * int64_t{p.base.n} * accumulatorBytes > p.l0cBytes)
      return "baseM * baseN is larger than L0C";
    if (p.base.m > 0 && p.base.k > 0 && bytes(p.base.m, p.base.k) > p.l0aBytes)
      return "baseM * baseK is larger than L0A";
    if (p.base.n > 0 && p.base.k > 0 && bytes(p.base.n, p.base.k) > p.l0bBytes)
      return "baseN * baseK is larger than L0B";
    return nullptr;
  }

  static bool isFactor(DataType type) {
    return type == DataType::DT_FLOAT || type == DataType::DT_FLOAT16 || type == DataType::DT_BF16 ||
           type == DataType::DT_BFLOAT16 || type == DataType::DT_INT8 || type == DataType::DT_INT4;
  }

  // Biases are in 32 bits there.
  int64_t biasColumns() const { return p.biasTableBytes / 4; }
  int64_t bytes(int64_t rows, int64_t columns) const { return rows * columns * bits / 8; }

  // ---- cores ---------------------------------------------------------------------------------------------------------

  const char* splitOverCores() {
    core = whole;
    usedCores = 1;
    if (p.core.m != -1 || p.core.n != -1 || p.core.k != -1) {
      core = {p.core.m != -1 ? p.core.m : whole.m, p.core.n != -1 ? p.core.n : whole.n,
              p.core.k != -1 ? p.core.k : whole.k};
      usedCores = p.cores;
      return nullptr;
    }
    if (p.cores <= 0) return "SetDim was given no core";
    double least = std::numeric_limits<double>::max();
    // of splits that cost the same, the one along M
    for (int64_t m = p.cores; m >= 1; --m) {
      for (int64_t n = 1; n * m <= p.cores; ++n) {
        for (int64_t k = 1; k * n * m <= (p.splitsK ? p.cores : n * m); ++k) least = weighSplit({m, n, k}, least);
      }
    }
    return least == std::numeric_limits<double>::max()
               ? "no split over the cores keeps to SetSingleRange and SetFixSplit"
               : nullptr;
  }

  double weighSplit(const Extents& parts, double least) {
    const Extents share{part(whole.m, parts.m, p.coreUnit.m, cubeSide), part(whole.n, parts.n, p.coreUnit.n, cubeSide),
                        part(whole.k, parts.k, p.coreUnit.k, std::max<int64_t>(cubeSide, c0))};
    if (!isWithin(share.m, p.coreLeast.m, p.coreMost.m) || !isWithin(share.n, p.coreLeast.n, p.coreMost.n) ||
        !isWithin(share.k, p.coreLeast.k, p.coreMost.k))
      return least;
    if (alignUp(share.m, cubeSide) < p.base.m || alignUp(share.n, square) < p.base.n) return least;
    // The alignment may leave parts without work.
    const int64_t cores = ceilDiv(whole.m, share.m) * ceilDiv(whole.n, share.n) * ceilDiv(whole.k, share.k);
    const double cube = cubeCycles(share);
    const double reads =
        (ceilDiv(share.n, 256) * bytes(share.m, share.k) + ceilDiv(share.m, 128) * bytes(share.n, share.k)) / readRate;
    const double writes =
        share.m * share.n * (p.c.type == DataType::DT_INT8 ? 1 : 2) * (parts.k > 1 ? 4 : 1) / drainRate;
    // a last part that is smaller costs kernels work of their own, and so do parts of what is put into L1 as a whole
    constexpr double perExtra = 1.3;
    const bool hasTail = whole.m % share.m != 0 || whole.n % share.n != 0 || whole.k % share.k != 0;
    const bool splitsL1 = (isInL1(p.a) && share.m < whole.m) || (isInL1(p.b) && share.n < whole.n);
    const double cycles = (std::max(cube, reads) + writes + static_cast<double>(cores)) * (hasTail ? perExtra : 1) *
                          (splitsL1 ? perExtra : 1);
    if (cycles >= least) return least;
    core = share;
    usedCores = static_cast<int32_t>(cores);
    return cycles;
  }

  static int64_t part(int64_t extent, int64_t parts, int32_t unit, int64_t smallest) {
    return std::min(extent, alignUp(ceilDiv(extent, parts), unit > 0 ? unit : parts > 1 ? smallest : 1));
  }
  static bool isWithin(int64_t share, int32_t least, int32_t most) {
    return (least <= 0 || share >= least) && (most <= 0 || share <= most);
  }

  double cubeCycles(const Extents& e) const {
    return static_cast<double>(ceilDiv(e.m, cubeSide) * ceilDiv(e.n, cubeSide) * ceilDiv(e.k, c0)) *
           (bits == 32 ? 2 : 1);
  }

  // ---- the block of one Mmad -----------------------------------------------------------------------------------------

  const char* chooseBlock() {
    if (core.m <= 0 || core.n <= 0 || core.k <= 0) return "the extents of a core are larger than 0";
    const int64_t mostM = alignUp(core.m, cubeSide), mostN = alignUp(core.n, square);
    if (p.base.m > mostM) return "baseM is larger than the M of a core";
    if (p.base.n > mostN) return "baseN is larger than the N of a core";
    blocksInL0C = p.config.scheduleType == matmul_tiling::ScheduleType::OUTER_PRODUCT ? 2 : 1;
    double least = std::numeric_limits<double>::max();
    const int64_t wholeM = alignUp(core.m, cubeSide), wholeN = alignUp(core.n, cubeSide);
    for (int64_t m = firstOf(p.base.m, wholeM);; m = std::min(m + square, wholeM)) {
      for (int64_t n = firstOf(p.base.n, wholeN); bytesInL0C(m, n) <= p.l0cBytes; n = std::min(n + square, wholeN)) {
        least = weighBlock(m, n, least);
        if (p.base.n > 0 || n == wholeN) break;
      }
      if (p.base.m > 0 || m == wholeM) break;
    }
    if (least == std::numeric_limits<double>::max()) return "no block fits L0A, L0B, L0C and L1";
    if (blocksInL0C == 2 && block.k < core.k && (p.config.mmConfigType == 1 || p.batches != 0))
      return "OUTER_PRODUCT takes a K that is one block";
    return nullptr;
  }

  int64_t firstOf(int32_t fixed, int64_t most) const { return fixed > 0 ? fixed : std::min(square, most); }
  int64_t bytesInL0C(int64_t m, int64_t n) const { return m * n * accumulatorBytes * blocksInL0C; }

  double weighBlock(int64_t m, int64_t n, double least) {
    if (p.hasBias && n > biasColumns()) return least;
    if (p.dequant == matmul_tiling::DequantType::TENSOR && n > mostScales && p.base.n <= 0) return least;
    const int64_t rows = alignUp(m, square), columns = alignUp(n, square);
    Block made{m, n, 0, 2, 2, m * n * accumulatorBytes * 2 <= p.l0cBytes ? 2 : 1};
    if (p.base.k > 0) {
      made.k = p.base.k;
      made.buffersA = bytes(rows, made.k) * 2 <= p.l0aBytes ? 2 : 1;
      made.buffersB = bytes(columns, made.k) * 2 <= p.l0bBytes ? 2 : 1;
    } else {
      made.k = std::min(alignUp(core.k, square), deepest(rows, columns, 2));
      if (made.k == 0) {
        made.k = std::min(alignUp(core.k, square), deepest(rows, columns, 1));
        made.buffersA = made.buffersB = 1;
      }
    }
    if (threes && (ceilDiv(core.m, m) > 3 || made.k * 3 < core.k)) return least;
    if (made.k == 0 || bytes(rows, made.k) > p.l0aBytes || bytes(columns, made.k) > p.l0bBytes) return least;
    if (inL1(bytes(rows, made.k), bytes(columns, made.k)) > roomInL1(n)) return least;
    const int64_t timesA = ceilDiv(core.n, n), timesB = ceilDiv(core.m, m);
    const double cube = cubeCycles(core) + perMmad * timesA * timesB * ceilDiv(core.k, made.k);
    const double loads = timesA * bytes(alignUp(core.m, cubeSide), core.k) / l0aRate +
                         timesB * bytes(alignUp(core.n, cubeSide), core.k) / l0bRate;
    const double reads = (timesA * bytes(core.m, core.k) + timesB * bytes(core.n, core.k)) / readRate;
    const double drain = core.m * core.n * accumulatorBytes / drainRate;
    const double most = std::max({cube, loads, reads});
    const double cycles = (made.buffersC == 2 ? std::max(most, drain) : most + drain) + (cube + loads + reads) / 16 +
                          (made.buffersA == 1 || made.buffersB == 1 ? loads : 0);
    if (cycles >= least) return least;
    block = made;
    return cycles;
  }

  // The longest K of which so many buffers fit L0A and L0B; 0 when none does.
  int64_t deepest(int64_t rows, int64_t columns, int32_t buffers) const {
    return std::min(p.l0aBytes / buffers * 8 / (rows * bits), p.l0bBytes / buffers * 8 / (columns * bits)) / square *
           square;
  }

  // ---- L1 ------------------------------------------------------------------------------------------------------------

  bool isInL1(const MatrixType& matrix) const { return matrix.position == TPosition::TSCM; }
  int64_t inL1(int64_t bytesOfA, int64_t bytesOfB) const {
    return (isInL1(p.a) ? 0 : bytesOfA) + (isInL1(p.b) ? 0 : bytesOfB);
  }
  int64_t roomInL1(int64_t columns) const {
    // The device starts every buffer at a fractal.
    return p.l1Bytes - alignUp(columns * biasBytes, 512) -
           (p.dequant == matmul_tiling::DequantType::TENSOR ? alignUp(columns * 8, 512) : 0);
  }

  const char* keepInL1() {
    alongM = ceilDiv(core.m, block.m);
    alongN = ceilDiv(core.n, block.n);
    alongK = ceilDiv(core.k, block.k);
    blockA = isInL1(p.a) ? 0 : bytes(alignUp(block.m, square), block.k);
    blockB = isInL1(p.b) ? 0 : bytes(alignUp(block.n, square), block.k);
    const int64_t room = roomInL1(block.n);
    if (threes) {
      // all of A, and twice what of B belongs to it
      kept = {alongM, 1, alongK, alongK, 1, alongN > 1 ? 2 : 1, 0};
      return alongM * alongK * blockA + kept.buffersB * alongK * blockB <= room
                 ? nullptr
                 : "three by three blocks of A do not fit L1";
    }
    double least = std::numeric_limits<double>::max();
    for (int64_t ka = isInL1(p.a) ? alongK : 1; ka <= alongK && ka * blockA <= room; ++ka) {
      for (int64_t kb = isInL1(p.b) ? alongK : 1; kb <= alongK && ka * blockA + kb * blockB <= room; ++kb) {
        // MDL moves K of one matrix as often as that of the other, or a multiple of it, and the smaller step lies
        // within the larger one.
        const int64_t timesA = ceilDiv(alongK, ka), timesB = ceilDiv(alongK, kb);
        if (timesA % timesB != 0 && timesB % timesA != 0) continue;
        if (timesA > 1 && timesB > 1 && std::max(ka, kb) % std::min(ka, kb) != 0) continue;
        least = weighKept(ka, kb, room, least);
      }
    }
    return least == std::numeric_limits<double>::max() ? "a block of A and one of B do not fit L1" : nullptr;
  }

  double weighKept(int64_t ka, int64_t kb, int64_t room, double least) {
    // More than one block along M or N is kept only where K is kept whole; one more of A leaves the least room to B, and
    // the other way round.
    const int64_t mostM = isInL1(p.a) ? alongM : ka < alongK ? 1 : alongM;
    const int64_t mostN = isInL1(p.b) ? alongN : kb < alongK ? 1 : alongN;
    for (const bool favoursA : {true, false}) {
      Kept made;
      made.ka = ka;
      made.kb = kb;
      const auto fit = [&](int64_t& count, int32_t& buffers, int64_t most, bool isWhole, int64_t unit, int64_t left) {
        const int64_t fitting = unit == 0 ? most : left / unit;
        if (fitting < 1) return false;
        // What is whole in L1 is never replaced and needs no second buffer.
        if (isWhole && fitting >= most) {
          count = most;
          buffers = 1;
          return true;
        }
        buffers = fitting >= 2 ? 2 : 1;
        count = std::min(most, std::max<int64_t>(1, fitting / buffers));
        return true;
      };
      const bool wholeA = ka >= alongK, wholeB = kb >= alongK;
      const int64_t unitA = ka * blockA, unitB = kb * blockB;
      const int64_t reserveA = unitA * (wholeA && alongM == 1 ? 1 : 2),
                    reserveB = unitB * (wholeB && alongN == 1 ? 1 : 2);
      bool fits = false;
      if (favoursA) {
        fits = fit(made.m, made.buffersA, mostM, wholeA, unitA,
                   std::max(room - reserveB, std::min(unitA, room - unitB))) &&
               fit(made.n, made.buffersB, mostN, wholeB, unitB, room - made.m * made.buffersA * unitA);
      } else {
        fits = fit(made.n, made.buffersB, mostN, wholeB, unitB,
                   std::max(room - reserveA, std::min(unitB, room - unitA))) &&
               fit(made.m, made.buffersA, mostM, wholeA, unitA, room - made.n * made.buffersB * unitB);
      }
      if (!fits) continue;
      for (const int32_t order : {0, 1}) {
        if (p.config.traverse != MatrixTraverse::NOSET && order != static_cast<int32_t>(p.config.traverse) - 1)
          continue;
        made.order = order;
        const double cost = costOf(made);
        if (cost >= least) continue;
        least = cost;
        kept = made;
      }
    }
    return least;
  }

  // Cycles to bring everything into L1. Along the inner direction the matrix of the outer one stays where its K is whole.
  double costOf(const Kept& made) const {
    const bool wholeA = made.ka >= alongK, wholeB = made.kb >= alongK;
    const int64_t groupsM = ceilDiv(alongM, made.m), groupsN = ceilDiv(alongN, made.n);
    const int64_t timesA = made.order == 1 ? (wholeA ? 1 : groupsN) : (wholeA && groupsM == 1 ? 1 : groupsN);
    const int64_t timesB = made.order == 0 ? (wholeB ? 1 : groupsM) : (wholeB && groupsN == 1 ? 1 : groupsM);
    const auto cycles = [&](const MatrixType& matrix, int64_t times, int64_t extent, int64_t groups, int64_t k,
                            int32_t buffers) {
      if (isInL1(matrix)) return 0.0;
      const int64_t copies = times * groups * ceilDiv(alongK, k);
      // One buffer that is refilled holds everything up.
      return times * bytes(extent, core.k) / readRate * (buffers == 1 && copies > 1 ? 2 : 1) + perCopy * copies;
    };
    return cycles(p.a, timesA, core.m, groupsM, made.ka, made.buffersA) +
           cycles(p.b, timesB, core.n, groupsN, made.kb, made.buffersB);
  }

  // Without the layout NORMAL a core has the whole matrices of its batches in L1.
  const char* checkBatch() const {
    if (p.batches <= 0 || p.isPlainBatch) return nullptr;
    const int64_t needed =
        p.batches * (bytes(core.m, core.k) + bytes(core.n, core.k) + (p.hasBias ? bytes(core.n, 1) : 0));
    return needed > p.l1Bytes ? "the matrices of all batches are larger than L1" : nullptr;
  }

  // ---- result --------------------------------------------------------------------------------------------------------

  void write(TCubeTiling& t) const {
    const auto narrow = [](int64_t value) { return static_cast<int32_t>(value); };
    t = TCubeTiling{};
    t.usedCoreNum = usedCores;
    t.M = p.original.m != -1 ? p.original.m : narrow(whole.m);
    t.N = p.original.n != -1 ? p.original.n : narrow(whole.n);
    t.Ka = p.original.k != -1 ? p.original.k : narrow(whole.k);
    t.Kb = p.originalKb != -1 ? p.originalKb : narrow(whole.k);
    t.singleCoreM = narrow(core.m);
    t.singleCoreN = narrow(core.n);
    t.singleCoreK = narrow(core.k);
    t.baseM = narrow(block.m);
    t.baseN = narrow(block.n);
    t.baseK = narrow(block.k);
    t.stepM = narrow(kept.m);
    t.stepN = narrow(kept.n);
    // pairs of blocks lie within a step
    int32_t& stepOfPairs = kept.order == 0 ? t.stepN : t.stepM;
    if (blocksInL0C == 2 && p.config.mmConfigType == 0)
      stepOfPairs = static_cast<int32_t>(std::min<int64_t>(2, kept.order == 0 ? alongN : alongM));
    t.stepKa = narrow(kept.ka);
    t.stepKb = narrow(kept.kb);
    t.depthA1 = narrow(kept.m * kept.ka * kept.buffersA);
    t.depthB1 = narrow(kept.n * kept.kb * kept.buffersB);
    t.iterateOrder = kept.order;
    t.dbL0A = block.buffersA;
    t.dbL0B = block.buffersB;
    t.dbL0C = block.buffersC;
    t.isBias = p.hasBias ? 1 : 0;
    t.shareL1Size = narrow(t.depthA1 * blockA + t.depthB1 * blockB + block.n * biasBytes);
    t.shareL0CSize = narrow(block.m * block.n * accumulatorBytes);
    t.batchM = t.batchN = t.singleBatchM = t.singleBatchN = 1;
    int32_t* const layouts[] = {&t.ALayoutInfoB, &t.BLayoutInfoB, &t.CLayoutInfoB};
    const int32_t* const given[] = {p.layoutA, p.layoutB, p.layoutC};
    for (int i = 0; i < 3; ++i) std::copy_n(given[i], 5, layouts[i]);
    t.BatchNum = p.batches;
  }

  const MatmulProblem& p;
  int32_t bits = 0;
  int64_t c0 = 0, biasBytes = 0;
  // Matrices are turned in squares: blocks are counted as whole ones, as the object on the device may be told only there
  // that a matrix is transposed.
  int64_t square = 0;
  Extents whole{}, core{};
  int32_t usedCores = 1;
  int64_t blocksInL0C = 1;
  bool threes = false;  // A is kept in three by three blocks
  Block block{};
  int64_t alongM = 0, alongN = 0, alongK = 0, blockA = 0, blockB = 0;
  Kept kept;
};

}  // namespace

int32_t bitsOf(DataType type) {
  switch (type) {
    case DataType::DT_FLOAT:
    case DataType::DT_INT32:
    case DataType::DT_UINT32: return 32;
    case DataType::DT_FLOAT16:
    case DataType::DT_BF16:
    case DataType::DT_BFLOAT16:
    case DataType::DT_INT16:
    case DataType::DT_UINT16: return 16;
    case DataType::DT_INT8:
    case DataType::DT_UINT8: return 8;
    case DataType::DT_INT4: return 4;
    case DataType::DT_INT64:
    case DataType::DT_UINT64: return 64;
    default: return 0;
  }
}

const char* planMatmul(const MatmulProblem& problem, TCubeTiling& plan) { return Planner(problem).plan(plan); }

}  // namespace npu_emu::host
