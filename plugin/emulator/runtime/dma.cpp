// Data movement between global and local memory.
#include "dma.h"

#include <cstring>

#include "cross_core.h"
#include "cube.h"
#include "gm_regions.h"
#include "matmul_channel.h"
#include "repeat_order.h"

namespace npu_emu {

Memory localMemory(const Operand& operand) {
  const Buffer& buffer = bufferOf(operand);
  if (buffer.base != nullptr) return buffer.memory;
  Memory memory = memoryOf(operand.position);
  localMemoryAt(operand.address, memory);
  return memory;
}

bool belongsToOther(const Operand& local) {
  // a cube core has no UB, whatever runs beside it
  return (device.isMixed() || core->isCube) && core->isCube == (localMemory(local) == Memory::UB) &&
         (core->isCube || local.position != TPosition::TSCM);
}

namespace dma {

namespace {

uint32_t roundedUp(uint32_t bytes) { return (bytes + blockBytes - 1) / blockBytes * blockBytes; }

// Local memory that rows of `rowBytes` with gaps between them span.
Reach localSpan(uint32_t rows, uint32_t rowBytes, uint32_t gapBlocks, uint16_t elementBytes = 0) {
  uint64_t span = rows == 0 ? 0 : uint64_t(rows - 1) * (rowBytes + uint64_t(gapBlocks) * blockBytes) + rowBytes;
  return {static_cast<uint32_t>(std::min<uint64_t>(span, UINT32_MAX)),
          {rowBytes, rows, rowBytes + gapBlocks * blockBytes, 1, 0, elementBytes}};
}

void checkRows(const char* name, uint32_t rows) {
  if (rows > 4095)
    trap({Check::CopyRange, name, text("blockCount %u is out of range 0..4095", rows), "split the copy"});
}

// Where the cores of Atlas A2 have no way, the library leaves a copy without effect.
[[noreturn, gnu::noinline]] void noWay(const char* name, const char* from, const char* to) {
  trap({Check::ErrorBuffer3, name,
        text("%s cores of this device do not copy from %s to %s", core->isCube ? "cube" : "vector", from, to),
        core->isCube ? "cube cores copy between global memory and L1, from L1 to the tables of bias and scales, and by "
                       "LoadData and Fixpipe"
                     : "vector cores copy between global memory and UB, within UB, and to the L1 of a Matmul object"});
}

constexpr char globalMemory[] = "global memory";

// L1 is the cube core's, which fills it for a vector core where they talk to each other by a Matmul object.
bool fillsL1(const char* name) {
  if (core->isCube || matmul::channelOf(*core).open) return true;
  trap({Check::ErrorBuffer0, name, "a vector core fills L1 by its Matmul object, and has none",
        "call REGIST_MATMUL_OBJ before the first copy to TSCM"});
}

}  // namespace

void requireLoad(const char* name, const Operand& dst, bool isUbOnly) {
  const Memory to = localMemory(dst);
  const bool isOpen = to == Memory::UB ? !core->isCube : to == Memory::L1 && !isUbOnly && fillsL1(name);
  if (!isOpen) noWay(name, globalMemory, nameOf(to));
}
void requireStore(const char* name, const Operand& src, bool isUbOnly) {
  const Memory from = localMemory(src);
  const bool isOpen = from == Memory::UB ? !core->isCube : from == Memory::L1 && core->isCube && !isUbOnly;
  if (!isOpen) noWay(name, nameOf(from), globalMemory);
}

namespace {

// A core that loads the same again and again waits for what another one stores.
void noticePolling(const char* name, const uint8_t* to, const uint8_t* from, uint32_t bytes) {
  constexpr uint32_t loadsInVain = 64;
  Core::Load& last = core->lastLoad;
  if (last.to != to || last.from != from || last.bytes != bytes) last = {to, from, bytes, 0};
  if (++last.times % loadsInVain == 0) letOthersRun(name);
}

}  // namespace

void loadGm(Operand dst, GmAddress src, uint32_t rows, uint32_t rowBytes, uint32_t srcGapBlocks,
            uint32_t dstGapBlocks) {
  const char* name = "DataCopy";
  checkRows(name, rows);
  if (rows == 0 || rowBytes == 0 || belongsToOther(dst)) return;
  requireLoad(name, dst, false);
  noticePolling(name, dst.address, src, rowBytes);
  const size_t pitch = rowBytes + size_t(srcGapBlocks) * blockBytes,
               localPitch = rowBytes + size_t(dstGapBlocks) * blockBytes;
  issueCopy(transferOf(name, Pipe::MTE2, rows, uint64_t(rows) * rowBytes),
            {{dst, localSpan(rows, rowBytes, dstGapBlocks), writes, "dst", blockBytes, localMemory(dst)},
             GmExtent{src, rowBytes, reads, rows, pitch}},
            [=] {
              for (size_t row = 0; row < rows; ++row)
                std::memcpy(dst.address + row * localPitch, src + row * pitch, rowBytes);
            });
  if (localMemory(dst) != Memory::UB) followLoad(dst.address, src, rows, rowBytes, localPitch, pitch);
}

namespace {

// What nothing has written of UB, on its way to L1.
void followToL1(const uint8_t* to, size_t toPitch, const uint8_t* from, size_t fromPitch, uint32_t rows,
                uint32_t rowBytes) {
  if (device.isDryRun || core->hazards.isOff()) return;
  for (uint32_t row = 0; row < rows; ++row)
    core->hazards.forEachInvalid(
        static_cast<uint32_t>(from + row * fromPitch - core->memory[ubIndex]), rowBytes,
        [&](uint32_t at, uint32_t bytes) { core->hazards.leftovers().note(to + row * toPitch + at, bytes); });
}

// Between UB and UB, and to the L1 of a Matmul object, which takes what follows from a copy to it by a message.
void copyFromUb(const char* name, Operand dst, Operand src, uint32_t rows, uint32_t rowBytes, uint32_t srcGap,
                uint32_t dstGap) {
  const Memory from = core->isCube ? localMemory(src) : Memory::UB;
  const Memory to = core->isCube || dst.position == TPosition::TSCM ? localMemory(dst) : Memory::UB;
  const bool isInUb = from == Memory::UB && to == Memory::UB;
  if (!isInUb && (from != Memory::UB || to != Memory::L1 || core->isCube || !fillsL1(name)))
    noWay(name, nameOf(from), nameOf(to));
  const size_t dstStep = rowBytes + size_t(dstGap) * blockBytes, srcStep = rowBytes + size_t(srcGap) * blockBytes;
  const Extent extents[] = {{dst, localSpan(rows, rowBytes, dstGap, 1), writes, "dst", blockBytes, to},
                            {src, localSpan(rows, rowBytes, srcGap, 1), reads, "src", blockBytes, from}};
  const Instruction copy = isInUb ? Instruction{name, Pipe::V, std::max<uint32_t>(3, rows * (rowBytes + 255) / 256), 11}
                                  : Instruction{name, Pipe::MTE3, 14 + rows * rowBytes / 32, 20};
  issue(copy, extents, [&] {
    RepeatOrder order;
    if (isInUb && meet(extents[0], extents[1]))
      order = RepeatOrder(name, rows, Footprint(dst.address, dstStep, {{0, rowBytes}}),
                          {Footprint(src.address, srcStep, {{0, rowBytes}})});
    for (uint32_t row = 0; row < rows; order.end(row++))
      std::memmove(dst.address + row * dstStep, order.source(src.address) + row * srcStep, rowBytes);
  });
  if (!isInUb) followToL1(dst.address, dstStep, src.address, srcStep, rows, rowBytes);
}

}  // namespace

void copyLocal(Operand dst, Operand src, uint32_t rows, uint32_t rowBytes, uint32_t srcGap, uint32_t dstGap) {
  const char* name = "DataCopy";
  checkRows(name, rows);
  if (rows == 0 || rowBytes == 0 || belongsToOther(dst)) return;
  if (const uint32_t unit = core->isCube ? cube::tableUnit(localMemory(dst)) : 0)
    cube::copyLocal(dst, src, AscendC::DataCopyParams(1, rowBytes / unit, 0, 0));
  else copyFromUb(name, dst, src, rows, rowBytes, srcGap, dstGap);
}

namespace {

// Rows of local memory, `localPitch` apart, to rows of global memory.
struct Rows {
  uint32_t number, bytes;
  uint64_t pitch, localPitch;
};
void storeRows(const char* name, GmAddress dst, const Extent& src, const Rows& rows) {
  const uint8_t* from = src.operand.address;
  issueCopy(transferOf(name, Pipe::MTE3, rows.number, uint64_t(rows.number) * rows.bytes),
            {src, GmExtent{dst, rows.bytes, writes, rows.number, rows.pitch, from, rows.localPitch}}, [=] {
              for (size_t row = 0; row < rows.number; ++row)
                storeGlobal(dst + row * rows.pitch, from + row * rows.localPitch, rows.bytes);
            });
  if (src.memory == Memory::UB || device.isDryRun || core->hazards.leftovers().isEmpty()) return;
  for (size_t row = 0; row < rows.number; ++row)
    followStore(name, dst + row * rows.pitch, core->hazards.leftovers().at(from + row * rows.localPitch), rows.bytes);
}

// Bytes of UB that the device leaves to chance.
void forgetBytes(const uint8_t* address, uint32_t bytes) {
  core->hazards.setInvalid(static_cast<uint32_t>(address - core->memory[static_cast<size_t>(Memory::UB)]), bytes);
}

// What a copy asked for paddings, and the bytes that complete its last block, hold where nothing has set their value.
constexpr uint8_t unsetPadding = 0xff;

// One row of a copy with paddings, to a whole number of blocks.
void loadPadded(uint8_t* to, uint32_t image, const uint8_t* from, uint32_t rowBytes, const Padding& padding) {
  const uint32_t left = padding.left * padding.elementBytes, right = padding.right * padding.elementBytes;
  // Where no paddings are asked for, the device fills up with the first element of the row, whatever the padding value.
  uint8_t value[8];
  const bool asked = left + right != 0;
  if (!asked) std::memcpy(value, from, padding.elementBytes);
  else if (padding.enabled) std::memcpy(value, &padding.value, sizeof value);
  else std::memset(value, unsetPadding, sizeof value);
  const auto fill = [&](uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i + padding.elementBytes <= end; i += padding.elementBytes)
      std::memcpy(to + i, value, padding.elementBytes);
  };
  fill(0, left);
  std::memcpy(to + left, from, rowBytes);
  fill(left + rowBytes, image);
}

}  // namespace

void storeGm(GmAddress dst, Operand src, uint32_t rows, uint32_t rowBytes, uint32_t srcGapBlocks,
             uint32_t dstGapBlocks) {
  const char* name = "DataCopy";
  checkRows(name, rows);
  if (rows == 0 || rowBytes == 0 || belongsToOther(src)) return;
  requireStore(name, src, false);
  storeRows(
      name, dst, {src, localSpan(rows, rowBytes, srcGapBlocks), reads, "src", blockBytes, localMemory(src)},
      {rows, rowBytes, rowBytes + size_t(dstGapBlocks) * blockBytes, rowBytes + size_t(srcGapBlocks) * blockBytes});
}

void storeForMatmul(GmAddress dst, Operand src, uint32_t bytes) {
  if (bytes == 0) return;
  storeRows("Matmul::SetTensor", dst, {src, localSpan(1, bytes, 0), reads, "src", blockBytes, localMemory(src)},
            {1, bytes, bytes, bytes});
}

void loadGmPad(Operand dst, GmAddress src, uint32_t rows, uint32_t rowBytes, uint64_t srcGapBytes,
               uint32_t dstGapBlocks, Padding padding) {
  const char* name = "DataCopyPad";
  checkRows(name, rows);
  if (rows == 0 || rowBytes == 0 || belongsToOther(dst)) return;
  requireLoad(name, dst, true);
  requireSize(name, padding.elementBytes, {1, 2, 4, 8});
  if (rowBytes > 2097151 || rowBytes % padding.elementBytes != 0) {
    trap({Check::CopyRange, name,
          text("blockLen %u is out of range 0..2097151 or no multiple of the element size", rowBytes),
          "blockLen is in bytes"});
  }
  const uint32_t left = padding.left * padding.elementBytes, right = padding.right * padding.elementBytes;
  if (left > blockBytes || right > blockBytes) {
    trap({Check::CopyRange, name, text("padding of %u and %u bytes; each side takes at most 32 bytes", left, right),
          "paddings are in elements"});
  }
  noticePolling(name, dst.address, src, rowBytes);
  const bool asked = left + right != 0;
  // the value is that of SetPadValue, which the copy calls for itself where it brings one along
  if (padding.enabled) {
    core->padValue = padding.value;
    core->hasPadValue = true;
  }
  if (core->padValue != 0 && padding.elementBytes == 8 && (padding.enabled || asked)) {
    trap({Check::ParameterRange, name, "elements of 64 bits are padded with another value than 0",
          "the padding of 64-bit types is 0: fill the rest by Duplicate"});
  }
  padding.enabled = core->hasPadValue;
  padding.value = core->padValue;
  const uint32_t image = roundedUp(left + rowBytes + right);
  const uint64_t pitch = rowBytes + srcGapBytes, localPitch = image + size_t(dstGapBlocks) * blockBytes;
  Instruction load = transferOf(name, Pipe::MTE2, rows, uint64_t(rows) * rowBytes);
  load.leftPadding = left;
  issueCopy(load,
            {{dst, localSpan(rows, image, dstGapBlocks), writes, "dst", blockBytes, localMemory(dst)},
             GmExtent{src, rowBytes, reads, rows, pitch}},
            [=] {
              for (size_t row = 0; row < rows; ++row)
                loadPadded(dst.address + row * localPitch, image, src + row * pitch, rowBytes, padding);
            });
  if (!asked || padding.enabled) return;
  for (size_t row = 0; row < rows; ++row) {
    const uint8_t* to = dst.address + row * localPitch;
    forgetBytes(to, left);
    forgetBytes(to + left + rowBytes, image - left - rowBytes);
  }
}

void storeGmPad(GmAddress dst, Operand src, uint32_t rows, uint32_t rowBytes, uint32_t srcGapBlocks,
                uint64_t dstGapBytes) {
  const char* name = "DataCopyPad";
  checkRows(name, rows);
  if (rows == 0 || rowBytes == 0 || belongsToOther(src)) return;
  requireStore(name, src, true);
  if (rowBytes > 2097151)
    trap({Check::CopyRange, name, text("blockLen %u is out of range 0..2097151", rowBytes), "blockLen is in bytes"});
  const uint32_t image = roundedUp(rowBytes);
  storeRows(name, dst, {src, localSpan(rows, image, srcGapBlocks), reads, "src", blockBytes, localMemory(src)},
            {rows, rowBytes, rowBytes + dstGapBytes, image + size_t(srcGapBlocks) * blockBytes});
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

namespace {

// The library describes segments whose distance in global memory is no multiple of 32 bytes by numbers of 16 bits.
void checkBytes(const char* what, uint64_t bytes) {
  if (bytes <= UINT16_MAX) return;
  trap({Check::ParameterRange, "DataCopy",
        text("%s of %llu bytes, more than 65535, where the stride is no multiple of 32 bytes", what,
             static_cast<unsigned long long>(bytes)),
        "copy them by DataCopyPad"});
}

}  // namespace

void loadSlice(Operand dst, GmAddress src, uint32_t segmentBytes, Slice to, Slice from) {
  checkSlice("DataCopy", to, from);
  if (from.gapBytes % blockBytes != 0) {
    checkBytes("segments", segmentBytes);
    checkBytes("gaps", from.gapBytes);
  }
  loadGmPad(dst, src, from.segments, segmentBytes, from.gapBytes, gapBlocks("DataCopy", to.gapBytes),
            {false, 0, 0, 1, 0});
}

void storeSlice(GmAddress dst, Operand src, uint32_t segmentBytes, Slice to, Slice from) {
  checkSlice("DataCopy", to, from);
  if (to.gapBytes % blockBytes != 0) checkBytes("gaps", to.gapBytes);
  storeGmPad(dst, src, from.segments, segmentBytes, gapBlocks("DataCopy", from.gapBytes), to.gapBytes);
}

void setPadValue(uint64_t bits) {
  core->padValue = bits;
  core->hasPadValue = true;
  scalarCycles(1);
}

void cleanCache(GmAddress address, bool whole) {
  if (!whole) inspect("DataCacheCleanAndInvalid", GmExtent{address, 1, reads});
  const DataCache::Stored stored = whole ? DataCache::Stored() : core->dataCache.storedIn(address);
  cleanDataCache("DataCacheCleanAndInvalid", whole ? nullptr : address);
  scalarCycles(whole ? cleanCacheCycles : cleanLineCycles);
  if (!whole) releaseLine(address, stored);
}

void cleanLocalLines(bool whole) { scalarCycles(whole ? cleanCacheCycles : cleanLineCycles); }

// Brings the line where it is not there: what the cache holds is neither written back nor fetched anew.
void preloadLine(GmAddress address) {
  inspect("DataCachePreload", GmExtent{address, 1, reads});
  const bool isHeld = holdLine("DataCachePreload", address);
  scalarCycles(1);
  if (!isHeld) core->dataCache.preload(address, core->ticker.scalarWork());
}

void hintL2(GmAddress address, bool bypasses) {
  // an address outside of all is found when something is copied there
  if (GmRegion* region = regionAt(address)) region->isHintedPastL2 = bypasses;
  scalarCycles(1);
}

}  // namespace dma
}  // namespace npu_emu
