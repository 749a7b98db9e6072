// Blocks of UB that were copied in from global memory and not used since: a copy over all of one is time lost.
#pragma once

#include <cstdint>
#include <vector>

#include "access.h"
#include "bit_set.h"

namespace npu_emu {

class UnusedLoads {
 public:
  explicit UnusedLoads(uint32_t capacity = 0) : cells_((endCell(capacity) + 63) / 64) {}
  void clear();
  bool isEmpty() const { return begin_ == end_; }
  bool touches(const LocalAccess& access) const {
    const uint32_t first = firstCell(access.offset), end = endCell(endOf(access));
    return end > begin_ && first < end_ && anySet(cells_, first, end);
  }
  // Notes a copy from global memory. True where it takes the place of one that nothing has used.
  bool load(const LocalAccess& access);
  // Notes any other access.
  void use(const LocalAccess& access);

 private:
  std::vector<uint64_t> cells_;   // one bit each
  uint32_t begin_ = 0, end_ = 0;  // there are none outside of these cells
};

}  // namespace npu_emu
