// Launches that need not compute.
//
// What most kernels issue does not depend on what they compute. The process of such a kernel writes its instructions down and
// carries none of them out: a dry run. The memory that they would write cannot be touched meanwhile, so that whatever reads it
// is noticed: the run ends, and the launch begins anew and computes.
#pragma once

#include <cstdint>

namespace npu_emu {

// Where something depends on what has been computed: ends a dry run, and returns otherwise.
void needComputed();

// For a signal handler: the same for an access that has failed at the address. Returns where no dry run is the reason.
void needComputedAt(uintptr_t address);

}  // namespace npu_emu
