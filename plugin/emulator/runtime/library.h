// What the functions of the library share. Each is checked, recorded and carried out as one instruction whose cost is
// the sum of the instructions it is made of.
#pragma once

#include <string>

#include "ascendc/library.h"
#include "walk.h"

namespace npu_emu {

// What the library leaves in memory that it worked in: NaN in every float format.
constexpr int garbage = 0xff;

// Reports what the library of the device only asserts, by a macro that is empty there: it goes on.
void reportAsserted(const char* name, std::string message, const char* hint);

// What a function of the library works in. It leaves garbage there, as the library does: a kernel that keeps data there
// loses it.
struct WorkingMemory {
  Extent extent{};
  uint32_t behind = 0;    // bytes behind the extent, which the caller has not given
  uint32_t reserved = 0;  // bytes at the start of the area at the top of UB

  void touch(Touches& touches) const;
  void leaveGarbage() const;
};

// Reports that the caller gives a function fewer bytes than it needs.
void reportShortage(const char* name, uint32_t bytes, uint32_t needed, const char* sizeHelper);

// Registers that such functions load for their own use are lost to the kernel.
// The temporary memory of `name`, which needs so many bytes of it. Where the caller gives fewer, the library works past
// them; traps where UB has no more. `sizeHelper` is the host function that tells the size.
WorkingMemory workingMemory(const char* name, const Temporary& temporary, uint32_t needed, const char* sizeHelper);
// The same of a function that works in whatever it is given, between `least` and `most` bytes: nothing of that is left
// to the kernel.
WorkingMemory workingMemory(const char* name, const Temporary& temporary, uint32_t least, uint32_t most,
                            const char* sizeHelper);
// The first bytes of it, and those behind it where there are fewer.
WorkingMemory worksIn(const Temporary& temporary, uint32_t bytes);

// That many bytes of the area at the top of UB; reports buffers that reach there.
WorkingMemory reservedMemory(const char* name, uint32_t bytes = architecture::libraryBytes);

}  // namespace npu_emu
