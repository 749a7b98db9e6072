// What a kernel leaves for the clock while it runs: for each core its instructions, in the order in which it issues them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace npu_emu {

enum class Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, Count };
constexpr size_t pipeCount = static_cast<size_t>(Pipe::Count);
const char* nameOf(Pipe pipe);

struct TraceEntry {
  // SyncAll arrives at a round of a barrier and waits for its end; CrossSet does the first, CrossWait and CrossWaitAll the second:
  // for a few cores, and for all of a kind, which is what SyncAll is made of.
  // AtomicWrite: what is there already is read first.
  enum Kind : uint8_t {
    Work,
    Read,
    Write,
    AtomicWrite,
    Set,
    Wait,
    Barrier,
    BarrierAll,
    SyncAll,
    CrossSet,
    CrossWait,
    CrossWaitAll
  };
  Kind kind;
  Pipe pipe;
  bool afterOwnPipe;     // waits for the pipe's previous result first (a dependent instruction under automatic sync)
  uint8_t scalarCycles;  // what issuing costs the scalar unit
  uint32_t token;  // Set, Wait; of the round: SyncAll, CrossSet and what waits for it; Read, Write: its first transfer
  uint32_t occupancy;  // cycles, without the transfer itself
  uint32_t tail;       // cycles
  uint32_t transfers;  // Read, Write: how many there are

  bool isWrite() const { return kind == Write || kind == AtomicWrite; }
};

// Rows of global memory that an instruction reads or writes. Those of an instruction follow each other.
struct Transfer {
  const uint8_t* address;
  uint64_t distance;  // from one row to the next
  uint32_t rowBytes, rows;
};

struct Trace {
  // no vectors: those take twice the memory while they grow
  std::deque<TraceEntry> entries;
  std::deque<Transfer> transfers;
  bool isCube = false;

  // `first`: the first transfer of the same instruction.
  void addTransfer(size_t first, const uint8_t* address, uint64_t rowBytes, uint64_t rows, uint64_t distance);
};

// What has left a record: an instruction, nullptr where it is none, and the place of its call among those of the core.
struct Origin {
  const char* instruction;
  uint32_t place;
};
// Of the records of a trace; empty where nobody has asked for a timeline.
using TraceOrigins = std::vector<Origin>;

}  // namespace npu_emu
