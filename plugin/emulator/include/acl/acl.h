// Types of the runtime API that headers shared with a host program mention. Its functions are not there: the launch of a
// kernel is not the kernel's.
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
