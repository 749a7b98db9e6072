// What of global memory is in L2 while the clock plays a launch: lines, in the order in which they were used last.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "launch.h"
#include "trace.h"

namespace npu_emu {

// The bytes of a transfer by the memory that serves them.
struct Served {
  double hbm = 0, l2 = 0;
};

class L2Cache {
 public:
  // Global memory, sorted by address. Of what is written so large a share goes on to HBM.
  L2Cache(const std::vector<GmRegion>& regions, uint64_t capacityBytes, double writtenThrough);

  // Rows are fetched by whole sectors. What is written over before it has left L2 has left it once.
  // What an atomic write adds to is fetched as well: it is both.
  Served use(const Transfer& transfer, bool isWrite, bool isRead);

 private:
  struct Line {
    uint32_t used;           // how many lines had come in when it was used last; 0: never
    uint8_t sectors, dirty;  // those that are there, and those that were written since
  };
  struct Region {
    const uint8_t *begin, *end;
    bool isBypassed;
    std::unique_ptr<Line[], void (*)(void*)> lines;
  };

  Region* regionOf(const uint8_t* address);
  Line& enter(Line& line);
  void read(Region& region, uint64_t begin, uint64_t end, Served& served);
  void write(Region& region, uint64_t begin, uint64_t end, bool isRead, Served& served);

  std::vector<Region> regions_;
  uint32_t capacity_, entered_ = 1;
  double writtenThrough_;
  size_t last_ = 0;  // the region that was used last
};

}  // namespace npu_emu
