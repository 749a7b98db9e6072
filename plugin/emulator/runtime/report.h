// Findings of the device: what happened, where, and the usual fix.
#pragma once

#include <string>

#include "ascendc/checks.h"
#include "call_path.h"
#include "launch.h"

namespace npu_emu {

struct Finding {
  Check check;
  std::string instruction;
  std::string message;
  const char* hint = "";
  const CallPath* where = nullptr;  // another place than the one the core is at
  const CallPath* other = nullptr;  // the other side of a race
  std::string otherInstruction = {};
  bool isHarmless = false;  // a warning, whatever the severity of the code
};

// Records the finding with the severity of its code; the same defect at the same place is counted, not repeated. What
// was a warning becomes an error where it is one the next time.
void report(Finding finding);

// The same in two steps, for what turns out to be a defect only later: the place is that of the first.
Report reportOf(Finding finding);
void record(Report report);

// Records an error and ends the launch; the core never runs again.
[[noreturn]] void trap(Finding finding);

// printf into a std::string.
std::string text(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace npu_emu
