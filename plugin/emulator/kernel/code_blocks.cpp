#include "code_blocks.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "reached_blocks.h"

// Of the unwinder: the entry of the function that an address is in, as .eh_frame has it.
struct UnwindBases {
  void *text, *data, *function;
};
extern "C" const uint8_t* _Unwind_Find_FDE(void* address, UnwindBases* bases);

namespace npu_emu {

namespace {

uint32_t wordAt(const uint8_t* at) {
  uint32_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

#if defined(__x86_64__)
constexpr ptrdiff_t callBytes = 5, step = 1;

// What the instruction calls; nullptr where there is no direct call.
const uint8_t* calledAt(const uint8_t* instruction) {
  if (*instruction != 0xE8) return nullptr;
  return instruction + callBytes + static_cast<int32_t>(wordAt(instruction + 1));
}
#elif defined(__aarch64__)
constexpr ptrdiff_t callBytes = 4, step = 4;

const uint8_t* calledAt(const uint8_t* instruction) {
  const uint32_t word = wordAt(instruction);
  if (word >> 26 != 0x25) return nullptr;
  return instruction + (static_cast<int32_t>(word << 6) >> 4);
}
#endif

// Behind the last byte of the function; nullptr where nothing says so.
const uint8_t* endOfFunction(const uint8_t* inside) {
  UnwindBases bases{};
  // the address may be that of the next function where a call is the last instruction
  const uint8_t* entry = _Unwind_Find_FDE(const_cast<uint8_t*>(inside - 1), &bases);
  if (entry == nullptr) return nullptr;
  // length, offset of what entries share, first byte, bytes: all of 4 bytes in what compilers make of kernels
  return static_cast<const uint8_t*>(bases.function) + wordAt(entry + 12);
}

uint32_t measure(const uint8_t* from) {
  const uint8_t *end = endOfFunction(from), *reported = calledAt(from - callBytes);
  if (end == nullptr || reported == nullptr) return 0;
  const uint8_t* at = from;
  while (at + callBytes <= end && calledAt(at) != reported) at += step;
  return static_cast<uint32_t>((at + callBytes <= end ? at : end) - from);
}

struct Known {
  const void* from;
  uint32_t bytes;
  uint32_t launch;  // that has reached it last
};

[[gnu::noinline]] void meet(Known& place, const void* returnAddress) {
  if (place.from != returnAddress)
    place = {returnAddress, measure(static_cast<const uint8_t*>(returnAddress)), reachedBlocks.launch};
  place.launch = reachedBlocks.launch;
  reachedBlocks.blocks.insert(returnAddress);
}

}  // namespace

uint32_t codeBytesFrom(const void* returnAddress) {
  // as long as the code of most kernels, so that no two blocks of theirs take turns in one place
  constexpr size_t places = size_t(1) << 16;
  static std::array<Known, places> known{};
  Known& place = known[reinterpret_cast<uintptr_t>(returnAddress) % places];
  if (place.from != returnAddress || place.launch != reachedBlocks.launch) [[unlikely]]
    meet(place, returnAddress);
  return place.bytes;
}

}  // namespace npu_emu
