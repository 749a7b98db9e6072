// What a device does not guarantee: the order of two accesses that nothing orders, and the content of memory that nothing
// has written.
//
// Happens-before of one core: each pipe counts its instructions; a vector of such counts per pipe says which instructions of
// the other pipes have ended before its next one starts. Flags, queues and barriers pass these vectors on, as they pass time
// on in the clock. Local memory remembers for each 32-byte block and pipe the last instruction that wrote and that read it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "call_path.h"
#include "clock.h"
#include "meeting.h"

namespace npu_emu {

constexpr size_t memoryKinds = 7;

// Bytes of an operand: `rows` times `blocks` runs of `bytes`.
struct Runs {
  uint32_t bytes = 0;
  uint32_t rows = 1, rowStride = 0, blocks = 1, blockStride = 0;
  uint32_t elementBytes = 0;  // 0: not known
};

struct LocalAccess {
  uint8_t memory;
  bool write;
  uint32_t offset;
  Runs runs;
  const char* role;
};

// Behind the last byte.
inline uint32_t endOf(const LocalAccess& access) {
  const Runs& runs = access.runs;
  return access.offset + (runs.rows - 1) * runs.rowStride + (runs.blocks - 1) * runs.blockStride + runs.bytes;
}

// Of an atomic write: operation and type, so that two of one kind may come in any order. 0: not atomic.
using AtomicKind = uint8_t;

struct GmAccess {
  const uint8_t* begin;
  const uint8_t* end;
  bool write;
  AtomicKind atomic;
  const uint8_t *changedBegin, *changedEnd;  // outside of these, what is written was there before
};

// Rows of global memory at one distance, which is no less than their length.
struct GmRows {
  const uint8_t* begin;
  uint64_t bytes, distance;  // of a row; from one to the next
  uint64_t rows;

  const uint8_t* at(uint64_t row) const { return begin + row * distance; }
  const uint8_t* end() const { return at(rows - 1) + bytes; }
  bool operator==(const GmRows& other) const {
    return begin == other.begin && bytes == other.bytes && distance == other.distance && rows == other.rows;
  }
  // Whether a row has bytes in [from, to).
  bool touches(const uint8_t* from, const uint8_t* to) const;
  bool touches(const GmRows& other) const;  // true as well where it would take long to tell
};

// Where an instruction was issued.
struct Site {
  const char* instruction;
  CallPath path;
};

// One bit per byte, and one per page whose bytes are all known to be set.
struct ValidBytes {
  std::vector<uint64_t> bytes, pages;

  explicit ValidBytes(uint32_t capacity = 0);
  void clear();
  void set(uint32_t begin, uint32_t end);
  void set(const LocalAccess& access);
  // But for those whose bit is set in `bits`, which begin with the access: they are valid no longer.
  void setExcept(const LocalAccess& access, const std::vector<uint64_t>& bits);
  // Each element of a run is as valid as those of the sources: runs as long, in the same place or apart from it. Whether all are.
  bool setFrom(const LocalAccess& target, const std::vector<const LocalAccess*>& sources);
  bool hasAll(uint32_t begin, uint32_t end) { return isNear(begin, end) || findAll(begin, end); }
  bool hasAll(const LocalAccess& access) { return isNear(access) || findAll(access); }
  // The first byte of the range that is valid, or is not; `end` where there is none.
  uint32_t firstSet(uint32_t begin, uint32_t end) const;
  uint32_t firstUnset(uint32_t begin, uint32_t end) const;
  bool isNear(const LocalAccess& access) { return isNear(access.offset, endOf(access)); }  // false: it may yet be valid

 private:
  // What was found stays so until bytes are unset.
  // By the KiB that it was found from, a range that is valid all over.
  struct Near {
    uint32_t begin, end, unsets;
  };
  static constexpr size_t nearLimit = 256;
  std::array<Near, nearLimit> near_{};
  // Strided accesses come again: all bytes of these were valid.
  struct Whole {
    uint32_t offset;
    Runs runs;
    uint32_t unsets;
  };
  std::array<Whole, 64> whole_{};  // by the six upper bits of a hash
  uint32_t capacity_, unsets_ = 1;

  Near& nearOf(uint32_t begin) { return near_[begin / 1024 % nearLimit]; }
  bool isNear(uint32_t begin, uint32_t end) {
    const Near& found = nearOf(begin);
    return found.unsets == unsets_ && found.begin <= begin && end <= found.end;
  }
  void lose(uint32_t begin, uint32_t end);
  bool areSet(uint32_t begin, uint32_t end);
  bool findAll(uint32_t begin, uint32_t end);
  bool findAll(const LocalAccess& access);
  Whole& wholeOf(const LocalAccess& access);
  bool isKnown(const LocalAccess& access);
};

// What a core writes down: one core hands the memory of it on to the next one.
struct HazardNotes {
  struct Recent {
    GmRows rows;
    uint32_t count;
    bool write;
    AtomicKind atomic;
  };
  std::vector<PipeCounts> tokens;  // by number; zeros where none was set
  std::vector<LocalAccess> local;  // of the next instruction
  std::vector<GmAccess> global;
  std::array<std::vector<Recent>, pipeCount> recent;
  std::vector<const LocalAccess*> invalid;  // operands with bytes that nothing has written, or may have
  std::vector<uint64_t> garbage;            // bytes of the target that are computed from invalid ones, one bit each

  void clear();
};

// Shadow of the local memories, used by one core after the other: counts of instructions only ever grow.
struct LocalShadow {
  // Of one pipe and memory, reading or writing: which instruction touched what last. Accesses are kept in a log as they come. Most
  // are over for everybody before another pipe touches the same memory, and are dropped then. The others are written down by block:
  // count of the instruction, and whether it touched only a part of the block; what one instruction touched of a page is kept for
  // the page, until another one touches other blocks.
  struct Marks {
    struct Page {
      uint32_t count;  // of the blocks in `whole` and `parts`
      uint32_t whole;  // blocks touched whole, one bit each: they take their count from the page
      uint32_t parts;  // blocks of which the bytes in `bits` were touched
      uint32_t bits;
    };
    // Newer than all that is written down.
    struct Log;
    static constexpr uint32_t logLimit = 1024;
    Log* log;
    uint32_t* newest;  // highest count of each page
    Page* pages;
    uint32_t* last;
    uint32_t* part;     // the bytes it touched, one bit each
    uint32_t logged;    // accesses in the log
    uint32_t searched;  // of its groups, since it was written down
    uint32_t written;   // highest count that is written down

    // Parts of a block touched by instructions that the partner has not waited for, those after `waited`, add up.
    void add(const LocalAccess& access, uint32_t waited, uint32_t count);
    bool isFull() const { return logged == logLimit; }
    // Drops the accesses up to `over` from the log, which are over for everybody; writes the others down where they are many.
    void makeRoom(uint32_t over);
    // Whether anything in the bytes [begin, end) may be newer than `count`.
    bool mayTouch(uint32_t begin, uint32_t end, uint32_t count);
    // The same, and then all of it is in `last` and `part`; what is `over` for everybody need not be.
    bool settle(uint32_t begin, uint32_t end, uint32_t count, uint32_t over);

   private:
    bool isLogged(uint32_t begin, uint32_t end, uint32_t after);
    LocalAccess accessAt(uint32_t place) const;
    uint32_t firstAfter(uint32_t over) const;
    void append(uint32_t begin, uint32_t end, const Runs& runs, uint32_t waited, uint32_t count);
    void writeDown(uint32_t over);
    void write(const LocalAccess& access, uint32_t waited, uint32_t count);
    void settlePage(uint32_t page);
    void touchPages(uint32_t first, uint32_t last, uint32_t count);
    void markBlocks(uint32_t first, uint32_t last, uint32_t waited, uint32_t count);
    bool markRows(uint32_t offset, const Runs& runs, uint32_t waited, uint32_t count);
    void touch(uint32_t page, uint32_t whole, uint32_t parts, uint32_t bits, uint32_t waited, uint32_t count);
    void touchParts(uint32_t page, uint32_t blocks, uint32_t bits, uint32_t waited, uint32_t count);
    friend class PageOfMarks;
  };
  std::array<std::array<Marks, pipeCount>, memoryKinds> writes{}, reads{};
  // Highest counts of the marks: looked at for every access, so they are kept close together.
  std::array<PipeCounts, memoryKinds> newestWrites{}, newestReads{};
  PipeCounts issued{};  // instructions of each pipe so far
  static constexpr size_t siteCount = 1024;
  std::array<std::array<Site, siteCount>, pipeCount> sites;  // of the latest instructions, by count
  HazardNotes notes;                                         // while no core has them
  ValidBytes valid;                                          // of UB
  std::vector<uint64_t> loaded;                              // blocks of UB copied in and not used yet, one bit each
  uint32_t loadedBegin = 0, loadedEnd = 0;                   // there are none outside of these blocks
  void* area = nullptr;
  size_t areaBytes = 0;

  explicit LocalShadow(const std::array<uint32_t, memoryKinds>& capacity);
  ~LocalShadow();
  LocalShadow(const LocalShadow&) = delete;
  LocalShadow& operator=(const LocalShadow&) = delete;
  // All counts start again from zero.
  void forget();
};

struct Core;

// Accesses of all cores to global memory that kernels may write.
struct GmShadow {
  struct Span {
    const uint8_t* end;
    const Core* core;
    Pipe pipe;
    uint32_t count;    // of the instruction on its pipe, of the last one where neighbours became one span
    uint32_t barrier;  // barriers over all cores of its kind that the core had passed
    uint32_t phase;    // and how often it had told of its progress: spans of one phase become one
    AtomicKind atomic;
    const char* instruction;
    CallPath where;
  };
  // By their first byte. The next access is near an earlier one: its place is remembered, so that most are found at once.
  class Spans : public std::map<const uint8_t*, Span> {
   public:
    iterator firstBehind(const uint8_t* address);
    // The span before it, which may reach behind the address.
    iterator lastFrom(const uint8_t* address);
    iterator remove(iterator span);

   private:
    static constexpr size_t limit = 8;
    std::array<iterator, limit> near_;
    std::array<bool, limit> known_{};
  };
  Spans writes, reads;
  Spans garbage;  // bytes that were copied from local memory that nothing has written

  bool isOrdered(const Span& span, const Core& self) const;
  // Whether the core is in order with all that rows like the first one touch, and they can be noted as one. `own`: some of it
  // is the core's own.
  bool isInOrder(const GmAccess& first, const GmRows& rows, const Core& self, bool& own);
  // Notes the rows as one, with all of `span` but its end.
  void addRows(bool write, const GmRows& rows, const Span& span);
  // Makes spans of the rows noted as one that may touch [begin, end): whoever looks at spans there does so first.
  void settle(const uint8_t* begin, const uint8_t* end);
  void forget(const uint8_t* begin, const uint8_t* end);
  static void add(Spans& spans, const uint8_t* begin, const Span& span);
  static void cut(Spans& spans, const uint8_t* begin, const uint8_t* end);

 private:
  struct Strided {
    bool write;
    GmRows rows;
    Span span;
  };
  // Rows of one copy that touch nothing else of their kind: as spans they would each be a node of the map.
  std::vector<Strided> strided_;

  void writeDown(const Strided& strided);
};

// Reports the garbage that is left in outputs.
void reportGarbage();

// Happens-before of one core, see above.
class Hazards {
 public:
  using Clock = PipeCounts;

  // Starts a core on `shadow`. Automatic order of scalar access and of vector instructions is the compiler's: vector cores only.
  void begin(LocalShadow* shadow, bool automaticOrder);
  // The core has finished.
  void end() { shadow_->notes = std::move(notes_); }
  // Sees nothing from here on: only to measure what it costs.
  void switchOff() { off_ = true; }
  bool isOff() const { return off_; }

  // Accesses of the instruction that is issued next.
  void local(const char* instruction, const LocalAccess& access) {
    if (off_) return;
    instruction_ = instruction;
    notes_.local.emplace_back() = access;
  }
  void global(const char* instruction, const GmAccess& access) {
    if (off_) return;
    instruction_ = instruction;
    notes_.global.push_back(access);
  }
  // Mmad into the same accumulator: the hardware keeps the order of large ones, and that of unit flags with Fixpipe.
  void ordersItself() { ordersItself_ = true; }
  void ordersWithFixpipe() { ordersWithFixpipe_ = true; }
  // The first target holds results of so many bytes, one after the other, each of an equal share of the source.
  void reduces(uint32_t resultBytes) { resultBytes_ = resultBytes; }
  void issue(Pipe pipe);
  void forget();

  void set(Pipe pipe, uint32_t token);
  void wait(Pipe pipe, uint32_t token);
  void barrier(Pipe pipe);
  void barrierAll();

  // What is over when everything is that the pipe was given so far; without a pipe, everything at all.
  Clock toldBy(Pipe pipe);
  const Clock& toldByAll() const { return shadow_->issued; }
  // What others know to be over of this core is so for all that it does from here on.
  void learn(const Clock& over);

  // The bytes hold what somebody has put there without an instruction.
  void exposed(uint32_t offset, uint32_t bytes);

 private:
  Site& siteOf(size_t pipe, uint32_t count) { return shadow_->sites[pipe][count % LocalShadow::siteCount]; }
  // Pipes whose newest write of a memory, or read, may not be over yet, one bit each.
  struct Unordered {
    uint32_t writers = 0, readers = 0;
    uint8_t memory = memoryKinds;
  };
  Unordered unorderedIn(uint8_t memory, Pipe pipe) const;
  void check(Pipe pipe, const LocalAccess& access, Unordered& others);
  bool meetsLoaded(const LocalAccess& access) const;
  void noteLoads(Pipe pipe, const LocalAccess& access);
  void scan(Pipe pipe, Pipe other, const LocalAccess& access, bool otherWrites);
  void mark(Pipe pipe, const LocalAccess& access);
  uint32_t overForAll(const LocalAccess& access, size_t pipe) const;
  void conflict(Pipe pipe, Pipe other, uint32_t count, const LocalAccess& access, bool otherWrites, uint32_t offset);
  void checkGlobal(Pipe pipe);
  void checkGlobal(Pipe pipe, const GmAccess& access);
  bool noteRows(Pipe pipe, const GmAccess& first, const GmRows& rows);
  bool mayRaceOwn(Pipe pipe, const GmAccess& first, const GmRows& rows) const;
  GmShadow::Span spanOf(Pipe pipe, const GmAccess& access);
  void remember(Pipe pipe, const HazardNotes::Recent& access);
  void ownConflicts(Pipe pipe, const GmAccess& access);
  void propagate(Pipe pipe);
  bool propagateRuns();
  void addGarbage(uint32_t begin, uint64_t bits);
  void collectGarbage(const LocalAccess& source, const LocalAccess& target);
  void collectReduced(const LocalAccess& source, const LocalAccess& target);
  void leaveToGlobal(const LocalAccess* invalid);
  void reportSharing(const GmAccess& access, const GmShadow::Span& span, bool otherWrites, const uint8_t* begin,
                     const uint8_t* end);
  void reportRace(Pipe pipe, Pipe other, uint32_t count, bool write, bool otherWrites, const std::string& what);

  LocalShadow* shadow_ = nullptr;
  bool off_ = false, automaticOrder_ = true, ordersItself_ = false, ordersWithFixpipe_ = false;
  std::array<Clock, pipeCount> known_{};
  HazardNotes notes_;
  uint32_t resultBytes_ = 0;
  const char* instruction_ = "";
};

}  // namespace npu_emu
