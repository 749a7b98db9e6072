// The builder an operator describes itself with: parameters, attributes, supported devices, tiling function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/types.h"
#include "register/op_impl_registry.h"

extern template class std::vector<ge::DataType>;
extern template class std::vector<ge::Format>;
extern template class std::vector<int64_t>;
extern template class std::vector<float>;

#pragma GCC visibility push(default)

namespace npu_emu::host {
struct ParamRecord;
struct AttrRecord;
struct CoreConfigRecord;
struct OperatorRecord;
}  // namespace npu_emu::host

namespace optiling {
using OP_CHECK_FUNC = ge::graphStatus (*)(const ge::Operator& op, ge::AscendString& result);
using PARAM_GENERALIZE_FUNC = ge::graphStatus (*)(const ge::Operator& op, const ge::AscendString& config,
                                                  ge::AscendString& params);
}  // namespace optiling

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class DependScope : uint32_t { ALL = 0, TILING = 1, INVALID_SCOPE };
enum class FollowType : uint32_t { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3, INVALID_TYPE };
enum class FormatCheckOption : uint32_t { DEFAULT = 0, STRICT = 1, MAX };
enum class CommentSection : uint32_t {
  CATEGORY = 0,
  BRIEF = 1,
  CONSTRAINTS = 2,
  RESTRICTIONS = 3,
  SEE = 4,
  THIRDPARTYFWKCOMPAT = 5,
  SECTION_MAX
};

// What an output holds before the kernel starts.
// api: ScalarType, ScalarNum, ScalarVar | - | - | documented
enum class ScalarType : uint32_t {
  UINT64 = 0,
  INT64 = 1,
  UINT32 = 2,
  INT32 = 3,
  UINT16 = 4,
  INT16 = 5,
  UINT8 = 6,
  INT8 = 7,
  FLOAT32 = 8,
  FLOAT16 = 9,
  INVALID_DTYPE = static_cast<uint32_t>(-1),
};
union ScalarNum {
  uint64_t value_u64;
  int64_t value_i64;
  float value_f32;
  ScalarNum() : value_u64(0) {}
  explicit ScalarNum(uint64_t value) : value_u64(value) {}
  explicit ScalarNum(int64_t value) : value_i64(value) {}
  explicit ScalarNum(float value) : value_f32(value) {}
};
struct ScalarVar {
  ScalarType scalar_type;
  ScalarNum scalar_num;
  ScalarVar();
  ScalarVar(ScalarType type, uint64_t num);
  ScalarVar(ScalarType type, int64_t num);
  ScalarVar(ScalarType type, int num);
  ScalarVar(ScalarType type, unsigned int num);
  ScalarVar(ScalarType type, float num);
  ScalarVar(ScalarType type, double num);
  bool operator==(const ScalarVar& other) const;
};

// api: OpParamDef, OpAttrDef, OpAICoreConfig, OpAICoreDef, OpDef | - | - | documented
class OpParamDef {
 public:
  explicit OpParamDef(const char* name);
  OpParamDef(const OpParamDef& other);
  OpParamDef& operator=(const OpParamDef& other);
  ~OpParamDef();

  OpParamDef& ParamType(Option type);
  OpParamDef& DataType(std::vector<ge::DataType> types);
  OpParamDef& Format(std::vector<ge::Format> formats);
  OpParamDef& DataTypeList(std::vector<ge::DataType> types);
  OpParamDef& FormatList(std::vector<ge::Format> formats);
  OpParamDef& DataTypeForBinQuery(std::vector<ge::DataType> types);
  OpParamDef& FormatForBinQuery(std::vector<ge::Format> formats);
  OpParamDef& UnknownShapeFormat(std::vector<ge::Format> formats);
  OpParamDef& ValueDepend(Option depend);
  OpParamDef& ValueDepend(Option depend, DependScope scope);
  OpParamDef& IgnoreContiguous();
  OpParamDef& AutoContiguous();
  OpParamDef& Scalar();
  OpParamDef& ScalarList();
  OpParamDef& To(ge::DataType type);
  OpParamDef& To(const char* name);
  OpParamDef& Version(uint32_t version);
  // Takes effect together with SetNeedAtomic(true) of the tiling context. The number can only be 0.
  OpParamDef& InitValue(uint64_t value);
  OpParamDef& InitValue(const ScalarVar& value);
  // By column of the data types.
  OpParamDef& InitValue(const std::vector<ScalarVar>& values);
  OpParamDef& OutputShapeDependOnCompute();
  OpParamDef& Follow(const char* name);
  OpParamDef& Follow(const char* name, FollowType type);
  OpParamDef& Comment(const char* comment);

  const npu_emu::host::ParamRecord& Record() const;

 private:
  std::shared_ptr<npu_emu::host::ParamRecord> record_;
};

class OpAttrDef {
 public:
  explicit OpAttrDef(const char* name);
  OpAttrDef(const OpAttrDef& other);
  OpAttrDef& operator=(const OpAttrDef& other);
  ~OpAttrDef();

  OpAttrDef& AttrType(Option type);
  OpAttrDef& Bool();
  OpAttrDef& Bool(bool value);
  OpAttrDef& Float();
  OpAttrDef& Float(float value);
  OpAttrDef& Int();
  OpAttrDef& Int(int64_t value);
  OpAttrDef& String();
  OpAttrDef& String(const char* value);
  OpAttrDef& ListBool();
  OpAttrDef& ListBool(std::vector<bool> value);
  OpAttrDef& ListFloat();
  OpAttrDef& ListFloat(std::vector<float> value);
  OpAttrDef& ListInt();
  OpAttrDef& ListInt(std::vector<int64_t> value);
  OpAttrDef& ListListInt();
  OpAttrDef& ListListInt(std::vector<std::vector<int64_t>> value);
  OpAttrDef& Version(uint32_t version);
  OpAttrDef& Comment(const char* comment);
  ge::AscendString& GetName() const;
  bool IsRequired();

  const npu_emu::host::AttrRecord& Record() const;

 private:
  std::shared_ptr<npu_emu::host::AttrRecord> record_;
};

class OpAICoreConfig {
 public:
  OpAICoreConfig();
  explicit OpAICoreConfig(const char* soc);
  OpAICoreConfig(const OpAICoreConfig& other);
  OpAICoreConfig& operator=(const OpAICoreConfig& other);
  ~OpAICoreConfig();

  OpParamDef& Input(const char* name);
  OpParamDef& Output(const char* name);
  OpAICoreConfig& DynamicCompileStaticFlag(bool flag);
  OpAICoreConfig& DynamicFormatFlag(bool flag);
  OpAICoreConfig& DynamicRankSupportFlag(bool flag);
  OpAICoreConfig& DynamicShapeSupportFlag(bool flag);
  OpAICoreConfig& NeedCheckSupportFlag(bool flag);
  OpAICoreConfig& PrecisionReduceFlag(bool flag);
  OpAICoreConfig& ExtendCfgInfo(const char* key, const char* value);

  const npu_emu::host::CoreConfigRecord& Record() const;

 private:
  std::shared_ptr<npu_emu::host::CoreConfigRecord> record_;
};

class OpAICoreDef {
 public:
  explicit OpAICoreDef(std::shared_ptr<npu_emu::host::OperatorRecord> record);

  OpAICoreDef& SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function);
  OpAICoreDef& SetCheckSupport(optiling::OP_CHECK_FUNC function);
  OpAICoreDef& SetOpSelectFormat(optiling::OP_CHECK_FUNC function);
  OpAICoreDef& SetOpSupportInfo(optiling::OP_CHECK_FUNC function);
  OpAICoreDef& SetOpSpecInfo(optiling::OP_CHECK_FUNC function);
  OpAICoreDef& SetParamGeneralize(optiling::PARAM_GENERALIZE_FUNC) { return *this; }
  OpAICoreDef& LaunchWithZeroEleOutputTensors(bool flag);
  OpAICoreDef& AddConfig(const char* soc);
  OpAICoreDef& AddConfig(const char* soc, OpAICoreConfig& config);

 private:
  std::shared_ptr<npu_emu::host::OperatorRecord> record_;
};

// An operator that also runs on processors of the device or of the host says so here: accepted, and of no consequence.
// api: ProcessorDef, OpAICPUDef, OpHostCPUDef | - | - | documented
template <class Self>
class ProcessorDef {
 public:
  Self& Engine(const char*) { return self(); }
  Self& FlagPartial(bool) { return self(); }
  Self& FlagAsync(bool) { return self(); }
  Self& ComputeCost(const char*) { return self(); }
  Self& OpKernelLib(const char*) { return self(); }
  Self& KernelSo(const char*) { return self(); }
  Self& FunctionName(const char*) { return self(); }
  Self& UserDefined(bool) { return self(); }
  Self& ExtendCfgInfo(const char*, const char*) { return self(); }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};
class OpAICPUDef : public ProcessorDef<OpAICPUDef> {};
class OpHostCPUDef : public ProcessorDef<OpHostCPUDef> {};

class OpDef {
 public:
  explicit OpDef(const char* type);
  virtual ~OpDef();

  OpParamDef& Input(const char* name);
  OpParamDef& Output(const char* name);
  OpAttrDef& Attr(const char* name);
  OpDef& SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function);
  OpDef& SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc function);
  OpDef& SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function);
  OpDef& FormatMatchMode(FormatCheckOption option);
  OpDef& EnableFallBack();
  OpDef& Comment(CommentSection section, const char* comment);
  OpDef& Comment(const char* comment);
  OpAICoreDef& AICore();
  OpAICPUDef& AICPU() { return aicpu_; }
  OpHostCPUDef& HostCPU() { return hostcpu_; }
  ge::AscendString& GetOpType();

  const npu_emu::host::OperatorRecord& Record() const;

 private:
  std::shared_ptr<npu_emu::host::OperatorRecord> record_;
  OpAICoreDef aicore_;
  OpAICPUDef aicpu_;
  OpHostCPUDef hostcpu_;
};

using OpDefFactory = OpDef* (*)(const char* type);

struct OpDefRegistration {
  OpDefRegistration(const char* type, OpDefFactory make);
};

}  // namespace ops

#pragma GCC visibility pop
