// The devices: figures of each SoC, and those of time that all of a series share. What an instruction takes is in costs.h and
// in its declaration. `plugin/soc/profile.ts` reads the fields and constants here, and the rows of profile.cpp.
#pragma once

#include <cstdint>
#include <string>

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

// nullptr when the name is unknown. Names are compared as written.
const SocProfile* findSoc(const std::string& name);

constexpr const char* defaultSoc = "Ascend910B2";
// A3 devices report the version of A2, whose binaries they run.
constexpr const char* shortSocVersion = "Ascend910B";

// What host code is told.
constexpr uint32_t systemWorkspaceBytes = 16 * 1024 * 1024;
constexpr uint32_t l2BytesPerCycle = 110;  // that one core reads at best

namespace timing {

// Names the constants of time in what is reported: change it with them, so that figures are not compared with those of others.
constexpr const char* version = "v6";

// Sustained figures of a whole device with 48 vector cores at 1.6 TB/s nominal, and what one core can draw at most.
constexpr double sustainedShare = 1.5 / 1.6;  // of the nominal HBM bandwidth
constexpr double coreReadBytesPerNs = 84;
constexpr double coreWriteBytesPerNs = 120;
constexpr double readLatencyNs = 127;
constexpr double writeLatencyNs = 75;
// Writes stay in L2 while the footprint fits: hbmWriteShare = min(1, (R + W) / (footprintFactor * L2)).
constexpr double footprintFactor = 2.35;
constexpr double syncAllNs = 1200;
constexpr double launchNs = 1500;
constexpr double launchNsPerCore = 20;
constexpr double flagCycles = 16;
// Until the last core's flag is seen by those of a group that wait; estimated, no figure is published.
constexpr double crossFlagNs = 300;

}  // namespace timing
}  // namespace npu_emu
