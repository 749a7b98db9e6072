// What an operator library declares, in the form the toolchain reads.
#include <algorithm>

#include "host.h"
#include "profile.h"

namespace npu_emu::host {

namespace {

using Parameters = std::vector<std::unique_ptr<ops::OpParamDef>>;

const char* roleOf(bool input) { return input ? "input" : "output"; }

const CoreConfigRecord* overridesOf(const OperatorRecord& record) {
  for (const SocConfig& config : record.configs)
    if (config.soc == findSoc(defaultSoc)->config) return &config.config->Record();
  return nullptr;
}

std::string saidBy(const CoreConfigRecord& config, const char* key) {
  const auto found = config.extended.find(key);
  return found == config.extended.end() ? "" : found->second;
}

// A configuration says all of a parameter anew, but for its types, its formats and that its values decide: these it may leave out.
ParamRecord merged(const ParamRecord& common, ParamRecord own) {
  if (own.dtypes.empty()) {
    own.dtypes = common.dtypes;
    own.independentDtypes = common.independentDtypes;
  }
  if (own.formats.empty()) {
    own.formats = common.formats;
    own.independentFormats = common.independentFormats;
  }
  own.isValueDepend = own.isValueDepend || common.isValueDepend;
  return own;
}

std::vector<ParamRecord> effective(const Parameters& common, const Parameters* special) {
  std::vector<ParamRecord> records;
  for (const auto& parameter : common) records.push_back(parameter->Record());
  if (special == nullptr) return records;
  for (const auto& parameter : *special) {
    const ParamRecord& own = parameter->Record();
    const auto isSame = [&](const ParamRecord& each) { return each.name == own.name; };
    const auto same = std::find_if(records.begin(), records.end(), isSame);
    if (same == records.end()) records.push_back(own);
    else *same = merged(*same, own);
  }
  return records;
}

const ParamRecord& typesOf(const ParamRecord& record, const std::vector<const ParamRecord*>& all) {
  if (record.follows.empty()) return record;
  for (const ParamRecord* other : all)
    if (other->name == record.follows && other->follows.empty()) return *other;
  throw HostError{"parameter " + record.name + " follows " + record.follows + ", which is not declared"};
}

// Lays out combinations: parameters with columns move together, the independent ones vary on their own.
class Columns {
 public:
  Columns(const std::string& operatorName, const std::vector<const ParamRecord*>& all) {
    for (const ParamRecord* record : all) {
      if (!record->follows.empty() || record->independentDtypes) continue;
      if (record->dtypes.empty())
        throw HostError{"operator " + operatorName + ": parameter " + record->name + " has no DataType"};
    }
    align(operatorName, all);
    total_ = together_;
    for (const ParamRecord* record : all) {
      if (!record->follows.empty() || !record->independentDtypes) continue;
      if (record->dtypes.empty()) throw HostError{"parameter " + record->name + " has an empty DataTypeList"};
      strides_.push_back({record, total_});
      total_ *= record->dtypes.size();
      if (total_ > 4096) throw HostError{"operator " + operatorName + " has more than 4096 type combinations"};
    }
  }

  std::vector<ge::DataType> dtypes(const ParamRecord& record) const {
    std::vector<ge::DataType> column;
    for (size_t i = 0; i < total_; ++i) column.push_back(record.dtypes[indexOf(record, i)]);
    return column;
  }

  std::vector<ge::Format> formats(const ParamRecord& record) const {
    std::vector<ge::Format> column;
    for (size_t i = 0; i < total_; ++i) {
      const size_t index = indexOf(record, i);
      const size_t last = record.formats.empty() ? 0 : record.formats.size() - 1;
      column.push_back(record.formats.empty() ? ge::FORMAT_ND : record.formats[std::min(index, last)]);
    }
    return column;
  }

 private:
  // The vendor's build has no types for an operator whose lists differ in length, those of one element among them
  // (hicann/metadef at 080123c5, base/asc/opdef/op_def_impl.cc: "Element num of DataType and Format is not aligned").
  void align(const std::string& operatorName, const std::vector<const ParamRecord*>& all) {
    std::string first;
    const auto take = [&](const ParamRecord& record, const char* list, size_t length) {
      const std::string name = std::string(list) + " of " + record.name;
      if (first.empty()) together_ = length;
      else if (length != together_)
        throw HostError{"operator " + operatorName + ": " + first + " lists " + std::to_string(together_) + ", " +
                        name + " " + std::to_string(length) +
                        ": give all lists of DataType and Format the same length"};
      if (first.empty()) first = name;
    };
    for (const ParamRecord* record : all) {
      if (record->follows.empty() && !record->independentDtypes && !(record->isScalar && record->hasTo))
        take(*record, "DataType", record->dtypes.size());
      const bool hasFormat = !record->isScalar && !record->isValueDepend && !record->followsFormats;
      if (hasFormat && !record->independentFormats && !record->formats.empty())
        take(*record, "Format", record->formats.size());
    }
  }

  size_t indexOf(const ParamRecord& record, size_t combination) const {
    for (const auto& [independent, stride] : strides_)
      if (independent == &record) return combination / stride % record.dtypes.size();
    return std::min(combination % together_, record.dtypes.size() - 1);
  }

  size_t together_ = 1, total_ = 1;
  std::vector<std::pair<const ParamRecord*, size_t>> strides_;
};

bool isSameField(const optiling::TilingFieldInfo& one, const optiling::TilingFieldInfo& other) {
  return one.type == other.type && one.name == other.name && one.offset == other.offset && one.width == other.width &&
         one.count == other.count;
}

void collectStruct(const optiling::TilingDef& data, std::vector<TilingStruct>& found) {
  for (const optiling::TilingFieldInfo& field : data.Fields())
    if (const optiling::TilingDef* nested = data.Nested(field)) collectStruct(*nested, found);
  const std::string name = data.GetTilingClassName();
  const auto isSame = [&](const TilingStruct& other) { return other.name == name; };
  const auto same = std::find_if(found.begin(), found.end(), isSame);
  if (same == found.end()) found.push_back({name, data.Fields(), data.GetDataSize()});
  else if (!std::equal(same->fields.begin(), same->fields.end(), data.Fields().begin(), data.Fields().end(),
                       isSameField))
    throw HostError{"two different tiling structs are called " + name + ": give each a name of its own"};
}

}  // namespace

OperatorDescription describeOperator(const ops::OpDef& definition) {
  const OperatorRecord& record = definition.Record();
  const std::string name = record.type.GetString();
  const CoreConfigRecord* special = overridesOf(record);
  const auto inputs = effective(record.inputs, special ? &special->inputs : nullptr);
  const auto outputs = effective(record.outputs, special ? &special->outputs : nullptr);
  std::vector<const ParamRecord*> all;
  for (const auto* side : {&inputs, &outputs})
    for (const ParamRecord& parameter : *side) all.push_back(&parameter);
  const Columns columns(name, all);

  OperatorDescription description{name, {}, {}, {}, {}, false, false, record.strictFormats, {}, {}};
  const auto add = [&](const std::vector<ParamRecord>& from, std::vector<ParameterDescription>& to, bool input) {
    for (const ParamRecord& parameter : from) {
      if (parameter.name.empty()) throw HostError{"operator " + name + " has an unnamed " + roleOf(input)};
      const ParamRecord& types = typesOf(parameter, all);
      requireInitValue("operator " + name + ": ", parameter, types.dtypes);
      to.push_back({parameter.name, parameter.type, columns.dtypes(types), columns.formats(types), parameter.initValues,
                    parameter.shapeFromKernel, parameter.isValueDepend || parameter.isScalar});
    }
  };
  add(inputs, description.inputs, true);
  add(outputs, description.outputs, false);
  for (const auto& attr : record.attrs) description.attrs.push_back(attr->Record());
  for (const SocConfig& config : record.configs) description.socs.push_back(config.soc);
  if (special != nullptr) {
    description.kernelFile = saidBy(*special, "opFile.value");
    description.kernelName = saidBy(*special, "opInterface.value");
  }
  const ImplRecord* impl = findImpl(name);
  // which one a device is asked for follows from the order in which a linker was given them
  if (impl != nullptr &&
      (impl->hasOtherTiling || (record.tiling != nullptr && impl->tiling != nullptr && record.tiling != impl->tiling)))
    throw HostError{"two tiling functions are registered for " + name + ": leave one of them"};
  description.hasTiling = record.tiling != nullptr || (impl != nullptr && impl->tiling != nullptr);
  description.infers = record.inferShape != nullptr || record.inferDataType != nullptr ||
                       (impl != nullptr && (impl->inferShape != nullptr || impl->inferDataType != nullptr));
  return description;
}

std::vector<OperatorDescription> describeOperators() {
  std::vector<OperatorDescription> descriptions;
  for (const OperatorEntry& entry : registry().operators) {
    const auto isSame = [&](const OperatorDescription& other) { return other.name == entry.type; };
    // which one a build takes follows from the order in which a linker was given them
    if (std::any_of(descriptions.begin(), descriptions.end(), isSame))
      throw HostError{"OP_ADD defines " + entry.type + " twice: leave one of them"};
    const std::unique_ptr<ops::OpDef> definition = makeOperator(entry.type);
    descriptions.push_back(describeOperator(*definition));
    requireGenerated(definition->Record());
  }
  return descriptions;
}

std::vector<TilingStruct> describeTilingStructs() {
  std::vector<TilingStruct> found;
  for (const TilingClass& entry : registry().tilingClasses) {
    const std::unique_ptr<optiling::TilingDef> data(entry.make());
    collectStruct(*data, found);
  }
  return found;
}

std::vector<std::pair<std::string, std::string>> describeTilingClasses() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const TilingClass& entry : registry().tilingClasses) {
    const auto isOfSame = [&](const auto& other) { return other.first == entry.opType; };
    const auto same = std::find_if(found.begin(), found.end(), isOfSame);
    if (same == found.end()) found.emplace_back(entry.opType, entry.structName);
    else if (same->second != entry.structName)
      throw HostError{"REGISTER_TILING_DATA_CLASS registers two tiling structs for " + entry.opType + ": " +
                      same->second + " and " + entry.structName};
  }
  return found;
}

}  // namespace npu_emu::host
