// Where device memory lies. The process of the kernel and that of the device map it at the same addresses, so that
// addresses in instructions mean the same to both; in a launch of the same case they are the same on every run as well.
#pragma once

#include <cstddef>
#include <cstdint>

namespace npu_emu {

constexpr uintptr_t globalMemoryBegin = 0x1000'0000'0000, globalMemoryEnd = 0x1800'0000'0000;
constexpr uintptr_t localMemoryBegin = globalMemoryEnd;
// Through which matrices of Matmul objects travel between cores.
constexpr uintptr_t stagingMemoryBegin = 0x1900'0000'0000;
// Constants of a kernel, which are elsewhere where its library is loaded.
constexpr uintptr_t constantsBegin = 0x1A00'0000'0000, constantsEnd = 0x1B00'0000'0000;

// A sealed file, open under this number wherever cores run, of which memories are private copies: what is never written costs
// nothing. The memories of cores are those from that offset on.
constexpr int templateFd = 4;
constexpr size_t leftoversOffset = 2u << 20, leftoversBytes = 2u << 20;
// What an earlier kernel has left in the memories of a core is unknown on a device. Here it is the same for every core of every
// launch, and no zeros: a sum that nobody has cleared is wrong each time. It is a number of each type, as padding lanes are often
// scaled by 0.
constexpr uint8_t leftover = 0x5a;

// Pages at that address, readable and writable. Null where there is no memory, or the place is taken.
uint8_t* mapDeviceMemory(uintptr_t address, size_t bytes);

}  // namespace npu_emu
