// Calls of the runtime in loaded code lead to what writes them down (runtime/api_calls.h).
#pragma once

struct link_map;

namespace npu_runner {

// Of a library of this process, once, before its code runs. Throws Rejected where a candidate calls a function of the
// runtime that is not for kernels.
void redirectCalls(const link_map& library, bool isOfCandidate);

// What kernels have in common, libnpu_kernel.so. Throws Rejected where it is not loaded.
const link_map& libraryOfKernels();

}  // namespace npu_runner
