#include "unused_loads.h"

#include <algorithm>

namespace npu_emu {

void UnusedLoads::clear() {
  std::fill(cells_.begin(), cells_.end(), 0);
  begin_ = end_ = 0;
}

bool UnusedLoads::load(const LocalAccess& access) {
  const uint32_t first = firstCell(access.offset), end = endCell(endOf(access));
  begin_ = isEmpty() ? first : std::min(begin_, first);
  end_ = std::max(end_, end);
  bool wereUnused = true;
  forEachRange(access, [&](uint32_t from, uint32_t to) {
    wereUnused = wereUnused && allSet(cells_, firstCell(from), endCell(to));
    setBits(cells_, firstCell(from), endCell(to), true);
  });
  return wereUnused;
}

void UnusedLoads::use(const LocalAccess& access) {
  const uint32_t first = firstCell(access.offset), end = endCell(endOf(access));
  forEachRange(access, [&](uint32_t from, uint32_t to) { setBits(cells_, firstCell(from), endCell(to), false); });
  if (!access.runs.isOne()) return;
  // most use all that was loaded: then there is nothing left to look for
  if (first <= begin_) begin_ = std::min(end, end_);
  else if (end >= end_) end_ = first;
}

}  // namespace npu_emu
