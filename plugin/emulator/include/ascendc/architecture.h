// What every SoC of the series (Atlas A2 and A3) has in common: kernels are compiled for it. Sizes in bytes.
// `plugin/soc/profile.ts` reads the constants here, too: each is a number, or a product or quotient of numbers and names.
#pragma once

#include <cstdint>

namespace npu_emu::architecture {

constexpr uint32_t KiB = 1024;

constexpr uint32_t aiCore = 220;    // __CCE_AICORE__
constexpr uint32_t npuArch = 2201;  // __NPU_ARCH__

constexpr uint32_t ubBytes = 192 * KiB;
constexpr uint32_t l1Bytes = 512 * KiB;
constexpr uint32_t l0aBytes = 64 * KiB;
constexpr uint32_t l0bBytes = 64 * KiB;
constexpr uint32_t l0cBytes = 128 * KiB;
constexpr uint32_t biasTableBytes = 1 * KiB;
constexpr uint32_t fixpipeBytes = 7 * KiB;

// At the top of UB, where some instructions of the library write; at the top of L1, for messages between cores.
constexpr uint32_t libraryBytes = 8 * KiB;
constexpr uint32_t messageBytes = 128;

// At the top of UB and L1: the system's, and not told to host code.
constexpr uint32_t systemBytes = 256;

}  // namespace npu_emu::architecture
