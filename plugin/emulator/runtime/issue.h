// The issue point: the one way an instruction reaches the device. An instruction says what it is called, which pipe it
// runs on, what it costs, which bytes of its operands it touches, and what it does:
//
//   issue({"Brcb", Pipe::V, cycles, tail}, {{dst, written, writes, "dst"}, {src, bytes, reads, "src0"}}, [&] {...});
//
// Memory, bounds, alignment and queue of the operands are checked, the race detector and the valid bytes are told of
// the accesses, and a record is left for the clock; then the body runs. There is no other way to leave a record, so
// that none of this can be forgotten. What an instruction demands of its parameters is checked before it is issued.
#pragma once

#include <functional>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

#include "core.h"
#include "costs.h"
#include "device.h"
#include "report.h"

namespace npu_emu {

// ---- what an instruction touches -----------------------------------------------------------------------------------

struct LaneMap;  // see walk.h

// How far an instruction reaches into an operand, and which bytes of that it touches.
struct Reach {
  uint32_t bytes;
  uint32_t begin = 0;  // of the runs
  Runs runs;
  Reach(uint32_t all = 0) : bytes(all), runs{all, 1, 0, 1, 0} {}  // all bytes: also where a number of bytes is given
  Reach(uint32_t end, Runs touched, uint32_t from = 0) : bytes(end), begin(from), runs(touched) {}
  // So many elements one after the other; more than any memory has where their bytes are beyond 32 bits.
  static Reach dense(uint64_t elements, uint32_t elementBytes) {
    const uint64_t all = elements * elementBytes;
    return all > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(all);
  }
  // Rows of runs, with the bytes from one to the next: as one where they lie densely, or on each other.
  static Reach strided(uint64_t bytes, uint32_t rows, uint64_t rowStride, uint32_t blocks = 1,
                       uint64_t blockStride = 0);
  operator uint32_t() const { return bytes; }
};

constexpr bool reads = false, writes = true;
constexpr uint16_t operandAlignment = 32;  // of operands in local memory, unless an instruction says otherwise

// Who takes notice of an access. Where the compiler synchronises, it goes by what an instruction seems to touch.
enum class Seen : uint8_t { ByAll, ByDeviceOnly, ByCompilerOnly };

// What an instruction touches of an operand in local memory, from its address on. Of no bytes: it is not touched.
struct Extent {
  Operand operand;
  Reach bytes;
  bool write;
  const char* role;                       // what reports call it
  uint16_t alignment = operandAlignment;  // a power of two
  Memory memory = Memory::UB;
  Seen seen = Seen::ByAll;

  const uint8_t* begin() const { return operand.address; }
  const uint8_t* end() const { return operand.address + bytes.bytes; }
};

// Memory that the library works in, and parameters an earlier call has named: no instruction waits for these.
inline Extent unseenByCompiler(Extent extent) {
  extent.seen = Seen::ByDeviceOnly;
  return extent;
}
inline Extent onlyForCompiler(Extent extent) {
  extent.seen = Seen::ByCompilerOnly;
  return extent;
}

// What an instruction touches of global memory: rows of as many bytes, and the bytes from one to the next.
struct GmExtent {
  const uint8_t* address;
  uint64_t rowBytes;
  bool write;
  uint64_t rows = 1, distance = 0;
  // Of a write, the bytes as they will be stored, where they are at hand: writing what is there already is no race.
  const uint8_t* source = nullptr;
  uint64_t sourceDistance = 0;
  // `flagKind` or `lookKind` of a word by which cores tell each other something: meeting there is no race.
  AtomicKind flag = 0;
};

// The operands of an instruction, in the order in which they are checked. Lives no longer than the call it is made for.
struct Operands {
  const Extent* local = nullptr;
  size_t locals = 0;
  const GmExtent* global = nullptr;

  Operands() = default;
  Operands(std::initializer_list<Extent> all) : local(std::data(all)), locals(all.size()) {}
  Operands(const Extent* all, size_t count) : local(all), locals(count) {}
  template <size_t N>
  Operands(const Extent (&all)[N]) : local(all), locals(N) {}
  Operands(const GmExtent& only) : global(&only) {}
  Operands(const Extent& one, const GmExtent& other) : local(&one), locals(1), global(&other) {}
};

// ---- instructions --------------------------------------------------------------------------------------------------

struct Instruction {
  const char* name;
  Pipe pipe;
  uint32_t occupancy;                      // cycles that the pipe is busy, but for a transfer to or from global memory
  uint32_t tail = 0;                       // cycles from there until the result is visible
  uint32_t traffic = 0;                    // bytes from or to global memory
  uint8_t issueCycles = usualIssueCycles;  // of the scalar unit: address arithmetic and mask set-up
  bool keepsOwnOrder = false;              // the pipe keeps the order of what it writes by itself
  uint32_t leftPadding = 0;                // bytes that a copy from global memory puts in front of each row
  const LaneMap* lanes = nullptr;          // of what works lane by lane; lives as long as the call
  bool takesComparison = false;            // it reads the register of comparisons
  bool leavesComparison = false;           // it writes to that
};

// A source of a vector instruction, by repeats of 256 bytes, with the bytes from one to the next.
struct RepeatedSource {
  uintptr_t begin = 0;
  uint64_t repeats = 0, step = 0;
};
// Cycles that two sources take at least, as they lie in the same banks; 0 where they do not.
uint32_t conflictCyclesOf(const RepeatedSource& one, const RepeatedSource& other);
// Cycles that so many blocks of a repeat take at least which lie so many blocks from each other.
uint32_t turnsOf(uint32_t blocks, uint32_t stride);

// The accesses of an instruction while it is issued.
class Touches {
 public:
  // Traps when the access cannot be carried out; the content may be read afterwards.
  void add(const Extent& extent);
  void add(const GmExtent& extent);
  // The clock has a vector instruction wait for what those before it write in these bytes of local memory: also for what it reads by
  // addresses that the compiler does not see, as too early reads are no way to be fast.
  void waitsFor(const uint8_t* begin, const uint8_t* end);
  // The first bytes of the area at the top of UB are written, whatever buffer lies there.
  void addReservedArea(uint32_t bytes);

 private:
  explicit Touches(const Instruction& instruction) : instruction_(instruction) { core->trace.dropTransfers(); }
  void leaveRecord();
  void leaveVectorRecord();
  void noteSource(const Extent& extent);
  void noteBlocks(const Runs& runs);

  const Instruction& instruction_;
  bool isDependent_ = false;     // on a vector instruction before it, as the compiler sees it
  bool works_ = false;           // it reads or writes something
  RepeatedSource source_;        // the first one of a vector instruction
  uint32_t conflictCycles_ = 0;  // that it takes at least, as its sources lie in the same banks
  uint64_t repeats_ = 0;         // of 256 bytes
  uint32_t turns_ = 1;           // that the blocks of one of them take
  static constexpr size_t mostWrites = 8;
  size_t written_ = 0;
  Core::Range writes_[mostWrites];

  friend class IssuePoint;
};

// The parts that every instruction goes through. Private, so that there is no way past some of them.
class IssuePoint {
  static void admit(const Instruction& instruction, const Operands& operands);
  template <typename Collect>
  static void admitCollected(const Instruction& instruction, const Collect& collect) {
    Touches touches(instruction);
    collect(touches);
    touches.leaveRecord();
  }

  // Bounds, memory, alignment and queue state of a local operand. Traps when the access cannot be carried out.
  static void checkLocal(const char* instruction, const Extent& extent);
  // Bounds and direction of an access to global memory. Traps outside of every tensor and on writes to inputs.
  // `covers`: its bytes count as read or written. `pipe`: stores of the scalar unit are never atomic.
  static void checkGm(const char* instruction, Pipe pipe, const GmExtent& extent, bool covers);

  friend class Touches;
  template <typename Body>
  friend void issueCopy(const Instruction& instruction, const Operands& operands, Body body);
  template <typename Collect, typename Body>
  friend std::enable_if_t<std::is_invocable_v<Collect, Touches&>> issueCopy(const Instruction& instruction,
                                                                            const Collect& collect, Body body);
  friend void inspect(const char* name, const Operands& operands);
  template <typename Body>
  friend void issue(const Instruction& instruction, const Operands& operands, const Body& body);
  template <typename Collect, typename Body>
  friend std::enable_if_t<std::is_invocable_v<Collect, Touches&>> issue(const Instruction& instruction,
                                                                        const Collect& collect, const Body& body);
};

// Bodies store bytes in loops, which may change whatever else is in memory: inlined, what they capture is in registers.
#if defined(__clang__)
#define NPU_EMU_INLINED [[clang::always_inline]]
#else
#define NPU_EMU_INLINED
#endif

// Issues an instruction. `body` carries it out. In a dry run nothing is done of it.
template <typename Body>
[[gnu::always_inline]] inline void issue(const Instruction& instruction, const Operands& operands, const Body& body) {
  if (__builtin_expect(device.isDryRun, 0)) return;
  IssuePoint::admit(instruction, operands);
  NPU_EMU_INLINED body();
}

// Carries out a copy of MTE2 or MTE3 as late as its flags allow, where the launch asks for that.
void keepBack(std::function<void()> body);

template <typename Body>
[[gnu::always_inline]] inline void carryOut(Body& body) {
  if (__builtin_expect(core->late == nullptr, 1)) NPU_EMU_INLINED body();
  else keepBack(std::move(body));
}

// Issues a copy of MTE2 or MTE3. `body` has all that it needs in itself, as it may be carried out later.
template <typename Body>
[[gnu::always_inline]] inline void issueCopy(const Instruction& instruction, const Operands& operands, Body body) {
  if (__builtin_expect(device.isDryRun, 0)) return;
  IssuePoint::admit(instruction, operands);
  carryOut(body);
}
template <typename Collect, typename Body>
[[gnu::always_inline]] inline std::enable_if_t<std::is_invocable_v<Collect, Touches&>> issueCopy(
    const Instruction& instruction, const Collect& collect, Body body) {
  if (__builtin_expect(device.isDryRun, 0)) return;
  IssuePoint::admitCollected(instruction, collect);
  carryOut(body);
}

// The same of what moves bytes between memories of the cube core, unchanged or widened: `body` moves leftovers as well.
template <typename Body>
[[gnu::always_inline]] inline void issueMove(const Instruction& instruction, const Operands& operands,
                                             const Body& body) {
  issue(instruction, operands, [&] {
    if (__builtin_expect(!core->hazards.leftovers().isEmpty(), 0)) {
      const ImagesInPlace images(operands);
      body();
    }
    NPU_EMU_INLINED body();
  });
}

// The same where the header or the core itself does what there is to do: scalar access.
inline void issue(const Instruction& instruction, const Operands& operands) {
  issue(instruction, operands, [] {});
}

// The same where operands are many, or what is touched of one follows from the content of another: `collect` adds them.
template <typename Collect, typename Body>
[[gnu::always_inline]] inline std::enable_if_t<std::is_invocable_v<Collect, Touches&>> issue(
    const Instruction& instruction, const Collect& collect, const Body& body) {
  if (__builtin_expect(device.isDryRun, 0)) return;
  IssuePoint::admitCollected(instruction, collect);
  NPU_EMU_INLINED body();
}

// Checks operands of what is no instruction of the kernel's program: nothing has to be in order with it.
void inspect(const char* name, const Operands& operands);

// The bytes of UB hold what somebody has put there without an instruction.
void expose(const uint8_t* address, uint32_t bytes);

// Elements of the scalar unit have 1 to 8 bytes.
inline void requireElement(const char* instruction, uint32_t bytes) {
  if (bytes == 0 || bytes > sizeof(uint64_t))
    trap({Check::ParameterRange, instruction, text("an element has %u bytes", bytes), ""});
}

// Which sizes of elements an instruction has.
inline void requireSize(const char* instruction, uint32_t bytes, std::initializer_list<uint32_t> sizes) {
  for (const uint32_t size : sizes)
    if (bytes == size) return;
  trap({Check::ParameterRange, instruction, text("it does not work on elements of %u bytes", bytes), ""});
}

// ---- synchronisation, and work of the scalar unit ------------------------------------------------------------------

void scalarCycles(uint32_t cycles);

// Tokens are flags and buffers. `issueCycles`: of the scalar unit.
void setToken(Pipe pipe, uint32_t token, uint8_t issueCycles);
void waitForToken(Pipe pipe, uint32_t token, uint8_t issueCycles);
// What comes next on the pipe follows, part by part, what came last before the token was set: it may begin with that, and ends
// after it.
void followToken(Pipe pipe, uint32_t token);
// What a queue sets and waits for; `drop`: nothing waits for it any more.
void setQueueFlag(const char* instruction, EventPipes pipes, QueueFlag& flag);
// Takes an event id that the flag keeps from now on.
void keepQueueFlag(const char* instruction, EventPipes pipes, QueueFlag& flag);
// `givesBack`: its id, where that is not kept.
void waitForQueueFlag(const char* instruction, EventPipes pipes, QueueFlag& flag, bool givesBack = true);
void dropQueueFlag(QueueFlag& flag);
// The flags M_MTE1 of the first ids are those of the TPipe on cube cores, which waits for them at its end.
constexpr int32_t flagsOfPipe = 3;
void waitForFlagOfPipe(int32_t id);
// What a Matmul object waits for on its way are flags of the core too, set as often as this when it comes to them; without an id, of the
// first one that is free.
void requireFlagOfMatmul(const char* instruction, AscendC::HardEvent event, int32_t id, uint8_t sets);
// The library takes an id of each event for as long as it waits: there has to be one that is free.
void requireFreeIds(const char* instruction, std::initializer_list<AscendC::HardEvent> events);
void pipeBarrierOf(Pipe pipe);
void barrierOfAllPipes();

// Flags and barriers that follow order something: as after an instruction that works.
void earnSynchronisations();

// A meeting of cores (SyncAll), or one half of it (CrossSet, CrossWait).
void meet(TraceEntry::Kind kind, Pipe pipe, uint32_t meeting, uint8_t issueCycles = meetingIssueCycles);

// Makes `to` wait for everything `from` has done so far, as flags inside the library do.
void orderPipes(Pipe from, Pipe to);
// The same where the library takes a flag of the core, of the first id that is free. One that the kernel has set there before is the one
// it waits for.
void orderByFlag(const char* instruction, AscendC::HardEvent event);
// Under automatic sync the compiler orders scalar access against the other pipes.
void orderScalarAfter(Memory memory);

// The same for flags that the compiler inserts where it sees a dependency: they take time, and order nothing else.
void orderAutomatically(Pipe from, Pipe to);

// ---- what operands are ---------------------------------------------------------------------------------------------

// Buffer an operand was cut from, found by address where the operand does not say. Never fails: [0] is "unknown".
const Buffer& bufferOf(const Operand& operand);

// Memory that holds an address of the running core; false when it is not core-local.
bool localMemoryAt(const uint8_t* address, Memory& memory);

// Reports what is left in the queues, and what was never freed, when the kernel or a TPipe ends.
void checkQueuesAtEnd(const char* of);
// Nothing waits any more for what the queue of a buffer has set of it.
void dropFlags(Buffer& buffer);

// Where the top 8 KiB of UB begin, which the library writes to in some instructions, and a report of buffers that reach
// there.
uint8_t* reservedArea();
void checkReservedArea(const char* instruction);

// Writes to global memory, or adds to it and so on where atomic operations are switched on.
void storeGlobal(uint8_t* dst, const uint8_t* src, size_t bytes);

// Stores what the data cache of the core has for itself, and forgets what it holds.
// Of this core: one line, or all of them.
void cleanDataCache(const char* instruction, const uint8_t* line = nullptr);

// The data cache holds the line of the address from now on. Whether it has held it before.
bool holdLine(const char* instruction, const uint8_t* address);

// A core that writes a cache line back releases its clock to those that read the line past their cache. `stored`: what it has had
// for itself.
void releaseLine(const uint8_t* address, const DataCache::Stored& stored);
// Whether the line is one that the core reads so; then it acquires what others have released there.
bool acquireFromLine(const uint8_t* address, uint32_t bytes);
// Others may store to that line before the core does: who counts in it loses some.
void letOthersStore(const uint8_t* address);

}  // namespace npu_emu
