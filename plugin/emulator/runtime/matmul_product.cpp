// Products of a Matmul object: both blocks go to L0 and are multiplied, step by step along k.
#include <algorithm>

#include "matmul_stages.h"

namespace npu_emu::matmul {

namespace {

// One step along k of the blocks that are computed together.
struct Step {
  const Job& job;
  const InputMatrix &left, &right;
  int32_t number;
  uint32_t depth;
  bool isFirst;      // of the sums
  bool accumulates;  // the first one adds to what is there
  bool addsBias;     // the first one starts with the bias
};

// A block of the result and its place in L0C.
struct Product {
  Engine::Block block;
  BlockSize size;
  Operand accumulator;
};

constexpr uint32_t biasFlag = 2;  // behind those of the halves of L0

uint32_t nextHalf(uint32_t& next, int32_t buffers) {
  const uint32_t half = buffers == 2 ? next : 0;
  next = 1 - half;
  return half;
}

Operand halfOf(TPosition position, uint32_t half) {
  constexpr uint32_t halfBytes = architecture::l0aBytes / 2;
  return {localMemoryOf(position, half * halfBytes, 0).address, 0, position};
}

// A block of a matrix to L0, or the one value that all of it has.
void loadBlock(const Step& step, const InputMatrix& matrix, int32_t outer, Operand to, uint32_t length) {
  // as they lie in memory, along k
  const uint32_t depth = step.depth / (matrix.kind.sparse ? 2 : 1) /
                         (matrix.kind.element == Element::Int4 && !matrix.isTransposedInL0() ? 2 : 1);
  if (matrix.source.place == Source::Constant) {
    cube::fill(to, 1, ceilDivide(length, 16) * ceilDivide(depth, matrix.width()), 0, matrix.source.bits,
               matrix.bytes());
    return;
  }
  const PanelView view = fetchPanel(step.job, matrix, outer, step.number);
  loadL0(step.job, matrix, view, to, length, depth);
  if (view.released != 0) set(Pipe::MTE1, view.released);
}

void multiplyBlock(const Step& step, const Product& product, Operand a, Operand b, const Operand* bias) {
  const Object& o = step.job.object;
  // one row alone would be taken for a vector
  const uint32_t rows = product.size.m == 1 ? 16 : product.size.m, columns = product.size.n;
  AscendC::MmadParams params(static_cast<uint16_t>(rows), static_cast<uint16_t>(columns),
                             static_cast<uint16_t>(step.depth), 0, false,
                             step.isFirst && !step.accumulates && bias == nullptr);
  if (o.traits->b.sparse) {
    // a bias is taken from the start of its table
    params.cmatrixSource = bias != nullptr;
    cube::mmadSparse(product.accumulator, a, b, params);
  } else {
    cube::mmad(product.accumulator, a, b, bias, params, o.traits->a.element);
  }
  if (ceilDivide(rows, 16) * ceilDivide(columns, 16) < cube::accumulationOrderFractals) pipeBarrierOf(Pipe::M);
}

// L0 has a flag that it is free and one that it is loaded for each of its halves, and the bias table has one of both.
void requireFlags(const Job& job, uint32_t part) {
  const auto id = static_cast<int32_t>(part);
  requireFlagOfMatmul(job.instruction, AscendC::HardEvent::M_MTE1, id, 1);
  requireFlagOfMatmul(job.instruction, AscendC::HardEvent::MTE1_M, id, 0);
}

// Blocks side by side share what they have in common in L0.
void multiplyStep(const Step& step, Engines& engines, Operand accumulators) {
  const Job& job = step.job;
  const Object& o = job.object;
  const bool keepsLeft = o.tiling.iterateOrder == 0;
  const uint32_t number = job.engine.current.number;
  uint32_t left = 0, right = 0;  // halves of L0A and L0B
  for (uint32_t part = 0; part < number; ++part) {
    const Engine::Block block = blockOfPair(job, part);
    if (isLeftOut(*o.traits, block)) continue;
    const Product product{block, sizeOf(job, block), moved(accumulators, uint64_t(part) * job.engine.accumulatorBytes)};
    const bool loadsLeft = part == 0 || !keepsLeft, loadsRight = part == 0 || keepsLeft, isLast = part + 1 == number;
    if (loadsLeft) left = nextHalf(engines.nextHalfOfL0A, o.tiling.dbL0A);
    if (loadsRight) right = nextHalf(engines.nextHalfOfL0B, o.tiling.dbL0B);
    const Operand a = halfOf(TPosition::A2, left), b = halfOf(TPosition::B2, right);
    requireFlags(job, loadsLeft ? left : right);
    if (loadsLeft) {
      wait(Pipe::MTE1, LeftFree + left);
      loadBlock(step, step.left, block.m, a, product.size.m);
    }
    if (loadsRight) {
      wait(Pipe::MTE1, RightFree + right);
      loadBlock(step, step.right, block.n, b, product.size.n);
    }
    const bool withBias = step.isFirst && step.addsBias;
    Operand bias{};
    if (withBias) requireFlags(job, biasFlag);
    if (withBias) bias = loadBias(job, static_cast<uint32_t>(block.n * o.tiling.baseN), product.size.n);
    set(Pipe::MTE1, Loaded);
    wait(Pipe::M, Loaded);
    multiplyBlock(step, product, a, b, withBias ? &bias : nullptr);
    if (isLast || !keepsLeft) set(Pipe::M, LeftFree + left);
    if (isLast || keepsLeft) set(Pipe::M, RightFree + right);
    if (withBias) set(Pipe::M, BiasUsed);
  }
}

}  // namespace

void multiply(const Job& job, Engines& engines, bool accumulates, Operand accumulators) {
  const Object& o = job.object;
  const InputMatrix left = leftOf(job).packed(), right = rightOf(job).packed();
  const int32_t only = job.engine.current.step, steps = static_cast<int32_t>(ceilOf(o.singleK, o.tiling.baseK));
  for (int32_t number = only < 0 ? 0 : only; number < (only < 0 ? steps : only + 1); ++number) {
    const auto depth = static_cast<uint32_t>(std::min(o.tiling.baseK, o.singleK - number * o.tiling.baseK));
    const bool isFirst = number == 0 || only >= 0;
    multiplyStep({job, left, right, number, depth, isFirst, accumulates, o.usesBias && !accumulates}, engines,
                 accumulators);
    // big blocks come one ahead; that of B, which is used up first, before that of A
    const Engine::Block& block = job.engine.current;
    if (only >= 0 || !loadsBigBlocks(*o.traits) || block.number != 1 || isLeftOut(*o.traits, block)) continue;
    prefetchPanel(job, right, block.n, number);
    prefetchPanel(job, left, block.m, number);
  }
}

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
  issueMove({job.instruction, Pipe::MTE1, 14 + n * 4 / 32, cube::cubeTail},
            {{inL1, alignedUp(n * bytes, blockBytes), reads, "the bias", blockBytes, Memory::L1},
             {to, alignedUp(n, 16) * 4, writes, "the bias table", 64, Memory::BT}},
            [&] {
              if (bytes == 4) std::memcpy(to.address, inL1.address, size_t(n) * 4);
              else widen(reinterpret_cast<float*>(to.address), reinterpret_cast<const half*>(inL1.address), n);
            });
  set(Pipe::MTE1, BiasCopied);
  return to;
}

}  // namespace npu_emu::matmul
