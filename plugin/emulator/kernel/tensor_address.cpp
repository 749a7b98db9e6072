// The address of a tensor, which kernels may set by hand: as an offset in the memory of its position.
#include "../include/ascendc/tensor.h"

namespace AscendC {

namespace {

// The address comes first: each of the two members finds the other one.
static_assert(std::is_standard_layout_v<TBuffAddr> && offsetof(TBuffAddr, bufferAddr) == 0);

}  // namespace

void TBuffAddr::npu_emu_Address::operator=(uint64_t place) {
  constexpr uint64_t offsetsEnd = uint64_t(1) << 20;  // no memory is larger, and no address is smaller
  const auto* self = reinterpret_cast<const TBuffAddr*>(this);
  npu_emu_bytes = place < offsetsEnd ? npu_emu::startOfMemory(self->logicPos.npu_emu_value) + place
                                     : reinterpret_cast<uint8_t*>(place);
}

void TBuffAddr::npu_emu_Position::operator=(uint8_t position) {
  auto* self = reinterpret_cast<TBuffAddr*>(reinterpret_cast<uint8_t*>(this) - offsetof(TBuffAddr, logicPos));
  const TPosition next = static_cast<TPosition>(position);
  if (self->bufferAddr.npu_emu_bytes != nullptr)
    self->bufferAddr.npu_emu_bytes += npu_emu::startOfMemory(next) - npu_emu::startOfMemory(npu_emu_value);
  npu_emu_value = next;
}

}  // namespace AscendC
