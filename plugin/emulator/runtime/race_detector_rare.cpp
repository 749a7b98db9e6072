// What the detector does for few kernels: races that write what is there already, and instructions that leave their
// buffers.
#include <algorithm>
#include <cstring>

#include "device.h"

namespace npu_emu {

void RaceDetector::settleRaces() {
  const uint8_t* ub = core->memory[ubIndex];
  bool isReported[pipeCount] = {};
  for (WriteRace& race : writeRaces_) {
    bool isSame = true;
    forEachRange(race.access, [&](uint32_t begin, uint32_t end) {
      isSame = isSame && std::memcmp(ub + begin, race.before.data() + (begin - race.access.offset), end - begin) == 0;
    });
    if (isSame || isReported[race.other]) continue;
    isReported[race.other] = true;
    record(std::move(race.report));
    known_[race.pipe][race.other] = std::max(known_[race.pipe][race.other], race.count);
  }
  writeRaces_.clear();
}

void RaceDetector::overrun(uint32_t bufferBegin, uint32_t bufferEnd, Report report) {
  if (off_) return;
  overruns_.push_back({state_.local.size(), bufferBegin, bufferEnd, std::move(report)});
  watches_ = true;
}

template <typename F>
void RaceDetector::forEachRangeInBuffer(size_t access, F f) const {
  uint32_t low = 0, high = UINT32_MAX;
  for (const Overrun& overrun : overruns_) {
    if (overrun.access != access) continue;
    low = overrun.bufferBegin;
    high = overrun.bufferEnd;
  }
  forEachRange(state_.local[access], [&](uint32_t begin, uint32_t end) {
    begin = std::max(begin, low);
    end = std::min(end, high);
    if (begin < end) f(begin, end);
  });
}

// An instruction that reads past its buffer what it or another one has written there takes it for no one's own.
void RaceDetector::settleOverruns() {
  for (size_t i = 0; i < state_.local.size(); ++i) {
    const LocalAccess& access = state_.local[i];
    if (access.write || access.memory != ubIndex) continue;
    forEachRangeInBuffer(i, [&](uint32_t begin, uint32_t end) {
      const Report* by = overwritten_.find(begin, end);
      if (by == nullptr) return;
      Report report = *by;
      report.message += text(", and %s uses what it overwrites", instruction_);
      const CallPath user = placeOf(*core);
      report.otherInstruction = instruction_;
      report.otherFrames.assign(user.begin(), user.end());
      record(std::move(report));
      overwritten_.remove(begin, end);
    });
  }
  for (size_t i = 0; i < state_.local.size(); ++i) {
    if (!state_.local[i].write || state_.local[i].memory != ubIndex) continue;
    forEachRangeInBuffer(i, [&](uint32_t begin, uint32_t end) { overwritten_.remove(begin, end); });
  }
  for (const Overrun& overrun : overruns_) {
    const LocalAccess& access = state_.local[overrun.access];
    if (!access.write) continue;
    forEachRange(access, [&](uint32_t begin, uint32_t end) {
      if (begin < overrun.bufferBegin) overwritten_.add(begin, std::min(end, overrun.bufferBegin), overrun.report);
      if (end > overrun.bufferEnd) overwritten_.add(std::max(begin, overrun.bufferEnd), end, overrun.report);
    });
  }
  overruns_.clear();
  watches_ = !overwritten_.isEmpty();
}

}  // namespace npu_emu
