// What an operator library declares, in the form the toolchain reads.
#include <algorithm>

#include "graph/utils/type_utils.h"
#include "host.h"

namespace npu_emu::host {

namespace {

using Parameters = std::vector<std::unique_ptr<ops::OpParamDef>>;

const char* roleOf(bool input) { return input ? "input" : "output"; }

const CoreConfigRecord* overridesOf(const OperatorRecord& record, const std::string& kind) {
  for (const SocConfig& config : record.configs)
    if (config.soc == kind) return &config.config->Record();
  return nullptr;
}

std::string saidBy(const CoreConfigRecord& config, const char* key) {
  const auto found = config.extended.find(key);
  return found == config.extended.end() ? "" : found->second;
}

// A configuration says all of a parameter anew, but for its types, its formats and that its values decide: these it may leave out.
ParamRecord merged(const ParamRecord& common, ParamRecord own) {
  if (own.follows.empty() && own.dtypes.empty()) {
    own.follows = common.follows;
    own.followType = common.followType;
  }
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

// The parameters of an operator.
struct Sides {
  std::vector<ParamRecord> inputs, outputs;

  std::vector<const ParamRecord*> all() const {
    std::vector<const ParamRecord*> found;
    for (const auto* side : {&inputs, &outputs})
      for (const ParamRecord& parameter : *side) found.push_back(&parameter);
    return found;
  }
  bool isInput(const ParamRecord& parameter) const {
    return std::any_of(inputs.begin(), inputs.end(), [&](const ParamRecord& each) { return &each == &parameter; });
  }
};

template <class Value, class NameOf>
void requireUnique(const std::string& list, const std::vector<Value>& values, const NameOf& nameOf) {
  for (auto value = values.begin(); value != values.end(); ++value)
    if (std::find(values.begin(), value, *value) != value)
      throw HostError{list + " lists " + nameOf(*value) + " twice: list it once"};
}

std::vector<ParamRecord> recordsOf(const Parameters& parameters) {
  std::vector<ParamRecord> records;
  for (const auto& parameter : parameters) {
    const ParamRecord& record = records.emplace_back(parameter->Record());
    if (record.independentDtypes) requireUnique("DataTypeList of " + record.name, record.dtypes, dtypeName);
    if (record.independentFormats)
      requireUnique("FormatList of " + record.name, record.formats, ge::TypeUtils::FormatToSerialString);
  }
  return records;
}

void merge(std::vector<ParamRecord>& records, const std::vector<ParamRecord>& special) {
  for (const ParamRecord& own : special) {
    const auto isSame = [&](const ParamRecord& each) { return each.name == own.name; };
    const auto same = std::find_if(records.begin(), records.end(), isSame);
    if (same == records.end()) records.push_back(own);
    else *same = merged(*same, own);
  }
}

bool isFollowType(const ParamRecord& record, ops::FollowType type) {
  return !record.follows.empty() && (record.followType == ops::FollowType::ALL || record.followType == type);
}
bool followsTypes(const ParamRecord& record) { return isFollowType(record, ops::FollowType::DTYPE); }
bool followsFormats(const ParamRecord& record) { return isFollowType(record, ops::FollowType::FORMAT); }

// The parameter at the end of what this one follows, which may be itself. Follow.md of the vendor's documentation: that is an
// input, and all of a chain follow in the same way.
const ParamRecord& sourceOf(const ParamRecord& record, const Sides& sides) {
  const std::vector<const ParamRecord*> all = sides.all();
  const ParamRecord* at = &record;
  for (size_t steps = 0; !at->follows.empty(); ++steps) {
    if (steps == all.size()) throw HostError{"parameter " + at->name + " follows itself: say which types it has"};
    const auto isNext = [&](const ParamRecord* each) { return each->name == at->follows; };
    const auto next = std::find_if(all.begin(), all.end(), isNext);
    if (next == all.end())
      throw HostError{"parameter " + at->name + " follows " + at->follows + ", which is not declared"};
    if (!(*next)->follows.empty() && (*next)->followType != at->followType)
      throw HostError{"parameter " + at->name + " follows " + at->follows + ", which follows " + (*next)->follows +
                      " with another FollowType: give both the same"};
    at = *next;
  }
  if (at != &record && !sides.isInput(*at))
    throw HostError{"parameter " + record.name + " follows the output " + at->name + ": only inputs can be followed"};
  return *at;
}

// Whether element i of its list is that of combination i, as it is of the lists of others.
bool hasTypeColumn(const ParamRecord& record) {
  return !record.independentDtypes && !(record.isScalar && record.hasTo);
}
bool hasFormatColumn(const ParamRecord& record) {
  return !record.independentFormats && !record.isScalar && !record.isValueDepend;
}

// A parameter that follows one with a column of types has the same from then on. One that follows a list goes with it through
// the combinations, and still follows.
ParamRecord followed(ParamRecord record, const ParamRecord& source) {
  if (followsFormats(record)) {
    record.formats = source.formats;
    record.independentFormats = !hasFormatColumn(source);
  }
  if (followsTypes(record)) {
    if (!hasTypeColumn(source)) return record;
    record.dtypes = source.dtypes;
    record.independentDtypes = false;
  }
  record.follows.clear();
  return record;
}

Sides followed(const Sides& sides) {
  Sides result;
  for (const ParamRecord& input : sides.inputs) result.inputs.push_back(followed(input, sourceOf(input, sides)));
  for (const ParamRecord& output : sides.outputs) result.outputs.push_back(followed(output, sourceOf(output, sides)));
  return result;
}

// A build follows before it merges what a configuration says: what follows a parameter keeps its types where the configuration
// gives that parameter others.
Sides effective(const OperatorRecord& record, const CoreConfigRecord* special) {
  Sides sides{recordsOf(record.inputs), recordsOf(record.outputs)};
  sides = followed(sides);
  if (special == nullptr) return sides;
  merge(sides.inputs, recordsOf(special->inputs));
  merge(sides.outputs, recordsOf(special->outputs));
  return followed(sides);
}

// Lays out combinations: parameters with columns move together, the independent ones vary on their own.
class Columns {
 public:
  Columns(const std::string& operatorName, const std::vector<const ParamRecord*>& all) {
    for (const ParamRecord* record : all) {
      if (followsTypes(*record) || record->independentDtypes) continue;
      if (record->dtypes.empty())
        throw HostError{"operator " + operatorName + ": parameter " + record->name + " has no DataType"};
    }
    align(operatorName, all);
    total_ = together_;
    for (const ParamRecord* record : all) {
      if (followsTypes(*record) || !record->independentDtypes) continue;
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
      if (!followsTypes(*record) && hasTypeColumn(*record)) take(*record, "DataType", record->dtypes.size());
      if (!followsFormats(*record) && hasFormatColumn(*record) && !record->formats.empty())
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

OperatorDescription describeOperator(const ops::OpDef& definition, const std::string& kind) {
  const OperatorRecord& record = definition.Record();
  const std::string name = record.type.GetString();
  const CoreConfigRecord* special = overridesOf(record, kind);
  const Sides sides = effective(record, special);
  const Columns columns(name, sides.all());

  OperatorDescription description{name, {}, {}, {}, {}, false, false, record.strictFormats, {}, {}};
  const auto add = [&](const std::vector<ParamRecord>& from, std::vector<ParameterDescription>& to, bool input) {
    for (const ParamRecord& parameter : from) {
      if (parameter.name.empty()) throw HostError{"operator " + name + " has an unnamed " + roleOf(input)};
      const ParamRecord& types = followsTypes(parameter) ? sourceOf(parameter, sides) : parameter;
      requireInitValue("operator " + name + ": ", parameter, types.dtypes);
      to.push_back({parameter.name, parameter.type, columns.dtypes(types),
                    columns.formats(followsFormats(parameter) ? types : parameter), parameter.initValues,
                    parameter.shapeFromKernel, parameter.isValueDepend || parameter.isScalar});
    }
  };
  add(sides.inputs, description.inputs, true);
  add(sides.outputs, description.outputs, false);
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

std::vector<OperatorDescription> describeOperators(const std::string& kind) {
  std::vector<OperatorDescription> descriptions;
  for (const OperatorEntry& entry : registry().operators) {
    const auto isSame = [&](const OperatorDescription& other) { return other.name == entry.type; };
    // which one a build takes follows from the order in which a linker was given them
    if (std::any_of(descriptions.begin(), descriptions.end(), isSame))
      throw HostError{"OP_ADD defines " + entry.type + " twice: leave one of them"};
    const std::unique_ptr<ops::OpDef> definition = makeOperator(entry.type);
    descriptions.push_back(describeOperator(*definition, kind));
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
