// The C symbols that the toolchain puts into every kernel library.
#pragma once

#include "launch.h"
#include "library.h"

namespace npu_runner {

// Throws Rejected when the library lacks the entry or was not built for this runtime.
npu_emu::KernelEntry entryOf(const Library& library);

}  // namespace npu_runner
