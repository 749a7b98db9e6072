// The calls of one operator; `operator.cpp` is generated from the interface of its task.
#pragma once

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "arguments.h"

namespace npu_ascend {

// Names of the symbols in the library of the operator.
extern const char* const workspaceSymbol;
extern const char* const runSymbol;

// First phase: how much workspace the call needs; the tiling function runs here.
aclnnStatus askWorkspace(void* symbol, const Arguments& given, uint64_t* bytes, aclOpExecutor** executor);
// Second phase: puts the kernel on the stream.
aclnnStatus run(void* symbol, void* workspace, uint64_t bytes, aclOpExecutor* executor, aclrtStream stream);

}  // namespace npu_ascend
