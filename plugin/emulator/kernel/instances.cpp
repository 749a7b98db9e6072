// What nearly every kernel uses of the device headers: compiled here once instead of with each kernel.
#define NPU_EMU_INSTANCE template
#include "ascendc/instances.h"

#include "ascendc/entry.h"
#include "ascendc/vector_binary.h"
#include "ascendc/vector_reduce.h"

namespace npu_emu {

int taskTypeOf(uint64_t key, const TaskType* begin, const TaskType* end, int qualified) {
  int found = qualified;
  for (const TaskType* type = begin; type != end; ++type)
    if (type->all) found = static_cast<int>(type->type);
  for (const TaskType* type = begin; type != end; ++type)
    if (!type->all && type->key == key) found = static_cast<int>(type->type);
  return found;
}

}  // namespace npu_emu

namespace AscendC {

TPipe::TPipe() { npu_emu::openPipe(this); }
TPipe::~TPipe() { npu_emu::closePipe(this, npu_emu::PipeEnd::OfObject); }

namespace npu_emu_detail {

using npu_emu::Walk;

namespace {

Walk underLanes(Walk walk, uint64_t lanes) {
  walk.count = static_cast<uint32_t>(lanes);
  npu_emu::maskOfLanes(lanes, walk.mask);
  return walk;
}

Walk underMask(Walk walk, const uint64_t* mask) {
  walk.count = static_cast<uint32_t>(mask[0]);  // what counter mode reads
  walk.mask[0] = mask[0];
  walk.mask[1] = mask[1];
  return walk;
}

}  // namespace

Walk unaryWalk(uint8_t repeats, const UnaryRepeatParams& p, bool setsMask) {
  return {Walk::Repeats,
          setsMask,
          repeats,
          0,
          {0, 0},
          {p.dstBlkStride, p.srcBlkStride, 1},
          {p.dstRepStride, p.srcRepStride, 8}};
}
Walk unaryWalk(uint64_t lanes, uint8_t repeats, const UnaryRepeatParams& params, bool setsMask) {
  return underLanes(unaryWalk(repeats, params, setsMask), lanes);
}
Walk unaryWalk(const uint64_t* mask, uint8_t repeats, const UnaryRepeatParams& params, bool setsMask) {
  return underMask(unaryWalk(repeats, params, setsMask), mask);
}

Walk countWalk(int32_t count, bool setsMask) {
  return setsMask ? Walk::ofCount(count) : unaryWalk(1, UnaryRepeatParams(), false);
}

Walk binaryWalk(uint8_t repeats, const BinaryRepeatParams& p, bool setsMask) {
  return {Walk::Repeats,
          setsMask,
          repeats,
          0,
          {0, 0},
          {p.dstBlkStride, p.src0BlkStride, p.src1BlkStride},
          {p.dstRepStride, p.src0RepStride, p.src1RepStride}};
}
Walk binaryWalk(uint64_t lanes, uint8_t repeats, const BinaryRepeatParams& params, bool setsMask) {
  return underLanes(binaryWalk(repeats, params, setsMask), lanes);
}
Walk binaryWalk(const uint64_t* mask, uint8_t repeats, const BinaryRepeatParams& params, bool setsMask) {
  return underMask(binaryWalk(repeats, params, setsMask), mask);
}

Walk reduceWalk(uint64_t lanes, int32_t repeats, int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,
                bool setsMask) {
  const bool fits = repeats >= 0 && repeats <= UINT16_MAX;
  const Walk walk = {Walk::Repeats,
                     setsMask,
                     fits ? static_cast<uint16_t>(repeats) : uint16_t{UINT16_MAX},  // refused by the runtime
                     0,
                     {0, 0},
                     {1, static_cast<uint16_t>(srcBlkStride), 1},
                     {static_cast<uint16_t>(dstRepStride), static_cast<uint16_t>(srcRepStride), 8}};
  return underLanes(walk, lanes);
}
Walk reduceWalk(const uint64_t* mask, int32_t repeats, int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,
                bool setsMask) {
  return underMask(reduceWalk(mask[0], repeats, dstRepStride, srcBlkStride, srcRepStride, setsMask), mask);
}

}  // namespace npu_emu_detail

}  // namespace AscendC
