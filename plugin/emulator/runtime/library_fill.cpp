// Filling global memory from what is left of UB.
#include "ascendc/library_fill.h"

#include <cstring>
#include <tuple>

#include "walk.h"
#include "api_calls.h"

namespace npu_emu {
namespace vec {

template <typename T>
void fillGlobal(GmAddress dst, uint64_t elements, T value, uint32_t unitBytes) {
  Temporary rest = stackTemporary();
  uint64_t unit = std::min(rest.bytes, unitBytes) / sizeof(T);
  if (unit == 0) {
    trap({Check::BufferSize, "Fill", "no byte of UB is left to lay the value out in",
          "call it before InitBuffer takes all of the memory"});
  }
  // A second fill with the same value writes what is there: that MTE3 may still read it does no harm.
  const bool isThere =
      std::memcmp(rest.operand.address, &value, sizeof value) == 0 &&
      std::memcmp(rest.operand.address, rest.operand.address + sizeof value, (unit - 1) * sizeof value) == 0;
  if (isThere) {
    expose(rest.operand.address, static_cast<uint32_t>(unit * sizeof value));
    const uint32_t cycles = static_cast<uint32_t>(unit * sizeof value + repeatBytes - 1) / repeatBytes;
    issue({"Fill", Pipe::V, cycles, isa::simpleCost.tail}, {}, [] {});
    restoreMask();
  } else {
    duplicate<T>(rest.operand, value, Walk::ofCount(static_cast<int64_t>(unit)));
  }
  orderByFlag("Fill", AscendC::HardEvent::V_MTE3);
  for (uint64_t done = 0; done < elements; done += unit) {
    uint64_t part = std::min(unit, elements - done);
    dma::storeGmPad(dst + done * sizeof(T), rest.operand, 1, static_cast<uint32_t>(part * sizeof(T)), 0, 0);
  }
  pipeBarrierOf(Pipe::MTE3);
}

namespace {

template <typename... T>
constexpr auto fills(Types<T...>) {
  return std::make_tuple(&fillGlobal<T>...);
}
constexpr auto instantiated = asTuple(fills(isa::Fill{}));
const OffersOf<instantiated> offered;

}  // namespace
}  // namespace vec
}  // namespace npu_emu
