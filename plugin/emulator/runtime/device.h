// The state of one launch that all cores share.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core.h"
#include "coverage.h"
#include "gm_regions.h"
#include "last_writes.h"
#include "launch.h"
#include "report.h"
#include "split_mix.h"
#include "word_meetings.h"
#include "written_bytes.h"

namespace npu_emu {

namespace matmul {
struct LaunchState;
}

// Who has arrived in a round of a GroupBarrier, and what each core that waits goes on behind.
struct GroupBarrierRound {
  std::set<uint32_t> indices;
  std::map<uint32_t, Release> releases;
};

struct GroupBarrierState {
  uint32_t arrivers = 0, waiters = 0;
  int32_t passed = 0;  // waits, over all rounds
  std::map<uint32_t, GroupBarrierRound> rounds;
};

// A flag between cores, set by all of a kind (mode 0), by the vector cores of a group (1), or by one side of a group
// (2).
struct CrossFlag {
  uint8_t mode;
  bool cube;
  uint16_t flag;
  uint32_t group;
  bool operator<(const CrossFlag& other) const {
    return std::tie(mode, cube, flag, group) < std::tie(other.mode, other.cube, other.flag, other.group);
  }
};

struct Device {
  const LaunchRequest* request = nullptr;
  std::vector<GmRegion> regions;  // sorted by address
  std::vector<CoveredCells> coverage;
  std::vector<WrittenBytes> written;  // of the regions that there are when the kernel starts
  std::vector<WatchedWrites> watched;
  std::vector<Report> reports;
  bool trapped = false;
  bool isDryRun = false, endedDryRun = false;
  bool addsFloats = false, polls = false;
  SplitMix64 chance;                            // of a shuffled order: the same numbers on both sides of a launch
  int64_t ticksAtLaunch = 0, codeOnDevice = 0;  // drawn: what the system counter shows, and where the kernel lies
  WordMeetings meetings;
  uint64_t recorded = 0;  // trace entries of all cores
  TraceMemory traces;     // of all cores
  // What is launched: groups of a cube core with its vector cores, or of one core.
  uint32_t groups = 0, vectorCoresPerGroup = 0;
  uint32_t groupsAtOnce = 0;  // the others come when some of these have ended
  bool hasCubeCores = false;
  std::vector<Core*> cores;
  std::vector<Core*> coresWithStores;  // whose data cache has what no memory has
  bool isMixed() const { return hasCubeCores && vectorCoresPerGroup != 0; }

  uint32_t nextSyncToken = 1;
  std::map<CrossFlag, SyncPoint> flags;
  std::array<SyncPoint, 3> barriers;                                      // of vector cores, of cube cores, of all
  std::map<std::pair<const uint8_t*, uint32_t>, SyncRound> softBarriers;  // by their flags and their number
  std::map<const uint8_t*, GroupBarrierState> groupBarriers;              // by their workspace
  GlobalShadow gm;
  // What was released last with words of global memory that go past the data caches, by their first byte, and with lines of those.
  std::map<const uint8_t*, Release> releasedByWord;
  std::unordered_map<const uint8_t*, Release> releasedByLine;
  std::shared_ptr<matmul::LaunchState> matmul;  // of Matmul objects, where there are any
};

extern Device device;

}  // namespace npu_emu
