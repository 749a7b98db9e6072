// What names a plan that a tool has found: declared, and of no consequence where there is no such tool.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "exe_graph/runtime/tiling_context.h"
#include "graph/ascend_string.h"
#include "register/register_types.h"

namespace tuningtiling {

using OpBankKeyConvertFun = std::function<bool(const gert::TilingContext*, std::shared_ptr<void>&, size_t&)>;
using OpBankKeyConvertFunV2 = OpBankKeyConvertFun;

}  // namespace tuningtiling

// api: DECLARE_STRUCT_RELATE_WITH_OP, DECLARE_STRUCT_RELATE_WITH_OP_V2, REGISTER_OP_BANK_KEY_CONVERT_FUN,
//   REGISTER_OP_BANK_KEY_CONVERT_FUN_V2, TUNING_TILING_MAKE_SHARED | - | - | inferred: no plans are known
#ifndef DECLARE_STRUCT_RELATE_WITH_OP_V2
#define DECLARE_STRUCT_RELATE_WITH_OP(op_type, key, ...) static_assert(sizeof(key) > 0, #op_type)
#define DECLARE_STRUCT_RELATE_WITH_OP_V2(op_type, key, ...) static_assert(sizeof(key) > 0, #op_type)
#define REGISTER_OP_BANK_KEY_CONVERT_FUN(op_type, function) \
  [[maybe_unused]] static const ::tuningtiling::OpBankKeyConvertFun g_##op_type##_bank_key(function)
#define REGISTER_OP_BANK_KEY_CONVERT_FUN_V2(op_type, function) \
  [[maybe_unused]] static const ::tuningtiling::OpBankKeyConvertFun g_##op_type##_bank_key_v2(function)
#define TUNING_TILING_MAKE_SHARED(make, otherwise) \
  do {                                             \
    try {                                          \
      make;                                        \
    } catch (...) {                                \
      otherwise;                                   \
    }                                              \
  } while (0)
#endif
