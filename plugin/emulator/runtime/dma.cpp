// Data movement between global and local memory.
#include <cstring>

#include "device.h"
#include "numerics.h"
#include "walk.h"

namespace npu_emu {

namespace {

constexpr uint32_t commandCycles = 20;  // a queue of small commands sustains one per 20 cycles
constexpr uint32_t rowCycles = 4;

uint32_t roundedUp(uint32_t bytes) { return (bytes + blockBytes - 1) / blockBytes * blockBytes; }

uint32_t commandTime(uint32_t rows) { return std::max(commandCycles, rows * rowCycles); }

// Bytes of local memory that rows of `rowBytes` with gaps between them span.
uint32_t localSpan(uint32_t rows, uint32_t rowBytes, uint32_t gapBlocks) {
  uint64_t span = rows == 0 ? 0 : uint64_t(rows - 1) * (rowBytes + uint64_t(gapBlocks) * blockBytes) + rowBytes;
  return static_cast<uint32_t>(std::min<uint64_t>(span, UINT32_MAX));
}

void checkRows(const char* name, uint32_t rows) {
  if (rows > 4095) trap({"CopyRange", name, text("blockCount %u is out of range 0..4095", rows), "split the copy"});
}

template <typename T>
void accumulate(uint8_t* dst, const uint8_t* src, size_t bytes, vec::Atomic kind) {
  for (size_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T a, b;
    std::memcpy(&a, dst + i, sizeof a);
    std::memcpy(&b, src + i, sizeof b);
    Wide<T> x = static_cast<Wide<T>>(a), y = static_cast<Wide<T>>(b);
    T result = static_cast<T>(kind == vec::Atomic::Add ? isa::Add::element(x, y) : kind == vec::Atomic::Max ? isa::Max::element(x, y) : isa::Min::element(x, y));
    std::memcpy(dst + i, &result, sizeof result);
  }
}

void store(uint8_t* dst, const uint8_t* src, size_t bytes) {
  using Type = vec::AtomicType;
  if (core->atomic == vec::Atomic::None) {
    std::memcpy(dst, src, bytes);
    return;
  }
  switch (core->atomicType) {
    case Type::Float:
      return accumulate<float>(dst, src, bytes, core->atomic);
    case Type::Half:
      return accumulate<half>(dst, src, bytes, core->atomic);
    case Type::Int16:
      return accumulate<int16_t>(dst, src, bytes, core->atomic);
    case Type::Int32:
      return accumulate<int32_t>(dst, src, bytes, core->atomic);
    case Type::Int8:
      return accumulate<int8_t>(dst, src, bytes, core->atomic);
    case Type::Bf16:
      return accumulate<bfloat16_t>(dst, src, bytes, core->atomic);
  }
}

void recordTransfer(TraceEntry::Kind kind, Pipe pipe, uint32_t rows, uint64_t bytes) {
  constexpr uint8_t issueCycles = 6;
  record({kind, pipe, false, issueCycles, 0, commandTime(rows), 0, static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX))});
}

Memory localMemory(const Operand& operand) {
  const Buffer& buffer = bufferOf(operand);
  if (buffer.base != nullptr) return buffer.memory;
  Memory memory = memoryOf(operand.position);
  localMemoryAt(operand.address, memory);
  return memory;
}

}  // namespace

namespace dma {

void loadGm(Operand dst, GmAddress src, uint32_t rows, uint32_t rowBytes, uint32_t srcGapBlocks, uint32_t dstGapBlocks) {
  checkRows("DataCopy", rows);
  if (rows == 0 || rowBytes == 0) return;
  checkLocal("DataCopy", {dst, localSpan(rows, rowBytes, dstGapBlocks), true, blockBytes, "dst"}, localMemory(dst));
  for (uint32_t row = 0; row < rows; ++row) {
    const uint8_t* from = src + size_t(row) * (rowBytes + size_t(srcGapBlocks) * blockBytes);
    checkGm("DataCopy", from, rowBytes, false);
    std::memcpy(dst.address + size_t(row) * (rowBytes + size_t(dstGapBlocks) * blockBytes), from, rowBytes);
  }
  recordTransfer(TraceEntry::Read, Pipe::MTE2, rows, uint64_t(rows) * rowBytes);
}

void storeGm(GmAddress dst, Operand src, uint32_t rows, uint32_t rowBytes, uint32_t srcGapBlocks, uint32_t dstGapBlocks) {
  checkRows("DataCopy", rows);
  if (rows == 0 || rowBytes == 0) return;
  checkLocal("DataCopy", {src, localSpan(rows, rowBytes, srcGapBlocks), false, blockBytes, "src"}, localMemory(src));
  for (uint32_t row = 0; row < rows; ++row) {
    uint8_t* to = dst + size_t(row) * (rowBytes + size_t(dstGapBlocks) * blockBytes);
    checkGm("DataCopy", to, rowBytes, true);
    store(to, src.address + size_t(row) * (rowBytes + size_t(srcGapBlocks) * blockBytes), rowBytes);
  }
  recordTransfer(TraceEntry::Write, Pipe::MTE3, rows, uint64_t(rows) * rowBytes);
}

void copyLocal(Operand dst, Operand src, uint32_t rows, uint32_t rowBytes, uint32_t srcGap, uint32_t dstGap) {
  checkRows("DataCopy", rows);
  if (rows == 0 || rowBytes == 0) return;
  Extent extents[] = {{dst, localSpan(rows, rowBytes, dstGap), true, blockBytes, "dst"},
                      {src, localSpan(rows, rowBytes, srcGap), false, blockBytes, "src"}};
  for (const Extent& extent : extents) checkLocal("DataCopy", extent, localMemory(extent.operand));
  for (uint32_t row = 0; row < rows; ++row)
    std::memmove(dst.address + size_t(row) * (rowBytes + size_t(dstGap) * blockBytes), src.address + size_t(row) * (rowBytes + size_t(srcGap) * blockBytes), rowBytes);
  recordVector(std::max<uint32_t>(3, rows * (rowBytes + 255) / 256), 11, extents, 2);
}

void loadGmPad(Operand dst, GmAddress src, uint32_t rows, uint32_t rowBytes, uint64_t srcGapBytes, uint32_t dstGapBlocks, Padding padding) {
  checkRows("DataCopyPad", rows);
  if (rows == 0 || rowBytes == 0) return;
  if (rowBytes > 2097151 || rowBytes % padding.elementBytes != 0) {
    trap({"CopyRange", "DataCopyPad", text("blockLen %u is out of range 0..2097151 or no multiple of the element size", rowBytes), "blockLen is in bytes"});
  }
  uint32_t left = padding.left * padding.elementBytes, right = padding.right * padding.elementBytes;
  if (left > blockBytes || right > blockBytes) {
    trap({"CopyRange", "DataCopyPad", text("padding of %u and %u bytes; each side takes at most 32 bytes", left, right), "paddings are in elements"});
  }
  uint32_t image = roundedUp(left + rowBytes + right);
  checkLocal("DataCopyPad", {dst, localSpan(rows, image, dstGapBlocks), true, blockBytes, "dst"}, localMemory(dst));
  for (uint32_t row = 0; row < rows; ++row) {
    const uint8_t* from = src + size_t(row) * (rowBytes + srcGapBytes);
    checkGm("DataCopyPad", from, rowBytes, false);
    uint8_t* to = dst.address + size_t(row) * (image + size_t(dstGapBlocks) * blockBytes);
    // Where no paddings are asked for, the device fills up with the first element of the row, whatever the padding value.
    uint8_t value[8];
    if (padding.enabled && left + right != 0) std::memcpy(value, &padding.value, sizeof value);
    else std::memcpy(value, from, padding.elementBytes);
    auto fill = [&](uint32_t begin, uint32_t end) {
      for (uint32_t i = begin; i + padding.elementBytes <= end; i += padding.elementBytes) std::memcpy(to + i, value, padding.elementBytes);
    };
    fill(0, left);
    std::memcpy(to + left, from, rowBytes);
    fill(left + rowBytes, image);
  }
  recordTransfer(TraceEntry::Read, Pipe::MTE2, rows, uint64_t(rows) * rowBytes);
}

void storeGmPad(GmAddress dst, Operand src, uint32_t rows, uint32_t rowBytes, uint32_t srcGapBlocks, uint64_t dstGapBytes) {
  checkRows("DataCopyPad", rows);
  if (rows == 0 || rowBytes == 0) return;
  if (rowBytes > 2097151) trap({"CopyRange", "DataCopyPad", text("blockLen %u is out of range 0..2097151", rowBytes), "blockLen is in bytes"});
  uint32_t image = roundedUp(rowBytes);
  checkLocal("DataCopyPad", {src, localSpan(rows, image, srcGapBlocks), false, blockBytes, "src"}, localMemory(src));
  for (uint32_t row = 0; row < rows; ++row) {
    uint8_t* to = dst + size_t(row) * (rowBytes + dstGapBytes);
    checkGm("DataCopyPad", to, rowBytes, true);
    store(to, src.address + size_t(row) * (image + size_t(srcGapBlocks) * blockBytes), rowBytes);
  }
  recordTransfer(TraceEntry::Write, Pipe::MTE3, rows, uint64_t(rows) * rowBytes);
}

}  // namespace dma

void vec::setAtomic(Atomic kind, AtomicType type) {
  core->atomic = kind;
  core->atomicType = type;
  recordScalar(1);
}

}  // namespace npu_emu
