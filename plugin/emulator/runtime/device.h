// The state of one launch that all cores share.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "core.h"
#include "launch.h"
#include "report.h"

namespace npu_emu {

namespace matmul {
struct LaunchState;
}

// Where cores meet that set a flag: all of a kind (mode 0), the vector cores of a group (1), or one side of a group (2).
struct CrossPlace {
  uint8_t mode;
  bool cube;
  uint16_t flag;
  uint32_t group;
  bool operator<(const CrossPlace& other) const {
    return std::tie(mode, cube, flag, group) < std::tie(other.mode, other.cube, other.flag, other.group);
  }
};

struct Device {
  const LaunchRequest* request = nullptr;
  const SocProfile* soc = nullptr;
  std::vector<GmRegion> regions;  // sorted by address
  std::vector<Report> reports;
  bool trapped = false;
  bool addsFloats = false;
  uint64_t recorded = 0;               // trace entries of all cores
  uint8_t* systemWorkspace = nullptr;  // of SetSysWorkspace
  // What is launched: groups of a cube core with its vector cores, or of one core.
  uint32_t groups = 0, vectorCoresPerGroup = 0;
  bool hasCubeCores = false;
  std::vector<Core*> cores;
  bool isMixed() const { return hasCubeCores && vectorCoresPerGroup != 0; }

  uint32_t nextMeeting = 1;
  std::map<CrossPlace, MeetingPlace> flagPlaces;
  std::array<MeetingPlace, 3> barrierPlaces;  // of vector cores, of cube cores, of all
  std::map<uint32_t, Meeting> softBarriers;   // by how many there were before
  uint64_t turnsTaken = 0;                    // NotifyNextBlock of all cores
  GmShadow gm;
  // What was told last: by a word of global memory, and by turn.
  std::unordered_map<const int32_t*, Progress> toldByWord;
  Progress toldByTurn;
  std::shared_ptr<matmul::LaunchState> matmul;  // of Matmul objects, where there are any
};

extern Device device;

// The region an address lies in, its 512-byte pad included; nullptr outside of all.
const GmRegion* regionAt(const uint8_t* address);

// Bytes up to which a region may be touched: allocations are padded to 512 bytes.
size_t paddedBytes(const GmRegion& region);

}  // namespace npu_emu
