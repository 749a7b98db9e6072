// Figures of time that all SoCs of a series share. What an instruction takes is in costs.h and in its declaration.
// `plugin/soc/profile.ts` reads the constants here.
#pragma once

namespace npu_emu::timing {

// Names the constants of time in what is reported: change it with them, so that figures are not compared with those of others.
constexpr const char* version = "v10";

// Behind each figure: where it comes from. "measured": published measurements of 910B devices; "documented"; "estimated".

// Sustained figures of a whole device with 48 vector cores at 1.6 TB/s nominal, and what one core can draw at most.
constexpr double sustainedShare = 1.5 / 1.6;  // of the nominal HBM bandwidth: measured, 1.46 to 1.49 TB/s
constexpr double coreReadBytesPerNs = 84;     // measured: 64 KiB in 1426 cycles
constexpr double coreWriteBytesPerNs = 120;   // measured
constexpr double l2BytesPerNs = 5800;         // measured: 5.6 to 6.0 TB/s
constexpr double coreL2BytesPerNs = 220;      // measured: 192 KiB in 1766 cycles
constexpr double cubeL2BytesPerNs = 310;      // measured: 256 KiB in 1681 cycles
constexpr double cubeWriteBytesPerNs = 216;   // measured: 120 bytes in a cycle
// From the start of a transfer until its result is visible, where nobody else uses the memory: measured, by sizes.
constexpr double readLatencyNs = 127;
constexpr double readNsPerByte = 6.2 / 1024;
// Out of L2: of a small transfer, and of a large one.
constexpr double l2LatencyNs = 118;
constexpr double l2NsPerByte = 1.9 / 1024;
constexpr double l2StreamNs = 97;
constexpr double cubeL2LatencyNs = 92;
constexpr double writeLatencyNs = 75;
constexpr double writeNsPerByte = 7.4 / 1024;
constexpr double readTailNs = 20;  // from the last byte until it is visible: measured, from the same sizes
// What reads out of HBM take longer while something is written: measured of loops with one buffer, on one core and on all.
constexpr double turnaroundNs = 95;
// What is left of the rate where rows begin within lines of 512 bytes: measured; at whole sectors of 128, and anywhere.
constexpr double sectorAlignedShare = 0.78;
constexpr double unalignedShare = 0.7;
// What all reads of the same line get together: measured of all cores, 0.64 TB/s instead of 0.98. That fewer of them get as much, as
// a line is served to one core at a time, is documented, and how much that is for few is not measured.
constexpr double sameLineShare = 0.64 / 0.98;
// Writes stay in L2 while the footprint fits: hbmWriteShare = min(1, (R + W) / (footprintFactor * L2)), where R is at least W.
// Measured. Where less is read, or what is read goes past L2, so much less of it is pushed out: measured without any such read.
constexpr double footprintFactor = 2.35;
constexpr double syncAllNs = 1200;      // estimated
constexpr double launchNs = 1500;       // measured: smallest kernels
constexpr double launchNsPerCore = 20;  // estimated
constexpr double mixedLaunchNs = 1500;  // estimated: kernels of both kinds of cores start 1 to 2 microseconds later
constexpr double flagCycles = 16;       // estimated
// Until the last core's flag is seen by those of a group that wait; estimated, no figure is published.
constexpr double crossFlagNs = 300;

}  // namespace npu_emu::timing
