// The operator builder: records what an operator says of itself.
#include "register/op_def.h"

#include <algorithm>

#include "host.h"

template class std::vector<ge::DataType>;
template class std::vector<ge::Format>;
template class std::vector<float>;

namespace ops {

using npu_emu::host::AttributeValue;
using npu_emu::host::AttrRecord;
using npu_emu::host::AttrType;
using npu_emu::host::CoreConfigRecord;
using npu_emu::host::OperatorRecord;
using npu_emu::host::ParamRecord;
using npu_emu::host::SocConfig;

namespace {
bool isFloat(ScalarType type) { return type == ScalarType::FLOAT32 || type == ScalarType::FLOAT16; }

// A name that is there already means what it meant before.
template <class Definition>
Definition& named(std::vector<std::unique_ptr<Definition>>& all, const char* name) {
  for (const auto& each : all)
    if (each->Record().name == name) return *each;
  return *all.emplace_back(std::make_unique<Definition>(name));
}
}  // namespace

ScalarVar::ScalarVar() : scalar_type(ScalarType::INVALID_DTYPE) {}
ScalarVar::ScalarVar(ScalarType type, uint64_t num) : scalar_type(type), scalar_num(num) {}
ScalarVar::ScalarVar(ScalarType type, int64_t num) : scalar_type(type), scalar_num(num) {}
ScalarVar::ScalarVar(ScalarType type, int num) : ScalarVar(type, static_cast<int64_t>(num)) {
  if (isFloat(type)) scalar_num = ScalarNum(static_cast<float>(num));
}
ScalarVar::ScalarVar(ScalarType type, unsigned int num) : ScalarVar(type, static_cast<uint64_t>(num)) {
  if (isFloat(type)) scalar_num = ScalarNum(static_cast<float>(num));
}
ScalarVar::ScalarVar(ScalarType type, float num) : scalar_type(type), scalar_num(num) {}
ScalarVar::ScalarVar(ScalarType type, double num) : ScalarVar(type, static_cast<float>(num)) {}
bool ScalarVar::operator==(const ScalarVar& other) const {
  return scalar_type == other.scalar_type && scalar_num.value_u64 == other.scalar_num.value_u64;
}

namespace {

// Which member of the union was written follows from the type.
double numberOf(const ScalarVar& value) {
  if (isFloat(value.scalar_type)) return static_cast<double>(value.scalar_num.value_f32);
  if (value.scalar_type == ScalarType::UINT64) return static_cast<double>(value.scalar_num.value_u64);
  return static_cast<double>(value.scalar_num.value_i64);
}

}  // namespace

OpParamDef::OpParamDef(const char* name) : record_(std::make_shared<ParamRecord>()) { record_->name = name; }
// What is said of a copy says nothing of the parameter.
OpParamDef::OpParamDef(const OpParamDef& other) : record_(std::make_shared<ParamRecord>(*other.record_)) {}
OpParamDef& OpParamDef::operator=(const OpParamDef& other) {
  if (this != &other) *record_ = *other.record_;
  return *this;
}
OpParamDef::~OpParamDef() = default;
OpParamDef& OpParamDef::ParamType(Option type) {
  record_->type = type;
  return *this;
}
// An empty list says nothing. Of a list of columns and one of independent types the first counts.
OpParamDef& OpParamDef::DataType(std::vector<ge::DataType> types) {
  if (types.empty() || record_->independentDtypes) return *this;
  record_->dtypes = std::move(types);
  return *this;
}
OpParamDef& OpParamDef::Format(std::vector<ge::Format> formats) {
  if (formats.empty() || record_->independentFormats) return *this;
  record_->formats = std::move(formats);
  return *this;
}
OpParamDef& OpParamDef::DataTypeList(std::vector<ge::DataType> types) {
  if (types.empty() || (!record_->dtypes.empty() && !record_->independentDtypes)) return *this;
  record_->dtypes = std::move(types);
  record_->independentDtypes = true;
  return *this;
}
OpParamDef& OpParamDef::FormatList(std::vector<ge::Format> formats) {
  if (formats.empty() || (!record_->formats.empty() && !record_->independentFormats)) return *this;
  record_->formats = std::move(formats);
  record_->independentFormats = true;
  return *this;
}
OpParamDef& OpParamDef::Follow(const char* name) { return Follow(name, FollowType::ALL); }
OpParamDef& OpParamDef::Follow(const char* name, FollowType type) {
  record_->follows = name;
  record_->followType = type;
  return *this;
}
OpParamDef& OpParamDef::ValueDepend(Option) {
  record_->isValueDepend = true;
  return *this;
}
OpParamDef& OpParamDef::ValueDepend(Option, DependScope) { return ValueDepend(REQUIRED); }
OpParamDef& OpParamDef::Scalar() {
  record_->isScalar = true;
  return *this;
}
OpParamDef& OpParamDef::ScalarList() { return Scalar(); }
OpParamDef& OpParamDef::To(ge::DataType) {
  record_->hasTo = true;
  return *this;
}
OpParamDef& OpParamDef::To(const char*) {
  record_->hasTo = true;
  return *this;
}
// These steer the graph compiler or the generated host call and change nothing about the kernel.
OpParamDef& OpParamDef::DataTypeForBinQuery(std::vector<ge::DataType>) { return *this; }
OpParamDef& OpParamDef::FormatForBinQuery(std::vector<ge::Format>) { return *this; }
OpParamDef& OpParamDef::UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
OpParamDef& OpParamDef::Comment(const char*) { return *this; }
// Nor do these, but a build refuses some of them.
OpParamDef& OpParamDef::IgnoreContiguous() {
  record_->ignoreContiguous = true;
  return *this;
}
OpParamDef& OpParamDef::AutoContiguous() {
  record_->autoContiguous = true;
  return *this;
}
OpParamDef& OpParamDef::Version(uint32_t version) {
  record_->version = version;
  return *this;
}
OpParamDef& OpParamDef::OutputShapeDependOnCompute() {
  record_->shapeFromKernel = true;
  return *this;
}
OpParamDef& OpParamDef::InitValue(uint64_t value) {
  record_->hasInitNumber = true;
  record_->initNumber = value;
  record_->initValues = {static_cast<double>(value)};
  return *this;
}
OpParamDef& OpParamDef::InitValue(const ScalarVar& value) {
  record_->initValues = {numberOf(value)};
  record_->initTypes = {value.scalar_type};
  return *this;
}
OpParamDef& OpParamDef::InitValue(const std::vector<ScalarVar>& values) {
  record_->initValues.clear();
  record_->initTypes.clear();
  record_->hasInitList = true;
  for (const ScalarVar& value : values) {
    record_->initValues.push_back(numberOf(value));
    record_->initTypes.push_back(value.scalar_type);
  }
  return *this;
}
const ParamRecord& OpParamDef::Record() const { return *record_; }

namespace {

OpAttrDef& typed(OpAttrDef& self, AttrRecord& record, AttrType type, AttributeValue value = {}) {
  record.type = type;
  record.value = std::move(value);
  return self;
}

}  // namespace

OpAttrDef::OpAttrDef(const char* name) : record_(std::make_shared<AttrRecord>()) { record_->name = name; }
OpAttrDef::OpAttrDef(const OpAttrDef& other) : record_(std::make_shared<AttrRecord>(*other.record_)) {}
OpAttrDef& OpAttrDef::operator=(const OpAttrDef& other) {
  if (this != &other) *record_ = *other.record_;
  return *this;
}
OpAttrDef::~OpAttrDef() = default;
OpAttrDef& OpAttrDef::AttrType(Option type) {
  record_->required = type == REQUIRED;
  return *this;
}
OpAttrDef& OpAttrDef::Bool() { return typed(*this, *record_, AttrType::Bool); }
OpAttrDef& OpAttrDef::Bool(bool value) { return typed(*this, *record_, AttrType::Bool, value); }
OpAttrDef& OpAttrDef::Float() { return typed(*this, *record_, AttrType::Float); }
OpAttrDef& OpAttrDef::Float(float value) { return typed(*this, *record_, AttrType::Float, static_cast<double>(value)); }
OpAttrDef& OpAttrDef::Int() { return typed(*this, *record_, AttrType::Int); }
OpAttrDef& OpAttrDef::Int(int64_t value) { return typed(*this, *record_, AttrType::Int, value); }
OpAttrDef& OpAttrDef::String() { return typed(*this, *record_, AttrType::String); }
OpAttrDef& OpAttrDef::String(const char* value) {
  return typed(*this, *record_, AttrType::String, std::string(value == nullptr ? "" : value));
}
OpAttrDef& OpAttrDef::ListBool() { return typed(*this, *record_, AttrType::ListBool); }
OpAttrDef& OpAttrDef::ListBool(std::vector<bool> value) {
  return typed(*this, *record_, AttrType::ListBool, std::vector<double>(value.begin(), value.end()));
}
OpAttrDef& OpAttrDef::ListFloat() { return typed(*this, *record_, AttrType::ListFloat); }
OpAttrDef& OpAttrDef::ListFloat(std::vector<float> value) {
  return typed(*this, *record_, AttrType::ListFloat, std::vector<double>(value.begin(), value.end()));
}
OpAttrDef& OpAttrDef::ListInt() { return typed(*this, *record_, AttrType::ListInt); }
OpAttrDef& OpAttrDef::ListInt(std::vector<int64_t> value) {
  return typed(*this, *record_, AttrType::ListInt, std::vector<double>(value.begin(), value.end()));
}
OpAttrDef& OpAttrDef::ListListInt() { return typed(*this, *record_, AttrType::ListListInt); }
OpAttrDef& OpAttrDef::ListListInt(std::vector<std::vector<int64_t>>) {
  return typed(*this, *record_, AttrType::ListListInt);
}
OpAttrDef& OpAttrDef::Version(uint32_t version) {
  record_->version = version;
  return *this;
}
OpAttrDef& OpAttrDef::Comment(const char*) { return *this; }
ge::AscendString& OpAttrDef::GetName() const { return record_->name; }
bool OpAttrDef::IsRequired() { return record_->required; }
const AttrRecord& OpAttrDef::Record() const { return *record_; }

OpAICoreConfig::OpAICoreConfig() : record_(std::make_shared<CoreConfigRecord>()) {}
OpAICoreConfig::OpAICoreConfig(const char*) : OpAICoreConfig() {}
OpAICoreConfig::OpAICoreConfig(const OpAICoreConfig& other) : OpAICoreConfig() { *this = other; }
OpAICoreConfig& OpAICoreConfig::operator=(const OpAICoreConfig& other) {
  if (this == &other) return *this;
  auto copy = std::make_shared<CoreConfigRecord>();
  for (const auto& input : other.record_->inputs) copy->inputs.push_back(std::make_unique<OpParamDef>(*input));
  for (const auto& output : other.record_->outputs) copy->outputs.push_back(std::make_unique<OpParamDef>(*output));
  copy->extended = other.record_->extended;
  record_ = std::move(copy);
  return *this;
}
OpAICoreConfig::~OpAICoreConfig() = default;
OpParamDef& OpAICoreConfig::Input(const char* name) { return named(record_->inputs, name); }
OpParamDef& OpAICoreConfig::Output(const char* name) { return named(record_->outputs, name); }
OpAICoreConfig& OpAICoreConfig::DynamicCompileStaticFlag(bool) { return *this; }
OpAICoreConfig& OpAICoreConfig::DynamicFormatFlag(bool) { return *this; }
OpAICoreConfig& OpAICoreConfig::DynamicRankSupportFlag(bool) { return *this; }
OpAICoreConfig& OpAICoreConfig::DynamicShapeSupportFlag(bool) { return *this; }
OpAICoreConfig& OpAICoreConfig::NeedCheckSupportFlag(bool) { return *this; }
OpAICoreConfig& OpAICoreConfig::PrecisionReduceFlag(bool) { return *this; }
OpAICoreConfig& OpAICoreConfig::ExtendCfgInfo(const char* key, const char* value) {
  if (key != nullptr && value != nullptr) record_->extended[key] = value;
  return *this;
}
const CoreConfigRecord& OpAICoreConfig::Record() const { return *record_; }

OpAICoreDef::OpAICoreDef(std::shared_ptr<OperatorRecord> record) : record_(std::move(record)) {}
OpAICoreDef& OpAICoreDef::SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function) {
  record_->tiling = function;
  return *this;
}
OpAICoreDef& OpAICoreDef::SetCheckSupport(optiling::OP_CHECK_FUNC) { return *this; }
OpAICoreDef& OpAICoreDef::SetOpSelectFormat(optiling::OP_CHECK_FUNC) { return *this; }
OpAICoreDef& OpAICoreDef::SetOpSupportInfo(optiling::OP_CHECK_FUNC) { return *this; }
OpAICoreDef& OpAICoreDef::SetOpSpecInfo(optiling::OP_CHECK_FUNC) { return *this; }
OpAICoreDef& OpAICoreDef::LaunchWithZeroEleOutputTensors(bool) { return *this; }
OpAICoreDef& OpAICoreDef::AddConfig(const char* soc) {
  OpAICoreConfig config;
  return AddConfig(soc, config);
}
// The last one of a device counts, as it is now.
OpAICoreDef& OpAICoreDef::AddConfig(const char* soc, OpAICoreConfig& config) {
  auto& configs = record_->configs;
  const auto isSame = [soc](const SocConfig& each) { return each.soc == soc; };
  configs.erase(std::remove_if(configs.begin(), configs.end(), isSame), configs.end());
  configs.push_back({soc, std::make_shared<OpAICoreConfig>(config)});
  return *this;
}

OpDef::OpDef(const char* type) : record_(std::make_shared<OperatorRecord>()), aicore_(record_) { record_->type = type; }
OpDef::~OpDef() = default;
OpParamDef& OpDef::Input(const char* name) { return named(record_->inputs, name); }
OpParamDef& OpDef::Output(const char* name) { return named(record_->outputs, name); }
OpAttrDef& OpDef::Attr(const char* name) { return named(record_->attrs, name); }
OpDef& OpDef::SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function) {
  record_->inferShape = function;
  return *this;
}
OpDef& OpDef::SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc) { return *this; }
OpDef& OpDef::SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function) {
  record_->inferDataType = function;
  return *this;
}
OpDef& OpDef::FormatMatchMode(FormatCheckOption option) {
  record_->strictFormats = option == FormatCheckOption::STRICT;
  return *this;
}
OpDef& OpDef::EnableFallBack() { return *this; }
OpDef& OpDef::Comment(CommentSection, const char*) { return *this; }
OpDef& OpDef::Comment(const char*) { return *this; }
OpAICoreDef& OpDef::AICore() { return aicore_; }
ge::AscendString& OpDef::GetOpType() { return record_->type; }
const OperatorRecord& OpDef::Record() const { return *record_; }

OpDefRegistration::OpDefRegistration(const char* type, OpDefFactory make) {
  npu_emu::host::registry().operators.push_back({type, make});
}

}  // namespace ops
