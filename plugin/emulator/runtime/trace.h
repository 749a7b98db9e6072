// What a kernel leaves for the clock while it runs: for each core its instructions, in the order in which it issues them. Kept as
// numbers of as many bytes as they need, since there can be tens of millions of records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace npu_emu {

enum class Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, Count };
constexpr size_t pipeCount = static_cast<size_t>(Pipe::Count);
const char* nameOf(Pipe pipe);

struct TraceEntry {
  // SyncAll arrives at a round of a barrier and waits for its end; CrossSet does the first, CrossWait and CrossWaitAll the second:
  // for a few cores, and for all of a kind, which is what SyncAll is made of.
  // AtomicWrite: what is there already is read first.
  // Follow: what the pipe does next may begin with what was done last before the token was set, and ends after it.
  enum Kind : uint8_t {
    Work,
    Read,
    Write,
    AtomicWrite,
    Set,
    Wait,
    Follow,
    Barrier,
    BarrierAll,
    SyncAll,
    CrossSet,
    CrossWait,
    CrossWaitAll
  };
  Kind kind = Work;
  Pipe pipe = Pipe::S;
  bool afterOwnPipe =
      false;  // waits for the pipe's previous result first (where it depends on that under automatic sync)
  uint8_t scalarCycles = 0;  // what issuing costs the scalar unit
  uint32_t token = 0;        // Set, Wait, Follow; of the round: SyncAll, CrossSet and what waits for it
  uint64_t occupancy = 0;    // cycles, without the transfer itself
  uint32_t tail = 0;         // cycles
  uint32_t transfers = 0;    // Read, Write: how many there are
  uint32_t origin = 0;       // with a timeline: which of the core's

  bool isWrite() const { return kind == Write || kind == AtomicWrite; }
  bool moves() const { return kind == Read || isWrite(); }
  bool isScalarWork() const { return kind == Work && pipe == Pipe::S; }
  bool meets() const { return kind >= SyncAll; }
  bool isWorkOf(Pipe own) const { return pipe == own && (kind == Work || moves()); }
};

// Rows of global memory that an instruction reads or writes. Those of an instruction follow each other.
struct Transfer {
  const uint8_t* address;
  uint64_t distance;  // from one row to the next
  uint32_t rowBytes, rows;

  uint64_t bytes() const { return uint64_t(rowBytes) * rows; }
};

// What has left a record: an instruction, nullptr where it is none, and the place of its call among those of the core.
struct Origin {
  const char* instruction;
  uint32_t place;
};
// Those that there are; empty where nobody has asked for a timeline.
using TraceOrigins = std::vector<Origin>;

// What the traces of a launch may take, with what is kept of them while they are played: by what is recorded, so that cores
// that do little leave their part to others.
struct TraceMemory {
  // Those of a launch that issues as many instructions as it may are about as large.
  static constexpr uint64_t forRecords = uint64_t(192) << 20;
  // Nothing takes the place of the records of cores that meet.
  static constexpr uint64_t forMeetings = uint64_t(64) << 20;
  uint64_t used = 0;
};

class Trace {
 public:
  // A transfer of the instruction that is about to leave its record.
  void addTransfer(const uint8_t* address, uint64_t rowBytes, uint64_t rows, uint64_t distance);
  void dropTransfers() { given_.clear(); }
  const std::vector<Transfer>& transfers() const { return given_; }

  // A record, with the transfers that were added. False where there is no room: it is dropped, as are all after it.
  bool append(const TraceEntry& entry);
  // Adds work of the scalar unit to the last record, where that is some as well; otherwise false.
  bool extend(uint64_t scalarCycles);
  // What stands for a record that was dropped: from here on the core does one thing after the other, this one in so many cycles.
  void appendUnrecorded(uint64_t cycles);
  // A meeting is recorded all the same. False where there is no room for that either.
  bool appendMeeting(const TraceEntry& entry);
  // Nothing comes after it.
  void end() { writeOpen(); }

  bool isEmpty() const { return isEmpty_; }
  // Whether the vector unit or a load has had a record that the scalar unit has not been ordered behind.
  bool hasUnordered() const { return hasUnordered_; }
  void setOrdered() { hasUnordered_ = false; }

  // Where it has its room from; without, nothing is recorded.
  void recordIn(TraceMemory& memory) { memory_ = &memory; }
  bool isRecorded() const { return memory_ != nullptr; }
  bool meetsOthers() const { return meetsOthers_; }
  double unrecordedCycles() const { return unrecordedCycles_; }
  uint64_t bytes() const { return bytes_; }

  bool isCube = false;
  bool hasOrigins = false;

 private:
  struct Chunk {
    std::unique_ptr<uint8_t[]> data;
    uint64_t used;
  };
  uint64_t nextChunkBytes() const;
  bool hasRoomFor(uint64_t transfers);
  void addChunk();
  uint8_t* place();
  void writeOpen();
  void write(const TraceEntry& entry);
  void write(const Transfer& transfer);

  std::vector<Chunk> chunks_;
  uint8_t *next_ = nullptr, *end_ = nullptr;  // of the last chunk
  std::vector<Transfer> given_;
  TraceEntry last_;
  uintptr_t address_ = 0;  // of the last transfer
  TraceMemory* memory_ = nullptr;
  uint64_t bytes_ = 0;
  double unrecordedCycles_ = 0;
  bool isEmpty_ = true, isOpen_ = false;  // open: the last record, which is not written yet, as it may grow
  bool isFull_ = false, meetsOthers_ = false;
  bool isInOrder_ = false;  // one thing after the other, as there is no more room
  bool hasUnordered_ = false;

  friend class TraceReader;
};

// Reads a trace that has ended. A copy of it reads the same once more.
class TraceReader {
 public:
  TraceReader() = default;
  explicit TraceReader(const Trace& trace) : trace_(&trace) {}

  bool hasNext() const { return at_ != end_ || chunk_ != trace_->chunks_.size(); }
  // The transfers of a record come after it, and are read before the next one.
  TraceEntry next();
  Transfer transfer();

 private:
  void enterChunk();

  const Trace* trace_ = nullptr;
  const uint8_t *at_ = nullptr, *end_ = nullptr;
  size_t chunk_ = 0;  // the next one
  uintptr_t address_ = 0;
};

}  // namespace npu_emu
