// What the functions of the library share. Each is checked, recorded and carried out as one instruction whose cost is
// the sum of the instructions it is made of.
#pragma once

#include "ascendc/library.h"
#include "walk.h"

namespace npu_emu {

// What the library leaves in memory that it worked in: NaN in every float format.
constexpr int garbage = 0xff;

// What a function of the library works in. It leaves garbage there, as the library does: a kernel that keeps data there
// loses it.
struct WorkingMemory {
  Extent extent{};

  void leaveGarbage() const;
};

// The temporary memory of `name`, which needs so many bytes of it; traps where there are fewer. `sizeHelper` is the
// host function that tells the size.
WorkingMemory workingMemory(const char* name, const Temporary& temporary, uint32_t needed, const char* sizeHelper);

}  // namespace npu_emu
