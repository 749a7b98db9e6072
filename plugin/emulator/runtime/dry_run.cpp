#include "dry_run.h"

#include "device.h"
#include "device_memory.h"
#include "fiber.h"

namespace npu_emu {

void needComputed() {
  if (!device.isDryRun || core == nullptr) return;
  device.isDryRun = false;
  device.endedDryRun = device.trapped = true;
  leaveFiber(core->fiber);
}

void needComputedAt(uintptr_t address) {
  if (address >= globalMemoryBegin && address < stagingMemoryBegin) needComputed();
}

}  // namespace npu_emu
