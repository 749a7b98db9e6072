// Registration of tiling and inference functions by operator name.
#pragma once

#if !defined(__CCE_AICORE__)

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <unordered_set>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/ge_error_codes.h"
#include "graph/infer_format_context.h"

#pragma GCC visibility push(default)

struct rtExceptionInfo;
using aclrtExceptionInfo = rtExceptionInfo;

namespace gert {

// Contexts of what happens outside of a kernel's evaluation.
class OpCheckContext;
class ExeResGenerationContext;
class OpExecuteContext;
class OpExecutePrepareContext;
class OpExecuteLaunchContext;

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
  using GenSimplifiedKeyKernelFunc = ge::graphStatus (*)(TilingContext*, char*);
  using InferFormatFunc = ge::graphStatus (*)(InferFormatContext*);
  using OP_CHECK_FUNC_V2 = ge::graphStatus (*)(const OpCheckContext*, ge::AscendString&);
  using OpCalcParamKernelFunc = ge::graphStatus (*)(ExeResGenerationContext*);
  using OpGenTaskKernelFunc = ge::graphStatus (*)(const ExeResGenerationContext*, std::vector<std::vector<uint8_t>>&);
  using ExceptionDumpFunc = void (*)(rtExceptionInfo*, void*);
  using OpExecFunc = ge::graphStatus (*)(OpExecuteContext*);
  using OpExecPrepareFunc = ge::graphStatus (*)(OpExecutePrepareContext*);
  using OpExecLaunchFunc = ge::graphStatus (*)(OpExecuteLaunchContext*);
  using OpType = ge::AscendString;
  using CompileInfoCreatorFunc = void* (*)();
  using CompileInfoDeleterFunc = void (*)(void*);
  using CreateCompileInfo = void* (*)();
  using DeleteCompileInfo = void (*)(void*);

  explicit OpImplRegisterV2(const char* opType);

  // `maxTilingBytes` is accepted and unused: the tiling buffer is as large as the framework's largest.
  OpImplRegisterV2& Tiling(TilingKernelFunc function, size_t maxTilingBytes = 2048);
  OpImplRegisterV2& InferShape(InferShapeKernelFunc function);
  OpImplRegisterV2& InferShapeRange(InferShapeRangeKernelFunc function);
  OpImplRegisterV2& InferDataType(InferDataTypeKernelFunc function);
  // Every output is of the type of the first input.
  OpImplRegisterV2& InferOutDataTypeSameWithFirstInput();
  // An attribute that comes after those of the operator definition, and that no caller gives. Without a value it has none.
  OpImplRegisterV2& PrivateAttr(const char* name);
  OpImplRegisterV2& PrivateAttr(const char* name, int64_t value);
  OpImplRegisterV2& PrivateAttr(const char* name, int value) { return PrivateAttr(name, static_cast<int64_t>(value)); }
  OpImplRegisterV2& PrivateAttr(const char* name, float value);
  OpImplRegisterV2& PrivateAttr(const char* name, bool value);
  OpImplRegisterV2& PrivateAttr(const char* name, const char* value);
  OpImplRegisterV2& PrivateAttr(const char* name, const std::vector<int64_t>& value);
  OpImplRegisterV2& PrivateAttr(const char* name, const std::vector<float>& value);
  // These serve graphs and callers that are not here: accepted, and never called.
  OpImplRegisterV2& GenSimplifiedKey(GenSimplifiedKeyKernelFunc) { return *this; }
  OpImplRegisterV2& InferFormat(InferFormatFunc) { return *this; }
  OpImplRegisterV2& CheckSupport(OP_CHECK_FUNC_V2) { return *this; }
  OpImplRegisterV2& OpSelectFormat(OP_CHECK_FUNC_V2) { return *this; }
  OpImplRegisterV2& CalcOpParam(OpCalcParamKernelFunc) { return *this; }
  OpImplRegisterV2& GenerateTask(OpGenTaskKernelFunc) { return *this; }
  OpImplRegisterV2& ExceptionDumpParseFunc(ExceptionDumpFunc) { return *this; }
  OpImplRegisterV2& OpExecuteFunc(OpExecFunc) { return *this; }
  OpImplRegisterV2& Op2StageExecuteFuncs(OpExecPrepareFunc, OpExecLaunchFunc) { return *this; }
  OpImplRegisterV2& HostInputs(std::initializer_list<int32_t>) { return *this; }
  OpImplRegisterV2& NullableOutputs(std::initializer_list<int32_t>) { return *this; }
  OpImplRegisterV2& OutputShapeDependOnCompute(std::initializer_list<int32_t>) { return *this; }
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
// api: IMPL_OP, IMPL_OP_OPTILING, IMPL_OP_INFERSHAPE, IMPL_OP_DEFAULT | - | - | inferred: no public reference
#define IMPL_OP(op_type)                                                                                      \
  [[maybe_unused]] static ::gert::OpImplRegisterV2 NPU_EMU_JOIN(op_impl_register_##op_type##_, __COUNTER__) = \
      ::gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_OPTILING(op_type) IMPL_OP(op_type)
#define IMPL_OP_INFERSHAPE(op_type) IMPL_OP(op_type)
#define IMPL_OP_DEFAULT() IMPL_OP(DefaultImpl)

#endif
