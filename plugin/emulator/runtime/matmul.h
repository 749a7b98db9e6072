// Matmul objects on a cube core: base blocks of the result one after the other, as the tiling says.
#pragma once

#include <map>
#include <vector>

#include "../include/ascendc/matmul_object.h"
#include "cube.h"

namespace npu_emu::matmul {

// A base block of A or B within a panel of L1.
struct PanelView {
  Operand panel;
  uint32_t rows, columns;    // of the panel, padded to whole fractals
  uint32_t row, column;      // of the panel, where the block begins
  uint32_t ready, released;  // tokens; 0: the kernel keeps the order itself
  Operand index{};           // of a sparse matrix
};

// Panels of A or B in L1, each of one or more base blocks, replaced in turn.
struct PanelCache {
  struct Slot {
    int32_t outer = -1, depth = -1;
  };
  std::vector<Slot> slots;
  uint32_t next = 0, slotBytes = 0, indexAt = 0, firstToken = 0;
  LocalBuffer buffer;
};

// One object on the cube core that works for it.
struct Engine {
  PanelCache a, b;
  LocalBuffer bias, scales, accumulators;
  uint32_t accumulatorBytes = 0, accumulator = 0;  // of one accumulator, and which of them is in use
  bool prepared = false;
  // what it was prepared for
  const Traits* traits = nullptr;
  AscendC::tiling::TCubeTiling tiling{};
  // A block of the result, or its part of one step along k. Two blocks beside each other may be computed together.
  struct Block {
    int32_t m, n;
    int32_t step = -1;  // -1: all of k
    uint32_t number = 1;
  };
  std::vector<Block> blocks;  // of the iteration, in their order
  size_t next = 0;
  Block current{};
  bool hasResult = false;  // in L0C, which nobody has taken
  bool isUnderWay() const { return hasResult || next < blocks.size(); }
};

// The engines of one cube core.
struct Engines {
  std::map<uint64_t, Engine> all;
  Engine* active = nullptr;
  uint32_t objects = 0;
  uint32_t nextHalfOfL0A = 0, nextHalfOfL0B = 0;
  std::vector<const Traits*> served;  // of objects of vector cores, by their number: those of this core's own code
};
Engines& enginesOf(const Core& self);
// What the lists of blocks of all engines have room for.
uint64_t listedBlocks();

// What an engine is asked for.
struct Job {
  Engine& engine;
  const Object& object;
  const char* instruction;  // that asks
  bool shared;              // for vector cores: L1 and L0C belong to the library alone
};

// Local memory for the object, by its tiling.
void prepare(const Job& job, const void* pipe);
// The blocks of the result, from the first on.
void beginIteration(const Job& job);
// Computes the next block, in `accumulator` where the kernel has one of its own; false: there is none.
bool iterate(const Job& job, bool accumulates, const Operand* accumulator);
void takeResult(const Job& job, const Target& target);
void iterateAll(const Job& job, const Target& target);
// The batches of one call, in the loop of that number where there are several.
void iterateBatch(const Job& job, const Target& target, const Batch& batch, uint32_t loop = 0);
// With isPartialOutput, the parts along k come one by one.
[[noreturn]] void refuseAllOfParts(const Job& job);
// How many results an iteration gives.
uint32_t countResults(const Object& object);
// Where the result of a loop of batches lies, from the first on.
uint64_t offsetOfLoop(const Object& object, uint32_t batches, uint32_t loop);
void endIteration(const Job& job);
// Blocks of two products added up in L0C, stored as those of the second; where that has nothing to add, of the first
// alone.
void iterateSum(const Job& first, const Job& second, bool alone, const Target& target);

// The tiling of the object is complete, and its shapes are those of the tiling.
void setTiling(Object& object);
uint32_t resultBytes(const Traits& traits);
// Of a whole base block of the result.
uint64_t resultBlockBytes(const Object& object);

}  // namespace npu_emu::matmul
