#include "report.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "core.h"
#include "device.h"
#include "replay.h"

namespace npu_emu {

namespace {

bool isError(Check check) { return severityOf(check) == Severity::Error; }

std::vector<const void*> framesOf(const Finding& finding) {
  if (finding.where == nullptr && core == nullptr) return {};
  const CallPath& where = finding.where != nullptr ? *finding.where : placeOf(*core);
  return std::vector<const void*>(where.begin(), where.end());
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
  if (isIssuing()) writeTrap(finding);
  report(std::move(finding));
  device.trapped = true;
  leaveFiber(core->fiber);
  __builtin_unreachable();
}

}  // namespace npu_emu
