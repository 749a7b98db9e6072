// One emulated core: its memories, buffers, queues, flags and trace.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../include/ascendc/runtime_api.h"
#include "access.h"
#include "call_path.h"
#include "data_cache.h"
#include "fiber.h"
#include "late_stores.h"
#include "launch.h"
#include "race_detector.h"
#include "raw_access.h"
#include "registers.h"
#include "sync_point.h"
#include "ticker.h"
#include "trace.h"
#include "vector_clock.h"

namespace npu_emu {

using AscendC::HardEvent;
using AscendC::TPosition;

const char* nameOf(TPosition position);
Memory memoryOf(TPosition position);

// The two pipes that an event orders.
struct EventPipes {
  Pipe from, to;
};
EventPipes pipesOf(HardEvent event);
const char* nameOf(HardEvent event);

// The event that orders two pipes; MAX where none does.
HardEvent eventOf(EventPipes pipes);

constexpr size_t eventCount = static_cast<size_t>(HardEvent::MAX);
constexpr size_t eventIds = 8;
constexpr int8_t noEventId = -1;

// Where a buffer of a queue is in its life. `Plain` belongs to a TBuf.
enum class BufferState : uint8_t { Plain, Free, Allocated, Queued, Taken };

// What a queue sets of a buffer, and waits for: by an event id, as flags that a kernel sets by hand are, where one is left.
struct QueueFlag {
  uint32_t token;  // where it has no id
  bool isSet = false;
  int8_t id = noEventId;
  HardEvent event = HardEvent::MAX;  // that it was set for
  bool isKept = false;               // the id, for good
};

struct Buffer {
  uint8_t* base;
  uint32_t bytes;
  Memory memory;
  BufferState state;
  uint16_t queue;   // 0: none
  QueueFlag ready;  // set by EnQue, waited for by DeQue
  QueueFlag reuse;  // set by FreeTensor, waited for by AllocTensor
  bool everFreed;
  CallPath where;     // the AllocTensor, EnQue or DeQue that put it in its state
  uint32_t pool = 0;  // the id of the TBufPool it comes from; 0: none
};

// What a buffer of a pool has set when its TPipe is reset: the pool still waits for it.
struct PoolFlag {
  uint32_t pool;
  EventPipes pipes;
  QueueFlag flag;
};

struct Queue {
  TPosition src, dst;
  int32_t depth;
  uint16_t first, number,
      next;  // buffers (none once their pool has given them up), and where the round-robin search starts
  EventPipes ready, reuse;
  std::vector<uint16_t> line;  // buffers enqueued, oldest first
  uint8_t inUse = 0;           // tensors that it has allocated, less those that it has freed: whosesoever
  bool isLoop = false;         // of its TQueConfig: tensors of queues of other positions go through it
};

// Tokens of the trace: 0 is that of orderPipes, then one for each flag, then two per buffer, then those of Matmul
// objects, and unit flags.
constexpr uint32_t firstFlagToken = 1, firstTokenOfRepeatedSets = 4096;
// By fractal of L0C: unit flags that products set, and those that Fixpipe clears.
constexpr uint32_t sumFractals = architecture::l0cBytes / 1024;
constexpr uint32_t firstTokenOfProducts = firstTokenOfRepeatedSets - 2 * sumFractals,
                   firstTokenOfFixpipe = firstTokenOfProducts + sumFractals;

enum class CoreState : uint8_t { Ready, Waiting, Finished };

// What a core waits for.
struct CrossWait {
  enum Kind : uint8_t { Barrier, Flag, SoftBarrier, Word, Count, Turn, Message, Yield };  // Yield: lets others run
  Kind kind = Flag;
  const char* instruction = "";
  uint16_t flag = 0;         // Flag
  SyncRoundPointer barrier;  // Barrier
  uint32_t cores = 0;        // Barrier, SoftBarrier, Turn: how many take part
  uint32_t block = 0;        // SoftBarrier: whose flag is the core's own
  uint64_t target = 0;       // Count; Turn: how many blocks come before
  // Word: must hold `value`; Count: must have reached `target`; SoftBarrier and Turn: the first of the flags of `cores`,
  // which come for the `value`th time.
  const int32_t* word = nullptr;
  int32_t value = 0;
  bool (*hasMessage)(const struct Core& self) = nullptr;  // Message
  CallPath where{};
};
constexpr size_t crossFlags = 16;
constexpr size_t crossFlagLimit = 15;  // sets that one core's counter of a flag holds

// What vector instructions leave behind for the scalar unit, and the address registers of transpositions. What nothing
// has left yet is NaN, and the largest number of all.
struct VectorRegisters {
  struct Result {
    uint64_t bits = ~uint64_t(0);
    uint32_t leftBy = 0;  // the vector instruction, by its count
  };
  Result sum;      // bits of the total of the last accumulating sum
  Result extreme;  // of the last maximum or minimum over repeats: value, index in the upper half
  Result merged;   // elements taken from each list of the last merge, 16 bits each
  Result kept;     // elements kept by the last GatherMask
  std::array<std::array<uint64_t, 8>, 8> addresses{};
};

// Settings of the cube core.
struct CubeRegisters {
  // By fractal of L0C: the product that has handed it over to Fixpipe by its unit flag, and the Fixpipe that has cleared that and
  // no product has followed yet; 0 where none has. Numbers grow, and have the first fractal in what is left of them by division.
  std::array<uint64_t, sumFractals> handedOver{}, cleared{};
  uint64_t handOvers = 0;
  CallPath handedOverAt{};                    // the last one
  bool hf32 = false, hf32TiesToZero = false;  // products of floats are of shorter ones
  std::vector<uint8_t> sparseIndex;  // memory of its own: a quarter of L0B, which fractals there have their part of
  // of three-dimensional loads
  uint16_t imageHeight = 0, imageWidth = 0;
  uint8_t pads[4] = {};  // left, right, top, bottom
  uint64_t padBits = 0;
  AscendC::LoadDataRepeatParam repeat;
  uint32_t boundary = 0;
  // of DataCopy out of L0C
  Operand scales{};
  uint64_t scale = 0;
  uint16_t matrices = 0, matrixStride = 0, outStride = 0;
};

struct Core {
  uint32_t number = 0;  // in the launch
  // A cube core and its vector cores form a group; cores of one kind alone are a group each.
  uint32_t group = 0, sub = 0;
  uint32_t block = 0;  // among the cores of its kind
  bool isCube = false;
  CoreState state = CoreState::Ready;

  std::array<uint8_t*, memoryCount> memory{};
  std::array<uint32_t, memoryCount> capacity{};
  std::array<uint32_t, memoryCount> used{};

  std::vector<Buffer> buffers;      // [0] stands for "unknown"
  std::vector<Queue> queues;        // [0] stands for "never initialised"
  std::vector<LocalBuffer> pools;   // ranges that were handed out
  uint32_t poolIds = 0;             // given to pools so far
  std::vector<PoolFlag> poolFlags;  // of buffers that are forgotten, set
  std::array<std::array<uint8_t, eventIds>, eventCount> flags{};
  // Sets of a flag that is set already: the tokens of all that nothing has waited for yet, oldest first, by its own.
  std::map<uint32_t, std::deque<uint32_t>> repeatedSets;
  uint32_t repeatedSetTokens = 0;          // taken so far
  std::map<size_t, CallPath> flagsSet;     // where each flag was set last; none when the core has ended
  CrossWait crossWait;                     // of a core that is Waiting
  CrossCoreClock published;                // what flags in global memory release that are written from here on
  std::deque<const uint8_t*> polled;       // the cache lines that it has cleaned last, to read them past its cache
  bool isAhead = false;                    // in a shuffled order: of all others, as far as waits allow
  uint32_t looks = 0;                      // for what other cores store
  std::map<const uint8_t*, size_t> found;  // by the last look at each place: a hash
  struct Load {
    const uint8_t *to, *from;
    uint32_t bytes, times;  // one after the other
  } lastLoad{};
  std::map<uint32_t, uint32_t> awaitedTokens;  // the last one of each core that this one has waited for
  std::array<std::vector<SyncRoundPointer>, crossFlags>
      flagsToWaitFor;                               // between cores: set, not waited for, oldest first
  std::map<const uint8_t*, uint32_t> softBarriers;  // by their flags: to how many it has come
  std::array<uint8_t, eventCount> allocatedEvents{};
  void* pipe = nullptr;                // constructed last
  uint8_t* systemWorkspace = nullptr;  // of SetSysWorkspace
  std::vector<const void*> openPipes;
  const void* bufferPipe = nullptr;  // the pipe that has the buffers, open or not

  UnsetRegisters unset;
  uint64_t mask[2] = {~uint64_t(0), ~uint64_t(0)};
  bool maskCounter = false;
  VectorRegisters registers;
  alignas(16) uint8_t compareMask[16] = {};
  uint32_t comparisonLeftBy = 0;  // the vector instruction, by its count; 0 once it was waited for
  // Bit 48: infinity and NaN are kept; bit 59: integers are cut instead of clamped.
  uint64_t control = uint64_t(1) << 48;
  float deqScale = std::numeric_limits<float>::quiet_NaN();
  CubeRegisters cube;
  uint64_t deqConfig = 0;  // scale, offset and sign of an 8-bit result
  Operand deqVector{};     // 16 of them, where SetDeqScale was given a tensor
  uint64_t padValue = 0;   // of SetPadValue, where it was called
  bool hasPadValue = false;
  vec::Atomic atomic = vec::Atomic::None;
  vec::AtomicType atomicType = vec::AtomicType::Float;

  // Vector results that a dependent instruction would have to wait for, since the last barrier.
  struct Range {
    const uint8_t *begin, *end;
  };
  static constexpr size_t pendingLimit = 64;
  std::array<Range, pendingLimit> pending{};
  size_t pendingCount = 0;
  DataCache dataCache;

  RaceDetector hazards;
  std::shared_ptr<LateCopies> late;        // where copies are kept back
  std::shared_ptr<LateStores> lateStores;  // where stores of the scalar unit are
  CrossCoreClock otherCores;               // what this core knows of them
  uint32_t releases = 0;                   // how often it has released its clock to them

  Reported reported;
  bool scalarStored = false;       // to UB, since the last vector instruction
  uint32_t functionsUnderWay = 0;  // of the kernel, which the library has called
  uint8_t synchronisations = 0;    // flags and barriers that still count as those of the last instruction
  int64_t uncoveredCode = 0;       // cycles of code beyond what instructions took to issue; below 0: they took longer

  Trace trace;
  Ticker ticker;
  TraceOrigins origins;  // of its records; empty where nobody has asked for a timeline
  std::map<std::pair<const char*, uint32_t>, uint32_t> originNumbers;  // by instruction and place
  std::map<CallPath, uint32_t> placeNumbers;                           // of the calls that have left them
  Fiber fiber;
  std::vector<uint8_t> variables;   // of the kernel, while the core waits
  CallPath place{};                 // where in the kernel the call was made that the core carries out
  const CallPath* asked = nullptr;  // where another core has asked for what this one does

  std::string label() const { return (isCube ? "AIC " : "AIV ") + std::to_string(block); }
};

// The core whose fiber is running.
extern Core* core;

// A vector instruction leaves a result in a register.
inline void leave(VectorRegisters::Result& result, uint64_t bits) {
  result = {bits, core->hazards.vectorInstructions()};
}

// Where the kernel is, or where another core has asked for what this one does.
inline const CallPath& placeOf(const Core& self) { return self.asked != nullptr ? *self.asked : self.place; }

}  // namespace npu_emu
