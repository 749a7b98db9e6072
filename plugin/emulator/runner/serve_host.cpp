#include <algorithm>
#include <cstdlib>

#include "encoding.h"
#include "graph/utils/type_utils.h"
#include "host.h"
#include "host_blocks.h"
#include "profile.h"
#include "serve.h"

namespace npu_runner {

namespace host = npu_emu::host;

namespace {

// The beginning of the tiling data of one case of many: enough to tell cases apart.
constexpr size_t sketchedTilingBytes = 512;

const char* paramTypeName(ops::Option type) {
  if (type == ops::OPTIONAL) return "optional";
  return type == ops::DYNAMIC ? "dynamic" : "required";
}

Json parameterList(const std::vector<host::ParameterDescription>& parameters) {
  JsonArray list;
  for (const auto& parameter : parameters) {
    JsonArray dtypes, formats;
    for (const ge::DataType type : parameter.dtypes) dtypes.emplace_back(host::dtypeName(type));
    for (const ge::Format format : parameter.formats) formats.emplace_back(ge::TypeUtils::FormatToSerialString(format));
    list.push_back(JsonObject{{"name", parameter.name},
                              {"paramType", paramTypeName(parameter.type)},
                              {"dtypes", std::move(dtypes)},
                              {"formats", std::move(formats)}});
  }
  return list;
}

Json operatorJson(const host::OperatorDescription& description) {
  JsonArray attrs, socs;
  for (const auto& attr : description.attrs)
    attrs.push_back(JsonObject{
        {"name", attr.name.GetString()}, {"type", host::attrTypeName(attr.type)}, {"required", attr.required}});
  for (const std::string& soc : description.socs) socs.emplace_back(soc);
  JsonObject json{{"name", description.name},
                  {"inputs", parameterList(description.inputs)},
                  {"outputs", parameterList(description.outputs)},
                  {"attrs", std::move(attrs)},
                  {"socs", std::move(socs)},
                  {"hasTiling", description.hasTiling},
                  {"infers", description.infers}};
  if (!description.kernelFile.empty()) json.emplace_back("kernelFile", description.kernelFile);
  if (!description.kernelName.empty()) json.emplace_back("kernelName", description.kernelName);
  return json;
}

Json tilingStructJson(const host::TilingStruct& description) {
  JsonArray fields;
  for (const auto& field : description.fields)
    fields.push_back(JsonObject{{"type", field.type},
                                {"name", field.name},
                                {"count", static_cast<uint64_t>(field.count)},
                                {"isPlaceholder", field.isPlaceholder}});
  return JsonObject{
      {"name", description.name}, {"fields", std::move(fields)}, {"bytes", static_cast<uint64_t>(description.bytes)}};
}

// JSON has no numbers for NaN, infinities and -0: a case spells them.
double fixedValueOf(const Json& value) {
  return value.isString() ? std::strtod(value.string("value").c_str(), nullptr) : value.number("value");
}

host::TensorArgument tensorOf(const Json& json) {
  host::TensorArgument tensor;
  tensor.dtype = json.at("dtype").string("dtype");
  for (const Json& extent : json.at("shape").array("shape")) tensor.shape.push_back(extent.integer("extent"));
  const Json* values = json.find("values");
  if (values == nullptr || values->isNull()) return tensor;
  tensor.hasValues = true;
  for (const Json& value : values->array("values")) tensor.values.push_back(fixedValueOf(value));
  return tensor;
}

std::vector<host::ParameterArgument> parametersOf(const Json& json, const char* what) {
  std::vector<host::ParameterArgument> parameters;
  for (const Json& item : json.array(what)) {
    host::ParameterArgument& parameter = parameters.emplace_back();
    if (item.isArray())
      for (const Json& member : item.array(what)) parameter.push_back(tensorOf(member));
    else if (!item.isNull()) parameter.push_back(tensorOf(item));
  }
  return parameters;
}

host::AttributeValue valueOf(const Json& value) {
  if (value.isNull()) return {};
  if (value.isBool()) return value.boolean("value");
  if (value.isString()) return value.string("value");
  if (value.isNumber()) {
    const double real = value.number("value");
    return real == static_cast<double>(static_cast<int64_t>(real)) ? host::AttributeValue(value.integer("value"))
                                                                   : host::AttributeValue(real);
  }
  std::vector<double> list;
  for (const Json& item : value.array("value"))
    list.push_back(item.isBool() ? item.boolean("item") : item.number("item"));
  return list;
}

Json reachedBlocks() { return toBase64(stepsOf(host::reachedBlocks())); }

host::HostDevice deviceOf(const Json& request) {
  const std::string soc = request.at("soc").string("soc");
  const npu_emu::SocProfile* profile = npu_emu::findSoc(soc);
  if (profile == nullptr) throw JsonError{"unknown SoC " + soc};
  host::HostDevice device{*profile};
  if (const Json* told = request.find("device")) {
    device.aicCores = static_cast<uint32_t>(told->at("aicCores").unsignedInteger("aicCores"));
    device.aivCores = static_cast<uint32_t>(told->at("aivCores").unsignedInteger("aivCores"));
    device.ubBytes = told->at("ubBytes").unsignedInteger("ubBytes");
  }
  return device;
}

}  // namespace

Json describe(const Json& request) {
  JsonArray operators, structs, classes;
  for (const auto& description : host::describeOperators(deviceOf(request).config))
    operators.push_back(operatorJson(description));
  for (const auto& description : host::describeTilingStructs()) structs.push_back(tilingStructJson(description));
  for (const auto& [opType, structName] : host::describeTilingClasses())
    classes.push_back(JsonObject{{"operator", opType}, {"struct", structName}});
  return JsonObject{{"operators", std::move(operators)},
                    {"tilingStructs", std::move(structs)},
                    {"tilingClasses", std::move(classes)}};
}

host::TileRequest readTileRequest(const Json& request) {
  host::TileRequest tiling;
  tiling.operatorName = request.at("operator").string("operator");
  tiling.device = deviceOf(request);
  tiling.inputs = parametersOf(request.at("inputs"), "inputs");
  tiling.outputs = parametersOf(request.at("outputs"), "outputs");
  for (const Json& attr : request.at("attrs").array("attrs"))
    tiling.attrs.push_back({attr.at("name").string("name"), valueOf(attr.at("value"))});
  return tiling;
}

Json tileCase(const Json& request) {
  if (const Json* after = request.find("after"))
    for (const Json& one : after->array("after")) {
      try {
        host::tile(readTileRequest(one));
      } catch (const host::HostError&) {
        // it is a case of its own, which nobody asks for here
      }
    }
  const host::TileResult result = host::tile(readTileRequest(request));
  JsonArray warnings, initial;
  for (const std::string& warning : result.warnings) warnings.emplace_back(warning);
  for (const auto& element : result.initial) initial.push_back(element.empty() ? Json() : Json(toHex(element)));
  // Keys above 2^53 do not survive a JavaScript number.
  const bool exact = result.tilingKey < uint64_t(1) << 53;
  return JsonObject{{"blockDim", result.blockDim},
                    {"blockDimCaller", result.blockDimCaller},
                    {"tilingKey", exact ? Json(result.tilingKey) : Json(std::to_string(result.tilingKey))},
                    {"tiling", toBase64(result.tiling)},
                    {"workspaceBytes", result.workspaceBytes},
                    {"initial", std::move(initial)},
                    {"shapedOutputs", result.shapedOutputs},
                    {"warnings", std::move(warnings)},
                    {"reached", reachedBlocks()}};
}

Json tileCases(const Json& request) {
  JsonArray tilings;
  for (const Json& one : request.at("cases").array("cases")) {
    try {
      const host::TileResult result = host::tile(readTileRequest(one));
      std::vector<uint8_t> data = result.tiling;
      data.resize(std::min(data.size(), sketchedTilingBytes));
      tilings.push_back(JsonObject{
          {"blockDim", result.blockDim}, {"tilingKey", std::to_string(result.tilingKey)}, {"tiling", toBase64(data)}});
    } catch (const host::HostError&) {
      tilings.emplace_back();
    }
  }
  return JsonObject{{"tilings", std::move(tilings)}};
}

Json inferCase(const Json& request) {
  JsonArray findings;
  // the process may have tiled another case
  host::forgetReachedBlocks();
  for (const std::string& finding : host::infer(readTileRequest(request))) findings.emplace_back(finding);
  return JsonObject{{"findings", std::move(findings)}, {"reached", reachedBlocks()}};
}

}  // namespace npu_runner
