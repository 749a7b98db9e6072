#include "deadlock.h"

#include <algorithm>
#include <string>

#include "device.h"

namespace npu_emu {

namespace {

void addTo(std::string& list, const std::string& item) {
  constexpr size_t enough = 60;
  if (list.size() < enough) list += (list.empty() ? "" : ", ") + item;
  else if (list.back() != '.') list += ", ...";
}

bool hasArrived(const SyncRound& round, uint32_t coreNumber) {
  return std::find(round.arrived.begin(), round.arrived.end(), coreNumber) != round.arrived.end();
}

// Who has set the flag that the core waits for, and who has yet to.
std::string settersOf(const Core& self) {
  std::string set, missing;
  for (const auto& [flag, point] : device.flags) {
    const SyncRound* round = point.firstIncomplete();
    const bool sets = flag.mode == 0 ? flag.cube == self.isCube
                                     : self.group == flag.group && (flag.cube == self.isCube) == (flag.mode == 1);
    if (!sets || round == nullptr || flag.flag != self.crossWait.flag) continue;
    for (uint32_t number : point.participants) {
      addTo(hasArrived(*round, number) ? set : missing, device.cores[number]->label());
    }
  }
  if (set.empty()) return "nobody has set it";
  return set + (set.find(',') == std::string::npos ? " has set it, " : " have set it, ") + missing +
         (missing.find(',') == std::string::npos ? " has not" : " have not");
}

std::string describe(const Core& self) {
  const CrossWait& wait = self.crossWait;
  if (wait.kind != CrossWait::Flag) return wait.instruction;
  return text("flag %u (%s)", wait.flag, settersOf(self).c_str());
}

}  // namespace

// Names the first core that waits for a single thing, else the first at a barrier.
void reportDeadlock() {
  Core *single = nullptr, *first = nullptr;
  size_t atBarrier = 0, notBegun = 0;
  std::string finished, others;
  for (Core* each : device.cores) {
    const bool waits = each->state == CoreState::Waiting, barrier = waits && each->crossWait.kind == CrossWait::Barrier;
    if (each->state == CoreState::Ready) ++notBegun;
    if (each->state == CoreState::Finished) addTo(finished, each->label());
    if (waits && first == nullptr) first = each;
    if (waits && !barrier && single == nullptr) single = each;
    atBarrier += barrier ? 1 : 0;
  }
  if (first == nullptr) return;
  core = single != nullptr ? single : first;  // the report names it
  for (const Core* each : device.cores)
    if (each->state == CoreState::Waiting && each != core) addTo(others, each->label() + " at " + describe(*each));
  const CrossWait& wait = core->crossWait;
  const char* hint = "make every core that is waited for reach the matching call";
  const std::string more =
      (notBegun == 0 ? "" : text("; %zu cores begin only where one of these has ended", notBegun)) +
      (finished.empty() ? "" : "; finished: " + finished) + (others.empty() ? "" : "; also waiting: " + others);
  if (single == nullptr && !finished.empty()) {
    report({Check::Deadlock, "SyncAll",
            text("%zu %s at SyncAll for cores that have finished without it: %s", atBarrier,
                 atBarrier == 1 ? "core waits" : "cores wait", finished.c_str()),
            "make every core reach every SyncAll, those without work included", &wait.where});
  } else if (wait.kind == CrossWait::Flag) {
    report({Check::Deadlock, wait.instruction,
            text("waits for %s, and no core can continue%s", describe(*core).c_str(), more.c_str()), hint,
            &wait.where});
  } else {
    report({Check::Deadlock, wait.instruction,
            text("waits for other cores at %s, and no core can continue%s", wait.instruction, more.c_str()), hint,
            &wait.where});
  }
  core = nullptr;
  device.trapped = true;
}

// Flags between cores that somebody has set and nobody waited for.
void checkFlagsLeft() {
  for (Core* self : device.cores) {
    core = self;
    for (size_t flag = 0; flag < crossFlags; ++flag) {
      const size_t left = self->flagsToWaitFor[flag].size();
      if (left == 0) continue;
      report({Check::ErrorSync3, "CrossCoreSetFlag",
              text("flag %zu is still set when the kernel ends: %zu %s never waited for", flag, left,
                   left == 1 ? "set was" : "sets were"),
              "wait for every flag that is set, the last ones included"});
    }
  }
  for (const auto& [flag, point] : device.flags) {
    const SyncRound* round = point.firstIncomplete();
    if (round == nullptr) continue;
    core = device.cores[round->arrived.front()];
    std::string missing;
    for (uint32_t number : point.participants)
      if (!hasArrived(*round, number)) addTo(missing, device.cores[number]->label());
    report({Check::ErrorSync3, "CrossCoreSetFlag",
            text("flag %u in mode %u was never set by %s, which has to set it as well", flag.flag, flag.mode,
                 missing.c_str()),
            "set the flag on all cores that the mode names"});
  }
  core = nullptr;
}

}  // namespace npu_emu
