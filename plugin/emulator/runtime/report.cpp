#include "report.h"

#include <unwind.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "core.h"
#include "device.h"

namespace npu_emu {

namespace {

// What only wastes or merely looks odd. Every other code is an error: it can corrupt memory, hang or be rejected.
struct Severity {
  const char* code;
  const char* whyOnlyAWarning;
};
constexpr Severity warnings[] = {
    {"GmPadRead", "allocations are padded to 512 bytes: the bytes exist, they only carry no data"},
    {"GmPadWrite", "allocations are padded to 512 bytes: no other tensor is hit"},
    {"UbOverflow", "an excess that is never touched does no harm; touching it is an error of its own"},
    {"ErrorLeak", "memory is given back when the kernel ends"},
    {"ErrorRead1", "a freed tensor keeps its content until the buffer is allocated again"},
    {"ErrorWrite1", "a freed tensor keeps its place until the buffer is allocated again"},
    {"ErrorBuffer2", "the bytes are there; only their order against other pipes is not guaranteed"},
    {"BlockDimWaves", "blocks beyond the cores run in a second wave; only a barrier over all of them would hang"},
    {"OverlapForbidden", "the library of Atlas A2 has read an element before it writes it; another library might not"},
    {"ReservedArea", "only what the library writes there is lost, and only if the kernel keeps data just there"},
    {"TruncatedCopy", "the device drops the rest without a word; the comparison shows whether it mattered"},
};

bool isError(const char* code) {
  for (const Severity& severity : warnings)
    if (std::strcmp(severity.code, code) == 0) return false;
  return true;
}

struct Walker {
  const void** frames;
  size_t count, limit;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto* walker = static_cast<Walker*>(argument);
  uintptr_t address = _Unwind_GetIP(context);
  if (address == 0 || walker->count == walker->limit) return _URC_END_OF_STACK;
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
  if (finding.where != nullptr) return std::vector<const void*>(finding.where->begin(), finding.where->end());
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

void report(Finding finding) {
  std::vector<const void*> frames = framesOf(finding);
  for (Report& known : device.reports) {
    if (known.code == finding.code && known.instruction == finding.instruction && known.frames == frames) {
      ++known.count;
      return;
    }
  }
  if (device.reports.size() == reportLimit && !isError(finding.code)) return;
  Report report;
  report.code = finding.code;
  report.isError = isError(finding.code);
  report.message = std::move(finding.message);
  report.hint = finding.hint;
  report.instruction = std::move(finding.instruction);
  report.core = core != nullptr ? core->label() : "device";
  report.frames = std::move(frames);
  if (finding.other != nullptr) report.otherFrames.assign(finding.other->begin(), finding.other->end());
  report.otherInstruction = std::move(finding.otherInstruction);
  device.reports.push_back(std::move(report));
}

void trap(Finding finding) {
  report(std::move(finding));
  device.trapped = true;
  leaveFiber(core->fiber);
  __builtin_unreachable();
}

}  // namespace npu_emu
