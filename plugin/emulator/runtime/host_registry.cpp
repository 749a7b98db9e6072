// What the static initialisers of an operator library leave behind.
#include <cstdarg>
#include <cstdio>

#include "host.h"
#include "log/log.h"

namespace npu_emu::host {

Registry& registry() {
  static Registry instance;
  return instance;
}

ImplRecord& implOf(const std::string& opType) {
  for (auto& [name, record] : registry().impls)
    if (name == opType) return record;
  return registry().impls.emplace_back(opType, ImplRecord{}).second;
}

const ImplRecord* findImpl(const std::string& opType) {
  for (const auto& [name, record] : registry().impls)
    if (name == opType) return &record;
  return nullptr;
}

std::unique_ptr<ops::OpDef> makeOperator(const std::string& name) {
  for (const OperatorEntry& entry : registry().operators)
    if (entry.type == name) return std::unique_ptr<ops::OpDef>(entry.make(entry.type.c_str()));
  return nullptr;
}

const char* attrTypeName(AttrType type) {
  constexpr const char* names[] = {"none",     "bool",      "float",   "int",        "string",
                                   "listBool", "listFloat", "listInt", "listListInt"};
  return names[static_cast<size_t>(type)];
}

void logError(const char* node, const char* format, ...) {
  std::fprintf(stderr, "error [%s] ", node == nullptr ? "" : node);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
}

}  // namespace npu_emu::host

namespace gert {

using npu_emu::host::implOf;

OpImplRegisterV2::OpImplRegisterV2(const char* opType) : opType_(opType) { implOf(opType); }
OpImplRegisterV2& OpImplRegisterV2::Tiling(TilingKernelFunc function, size_t) {
  auto& record = implOf(opType_);
  if (record.tiling != nullptr && record.tiling != function) record.hasOtherTiling = true;
  record.tiling = function;
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::SetParse(TilingParseFunc parse, KernelFunc plain, CreateCompileInfo create,
                                             DeleteCompileInfo destroy) {
  auto& record = implOf(opType_);
  record.parse = parse;
  record.plainParse = plain;
  record.createCompileInfo = create;
  record.deleteCompileInfo = destroy;
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::InferShape(InferShapeKernelFunc function) {
  implOf(opType_).inferShape = function;
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::InferDataType(InferDataTypeKernelFunc function) {
  implOf(opType_).inferDataType = function;
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::InferOutDataTypeSameWithFirstInput() {
  return InferDataType([](InferDataTypeContext* context) -> ge::graphStatus {
    const ge::DataType type = context->GetInputDataType(0);
    for (size_t i = 0; i < context->GetComputeNodeOutputNum(); ++i)
      if (context->SetOutputDataType(i, type) != ge::GRAPH_SUCCESS) return ge::GRAPH_FAILED;
    return ge::GRAPH_SUCCESS;
  });
}

namespace {

void addPrivate(const char* opType, const char* name, npu_emu::host::AttrType type,
                npu_emu::host::AttributeValue value) {
  npu_emu::host::AttrRecord record;
  record.name = name;
  record.type = type;
  record.required = false;
  record.value = std::move(value);
  implOf(opType).privateAttrs.push_back(std::move(record));
}

}  // namespace

using npu_emu::host::AttrType;
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name) {
  addPrivate(opType_, name, AttrType::None, {});
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, int64_t value) {
  addPrivate(opType_, name, AttrType::Int, value);
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, float value) {
  addPrivate(opType_, name, AttrType::Float, static_cast<double>(value));
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, bool value) {
  addPrivate(opType_, name, AttrType::Bool, value);
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, const char* value) {
  addPrivate(opType_, name, AttrType::String, std::string(value == nullptr ? "" : value));
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, const std::vector<int64_t>& value) {
  addPrivate(opType_, name, AttrType::ListInt, std::vector<double>(value.begin(), value.end()));
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, const std::vector<float>& value) {
  addPrivate(opType_, name, AttrType::ListFloat, std::vector<double>(value.begin(), value.end()));
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::InferShapeRange(InferShapeRangeKernelFunc) { return *this; }
OpImplRegisterV2& OpImplRegisterV2::InputsDataDependency(std::initializer_list<int32_t> inputs) {
  auto& known = implOf(opType_).dataInputs;
  known.insert(known.end(), inputs);
  return *this;
}
OpImplRegisterV2& OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t> inputs) {
  return InputsDataDependency(inputs);
}

}  // namespace gert
