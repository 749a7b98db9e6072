// The side of the device: carries out what a kernel has issued in another process.
#pragma once

#include <optional>

#include "../include/ascendc/matmul_object.h"
#include "instruction_stream.h"
#include "launch.h"
#include "report.h"

namespace npu_emu {

// How the kernel was built, as its process says.
struct KernelFacts {
  uint32_t version = 0;   // of the stream
  int32_t taskType = -1;  // a KernelMetaType; below 0 where none is declared
  // Where the libraries for vector and cube cores lie: return addresses are told by their distance from there.
  struct Library {
    uint64_t base = 0, begin = 0, end = 0;
  };
  Library aiv, aic;
  uint32_t constants = 0;  // records that follow: memory of the kernel that instructions may read
};

// The first record of a launch, which the process of the kernel writes.
void writeFacts(const KernelFacts& facts);

// Memory of the kernel that instructions may read. The device gets copies, which lie one after the other: `place` is that
// of the next one, and moves on. Returns how many records it takes; `writeConstants` writes them.
uint32_t placeConstants(const GmRegion& region, uintptr_t& place);
void forgetConstantPlaces();
void writeConstants();

// That the kernel cannot go on: most reasons show on the device as well, and there first.
void writeTrap(const Finding& finding);

// Reads it, and adds the constants of the kernel to the regions. Nothing, and `problem` says why, where that fails.
std::optional<KernelFacts> readFacts(StreamReader& stream, std::vector<GmRegion>& regions, const char*& problem);

// Launches the kernel whose calls come by the stream; as `launch` with its entries.
LaunchResult replay(StreamReader& stream, const LaunchRequest& request, bool hasAiv, bool hasAic);

// A function of the kernel that the library calls: in the process of the kernel it is called, and the device carries
// out what it has issued.
void callKernelFunction(matmul::UserFunction function, const matmul::UserCopy& copy);

}  // namespace npu_emu
