// Loads and stores in a kernel's own code, and the work of the scalar unit there: what its compiler has it report to the
// functions of kernel/raw_access.cpp. All of it reaches the device by functions of runtime_api.h.
#pragma once

#include <cstdint>
#include <vector>

#include "call_path.h"

namespace npu_emu {

// What code of a kernel has reported and the device has not been told of.
struct Reported {
  // A store: the bytes are not there yet when it is reported.
  bool isStore = false;
  uint8_t* address = nullptr;
  std::vector<uint8_t> before;  // what is there before it
  CallPath where{};
  // Of the blocks that have run, in bytes of code.
  uint64_t code = 0;
  // Lines of the tiling data that the core has read, and how many these are.
  std::vector<bool> tilingLines;
  uint64_t tilingLinesRead = 0;
};

}  // namespace npu_emu
