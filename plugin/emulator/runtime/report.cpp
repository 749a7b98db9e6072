#include "report.h"

#include <unwind.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "core.h"
#include "device.h"

namespace npu_emu {

namespace {

bool isError(Check check) { return severityOf(check) == Severity::Error; }

struct Walker {
  const void** frames;
  size_t count, limit;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto* walker = static_cast<Walker*>(argument);
  int interrupted = 0;
  uintptr_t address = _Unwind_GetIPInfo(context, &interrupted);
  if (address == 0 || walker->count == walker->limit) return _URC_END_OF_STACK;
  // readers take addresses as those that calls return to, and look at the instruction before
  if (interrupted != 0) ++address;
  walker->frames[walker->count++] = reinterpret_cast<const void*>(address);
  return _URC_NO_REASON;
}

std::vector<const void*> captureFrames() {
  const void* frames[48];
  Walker walker{frames, 0, 48};
  _Unwind_Backtrace(visit, &walker);
  return std::vector<const void*>(frames, frames + walker.count);
}

std::vector<const void*> framesOf(const Finding& finding) {
  const CallPath* where = finding.where != nullptr ? finding.where : core != nullptr ? core->asked : nullptr;
  if (where != nullptr) return std::vector<const void*>(where->begin(), where->end());
  return core != nullptr ? captureFrames() : std::vector<const void*>();
}

constexpr size_t reportLimit = 64;

}  // namespace

std::string text(const char* format, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

void report(Finding finding) { record(reportOf(std::move(finding))); }

void record(Report report) {
  std::vector<Report>& all = device.reports;
  const auto known = std::find_if(all.begin(), all.end(), [&](const Report& other) {
    return other.code == report.code && other.instruction == report.instruction && other.frames == report.frames &&
           other.otherWrites == report.otherWrites;
  });
  if (known != all.end()) {
    ++known->count;
    if (known->isError || !report.isError) return;
    report.count = known->count;
    all.erase(known);  // the last error is the one that ends a launch
  }
  if (all.size() >= reportLimit && !report.isError) return;
  all.push_back(std::move(report));
}

Report reportOf(Finding finding) {
  Report report;
  report.frames = framesOf(finding);
  report.code = nameOf(finding.check);
  report.isError = !finding.isHarmless && isError(finding.check);
  report.message = std::move(finding.message);
  report.hint = finding.hint;
  report.instruction = std::move(finding.instruction);
  report.core = core != nullptr ? core->label() : "device";
  if (finding.other != nullptr) report.otherFrames.assign(finding.other->begin(), finding.other->end());
  report.otherInstruction = std::move(finding.otherInstruction);
  return report;
}

void trap(Finding finding) {
  if (core != nullptr) core->hazards.settleRaces();
  report(std::move(finding));
  device.trapped = true;
  leaveFiber(core->fiber);
  __builtin_unreachable();
}

}  // namespace npu_emu
