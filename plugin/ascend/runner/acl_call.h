// Calls of the runtime, each of which is checked.
#pragma once

#include <string>

#include "acl/acl.h"

namespace npu_ascend {

// Thrown by a call that failed.
struct AclFailure {
  const char* call;
  int code;
  std::string message;  // what the runtime says of it
};

// Thrown where this program or its machine is at fault.
struct Unable {
  std::string message;
};

// What the runtime says of its last error; empty where it says nothing.
std::string recentMessage();

inline void check(const char* call, int code) {
  if (code != ACL_SUCCESS) throw AclFailure{call, code, recentMessage()};
}

}  // namespace npu_ascend
