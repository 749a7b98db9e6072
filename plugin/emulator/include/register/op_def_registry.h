// What an operator definition includes.
#pragma once

#if !defined(__CCE_AICORE__)

#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "register/op_def.h"
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"

// api: OP_ADD | - | - | documented
#define OP_ADD(op_type, ...)                                               \
  static const ::ops::OpDefRegistration g_##op_type##_op_def_registration( \
      #op_type, [](const char* type) -> ::ops::OpDef* { return new op_type(type); })

#endif
