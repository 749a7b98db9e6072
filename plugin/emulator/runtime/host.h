// The host side of the emulator: what an operator library registers, and how its tiling function is run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/tensor.h"
#include "exe_graph/runtime/tiling_data.h"
#include "platform/platform_infos_def.h"
#include "profile.h"
#include "register/op_def.h"
#include "register/tilingdata_base.h"

namespace npu_emu::host {

using AttributeValue = std::variant<std::monostate, int64_t, double, bool, std::string, std::vector<double>>;

enum class AttrType : uint8_t { None, Bool, Float, Int, String, ListBool, ListFloat, ListInt, ListListInt };
// `int`, `listFloat`, …; `none` for an attribute whose type was never said.
const char* attrTypeName(AttrType type);

struct ParamRecord {
  std::string name;
  ops::Option type = ops::REQUIRED;
  std::vector<ge::DataType> dtypes;
  std::vector<ge::Format> formats;
  // DataTypeList/FormatList: any of them with any column of the others, instead of column by column
  bool independentDtypes = false;
  bool independentFormats = false;
  // the parameter this one is like; empty: none
  std::string follows;
  ops::FollowType followType = ops::FollowType::ALL;
  // a number of the host, which has no format; `To` says its type
  bool isScalar = false, hasTo = false;
  bool isValueDepend = false;
  // what the output is set to before the kernel starts: nothing, one value, or one by column
  std::vector<double> initValues;
  std::vector<ops::ScalarType> initTypes;  // of those that are no plain number
  bool hasInitList = false;                // one by column
  bool hasInitNumber = false;              // given as a plain number, which is
  uint64_t initNumber = 0;
  // the kernel writes the shape of this output into an argument of its own
  bool shapeFromKernel = false;
  // which function of the generated ones has it first
  uint32_t version = 0;
  // whether that function makes the tensor contiguous, or leaves it as it is
  bool autoContiguous = false, ignoreContiguous = false;
};

struct AttrRecord {
  ge::AscendString name;
  AttrType type = AttrType::None;
  bool required = true;
  AttributeValue value;
  uint32_t version = 0;
};

// What is said here of a parameter replaces what the operator says of that of the same name on this SoC.
struct CoreConfigRecord {
  std::vector<std::unique_ptr<ops::OpParamDef>> inputs, outputs;
  std::map<std::string, std::string> extended;  // what ExtendCfgInfo says
};

struct SocConfig {
  std::string soc;
  std::shared_ptr<ops::OpAICoreConfig> config;
};

struct OperatorRecord {
  ge::AscendString type;
  std::vector<std::unique_ptr<ops::OpParamDef>> inputs, outputs;
  std::vector<std::unique_ptr<ops::OpAttrDef>> attrs;
  std::vector<SocConfig> configs;
  gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
  gert::OpImplRegisterV2::InferShapeKernelFunc inferShape = nullptr;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc inferDataType = nullptr;
  bool strictFormats = false;
};

// What IMPL_OP registered for one operator.
struct ImplRecord {
  gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
  // another one was registered before
  bool hasOtherTiling = false;
  gert::OpImplRegisterV2::InferShapeKernelFunc inferShape = nullptr;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc inferDataType = nullptr;
  gert::OpImplRegisterV2::TilingParseFunc parse = nullptr;
  gert::OpImplRegisterV2::KernelFunc plainParse = nullptr;
  gert::OpImplRegisterV2::CreateCompileInfo createCompileInfo = nullptr;
  gert::OpImplRegisterV2::DeleteCompileInfo deleteCompileInfo = nullptr;
  // after the attributes of the definition
  std::vector<AttrRecord> privateAttrs;
  // whose content the host part reads, by the position of the input
  std::vector<int32_t> dataInputs;
};

struct TilingClass {
  std::string opType, structName;
  optiling::TilingDefFactory make;
};

struct OperatorEntry {
  std::string type;
  ops::OpDefFactory make;
};

// Filled by static initialisers of the one operator library of this process.
struct Registry {
  std::vector<OperatorEntry> operators;
  std::vector<std::pair<std::string, ImplRecord>> impls;
  std::vector<TilingClass> tilingClasses;
};
Registry& registry();
ImplRecord& implOf(const std::string& opType);
const ImplRecord* findImpl(const std::string& opType);

// Thrown for everything that is the operator library's fault; the message is for its author.
struct HostError {
  std::string message;
};

// A definition with its type columns laid out: column i of every parameter is one supported combination.
struct ParameterDescription {
  std::string name;
  ops::Option type;
  std::vector<ge::DataType> dtypes;
  std::vector<ge::Format> formats;
  std::vector<double> initValues;
  bool shapeFromKernel;
  // the host part finds the content of the input at hand, where the case fixes it
  bool isAtHost;
};
struct OperatorDescription {
  std::string name;
  std::vector<ParameterDescription> inputs, outputs;
  std::vector<AttrRecord> attrs;
  std::vector<std::string> socs;
  bool hasTiling, infers;
  bool strictFormats;  // the host part sees formats of images as they are declared
  // the file that holds the kernel, and the kernel's name; empty: those of the operator
  std::string kernelFile, kernelName;
};
// What a build for devices of that kind (SocProfile::config) makes of a definition. Throws HostError when columns do not fit
// together.
OperatorDescription describeOperator(const ops::OpDef& definition, const std::string& kind);
// Throws HostError where a build takes no such initial value of an output, for the data types of its columns.
void requireInitValue(const std::string& prefix, const ParamRecord& output, const std::vector<ge::DataType>& dtypes);
// A build generates code of a definition. Throws HostError where it refuses to, or where what it generates does not compile.
void requireGenerated(const OperatorRecord& record);
// Every registered operator, in the order of registration, for devices of that kind.
std::vector<OperatorDescription> describeOperators(const std::string& kind);

struct TilingStruct {
  std::string name;
  std::vector<optiling::TilingFieldInfo> fields;
  size_t bytes;
};
// Every registered struct, nested ones before their users, each once.
std::vector<TilingStruct> describeTilingStructs();
// What REGISTER_TILING_DATA_CLASS has registered: operators, or operators with a tiling key, and the structs of each.
std::vector<std::pair<std::string, std::string>> describeTilingClasses();

struct TensorArgument {
  std::string dtype;
  std::vector<int64_t> shape;
  // the content, where the case fixes it (value-dependent inputs)
  std::vector<double> values;
  bool hasValues = false;
};
// Instances of one declared parameter: none for an absent optional one, several for a list.
using ParameterArgument = std::vector<TensorArgument>;

struct AttributeArgument {
  std::string name;
  AttributeValue value;
};

// What the host part is told of its device: a SoC, of which a request may leave it fewer cores and less of UB.
struct HostDevice : SocProfile {
  uint64_t ubBytes = architecture::ubBytes;
};

struct TileRequest {
  std::string operatorName;
  HostDevice device;
  std::vector<ParameterArgument> inputs, outputs;
  std::vector<AttributeArgument> attrs;
};

struct TileResult {
  uint32_t blockDim = 0;
  uint64_t blockDimCaller = 0;  // where it was set: a return address, from the beginning of the host library
  uint64_t tilingKey = 0;
  std::vector<uint8_t> tiling;
  uint64_t workspaceBytes = 0;
  // one element of each declared output that is set before the kernel starts; empty: it is not
  std::vector<std::vector<uint8_t>> initial;
  // outputs whose shapes the kernel writes after them: all, or none where no shape depends on the computation
  uint32_t shapedOutputs = 0;
  std::vector<std::string> warnings;
};

// Builds the definition of a registered operator; nullptr when there is none of that name.
std::unique_ptr<ops::OpDef> makeOperator(const std::string& name);
// Runs the tiling function. Throws HostError.
TileResult tile(const TileRequest& request);
// Runs the inference functions; what they say against the case, as sentences. Throws HostError for a request that does not
// fit the operator.
std::vector<std::string> infer(const TileRequest& request);

// ---- state behind the gert contexts ----

struct Attribute {
  AttrType type = AttrType::None;
  bool present = false;
  int64_t integer = 0;
  float real = 0;
  double wide = 0;  // the same, as it was given
  bool flag = false;
  std::string text;
  std::vector<int64_t> integers;
  std::vector<float> reals;
  std::unique_ptr<bool[]> flags;
  size_t flagCount = 0;
  // the view that lists are handed out as
  std::unique_ptr<gert::ContinuousVector> list;
};

struct AttributeTable {
  std::vector<Attribute> entries;
};

struct NodeTensor {
  gert::Tensor tensor;
  gert::CompileTimeTensorDesc desc;
  std::vector<uint8_t> data;
};

struct UnmapTiling {
  void operator()(uint8_t* pages) const;
};

struct NodeState {
  std::string type, name;
  // by output tensor, as the inference functions leave them
  std::vector<gert::Shape> inferredShapes;
  std::vector<ge::DataType> inferredTypes;
  std::vector<gert::AnchorInstanceInfo> irInputs, irOutputs;
  std::vector<std::unique_ptr<NodeTensor>> inputs, outputs;
  AttributeTable attributeTable;
  std::unique_ptr<gert::RuntimeAttrs> attrs;
  std::unique_ptr<gert::ComputeNodeInfo> info;
  std::unique_ptr<fe::PlatFormInfos> platform;
  void* compileInfo = nullptr;

  // `tilingCapacity` bytes
  std::unique_ptr<uint8_t, UnmapTiling> tilingBuffer;
  std::unique_ptr<gert::TilingData> tiling;
  size_t workspaces[16] = {};
  size_t workspaceCount = 0;
  uint64_t tilingKey = 0;
  uint32_t blockDim = 0;
  const void* blockDimCaller = nullptr;
  uint32_t scheduleMode = 0;
  uint32_t localMemorySize = 0;
  int32_t tilingCondition = 0;
  bool needAtomic = false;
};

// Called when a tiling struct is serialised; the warnings of the tiling that runs now are collected here.
void noteSaved(const optiling::TilingDef& data);
// A warning of the tiling that runs now.
void noteOnce(const std::string& warning);
// What the function that runs now cannot read so: it is refused when it returns.
void noteMisread(const std::string& problem);

// ---- conversions ----

// `float16` to ge::DT_FLOAT16; DT_UNDEFINED when the name is unknown.
ge::DataType dtypeFromName(const std::string& name);
// The inverse; `dtype 15` when the type has no name here.
std::string dtypeName(ge::DataType type);
// Elements as they lie in memory. Throws HostError for types that have no numbers.
std::vector<uint8_t> encodeValues(ge::DataType type, const std::vector<double>& values);

// The device that PlatformAscendCManager reports, that of the running request; nullptr before the first one.
const HostDevice* currentDevice();
void setCurrentDevice(const HostDevice& device);

}  // namespace npu_emu::host
