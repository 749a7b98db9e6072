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
  implOf(opType_).tiling = function;
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
// Values come from the case: which of them a function reads is accepted and not used.
OpImplRegisterV2& OpImplRegisterV2::InferShapeRange(InferShapeRangeKernelFunc) { return *this; }
OpImplRegisterV2& OpImplRegisterV2::InputsDataDependency(std::initializer_list<int32_t>) { return *this; }
OpImplRegisterV2& OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t>) { return *this; }

}  // namespace gert
