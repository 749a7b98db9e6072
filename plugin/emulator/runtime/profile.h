// The devices: figures of each SoC. Those of time are in timing.h. `plugin/soc/profile.ts` reads the fields and constants here,
// and the rows of profile.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ascendc/architecture.h"

namespace npu_emu {

// What the host side (PlatformAscendC) and the clock know of one SoC; the rest is that of the architecture.
struct SocProfile {
  const char* name;    // "Ascend910B2"
  const char* config;  // how the configurations of an operator name its kind
  uint32_t aicCores;
  uint32_t aivCores;
  double clockGHz;
  uint64_t l2Bytes;
  double hbmBytesPerNs;  // nominal
};

// All that there are.
std::vector<const SocProfile*> allSocs();

// nullptr when the name is unknown. Names are compared as written.
const SocProfile* findSoc(const std::string& name);

constexpr const char* defaultSoc = "Ascend910B2";
// A3 devices report the version of A2, whose binaries they run.
constexpr const char* shortSocVersion = "Ascend910B";

// What host code is told.
constexpr uint32_t systemWorkspaceBytes = 16 * 1024 * 1024;
constexpr uint32_t l2BytesPerCycle = 110;  // that one core reads at best

}  // namespace npu_emu
