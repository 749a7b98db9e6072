// Data movement between global and local memory.
#include <cstring>

#include "cross_core.h"
#include "device.h"
#include "numerics.h"
#include "walk.h"

namespace npu_emu {

namespace {

constexpr uint32_t commandCycles = 20;  // a queue of small commands sustains one per 20 cycles
constexpr uint32_t rowCycles = 4;

uint32_t roundedUp(uint32_t bytes) { return (bytes + blockBytes - 1) / blockBytes * blockBytes; }

uint32_t commandTime(uint32_t rows) { return std::max(commandCycles, rows * rowCycles); }

// Local memory that rows of `rowBytes` with gaps between them span.
Reach localSpan(uint32_t rows, uint32_t rowBytes, uint32_t gapBlocks) {
  uint64_t span = rows == 0 ? 0 : uint64_t(rows - 1) * (rowBytes + uint64_t(gapBlocks) * blockBytes) + rowBytes;
  return {static_cast<uint32_t>(std::min<uint64_t>(span, UINT32_MAX)),
          {rowBytes, rows, rowBytes + gapBlocks * blockBytes, 1, 0, 0}};
}

void checkRows(const char* name, uint32_t rows) {
  if (rows > 4095)
    trap({Check::CopyRange, name, text("blockCount %u is out of range 0..4095", rows), "split the copy"});
}

template <typename T>
void accumulate(uint8_t* dst, const uint8_t* src, size_t bytes, vec::Atomic kind) {
  for (size_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T a, b;
    std::memcpy(&a, dst + i, sizeof a);
    std::memcpy(&b, src + i, sizeof b);
    Wide<T> x = static_cast<Wide<T>>(a), y = static_cast<Wide<T>>(b);
    T result = static_cast<T>(kind == vec::Atomic::Add   ? isa::Add::element(x, y)
                              : kind == vec::Atomic::Max ? isa::Max::element(x, y)
                                                         : isa::Min::element(x, y));
    std::memcpy(dst + i, &result, sizeof result);
  }
}

}  // namespace

void storeGlobal(uint8_t* dst, const uint8_t* src, size_t bytes) {
  using Type = vec::AtomicType;
  if (core->atomic == vec::Atomic::None) {
    std::memcpy(dst, src, bytes);
    return;
  }
  switch (core->atomicType) {
    case Type::Float: return accumulate<float>(dst, src, bytes, core->atomic);
    case Type::Half: return accumulate<half>(dst, src, bytes, core->atomic);
    case Type::Int16: return accumulate<int16_t>(dst, src, bytes, core->atomic);
    case Type::Int32: return accumulate<int32_t>(dst, src, bytes, core->atomic);
    case Type::Int8: return accumulate<int8_t>(dst, src, bytes, core->atomic);
    case Type::Bf16: return accumulate<bfloat16_t>(dst, src, bytes, core->atomic);
  }
}

namespace {

void recordTransfer(TraceEntry::Kind kind, Pipe pipe, uint32_t rows, uint64_t bytes) {
  constexpr uint8_t issueCycles = 6;
  record({kind, pipe, false, issueCycles, 0, commandTime(rows), 0,
          static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX))});
}

// A core that loads the same again and again waits for what another one stores.
void noticePolling(const char* name, const uint8_t* to, const uint8_t* from, uint32_t bytes) {
  constexpr uint32_t loadsInVain = 64;
  static struct {
    const uint8_t *to, *from;
    uint32_t bytes, times;
  } last{};
  if (last.to != to || last.from != from || last.bytes != bytes) last = {to, from, bytes, 0};
  if (++last.times % loadsInVain == 0) letOthersRun(name);
}

Memory localMemory(const Operand& operand) {
  const Buffer& buffer = bufferOf(operand);
  if (buffer.base != nullptr) return buffer.memory;
  Memory memory = memoryOf(operand.position);
  localMemoryAt(operand.address, memory);
  return memory;
}

// Where a kernel runs on both core kinds, copies from and to memory that a core does not have do nothing on it.
// A vector core fills the L1 of its TSCM queues as if it were its own.
bool belongsToOther(const Operand& local) {
  return device.isMixed() && core->isCube == (localMemory(local) == Memory::UB) &&
         (core->isCube || local.position != TPosition::TSCM);
}

}  // namespace

namespace dma {

void loadGm(Operand dst, GmAddress src, uint32_t rows, uint32_t rowBytes, uint32_t srcGapBlocks,
            uint32_t dstGapBlocks) {
  checkRows("DataCopy", rows);
  if (rows == 0 || rowBytes == 0 || belongsToOther(dst)) return;
  noticePolling("DataCopy", dst.address, src, rowBytes);
  checkLocal("DataCopy", {dst, localSpan(rows, rowBytes, dstGapBlocks), true, blockBytes, "dst"}, localMemory(dst));
  for (uint32_t row = 0; row < rows; ++row) {
    const uint8_t* from = src + size_t(row) * (rowBytes + size_t(srcGapBlocks) * blockBytes);
    checkGm("DataCopy", from, rowBytes, false);
    std::memcpy(dst.address + size_t(row) * (rowBytes + size_t(dstGapBlocks) * blockBytes), from, rowBytes);
  }
  recordTransfer(TraceEntry::Read, Pipe::MTE2, rows, uint64_t(rows) * rowBytes);
}

void storeGm(GmAddress dst, Operand src, uint32_t rows, uint32_t rowBytes, uint32_t srcGapBlocks,
             uint32_t dstGapBlocks) {
  checkRows("DataCopy", rows);
  if (rows == 0 || rowBytes == 0 || belongsToOther(src)) return;
  checkLocal("DataCopy", {src, localSpan(rows, rowBytes, srcGapBlocks), false, blockBytes, "src"}, localMemory(src));
  for (uint32_t row = 0; row < rows; ++row) {
    uint8_t* to = dst + size_t(row) * (rowBytes + size_t(dstGapBlocks) * blockBytes);
    const uint8_t* from = src.address + size_t(row) * (rowBytes + size_t(srcGapBlocks) * blockBytes);
    checkGm("DataCopy", to, rowBytes, true, from);
    storeGlobal(to, from, rowBytes);
  }
  recordTransfer(TraceEntry::Write, Pipe::MTE3, rows, uint64_t(rows) * rowBytes);
}

void copyLocal(Operand dst, Operand src, uint32_t rows, uint32_t rowBytes, uint32_t srcGap, uint32_t dstGap) {
  checkRows("DataCopy", rows);
  if (rows == 0 || rowBytes == 0 || belongsToOther(dst)) return;
  Extent extents[] = {{dst, localSpan(rows, rowBytes, dstGap), true, blockBytes, "dst"},
                      {src, localSpan(rows, rowBytes, srcGap), false, blockBytes, "src"}};
  for (const Extent& extent : extents)
    checkLocal("DataCopy", extent,
               core->isCube || extent.operand.position == TPosition::TSCM ? localMemory(extent.operand) : Memory::UB);
  for (uint32_t row = 0; row < rows; ++row)
    std::memmove(dst.address + size_t(row) * (rowBytes + size_t(dstGap) * blockBytes),
                 src.address + size_t(row) * (rowBytes + size_t(srcGap) * blockBytes), rowBytes);
  if (core->isCube || dst.position == TPosition::TSCM) {
    // bias and quantisation parameters, on the pipe that works before the one that needs them
    Pipe pipe = !core->isCube ? Pipe::MTE3 : localMemory(dst) == Memory::FB ? Pipe::FIX : Pipe::MTE1;
    record({TraceEntry::Work, pipe, false, 8, 0, 14 + rows * rowBytes / 32, 20, 0});
    return;
  }
  recordVector(std::max<uint32_t>(3, rows * (rowBytes + 255) / 256), 11, extents, 2);
}

void loadGmPad(Operand dst, GmAddress src, uint32_t rows, uint32_t rowBytes, uint64_t srcGapBytes,
               uint32_t dstGapBlocks, Padding padding) {
  checkRows("DataCopyPad", rows);
  if (rows == 0 || rowBytes == 0 || belongsToOther(dst)) return;
  if (rowBytes > 2097151 || rowBytes % padding.elementBytes != 0) {
    trap({Check::CopyRange, "DataCopyPad",
          text("blockLen %u is out of range 0..2097151 or no multiple of the element size", rowBytes),
          "blockLen is in bytes"});
  }
  uint32_t left = padding.left * padding.elementBytes, right = padding.right * padding.elementBytes;
  if (left > blockBytes || right > blockBytes) {
    trap({Check::CopyRange, "DataCopyPad",
          text("padding of %u and %u bytes; each side takes at most 32 bytes", left, right),
          "paddings are in elements"});
  }
  noticePolling("DataCopyPad", dst.address, src, rowBytes);
  uint32_t image = roundedUp(left + rowBytes + right);
  checkLocal("DataCopyPad", {dst, localSpan(rows, image, dstGapBlocks), true, blockBytes, "dst"}, localMemory(dst));
  for (uint32_t row = 0; row < rows; ++row) {
    const uint8_t* from = src + size_t(row) * (rowBytes + srcGapBytes);
    checkGm("DataCopyPad", from, rowBytes, false);
    uint8_t* to = dst.address + size_t(row) * (image + size_t(dstGapBlocks) * blockBytes);
    // Where no paddings are asked for, the device fills up with the first element of the row, whatever the padding value.
    uint8_t value[8];
    bool asked = left + right != 0;
    if (asked && padding.enabled) std::memcpy(value, &padding.value, sizeof value);
    else if (asked && core->hasPadValue) std::memcpy(value, &core->padValue, sizeof value);
    else std::memcpy(value, from, padding.elementBytes);
    auto fill = [&](uint32_t begin, uint32_t end) {
      for (uint32_t i = begin; i + padding.elementBytes <= end; i += padding.elementBytes)
        std::memcpy(to + i, value, padding.elementBytes);
    };
    fill(0, left);
    std::memcpy(to + left, from, rowBytes);
    fill(left + rowBytes, image);
  }
  recordTransfer(TraceEntry::Read, Pipe::MTE2, rows, uint64_t(rows) * rowBytes);
}

void storeGmPad(GmAddress dst, Operand src, uint32_t rows, uint32_t rowBytes, uint32_t srcGapBlocks,
                uint64_t dstGapBytes) {
  checkRows("DataCopyPad", rows);
  if (rows == 0 || rowBytes == 0 || belongsToOther(src)) return;
  if (rowBytes > 2097151)
    trap({Check::CopyRange, "DataCopyPad", text("blockLen %u is out of range 0..2097151", rowBytes),
          "blockLen is in bytes"});
  uint32_t image = roundedUp(rowBytes);
  checkLocal("DataCopyPad", {src, localSpan(rows, image, srcGapBlocks), false, blockBytes, "src"}, localMemory(src));
  for (uint32_t row = 0; row < rows; ++row) {
    uint8_t* to = dst + size_t(row) * (rowBytes + dstGapBytes);
    const uint8_t* from = src.address + size_t(row) * (image + size_t(srcGapBlocks) * blockBytes);
    checkGm("DataCopyPad", to, rowBytes, true, from);
    storeGlobal(to, from, rowBytes);
  }
  recordTransfer(TraceEntry::Write, Pipe::MTE3, rows, uint64_t(rows) * rowBytes);
}

namespace {

void checkSlice(const char* name, Slice to, Slice from) {
  if (to.segments != from.segments) {
    trap({Check::ParameterRange, name,
          text("%u segments are taken from a row and %u are stored", from.segments, to.segments),
          "describe as many segments on both sides"});
  }
  checkRows(name, to.segments);
}

uint32_t gapBlocks(const char* name, uint64_t bytes) {
  if (bytes % blockBytes != 0) {
    trap({Check::ParameterRange, name,
          text("segments in local memory are %llu bytes apart", static_cast<unsigned long long>(bytes)),
          "keep the stride in local memory a multiple of 32 bytes"});
  }
  return static_cast<uint32_t>(bytes / blockBytes);
}

}  // namespace

void loadSlice(Operand dst, GmAddress src, uint32_t segmentBytes, Slice to, Slice from) {
  checkSlice("DataCopy", to, from);
  loadGmPad(dst, src, from.segments, segmentBytes, from.gapBytes, gapBlocks("DataCopy", to.gapBytes),
            {false, 0, 0, 1, 0});
}

void storeSlice(GmAddress dst, Operand src, uint32_t segmentBytes, Slice to, Slice from) {
  checkSlice("DataCopy", to, from);
  storeGmPad(dst, src, from.segments, segmentBytes, gapBlocks("DataCopy", from.gapBytes), to.gapBytes);
}

void storeNz2Nd(GmAddress dst, Operand src, const AscendC::Nz2NdParamsFull& p, uint32_t elementBytes) {
  const char* name = "DataCopy";
  auto require = [&](const char* field, uint32_t value, uint32_t low, uint32_t high) {
    if (value < low || value > high)
      trap({Check::ParameterRange, name, text("%s %u is out of range %u..%u", field, value, low, high),
            "check Nz2NdParamsFull"});
  };
  require("ndNum", p.ndNum, 0, 4095);
  require("nValue", p.nValue, 1, 8192);
  require("dValue", p.dValue, 1, 8192);
  require("srcNdMatrixStride", p.srcNdMatrixStride, 1, 512);
  require("srcNStride", p.srcNStride, 0, 4096);
  require("dstDStride", p.dstDStride, 1, 65535);
  if (p.dValue % 16 != 0)
    trap({Check::ParameterRange, name, text("dValue %u is no multiple of 16", p.dValue), "pad the columns"});
  if (p.ndNum == 0 || belongsToOther(src)) return;
  const uint32_t columns = 16, rowBytes = columns * elementBytes, groups = p.dValue / columns;
  const uint64_t groupBytes = uint64_t(p.srcNStride) * columns * elementBytes,
                 matrixBytes = uint64_t(p.srcNdMatrixStride) * 256 * elementBytes;
  const uint64_t span = (p.ndNum - 1u) * matrixBytes + (groups - 1) * groupBytes + uint64_t(p.nValue) * rowBytes;
  checkLocal(name, {src, static_cast<uint32_t>(span), false, blockBytes, "src"}, localMemory(src));
  for (uint32_t nd = 0; nd < p.ndNum; ++nd) {
    for (uint32_t row = 0; row < p.nValue; ++row) {
      uint8_t* to = dst + (uint64_t(nd) * p.dstNdMatrixStride + uint64_t(row) * p.dstDStride) * elementBytes;
      checkGm(name, to, uint64_t(p.dValue) * elementBytes, true);
      for (uint32_t group = 0; group < groups; ++group)
        storeGlobal(to + uint64_t(group) * rowBytes,
                    src.address + nd * matrixBytes + group * groupBytes + uint64_t(row) * rowBytes, rowBytes);
    }
  }
  recordTransfer(TraceEntry::Write, Pipe::MTE3, p.ndNum * p.nValue * groups,
                 uint64_t(p.ndNum) * p.nValue * p.dValue * elementBytes);
}

void loadNd2NzVector(Operand dst, GmAddress src, const AscendC::Nd2NzParams& p, uint32_t elementBytes) {
  const char* name = "DataCopy";
  if (p.ndNum > 4095 || p.nValue > 16384 || p.dValue > 65535)
    trap({Check::ParameterRange, name, "a size of Nd2NzParams is out of range",
          "ndNum <= 4095, nValue <= 16384, dValue <= 65535"});
  if (p.ndNum == 0 || p.nValue == 0 || p.dValue == 0 || belongsToOther(dst)) return;
  if (p.srcDValue == 0 || p.dstNzC0Stride == 0 || p.dstNzNStride == 0)
    trap({Check::ParameterRange, name, "a stride of Nd2NzParams is 0", "strides count from 1"});
  const uint32_t rowBytes = p.dValue * elementBytes, groups = (rowBytes + blockBytes - 1) / blockBytes;
  const uint64_t matrix =
      (uint64_t(groups - 1) * p.dstNzC0Stride + uint64_t(p.nValue - 1u) * p.dstNzNStride + 1) * blockBytes;
  const uint64_t span = uint64_t(p.ndNum - 1u) * p.dstNzMatrixStride * elementBytes + matrix;
  checkLocal(name, {dst, static_cast<uint32_t>(std::min<uint64_t>(span, UINT32_MAX)), true, blockBytes, "dst"},
             localMemory(dst));
  for (uint32_t nd = 0; nd < p.ndNum; ++nd) {
    for (uint32_t row = 0; row < p.nValue; ++row) {
      const uint8_t* from = src + (uint64_t(nd) * p.srcNdMatrixStride + uint64_t(row) * p.srcDValue) * elementBytes;
      checkGm(name, from, rowBytes, false);
      uint8_t* to =
          dst.address + uint64_t(nd) * p.dstNzMatrixStride * elementBytes + uint64_t(row) * p.dstNzNStride * blockBytes;
      for (uint32_t group = 0; group < groups; ++group) {
        const uint32_t length = std::min(blockBytes, rowBytes - group * blockBytes);
        uint8_t* block = to + uint64_t(group) * p.dstNzC0Stride * blockBytes;
        std::memcpy(block, from + uint64_t(group) * blockBytes, length);
        std::memset(block + length, 0, blockBytes - length);
      }
    }
  }
  recordTransfer(TraceEntry::Read, Pipe::MTE2, p.ndNum * p.nValue * groups, uint64_t(p.ndNum) * p.nValue * rowBytes);
}

void setPadValue(uint64_t bits) {
  core->padValue = bits;
  core->hasPadValue = true;
  recordScalar(1);
}

void cleanCache(GmAddress address, bool whole) {
  constexpr uint32_t lineCycles = 60, wholeCycles = 600;
  if (!whole) checkGm("DataCacheCleanAndInvalid", address, 1, false);
  forgetAccesses();
  core->cachedLine = 0;
  recordScalar(whole ? wholeCycles : lineCycles);
  if (!whole) releaseLine(address);
}

void setAtomicConfig(uint16_t type, uint16_t operation) {
  using Type = vec::AtomicType;
  constexpr Type types[] = {Type::Float, Type::Float, Type::Half, Type::Int16, Type::Int32, Type::Int8, Type::Bf16};
  const bool known = type < sizeof types / sizeof *types && operation == 0;
  if (!known)
    trap({Check::ParameterRange, "SetStoreAtomicConfig", "unknown element type or operation",
          "use AtomicDtype and AtomicOp"});
  vec::setAtomic(type == 0 ? vec::Atomic::None : vec::Atomic::Add, types[type]);
}

void atomicConfig(uint16_t& type, uint16_t& operation) {
  operation = 0;
  type = core->atomic == vec::Atomic::None ? 0 : static_cast<uint16_t>(1 + static_cast<uint16_t>(core->atomicType));
  recordScalar(1);
}

}  // namespace dma

void vec::setAtomic(Atomic kind, AtomicType type) {
  core->atomic = kind;
  core->atomicType = type;
  recordScalar(1);
}

}  // namespace npu_emu
