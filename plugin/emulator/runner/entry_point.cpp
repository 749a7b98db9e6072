#include "entry_point.h"

#include "ascendc/entry.h"

namespace npu_runner {

npu_emu::KernelEntry entryOf(const Library& library) {
  const auto* abi = static_cast<const unsigned*>(library.symbol("npu_emu_abi"));
  const auto* arity = static_cast<const unsigned*>(library.symbol("npu_emu_arity"));
  const auto call = reinterpret_cast<void (*)(uint8_t* const*)>(library.symbol("npu_emu_entry"));
  if (abi == nullptr || arity == nullptr || call == nullptr)
    throw Rejected{"the kernel library lacks npu_emu_entry, npu_emu_arity or npu_emu_abi"};
  if (*abi != npu_emu::abiVersion)
    throw Rejected{"the kernel library was built for runtime version " + std::to_string(*abi) + ", this is version " +
                   std::to_string(npu_emu::abiVersion)};
  return {call, *arity, library.variables()};
}

int taskTypeOf(const Library& library, uint64_t tilingKey) {
  const auto tell = reinterpret_cast<int (*)(uint64_t)>(library.symbol("npu_emu_task_type"));
  return tell == nullptr ? -1 : tell(tilingKey);
}

}  // namespace npu_runner
