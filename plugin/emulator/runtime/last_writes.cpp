#include "last_writes.h"

#include "device.h"

namespace npu_emu {

void noteWrite(const char* instruction, const uint8_t* address, uint64_t bytes, bool isAtomic) {
  for (WatchedWrites& watched : device.watched) {
    const uint8_t *begin = watched.bytes.begin, *end = begin + watched.bytes.bytes;
    if (end <= address || address + bytes <= begin) continue;
    LastWrite& last = watched.last;
    ++last.writes;
    last.isAtomic = isAtomic;
    last.core = core->label();
    last.instruction = instruction;
    const CallPath& where = placeOf(*core);
    last.frames.assign(where.begin(), where.end());
  }
}

std::vector<LastWrite> lastWrites() {
  std::vector<LastWrite> all;
  for (WatchedWrites& watched : device.watched) all.push_back(std::move(watched.last));
  return all;
}

}  // namespace npu_emu
