// The C symbols that the toolchain puts into every kernel library.
#pragma once

#include "launch.h"
#include "library.h"

namespace npu_runner {

// Throws Rejected when the library lacks the entry or was not built for this runtime.
npu_emu::KernelEntry entryOf(const Library& library);

// The type that the kernel declares for a tiling key; below 0 where it declares none.
int taskTypeOf(const Library& library, uint64_t tilingKey);

}  // namespace npu_runner
