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
};

// Records the finding with the severity of its code; the same defect at the same place is counted, not repeated.
void report(Finding finding);

// Records an error and ends the launch; the core never runs again.
[[noreturn]] void trap(Finding finding);

// printf into a std::string.
std::string text(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace npu_emu
