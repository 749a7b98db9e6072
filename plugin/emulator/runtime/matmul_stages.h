// The stages of a Matmul object: blocks go from global memory to L1, to L0, into products, and out.
#pragma once

#include <algorithm>

#include "issue.h"
#include "matmul_input.h"

namespace npu_emu::matmul {

// Tokens of the trace that no flag and no buffer uses.
constexpr uint32_t matmulTokens = 1024;
enum Token : uint32_t {
  LeftFree = matmulTokens,
  RightFree = matmulTokens + 2,
  Loaded = matmulTokens + 4,
  AccumulatorFree,
  AccumulatorReady = AccumulatorFree + 2,
  BiasLoaded,
  BiasCopied,
  BiasUsed,
  ScalesLoaded,
  ScalesUsed,
  FirstSlot
};

inline void set(Pipe pipe, uint32_t token) { setToken(pipe, token, tokenCycles); }
inline void wait(Pipe pipe, uint32_t token) { waitForToken(pipe, token, tokenCycles); }

inline Operand at(const LocalBuffer& buffer, uint64_t offset, TPosition position) {
  return {buffer.address + offset, buffer.buffer, position};
}
inline Operand moved(Operand operand, uint64_t bytes) {
  operand.address += bytes;
  return operand;
}

// Blocks that are computed side by side.
inline bool takesPairs(const Traits& traits) { return traits.config.scheduleType == ScheduleType::OUTER_PRODUCT; }
inline uint32_t accumulatorCount(const Job& job) {
  return takesPairs(*job.object.traits) ? 2 : static_cast<uint32_t>(job.object.tiling.dbL0C);
}
inline Operand accumulatorOf(const Job& job) {
  return at(job.engine.accumulators, uint64_t(job.engine.accumulator) * job.engine.accumulatorBytes, TPosition::CO1);
}

// Block `index` of those that are computed together.
inline Engine::Block blockOfPair(const Job& job, uint32_t index) {
  Engine::Block block = job.engine.current;
  (job.object.tiling.iterateOrder == 0 ? block.n : block.m) += static_cast<int32_t>(index);
  return block;
}

// Whether a policy leaves the block out.
inline bool isLeftOut(const Traits& traits, const Engine::Block& block) {
  return (traits.policy == Policy::Upper && block.m > block.n) || (traits.policy == Policy::Lower && block.m < block.n);
}

// Rows and columns of a block: fewer at the edges of the result.
struct BlockSize {
  uint32_t m, n;
};
inline BlockSize sizeOf(const Job& job, const Engine::Block& block) {
  const Object& o = job.object;
  // the shape may be another one by now than when the blocks were listed
  if (int64_t(block.m) * o.tiling.baseM >= o.singleM || int64_t(block.n) * o.tiling.baseN >= o.singleN ||
      (block.step >= 0 && int64_t(block.step) * o.tiling.baseK >= o.singleK)) {
    trap({Check::ParameterRange, job.instruction,
          text("the block (%d, %d) lies outside of the %d x %d x %d that are to be computed", block.m, block.n,
               o.singleM, o.singleN, o.singleK),
          "leave the shapes alone until all blocks of the iteration are computed"});
  }
  return {static_cast<uint32_t>(std::min(o.tiling.baseM, o.singleM - block.m * o.tiling.baseM)),
          static_cast<uint32_t>(std::min(o.tiling.baseN, o.singleN - block.n * o.tiling.baseN))};
}

// Traps where the tiling, or the type of the object, asks for what cannot be had.
void checkTraits(const Job& job);
void checkTiling(const Job& job);
void requireFit(const Job& job, const char* what, uint64_t bytes, Memory memory);

// The base block (outer, depth) of a matrix in L1: it stays there until another one needs its slot.
PanelView fetchPanel(const Job& job, const InputMatrix& matrix, int32_t outer, int32_t depth);

// The panel that comes after that block along k, ahead of its use, where there is a slot for it.
void prefetchPanel(const Job& job, const InputMatrix& matrix, int32_t outer, int32_t depth);

// A block of `length` (along m or n) by `depth` from L1 to L0, in the order of fractals that the multiplication takes.
void loadL0(const Job& job, const InputMatrix& matrix, const PanelView& view, Operand to, uint32_t length,
            uint32_t depth);

// The bias of `n` columns to the bias table, as float or int32.
Operand loadBias(const Job& job, uint32_t column, uint32_t n);

// The blocks that are computed together, into accumulators from `accumulators` on.
void multiply(const Job& job, Engines& engines, bool accumulates, Operand accumulators);

// One block of the result to global memory.
void store(const Job& job, const Target& target, const Engine::Block& block, Operand accumulator);

}  // namespace npu_emu::matmul
