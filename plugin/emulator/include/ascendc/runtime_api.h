// What the kernel-facing templates call. All of it is precompiled in the runtime; a kernel only carries the calls.
#pragma once

#include "checks.h"
#include "isa.h"

#pragma GCC visibility push(default)

namespace npu_emu {

// A tensor operand: its first byte and the buffer it was cut from (0: unknown, found by address).
struct Operand {
  uint8_t* address;
  uint16_t buffer;
  AscendC::TPosition position;
};

// A global-memory operand. The region is found by address.
using GmAddress = uint8_t*;

// Walk of a vector instruction over its operands. Strides are in 32-byte blocks.
struct Walk {
  enum Kind : uint8_t { Count, Repeats };
  Kind kind;
  bool setsMask;
  uint16_t repeats;
  uint32_t count;
  uint64_t mask[2];
  uint16_t blockStride[3];  // dst, src0, src1
  uint16_t repeatStride[3];

  // The counter of the device has no sign: below 0 are most elements of all.
  static Walk ofCount(int64_t n) { return {Count, true, 0, static_cast<uint32_t>(n), {0, 0}, {1, 1, 1}, {8, 8, 8}}; }
};

// The contiguous form: the first `lanes` elements of every repeat.
inline void maskOfLanes(uint64_t lanes, uint64_t (&mask)[2]) {
  mask[0] = lanes >= 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
  mask[1] = lanes <= 64 ? 0 : lanes >= 128 ? ~uint64_t(0) : (uint64_t(1) << (lanes - 64)) - 1;
}

// Instructions of the vector core.

namespace vec {

template <typename I, typename T>
void binary(Operand dst, Operand src0, Operand src1, const Walk& walk);
template <typename I, typename T>
void unary(Operand dst, Operand src, const Walk& walk);
template <typename I, typename T>
void scalar(Operand dst, Operand src, T value, const Walk& walk);
template <typename I, typename T>
void ternary(Operand dst, Operand src0, Operand src1, const Walk& walk);
template <typename I, typename T>
void scalarAccumulate(Operand dst, Operand src, T value, const Walk& walk);
// Two sources of type S, results of type D.
template <typename I, typename D, typename S>
void binaryCast(Operand dst, Operand src0, Operand src1, const Walk& walk);
// float += half * half
void mulAddWide(Operand dst, Operand src0, Operand src1, const Walk& walk);
void axpyWide(Operand dst, Operand src, half value, const Walk& walk);
void addDeqRelu(Operand dst, Operand src0, Operand src1, const Walk& walk);
// int16_t to D in one half of each block of the destination; one set of parameters, or one for each lane of a block.
template <typename D>
void castDequant(Operand dst, Operand src, bool perLane, bool upperHalf, const Walk& walk);
void setDeqConfig(uint64_t config);
void setDeqVector(Operand parameters);
template <typename T>
void duplicate(Operand dst, T value, const Walk& walk);
template <typename D, typename S>
void cast(Operand dst, Operand src, AscendC::RoundMode mode, const Walk& walk);
template <>
void cast<half, int4b_t>(Operand dst, Operand src, AscendC::RoundMode mode, const Walk& walk);
template <>
void cast<int4b_t, half>(Operand dst, Operand src, AscendC::RoundMode mode, const Walk& walk);
// `byBits`: the mask is one of bits, not a number of lanes.
template <typename T>
void createVecIndex(Operand dst, T first, const Walk& walk, bool byBits);
// first, first + step, ...
template <typename T>
void progression(Operand dst, T first, T step, int32_t count);
template <typename T>
void copy(Operand dst, Operand src, const Walk& walk);
template <typename T>
void brcb(Operand dst, Operand src, uint8_t repeats, uint16_t blockStride, uint16_t repeatStride);

template <typename T>
void compare(Operand dst, Operand src0, Operand src1, AscendC::CMPMODE mode, const Walk& walk);
template <typename T>
void compareScalar(Operand dst, Operand src, T value, AscendC::CMPMODE mode, const Walk& walk);
template <typename T>
void select(Operand dst, Operand mask, Operand src0, Operand src1, AscendC::SELMODE mode, const Walk& walk);
template <typename T>
void selectScalar(Operand dst, Operand mask, Operand src, T value, AscendC::SELMODE mode, const Walk& walk);
template <typename T>
void compareToRegister(Operand src0, Operand src1, AscendC::CMPMODE mode, const Walk& walk);
template <typename T>
void selectByRegister(Operand dst, Operand src0, Operand src1, AscendC::SELMODE mode, const Walk& walk);
template <typename T>
void selectRegisterScalar(Operand dst, Operand mask, Operand src, const Walk& walk);
void getCompareMask(Operand dst);
void setCompareMask(Operand src);

enum class Reduction : uint8_t { Sum, Max, Min };
template <typename T>
void reduce(Reduction kind, Operand dst, Operand src, Operand work, uint32_t count, bool withIndex);
template <typename T>
void reduceRepeat(Reduction kind, Operand dst, Operand src, const Walk& walk, AscendC::ReduceOrder order);
template <typename T>
void reduceBlock(Reduction kind, Operand dst, Operand src, const Walk& walk);
template <typename T>
void reducePair(Operand dst, Operand src, const Walk& walk);

// All repeats of a source, each `repeatStride` blocks after the one before, to one element (and its index).
template <typename T>
void reduceRepeats(Reduction kind, Operand dst, Operand src, Operand work, const uint64_t (&mask)[2], int32_t repeats,
                   uint32_t repeatStride, bool withIndex);
// The sum of one repeat under the mask that is set, as the library ends sums: on the scalar unit.
template <typename T>
void sumUnderMask(Operand dst, Operand src, const Walk& walk);
// The sum of all active lanes, to the register that sumRegister reads.
template <typename T>
void accumulate(Operand src, const Walk& walk);
uint64_t sumRegister();
uint64_t extremeRegister();

// Elements and 32-byte blocks at byte offsets. `walk` is over dst; offsets are consecutive, those of inactive lanes
// unused.
void gather(Operand dst, Operand src, Operand offsets, uint32_t base, const Walk& walk, uint32_t elementBytes);
void gatherBlocks(Operand dst, Operand src, Operand offsets, uint32_t repeats, uint32_t blockStride,
                  uint32_t repeatStride);
// Keeps the elements whose pattern bit is set; returns how many. Without a pattern tensor, `builtIn` (1..7) names one.
struct Keeping {
  const Operand* pattern;
  uint8_t builtIn;
  bool counter;
  uint32_t mask, repeats, blockStride, repeatStride, patternStride;
};
uint64_t gatherMask(Operand dst, Operand src, const Keeping& keeping, uint32_t elementBytes);
// With the mode and the length of the mask register, which stays what it is.
void keep(Operand dst, Operand src, Keeping keeping, uint32_t elementBytes);
// `asArgument`: what GatherMask itself returns.
uint64_t keptRegister(bool asArgument = false);

// Transpositions of 16 blocks to 16 blocks, given by address.
struct Transposition {
  bool dstHighHalf, srcHighHalf;
  uint8_t repeats;
  uint16_t dstStride, srcStride;
};
using BlockAddresses = uint64_t[16];
void transposeBlocks(const BlockAddresses& dst, const BlockAddresses& src, const Transposition& how,
                     uint32_t elementBytes);
void transposeBlocks(Operand dst, Operand src, const Transposition& how, uint32_t elementBytes);
void transposeSquare(Operand dst, Operand src);
void transposeImage(Operand dst, Operand src, Operand work, uint32_t workBytes, uint32_t n, uint32_t c, uint32_t image,
                    bool channelsLast, uint32_t elementBytes);
void setAddressRegister(uint32_t index, const uint64_t (&addresses)[8]);
void transposeRegisters(uint32_t dst, uint32_t src, const Transposition& how, uint32_t elementBytes);

// Sorting, descending, in pairs of 8 bytes: score, then index. Equal scores keep their order; NaN comes first.
template <typename T>
void sortRows(Operand dst, Operand scores, Operand indices, int32_t repeats);
struct Merge {
  Operand lists[4];
  uint16_t lengths[4];
  uint16_t validLists;  // bits: 3, 7 or 15
  bool suspends;        // ends when a list is exhausted
  int32_t repeats;
};
template <typename T>
void mergeLists(Operand dst, const Merge& merge);
template <typename T>
void sortAll(Operand dst, Operand scores, Operand indices, Operand work, uint32_t workBytes, int32_t repeats);
template <typename T>
void extractSorted(Operand values, Operand indices, Operand sorted, int32_t repeats);
uint64_t mergeRegister(bool inLibrary = false);

// The mask, its mode and the mode of stores, as a kernel expects them.
void initialise();
void setMask(uint64_t high, uint64_t low);
void setMaskCounter(bool counter);
void setDeqScale(float scale);
// Bits of the control register.
void setControl(uint32_t from, uint32_t bits, uint64_t value);
uint64_t control();

enum class Atomic : uint8_t { None, Add, Max, Min };
enum class AtomicType : uint8_t { Float, Half, Int16, Int32, Int8, Bf16 };
void setAtomic(Atomic kind, AtomicType type);

}  // namespace vec

// Data movement on both core kinds, in bytes and 32-byte blocks.

namespace dma {

void copyLocal(Operand dst, Operand src, uint32_t blocks, uint32_t blockBytes, uint32_t srcGap, uint32_t dstGap);
void loadGm(Operand dst, GmAddress src, uint32_t rows, uint32_t rowBytes, uint32_t srcGapBlocks, uint32_t dstGapBlocks);
void storeGm(GmAddress dst, Operand src, uint32_t rows, uint32_t rowBytes, uint32_t srcGapBlocks,
             uint32_t dstGapBlocks);

struct Padding {
  bool enabled;
  uint8_t left, right;  // elements
  uint8_t elementBytes;
  uint64_t value;  // bit pattern of one element
};
void loadGmPad(Operand dst, GmAddress src, uint32_t rows, uint32_t rowBytes, uint64_t srcGapBytes,
               uint32_t dstGapBlocks, Padding padding);
void storeGmPad(GmAddress dst, Operand src, uint32_t rows, uint32_t rowBytes, uint32_t srcGapBlocks,
                uint64_t dstGapBytes);

struct Slice {
  uint32_t segments;
  uint64_t gapBytes;  // between the segments of a row
};
// Segments of one row of a slice.
void loadSlice(Operand dst, GmAddress src, uint32_t segmentBytes, Slice to, Slice from);
void storeSlice(GmAddress dst, Operand src, uint32_t segmentBytes, Slice to, Slice from);
void storeNz2Nd(GmAddress dst, Operand src, const AscendC::Nz2NdParamsFull& params, uint32_t elementBytes);
void loadNd2NzVector(Operand dst, GmAddress src, const AscendC::Nd2NzParams& params, uint32_t elementBytes,
                     bool isFloat);
void setPadValue(uint64_t bits);
void setAtomicConfig(uint16_t type, uint16_t operation);
// The element type; the operation is always a sum.
uint16_t atomicConfig();
void cleanCache(GmAddress address, bool whole);
// The same for lines that are not of global memory.
void cleanLocalLines(bool whole);
void preloadLine(GmAddress address);
// Whether copies from and to the allocation that the address lies in go past L2, from all cores.
void hintL2(GmAddress address, bool bypasses);

}  // namespace dma

// Instructions of the cube core.

namespace cube {

enum class Element : uint8_t { Half, Bf16, Float, Int4, Int8, UInt8, Int32 };

void loadNd2Nz(Operand dst, GmAddress src, const AscendC::Nd2NzParams& params, uint32_t elementBytes);
void loadData(Operand dst, Operand src, const AscendC::LoadData2DParams& params, uint32_t elementBytes);
void loadDataTranspose(Operand dst, Operand src, const AscendC::LoadData2dTransposeParams& params,
                       uint32_t elementBits);
// Fractals of the two of four elements along k that are not zero, with what says which two they are.
void loadDataSparse(Operand dst, Operand src, Operand index, const AscendC::LoadData2DParams& params);
// Fractals of 512 bytes from global memory to L1, L0A or L0B.
void loadDataGm(Operand dst, GmAddress src, const AscendC::LoadData2DParams& params);
// A convolution as a matrix: a row for each place of the filter, a column for each of its points and channels.
struct Unfolding {
  uint16_t channels, kExtension, mExtension, kStart, mStart;
  uint8_t strideW, strideH;
  uint16_t filterW, filterH;
  uint8_t dilationW, dilationH;
  bool transposes;
};
void loadDataUnfolded(Operand dst, Operand src, const Unfolding& unfolding, uint32_t elementBits);
void setImage(uint16_t height, uint16_t width, const uint8_t (&pads)[4]);
void setImagePadding(uint64_t bits);
void setUnfoldingRepeat(const AscendC::LoadDataRepeatParam& repeat);
void setUnfoldingBoundary(uint32_t bytes);
// `element` is that of both sources; the result is float, or int32 for integers.
void mmad(Operand dst, Operand a, Operand b, const Operand* bias, const AscendC::MmadParams& params, Element element);
void mmadSparse(Operand dst, Operand a, Operand b, const AscendC::MmadParams& params);
// How Fixpipe converts results on their way out of L0C. `scales` are one quantisation parameter for each column, in L1;
// nullptr where there is one for all.
struct OutputConversion {
  AscendC::CO2Layout layout;
  Element from, to;
  const Operand* scales;
};
void fixpipe(GmAddress dst, Operand src, const AscendC::FixpipeParamsV220& params, const OutputConversion& conversion);
void fixpipeLocal(Operand dst, Operand src, const AscendC::FixpipeParamsV220& params,
                  const OutputConversion& conversion);
// Blocks of 32 bytes in L1, of 512 bytes in L0A and L0B, filled with one element.
void fill(Operand dst, uint32_t repeats, uint32_t blocks, uint32_t gap, uint64_t bits, uint32_t elementBytes);
// From L1 to the tables of bias and quantisation parameters. `widens` from half to float.
void copyLocal(Operand dst, Operand src, const AscendC::DataCopyParams& params, bool widens = false);
// What DataCopy out of L0C takes from registers; `scales` is nullptr where there are none. Unit flags are of products that wait
// for Fixpipe.
void setFixpipeScales(const Operand* scales, bool clearsUnitFlags);
void setFixpipeScale(uint64_t bits);
void setFixpipeMatrices(uint16_t number, uint16_t srcStride, uint16_t dstStride);
void copyOut(GmAddress dst, Operand src, const AscendC::DataCopyCO12DstParams& params, Element from, Element to);
void copyOutLocal(Operand dst, Operand src, const AscendC::DataCopyCO12DstParams& params, Element from, Element to);
void setHf32(bool on);
void setHf32TiesToZero(bool toZero);

}  // namespace cube

// Both core kinds: scalar access, synchronisation, buffers, system.

// Cycles of scalar arithmetic that counts as an instruction.
void scalarWork(uint32_t cycles);
// Cycles that the kernel's own code took since the last call. What instructions take to issue covers some of it.
void scalarCode(uint32_t cycles);
half roundOddToHalf(float value);
void scalarRead(Operand src, uint32_t bytes);
// Stores the low `bytes` of `bits`, at most 8.
void scalarWrite(Operand dst, uint64_t bits, uint32_t bytes);
// An element as an lvalue: what is loaded and stored there is seen by itself.
void scalarReference(Operand element, uint32_t bytes);
void scalarReadGm(GmAddress src, uint32_t bytes);
void scalarWriteGm(GmAddress dst, uint64_t bits, uint32_t bytes);

void setFlag(AscendC::HardEvent event, int32_t id);
void waitFlag(AscendC::HardEvent event, int32_t id);
void pipeBarrier(pipe_t pipe);
// Over all cores of the kind, or over both kinds.
void syncAll(bool alone);
// `isAIVOnly`: the cores of a group count as one.
void syncAllSoft(GmAddress workspace, Operand local, int32_t usedCores, bool isAIVOnly);
void blockSet(GmAddress workspace, Operand local, int32_t block, int32_t event, bool isAIVOnly);
void blockWait(GmAddress workspace, Operand local, int32_t block, int32_t event, bool isAIVOnly);
// Cores that arrive and cores that wait for them, at a counter in global memory for each that waits.
constexpr uint32_t groupBarrierSlot = 512;
struct GroupBarrierPlace {
  GmAddress workspace;
  uint32_t arrivers, waiters;
};
void groupArrive(const GroupBarrierPlace& place, uint32_t index, uint32_t round);
void groupWait(const GroupBarrierPlace& place, uint32_t index, uint32_t round);
// Scalar accesses that bypass the cache, by which cores tell each other what has completed since the last barrier.
void dataSyncBarrier(bool ofGlobalMemory);
void flagReadGm(GmAddress src, uint32_t bytes);
void flagWriteGm(GmAddress dst, uint64_t bits, uint32_t bytes);
void blockOrderInit(GmAddress workspace, Operand local);
void blockOrderWait(GmAddress workspace, Operand local);
void blockOrderNotify(GmAddress workspace, Operand local);
void crossCoreSet(uint8_t mode, pipe_t pipe, uint16_t flag);
void crossCoreWait(uint16_t flag);
int32_t fetchEventId(AscendC::HardEvent event);
int32_t allocEventId(AscendC::HardEvent event);
void releaseEventId(AscendC::HardEvent event, int32_t id);

// Where the memory of a position begins, on the running core.
uint8_t* startOfMemory(AscendC::TPosition position);

// The queue or buffer behind a TQue / TBuf; 0 means InitBuffer was never called.
using BufferHandle = uint16_t;
struct LocalBuffer {
  uint8_t* address = nullptr;
  uint32_t bytes = 0;
  uint16_t buffer = 0;
};
// What a TBuf is before InitBuffer: using it is an error, asking for it is none.
constexpr LocalBuffer neverInitialised = {nullptr, 0, UINT16_MAX};
BufferHandle initQueue(const void* pipe, AscendC::TPosition src, AscendC::TPosition dst, int32_t depth, uint8_t number,
                       uint32_t bytes);
LocalBuffer allocTensor(BufferHandle queue, bool firstOnly);
// Who hands a tensor to whom: those between which the queue lies, MTE2 to V, V to MTE3, or MTE2 to MTE3.
enum class HandOver : uint8_t { OfQueue, Loaded, Computed, Copied };
void enqueTensor(BufferHandle queue, uint16_t buffer, const uint8_t* address, HandOver handOver);
LocalBuffer dequeTensor(BufferHandle queue, HandOver handOver);
// Takes one tensor out wherever it is in the queue: queues of depth 0.
void dequeTensorAt(BufferHandle queue, uint16_t buffer, const uint8_t* address);
void freeTensor(BufferHandle queue, uint16_t buffer, const uint8_t* address);
bool queueVacant(BufferHandle queue);
bool queueHasIdleBuffer(BufferHandle queue);
bool queueHasTensor(BufferHandle queue);
int32_t queueLength(BufferHandle queue);
bool isFreeTensor(BufferHandle queue, uint16_t buffer, const uint8_t* address);
LocalBuffer bufferOfTensor(BufferHandle queue, const uint8_t* address);
// Tensors of queues between other positions go through it.
void makeLoop(BufferHandle queue);
// A queue whose buffers the kernel places by their offset in the memory.
BufferHandle initQueueAt(const void* pipe, AscendC::TPosition src, AscendC::TPosition dst, int32_t depth,
                         uint8_t number);
void placeBufferAt(BufferHandle queue, uint32_t index, uint32_t address, uint32_t bytes);
LocalBuffer initBuffer(const void* pipe, AscendC::TPosition position, uint32_t bytes);
// A range of local memory that hands out queues and buffers itself.
struct Pool {
  LocalBuffer range;
  uint32_t used = 0;
  uint32_t buffers = 0;   // handed out since the last Reset
  uint32_t id = 0;        // 0: never initialised
  bool wasReset = false;  // and has handed nothing out since
};
// Pools whose memory the kernel divides itself: queues first without, then with a place for each buffer.
uint32_t poolAddress(const Pool& pool);
void setPoolAddress(Pool& pool, uint32_t address);
uint8_t* bufferHandle(uint8_t index, int32_t limit);
BufferHandle openQueue(AscendC::TPosition src, AscendC::TPosition dst, int32_t depth, uint8_t number, uint32_t bytes);
void placeBuffer(BufferHandle queue, uint32_t index, const Pool& pool, uint32_t address, uint32_t bytes);
LocalBuffer bufferAt(AscendC::TPosition position, const Pool& pool, uint32_t address, uint32_t bytes);
Pool initPool(const void* pipe, AscendC::TPosition position, uint32_t bytes, const Pool* shared);
// `limit`: how many buffers the pool has room for.
BufferHandle initQueueIn(Pool& pool, AscendC::TPosition src, AscendC::TPosition dst, int32_t depth, uint8_t number,
                         uint32_t bytes, uint32_t limit);
LocalBuffer initBufferIn(Pool& pool, AscendC::TPosition position, uint32_t bytes, uint32_t limit);
// A part of it that is a pool itself.
Pool initPoolIn(Pool& pool, AscendC::TPosition position, uint32_t bytes);
// `keepsBuffers`: they may be used until the pool hands out others.
void resetPool(Pool& pool, bool keepsBuffers);
// What no queue and no buffer has taken; no bytes when nothing is left.
LocalBuffer restOfMemory(AscendC::TPosition position);
// A place in local memory by its offset, without a buffer around it.
LocalBuffer localMemoryOf(AscendC::TPosition position, uint32_t offset, uint32_t bytes);
void freeAllEvents(BufferHandle queue);
void openPipe(void* pipe);
// With the object, by Destroy, or by DestroyWithoutPipeAll.
enum class PipeEnd : uint8_t { OfObject, Asked, WithoutBarrier };
void closePipe(void* pipe, PipeEnd end);
void resetPipe();
void* currentPipe();

int64_t blockIndex();
int64_t groupIndex();
int64_t blockCount();
int64_t subBlockIndex();
int64_t subBlockCount();
uint64_t tilingKey();
// The kernel has no instance for the tiling key of the launch.
[[noreturn]] void unknownTilingKey();
int64_t systemCycle();
int64_t programCounter();
void deviceLog(const char* format, ...) __attribute__((format(printf, 1, 2)));
// A text that is shown and forgotten.
struct ShownText {
  const char* text;
};
void printText(ShownText shown);
// The message, formatted, goes into the report.
[[noreturn]] void assertionFailed(const char* condition, const char* format, ...) __attribute__((format(printf, 2, 3)));
[[noreturn]] void assertionFailedWith(const char* condition, const char* message);
[[noreturn]] void deviceTrap(const char* what);
// Prints the first elements of a tensor; `element` names the type.
void dumpLocal(Operand tensor, uint32_t id, uint32_t elements, uint32_t elementBytes, char element);
void dumpGm(GmAddress tensor, uint32_t id, uint32_t elements, uint32_t elementBytes, char element);
// The prologue of a kernel copies its tiling data to the stack.
void copyTiling(void* to, const void* from, uint64_t bytes);
uint8_t* userWorkspace(uint8_t* workspace);
void setSystemWorkspace(uint8_t* workspace);
uint8_t* systemWorkspace();
void reportMisuse(Check check, const char* instruction, const char* message, const char* hint);

}  // namespace npu_emu

#pragma GCC visibility pop
