// The work of Matmul objects: base blocks of the result one after the other, as the tiling says.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "../include/ascendc/matmul_object.h"
#include "cube.h"

namespace npu_emu::matmul {

// A block of one matrix in L1: where the panel starts, how many rows it has, and where in it the block begins.
struct View {
  Operand panel;
  uint32_t rows, columns;  // of the panel, padded to whole fractals
  uint32_t row, column;
  uint32_t ready, released;  // tokens; 0: the kernel keeps the order itself
  Operand index{};           // of a sparse matrix
};

// Base blocks of A or B in L1.
struct Panels {
  struct Slot {
    int32_t outer = -1, depth = -1;
  };
  std::vector<Slot> slots;
  uint32_t next = 0, slotBytes = 0, indexAt = 0, firstToken = 0;
  LocalBuffer place;
};

// One object on the cube core that works for it.
struct Engine {
  Panels a, b;
  LocalBuffer bias, scales, sums;
  uint32_t sumBytes = 0, sum = 0;  // of one accumulator, and which of them is in use
  bool prepared = false;
  // A block of the result, or its part of one step along k. Two blocks beside each other may be computed together.
  struct Block {
    int32_t m, n;
    int32_t step = -1;  // -1: all of k
    uint32_t number = 1;
  };
  std::vector<Block> order;  // blocks of the iteration
  size_t next = 0;
  Block current{};
  bool waiting = false;  // a block that nobody has taken
  bool ownSums = true;   // the last block is in memory of the library, not of the kernel
  bool isUnderWay() const { return waiting || next < order.size(); }
};

// The engines of one cube core.
struct Engines {
  std::map<uint64_t, Engine> all;
  Engine* active = nullptr;
  uint32_t objects = 0;
  uint32_t left = 0, right = 0;       // which half of L0A and L0B is next
  std::vector<const Traits*> served;  // of objects of vector cores, by their number: those of this core's own code
};

// A request of a vector core to the cube core of its group.
struct Message {
  enum Kind : uint8_t { Iterate, Take, All, IntoWorkspace, Batch, Batches, Nothing, End };
  Kind kind = End;
  bool accumulates = false;
  bool answers = false;
  Target target{};
  matmul::Batch batch{};
  const char* instruction = "";
  Object object{};
  uint32_t token = 0;  // of the round in the traces
  CrossCoreClock released{};
  CallPath where{};
};

// Between one vector core and its cube core.
struct Mail {
  std::deque<Message> requests;
  std::deque<std::pair<uint32_t, CrossCoreClock>> answers;
  bool open = false, left = false;
  CallPath opened{};
  std::vector<uint8_t> area;  // global memory of the library, through which matrices in UB travel
  uint8_t* room = nullptr;
  uint32_t used = 0;
};

// What a launch has of all this.
struct Desk {
  std::map<uint32_t, Engines> engines;  // by number of core
  std::map<uint32_t, Mail> mail;        // of vector cores
};
Desk& desk();
Engines& enginesOf(const Core& self);

// Work at a named place: who asks, what for.
struct Job {
  Engine& engine;
  const Object& object;
  const char* instruction;
  bool shared;  // for vector cores: L1 and L0C belong to the library alone
};

void prepare(const Job& job, const void* pipe);
void begin(const Job& job);
bool iterate(const Job& job, bool accumulates, const Operand* accumulator);
void take(const Job& job, const Target& target);
void all(const Job& job, const Target& target);
// The batches of one call, in the loop of that number where there are several.
void batch(const Job& job, const Target& target, const Batch& batch, uint32_t loop = 0);
// With isPartialOutput, the parts along k come one by one.
[[noreturn]] void refuseAllOfParts(const Job& job);
// How many results an iteration gives.
uint32_t countResults(const Object& object);
// Where the result of a loop of batches lies, from the first on.
uint64_t placeOfLoop(const Object& object, uint32_t batches, uint32_t loop);
void end(const Job& job);
// Blocks of two products added up in L0C, stored as those of the second; where that has nothing to add, of the first alone.
void sum(const Job& first, const Job& second, bool alone, const Target& target);

// The tiling of the object is complete, and its shapes are those of the tiling.
void setTiling(Object& object);
uint32_t resultBytes(const Traits& traits);

}  // namespace npu_emu::matmul
