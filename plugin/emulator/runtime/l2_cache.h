// What of global memory is in L2 while the clock plays a launch: lines, in the order in which they were used last.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "launch.h"
#include "trace.h"

namespace npu_emu {

// The bytes of a transfer by the memory that serves them.
struct Served {
  double hbm = 0, l2 = 0;
};

// What brings sectors to L2, by number: 0 for what is there.
using Fetch = uint32_t;

class L2Cache {
 public:
  // Global memory, sorted by address. Of what is written so large a share goes on to HBM.
  L2Cache(const std::vector<GmRegion>& regions, uint64_t capacityBytes, double writtenThrough);

  // Rows are fetched by whole sectors. What is written over before it has left L2 has left it once.
  // What an atomic write adds to is fetched as well: it is both. `fetch` is what is fetched by; `awaited` gets those of others that
  // are yet to bring what is read.
  Served use(const Transfer& transfer, bool isWrite, bool isRead, Fetch fetch, std::vector<Fetch>& awaited);

  // A transfer begins to fetch; what it has fetched is there.
  Fetch begin();
  void end(Fetch fetch);
  // So is everything.
  void endAll();

 private:
  struct Line {
    uint32_t used;           // how many lines had come in when it was used last; 0: never
    uint8_t sectors, dirty;  // those that are there or fetched, and those that were written since
    uint8_t fetched;         // those that transfers have brought, which may be under way
    Fetch fetches[4];        // by which one, for each of them
  };
  struct Region {
    const uint8_t *begin, *end;
    bool isBypassed;
    std::unique_ptr<Line[], void (*)(void*)> lines;
  };

  Region* regionOf(const uint8_t* address);
  // While one transfer uses it.
  struct Use {
    Served served;
    Fetch fetch;
    std::vector<Fetch>& awaited;
  };

  Line& enter(Line& line);
  bool isUnderWay(Fetch fetch) const { return fetch > ended_ && underWay_[fetch - ended_ - 1]; }
  void await(Fetch fetch, Use& use) const;
  void bring(Line& line, uint8_t wanted, Use& use);
  void read(Region& region, uint64_t begin, uint64_t end, Use& use);
  void write(Region& region, uint64_t begin, uint64_t end, bool isRead, Use& use);

  std::vector<Region> regions_;
  uint32_t capacity_, entered_ = 1;
  double writtenThrough_;
  size_t last_ = 0;            // the region that was used last
  Fetch ended_ = 0;            // all up to this one have
  std::deque<bool> underWay_;  // of those behind it
};

}  // namespace npu_emu
