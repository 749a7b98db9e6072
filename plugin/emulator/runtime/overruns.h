// Bytes of UB that instructions have written past the ends of their buffers. It does no harm where their owner writes
// them before anything takes them for its own.
#pragma once

#include <cstdint>
#include <vector>

#include "launch.h"

namespace npu_emu {

class Overruns {
 public:
  bool isEmpty() const { return written_.empty(); }
  void clear() { written_.clear(); }
  // `report` says who has written these bytes.
  void add(uint32_t begin, uint32_t end, const Report& report);
  // Their owner has written them, or it was told that they are lost.
  void remove(uint32_t begin, uint32_t end);
  // Who has written one of these bytes last; nullptr where nobody has.
  const Report* find(uint32_t begin, uint32_t end) const;

 private:
  struct Range {
    uint32_t begin, end;
    Report report;
  };
  std::vector<Range> written_;  // none overlap
};

}  // namespace npu_emu
