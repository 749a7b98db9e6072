// Types of the runtime API that headers shared with a host program mention. Its functions are left out: a kernel
// does not launch kernels.
#pragma once

#include <cstddef>
#include <cstdint>

typedef int aclError;
typedef void* aclrtStream;
typedef void* aclrtContext;
typedef void* aclrtEvent;
typedef uint16_t aclFloat16;

constexpr aclError ACL_ERROR_NONE = 0;
constexpr aclError ACL_SUCCESS = 0;
