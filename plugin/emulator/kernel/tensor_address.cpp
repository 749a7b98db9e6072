// The address of a tensor, which kernels may set by hand: as an offset in the memory of its position.
#include "../include/ascendc/tensor.h"

namespace AscendC {

namespace {

// The address comes first: each of the two members finds the other one.
static_assert(std::is_standard_layout_v<TBuffAddr> && offsetof(TBuffAddr, bufferAddr) == 0);

}  // namespace

void TBuffAddr::Address::operator=(uint64_t place) {
  constexpr uint64_t offsetsEnd = uint64_t(1) << 20;  // no memory is larger, and no address is smaller
  const auto* self = reinterpret_cast<const TBuffAddr*>(this);
  bytes = place < offsetsEnd ? npu_emu::startOfMemory(self->logicPos.value) + place : reinterpret_cast<uint8_t*>(place);
}

void TBuffAddr::Position::operator=(uint8_t position) {
  auto* self = reinterpret_cast<TBuffAddr*>(reinterpret_cast<uint8_t*>(this) - offsetof(TBuffAddr, logicPos));
  const TPosition next = static_cast<TPosition>(position);
  if (self->bufferAddr.bytes != nullptr)
    self->bufferAddr.bytes += npu_emu::startOfMemory(next) - npu_emu::startOfMemory(value);
  value = next;
}

}  // namespace AscendC
