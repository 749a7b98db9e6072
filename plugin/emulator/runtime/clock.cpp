#include "clock.h"

#include <algorithm>
#include <utility>

#include "device_player.h"
#include "timing.h"

namespace npu_emu {

double fillNs(uint64_t bytes, const SocProfile& soc) {
  using namespace timing;
  if (bytes == 0) return 0;
  return launchNs + launchNsPerCore * soc.aivCores + static_cast<double>(bytes) / (soc.hbmBytesPerNs * sustainedShare);
}

TimedKernel timeTraces(const Played& played) {
  L2Cache cache = cacheOf(played);
  return DevicePlayer(played, cache).play();
}

// A core that finds its data in L2 comes earlier to what all cores share, and can hold up the one that finishes last: as in any
// schedule, parts that take less can make a whole that takes more. L2 is not to blame for that.
double warmNs(const Played& played) {
  L2Cache cache = cacheOf(played);
  const double cold = DevicePlayer(played, cache).play().ns;
  return std::min(cold, DevicePlayer(played, cache).play().ns);
}

std::vector<CoreTimes> timelineOf(const Played& played, const std::vector<const TraceOrigins*>& origins,
                                  const std::vector<size_t>& shown) {
  std::vector<CoreRecorder> recorders;
  for (const size_t core : shown) recorders.emplace_back(*origins[core]);
  L2Cache cache = cacheOf(played);
  DevicePlayer player(played, cache);
  for (size_t i = 0; i < shown.size(); ++i) player.recordTo(shown[i], &recorders[i]);
  const TimedKernel timed = player.play();

  std::vector<CoreTimes> times;
  for (size_t i = 0; i < shown.size(); ++i) {
    CoreTimes core{shown[i], timed.ends[shown[i]], {}, recorders[i].places()};
    for (size_t pipe = 0; pipe < pipeCount; ++pipe) core.pipes[pipe] = recorders[i].take(pipe);
    times.push_back(std::move(core));
  }
  return times;
}

}  // namespace npu_emu
