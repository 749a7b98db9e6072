// Registration of tiling and inference functions by operator name.
#pragma once

#if !defined(__CCE_AICORE__)

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <unordered_set>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/ge_error_codes.h"

#pragma GCC visibility push(default)

namespace gert {

// api: TilingPlacement | - | - | guessed: tiling always runs on the host here
enum class TilingPlacement { TILING_ON_HOST, TILING_ON_AICPU };

// api: OpImplRegisterV2 | - | - | inferred: no public reference
class OpImplRegisterV2 {
 public:
  using TilingKernelFunc = ge::graphStatus (*)(TilingContext*);
  using TilingParseFunc = ge::graphStatus (*)(TilingParseContext*);
  using KernelFunc = ge::graphStatus (*)(KernelContext*);
  using InferShapeKernelFunc = ge::graphStatus (*)(InferShapeContext*);
  using InferShapeRangeKernelFunc = ge::graphStatus (*)(InferShapeRangeContext*);
  using InferDataTypeKernelFunc = ge::graphStatus (*)(InferDataTypeContext*);
  using CreateCompileInfo = void* (*)();
  using DeleteCompileInfo = void (*)(void*);

  explicit OpImplRegisterV2(const char* opType);

  // `maxTilingBytes` is accepted and unused: the tiling buffer is as large as the framework's largest.
  OpImplRegisterV2& Tiling(TilingKernelFunc function, size_t maxTilingBytes = 2048);
  OpImplRegisterV2& InferShape(InferShapeKernelFunc function);
  OpImplRegisterV2& InferShapeRange(InferShapeRangeKernelFunc function);
  OpImplRegisterV2& InferDataType(InferDataTypeKernelFunc function);
  OpImplRegisterV2& InputsDataDependency(std::initializer_list<int32_t> inputs);
  OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs);
  OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs,
                                               std::initializer_list<TilingPlacement>) {
    return TilingInputsDataDependency(inputs);
  }

  template <class CompileInfo>
  OpImplRegisterV2& TilingParse(TilingParseFunc function) {
    return SetParse(
        function, nullptr, [] { return static_cast<void*>(new CompileInfo()); },
        [](void* info) { delete static_cast<CompileInfo*>(info); });
  }
  template <class CompileInfo>
  OpImplRegisterV2& TilingParse(KernelFunc function) {
    return SetParse(
        nullptr, function, [] { return static_cast<void*>(new CompileInfo()); },
        [](void* info) { delete static_cast<CompileInfo*>(info); });
  }

 private:
  OpImplRegisterV2& SetParse(TilingParseFunc parse, KernelFunc plain, CreateCompileInfo create,
                             DeleteCompileInfo destroy);

  const char* opType_;
};

using OpImplRegister = OpImplRegisterV2;

}  // namespace gert

#pragma GCC visibility pop

#define NPU_EMU_JOIN_(a, b) a##b
#define NPU_EMU_JOIN(a, b) NPU_EMU_JOIN_(a, b)
// api: IMPL_OP, IMPL_OP_OPTILING, IMPL_OP_INFERSHAPE | - | - | inferred: no public reference
#define IMPL_OP(op_type)                                                                                      \
  [[maybe_unused]] static ::gert::OpImplRegisterV2 NPU_EMU_JOIN(op_impl_register_##op_type##_, __COUNTER__) = \
      ::gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_OPTILING(op_type) IMPL_OP(op_type)
#define IMPL_OP_INFERSHAPE(op_type) IMPL_OP(op_type)

#endif
