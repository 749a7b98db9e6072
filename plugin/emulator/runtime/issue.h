// The one way an instruction reaches the device: operands are checked, the clock records it.
#pragma once

#include "core.h"
#include "report.h"

namespace npu_emu {

// How far an instruction reaches into an operand, and which bytes of that it touches.
struct Reach {
  uint32_t bytes;
  Runs runs;
  Reach(uint32_t all = 0) : bytes(all), runs{all, 1, 0, 1, 0, 0} {}  // all bytes: also where a number of bytes is given
  Reach(uint32_t end, Runs touched) : bytes(end), runs(touched) {}
  operator uint32_t() const { return bytes; }
};

// What an instruction touches of one local operand, from its address on.
struct Extent {
  Operand operand;
  Reach bytes;
  bool write;
  uint16_t alignment;
  const char* role;
};

// Bounds, memory, alignment and queue state of a local operand. Traps when the access cannot be carried out.
void checkLocal(const char* instruction, const Extent& extent, Memory expected);

// Reports what is left in the queues, and what was never freed, when the kernel or a TPipe ends.
void checkQueuesAtEnd(const char* of);

// Reports buffers that reach the top 8 KiB of UB, which the library writes to in some instructions.
void checkReservedArea(const char* instruction);

// Bounds and direction of a global-memory access. Traps outside of every tensor and on writes to inputs.
// `source` is what is written, where it is at hand as a whole; a `flag` is how cores tell each other something, and no race.
void checkGm(const char* instruction, const uint8_t* address, uint64_t bytes, bool write,
             const uint8_t* source = nullptr, bool flag = false);

// Writes to global memory, or adds to it and so on where atomic operations are switched on.
void storeGlobal(uint8_t* dst, const uint8_t* src, size_t bytes);

// What was checked last is not touched by an instruction of this core's program.
void forgetAccesses();

// Buffer an operand was cut from, found by address where the operand does not say. Never fails: [0] is "unknown".
const Buffer& bufferOf(const Operand& operand);

// Memory that holds an address of the running core; false when it is not core-local.
bool localMemoryAt(const uint8_t* address, Memory& memory);

// Appends a vector instruction to the trace. Under automatic sync a dependent instruction waits for the previous results.
void recordVector(uint32_t occupancy, uint32_t tail, const Extent* extents, size_t count);

void record(const TraceEntry& entry);

// Work of the scalar unit, merged with the record before it.
void recordScalar(uint32_t cycles);

// Makes `to` wait for everything `from` has done so far, as flags inside the library do.
void recordOrder(Pipe from, Pipe to);

// The same for flags that the compiler inserts where it sees a dependency: they take time, and order nothing else.
void recordAutomaticOrder(Pipe from, Pipe to);

// A core that writes a cache line back releases its clock to those that read the line past their cache.
void releaseLine(const uint8_t* address);
// Whether the line is one that the core reads so; then it acquires what others have released there.
bool acquireFromLine(const uint8_t* address);

}  // namespace npu_emu
