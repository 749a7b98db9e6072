// The state of one launch that all cores share.
#pragma once

#include <deque>
#include <vector>

#include "core.h"
#include "launch.h"
#include "report.h"

namespace npu_emu {

struct Device {
  const LaunchRequest* request = nullptr;
  const SocProfile* soc = nullptr;
  std::vector<GmRegion> regions;  // sorted by address
  std::vector<Report> reports;
  bool trapped = false;
  uint64_t recorded = 0;  // trace entries of all cores
  uint8_t* systemWorkspace = nullptr;  // of SetSysWorkspace
  uint64_t turnsTaken = 0;  // NotifyNextBlock of all cores
  GmShadow gm;
  // Who has told of its progress last: by word of global memory, and by turn.
  std::unordered_map<const int32_t*, std::pair<const Core*, uint32_t>> toldByWord;
  std::unordered_map<const Core*, uint32_t> toldByTurn;
};

extern Device device;

// The region an address lies in, its 512-byte pad included; nullptr outside of all.
const GmRegion* regionAt(const uint8_t* address);

// Bytes up to which a region may be touched: allocations are padded to 512 bytes.
size_t paddedBytes(const GmRegion& region);

}  // namespace npu_emu
