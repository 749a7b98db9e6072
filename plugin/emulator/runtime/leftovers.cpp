#include "leftovers.h"

#include <algorithm>

#include "detector_state.h"
#include "device.h"
#include "gm_regions.h"
#include "issue.h"
#include "valid_propagation.h"
#include "walk.h"

namespace npu_emu {

void Leftovers::clear() {
  if (!any_) return;
  for (auto& image : images_) std::vector<uint8_t>().swap(image);
  any_ = false;
}

uint8_t* Leftovers::at(const uint8_t* address) {
  Memory memory = Memory::L1;
  if (!localMemoryAt(address, memory)) std::abort();  // the instruction has been admitted
  const auto index = static_cast<size_t>(memory);
  images_[index].resize(core->capacity[index]);
  return images_[index].data() + (address - core->memory[index]);
}

void Leftovers::note(const uint8_t* address, uint32_t bytes) {
  any_ = true;
  std::fill_n(at(address), bytes, uint8_t(0xff));
}

void Leftovers::forgetWritten(const DetectorState& state) {
  for (const LocalAccess& access : state.local) {
    std::vector<uint8_t>& image = images_[access.memory];
    if (!access.write || image.empty()) continue;
    forEachRange(access, [&](uint32_t begin, uint32_t end) { std::fill_n(image.begin() + begin, end - begin, 0); });
  }
}

ImagesInPlace::ImagesInPlace(const Operands& operands) : padBits_(0) {
  for (size_t i = 0; i < operands.locals; ++i) {
    const Extent& extent = operands.local[i];
    if (extent.bytes == 0) continue;
    const auto memory = static_cast<size_t>(extent.memory);
    uint8_t *begin = extent.operand.address,
            *end = std::min(begin + extent.bytes.bytes, core->memory[memory] + core->capacity[memory]);
    Range& range = ranges_[memory];
    range = range.begin == nullptr ? Range{begin, end} : Range{std::min(range.begin, begin), std::max(range.end, end)};
  }
  swap();
}

ImagesInPlace::~ImagesInPlace() { swap(); }

void ImagesInPlace::swap() {
  std::swap(core->cube.padBits, padBits_);  // what an image is padded with is no leftover
  for (const Range& range : ranges_)
    if (range.begin != nullptr) std::swap_ranges(range.begin, range.end, core->hazards.leftovers().at(range.begin));
}

namespace {

// Whether there may be a byte that nothing has written: not in inputs.
bool mayHoldLeftovers(const uint8_t* begin, uint64_t bytes) {
  const GmRegion* region = regionAt(begin);
  return region == nullptr || region->access != Access::In || !isWithin(begin, bytes, region->base, region->bytes);
}

void followRow(const uint8_t* to, const uint8_t* from, uint32_t bytes) {
  forEachInvalidRange(from, from + bytes, [&](const uint8_t* begin, const uint8_t* end) {
    core->hazards.leftovers().note(to + (begin - from), static_cast<uint32_t>(end - begin));
  });
}

bool follows() { return !device.isDryRun && !core->hazards.isOff(); }

}  // namespace

void followLoad(const uint8_t* to, const uint8_t* from, uint32_t rows, uint32_t rowBytes, uint64_t toPitch,
                uint64_t fromPitch) {
  if (!follows() || !mayHoldLeftovers(from, (rows - 1) * fromPitch + rowBytes)) return;
  for (uint32_t row = 0; row < rows; ++row) followRow(to + row * toPitch, from + row * fromPitch, rowBytes);
}

void followNd2Nz(const uint8_t* to, const uint8_t* from, const AscendC::Nd2NzParams& p, uint32_t elementBytes) {
  if (!follows()) return;
  const uint32_t rowBytes = p.dValue * elementBytes;
  const uint64_t pitch = uint64_t(p.srcDValue) * elementBytes, rowStep = uint64_t(p.dstNzNStride) * blockBytes,
                 groupStep = uint64_t(p.dstNzC0Stride) * blockBytes;
  for (uint32_t nd = 0; nd < p.ndNum; ++nd) {
    const uint8_t* matrix = from + uint64_t(nd) * p.srcNdMatrixStride * elementBytes;
    const uint8_t* target = to + uint64_t(nd) * p.dstNzMatrixStride * elementBytes;
    if (!mayHoldLeftovers(matrix, (p.nValue - 1u) * pitch + rowBytes)) continue;
    for (uint32_t row = 0; row < p.nValue; ++row)
      forEachInvalidRange(matrix + row * pitch, matrix + row * pitch + rowBytes,
                          [&](const uint8_t* begin, const uint8_t* end) {
                            for (auto at = static_cast<uint32_t>(begin - matrix - row * pitch),
                                      last = static_cast<uint32_t>(end - matrix - row * pitch);
                                 at < last;) {
                              const uint32_t next = std::min(last, (at / blockBytes + 1) * blockBytes);
                              core->hazards.leftovers().note(
                                  target + row * rowStep + at / blockBytes * groupStep + at % blockBytes, next - at);
                              at = next;
                            }
                          });
  }
}

void followStore(const char* instruction, const uint8_t* to, const uint8_t* image, size_t bytes) {
  const auto isSet = [](uint8_t byte) { return byte != 0; };
  for (const uint8_t *at = image, *end = image + bytes; (at = std::find_if(at, end, isSet)) != end;) {
    const uint8_t* next = std::find_if_not(at, end, isSet);
    device.gm.invalid.add(to + (at - image),
                          {to + (next - image), core, Pipe::MTE3, 0, 0, 0, 0, instruction, placeOf(*core)});
    at = next;
  }
}

}  // namespace npu_emu
