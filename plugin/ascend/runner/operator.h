// The calls of an operator, in their order; `operator.cpp` is generated from the headers that declare them.
#pragma once

#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "arguments.h"

namespace npu_ascend {

struct Call {
  // Names of the symbols in the library of the operator.
  const char* workspaceSymbol;
  const char* runSymbol;
  // First phase: how much workspace the call needs; the tiling function runs here.
  aclnnStatus (*ask)(void* symbol, const Arguments& given, uint64_t* bytes, aclOpExecutor** executor);
  // Second phase: puts the kernel on the stream.
  aclnnStatus (*run)(void* symbol, void* workspace, uint64_t bytes, aclOpExecutor* executor, aclrtStream stream);
};

extern const std::vector<Call> calls;

}  // namespace npu_ascend
