#include "mutate_stream.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "api_calls.h"
#include "instruction_stream.h"
#include "split_mix.h"

namespace npu_runner {

namespace {

using npu_emu::RecordHeader, npu_emu::recordLimit;

npu_emu::SplitMix64 chance;
uint32_t rarity = 1;            // one record in so many is changed
std::vector<uint8_t> heldBack;  // comes after the next record
bool isCut = false;

// What arithmetic does not expect.
uint64_t extreme() {
  constexpr uint64_t all[] = {
      0,           1,          2,          7,          8,           31,         32,
      127,         128,        255,        256,        32767,       32768,      65535,
      65536,       0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0xFFFFFFF8, uint64_t(1) << 63,
      ~uint64_t(0)};
  return chance.below(4) == 0 ? chance.next() : all[chance.below(std::size(all))];
}

// A field of one, two, four or eight bytes, where one may begin.
void changeField(uint8_t* from, uint32_t bytes) {
  const uint32_t width = 1u << chance.below(4);
  if (bytes < width) return;
  uint8_t* at = from + chance.below(bytes / width) * width;
  uint64_t value = 0;
  std::memcpy(&value, at, width);
  switch (chance.below(4)) {
    case 0: value += chance.below(5) - 2; break;
    case 1: value ^= uint64_t(1) << chance.below(8 * width); break;
    default: value = extreme();
  }
  std::memcpy(at, &value, width);
}

// The argument bytes begin after the header and the places of the kernel.
uint32_t change(uint8_t* record, uint32_t bytes) {
  RecordHeader header;
  std::memcpy(&header, record, sizeof header);
  const uint32_t places = header.places == npu_emu::samePlaces ? 0 : header.places;
  const auto begin = static_cast<uint32_t>(sizeof header + places * sizeof(void*));
  const uint32_t kind = chance.below(32);
  if (kind == 0) return 0;
  if (kind == 1 && 2 * bytes <= recordLimit) {
    std::memcpy(record + bytes, record, bytes);
    return 2 * bytes;
  }
  if (kind == 2 && heldBack.empty()) {
    heldBack.assign(record, record + bytes);
    return 0;
  }
  if (kind == 3) {
    isCut = chance.below(8) == 0;
    return bytes;
  }
  if (kind == 4) {
    changeField(record, sizeof header);
  } else if (kind == 5) {
    header.call = static_cast<uint16_t>(chance.below(npu_emu::apiCalls().size()));
    std::memcpy(record, &header, sizeof header);
  } else {
    for (uint32_t times = 1 + chance.below(3); times > 0; --times) changeField(record + begin, bytes - begin);
  }
  return bytes;
}

uint32_t mutate(uint8_t* record, uint32_t bytes) {
  if (isCut) return 0;
  if (chance.below(rarity) == 0) bytes = change(record, bytes);
  if (bytes != 0 && !heldBack.empty() && bytes + heldBack.size() <= recordLimit) {
    std::memcpy(record + bytes, heldBack.data(), heldBack.size());
    bytes += static_cast<uint32_t>(heldBack.size());
    heldBack.clear();
  }
  return bytes;
}

}  // namespace

void mutateStream(const Json* seed) {
  npu_emu::setRecordChange(seed == nullptr ? nullptr : mutate);
  if (seed == nullptr) return;
  chance = {seed->unsignedInteger("mutation")};
  rarity = 1u << chance.below(9);
  heldBack.clear();
  isCut = false;
}

}  // namespace npu_runner
