#include "trace.h"

#include <algorithm>
#include <utility>

namespace npu_emu {

const char* nameOf(Pipe pipe) {
  constexpr const char* names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
  return names[static_cast<size_t>(pipe)];
}

void Trace::addTransfer(size_t first, const uint8_t* address, uint64_t rowBytes, uint64_t rows, uint64_t distance) {
  if (rowBytes == 0 || rows == 0) return;
  if (distance == rowBytes) rowBytes *= std::exchange(rows, 1);
  if (rows == 1 && transfers.size() > first) {
    Transfer& last = transfers.back();
    if (last.rows == 1 && last.address + last.rowBytes == address && rowBytes <= UINT32_MAX - last.rowBytes) {
      last.rowBytes += static_cast<uint32_t>(rowBytes);
      return;
    }
  }
  const auto clipped = [](uint64_t value) { return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX)); };
  transfers.push_back({address, distance, clipped(rowBytes), clipped(rows)});
}

}  // namespace npu_emu
