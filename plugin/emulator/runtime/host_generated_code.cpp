// What a build generates of a definition: a function of C++ that calls the operator from the host (tools/build/opbuild of asc-devkit,
// op_aclnn_generator.cpp), and one of Python by which it compiles the kernel.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <set>

#include "host.h"

namespace npu_emu::host {

namespace {

// Names that the function has for itself by which a build calls the kernel, and words of its language, which is Python.
const std::set<std::string>& namesOfPython() {
  static const std::set<std::string> names = {"and",
                                              "as",
                                              "assert",
                                              "break",
                                              "class",
                                              "continue",
                                              "def",
                                              "del",
                                              "elif",
                                              "else",
                                              "except",
                                              "finally",
                                              "for",
                                              "from",
                                              "global",
                                              "if",
                                              "import",
                                              "in",
                                              "is",
                                              "lambda",
                                              "not",
                                              "or",
                                              "pass",
                                              "raise",
                                              "return",
                                              "try",
                                              "while",
                                              "with",
                                              "yield",
                                              "False",
                                              "None",
                                              "True",
                                              "nonlocal",
                                              "arg",
                                              "__inputs__",
                                              "__outputs__",
                                              "__attrs__",
                                              "options",
                                              "bisheng",
                                              "bisheng_path",
                                              "tikcpp_path",
                                              "impl_mode",
                                              "custom_compile_options",
                                              "custom_all_compile_options",
                                              "soc_version",
                                              "soc_short",
                                              "custom_compile_options_soc",
                                              "custom_all_compile_options_soc",
                                              "origin_func_name",
                                              "ascendc_src_dir_ex",
                                              "ascendc_src_dir",
                                              "ascendc_src_file",
                                              "src",
                                              "op_type",
                                              "code_channel",
                                              "op_info",
                                              "compile_op",
                                              "get_code_channel",
                                              "result",
                                              "isinstance",
                                              "attr",
                                              "get_current_build_config",
                                              "_build_args",
                                              "get_dtype_fmt_options",
                                              "shutil",
                                              "os",
                                              "get_kernel_source",
                                              "ascendc_api_version_header_path",
                                              "ascendc_api_version_file",
                                              "ascendc_api_version",
                                              "re"};
  return names;
}

// Words of C++ without underscores, which no name here has inside, and those of the dialect that g++ has unless it is told otherwise.
const std::set<std::string>& wordsOfCpp() {
  static const std::set<std::string> words = {
      "alignas",   "alignof",   "and",      "asm",      "auto",    "bitand",  "bitor",     "bool",     "break",
      "case",      "catch",     "char",     "class",    "compl",   "const",   "constexpr", "continue", "decltype",
      "default",   "delete",    "do",       "double",   "else",    "enum",    "explicit",  "export",   "extern",
      "false",     "float",     "for",      "friend",   "goto",    "if",      "inline",    "int",      "long",
      "mutable",   "namespace", "new",      "noexcept", "not",     "nullptr", "operator",  "or",       "private",
      "protected", "public",    "register", "return",   "short",   "signed",  "sizeof",    "static",   "struct",
      "switch",    "template",  "this",     "throw",    "true",    "try",     "typedef",   "typeid",   "typename",
      "typeof",    "union",     "unsigned", "using",    "virtual", "void",    "volatile",  "while",    "xor"};
  return words;
}

// What the function has beside the parameters of the operator: its own two, variables, and what it calls others with.
const std::set<std::string>& namesOfFunction() {
  static const std::set<std::string> names = {
      "workspaceSize", "executor",  "timeStamp",  "dfxId",    "tilingId",    "nnopExecutor", "executorSpace",
      "opType",        "inputDesc", "outputDesc", "attrDesc", "supportList", "socNameList",  "socSupportList"};
  return names;
}

std::string inCamelCase(const std::string& name) {
  std::string result;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool isSeparator = i > 0 && name[i] == '_';
    if (isSeparator) ++i;
    if (i == name.size()) break;
    const auto letter = static_cast<unsigned char>(name[i]);
    const int written = i == 0 ? std::tolower(letter) : isSeparator ? std::toupper(letter) : letter;
    result += static_cast<char>(written);
  }
  return result;
}

bool isIdentifier(const std::string& name) {
  const auto fits = [](unsigned char letter) { return letter == '_' || letter >= 0x80 || std::isalnum(letter) != 0; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), fits);
}

bool isThere(const std::vector<std::unique_ptr<ops::OpParamDef>>& all, const std::string& name) {
  return std::any_of(all.begin(), all.end(), [&](const auto& each) { return each->Record().name == name; });
}

// The parameters of the function of C++.
class GeneratedParameters {
 public:
  explicit GeneratedParameters(const OperatorRecord& record) : operator_(record.type.GetString()) {
    for (const auto& input : record.inputs) {
      const ParamRecord& own = input->Record();
      // one that is changed in place
      const char* reference = isThere(record.outputs, own.name) ? "Ref" : "";
      add("input " + own.name, inCamelCase(own.name).append(reference).append(suffixOf(own)));
    }
    for (const auto& attr : record.attrs) {
      const AttrRecord& own = attr->Record();
      const std::string name = own.name.GetString();
      add("attribute " + name, inCamelCase(name).append(own.required || isNumber(own.type) ? "" : "Optional"));
    }
    for (const auto& output : record.outputs) {
      const ParamRecord& own = output->Record();
      if (isThere(record.inputs, own.name)) continue;
      const bool isOnly = record.outputs.size() == 1;
      add("output " + own.name,
          (isOnly ? std::string("out") : inCamelCase(own.name).append("Out")).append(suffixOf(own)));
    }
  }

 private:
  static const char* suffixOf(const ParamRecord& record) {
    return record.type == ops::OPTIONAL || record.type == ops::VIRTUAL ? "Optional" : "";
  }
  static bool isNumber(AttrType type) {
    return type == AttrType::Bool || type == AttrType::Int || type == AttrType::Float;
  }

  void add(const std::string& who, const std::string& name) {
    const auto refuse = [&](const std::string& why) {
      throw HostError{"operator " + operator_ + ": " + who + " becomes the parameter " + name +
                      " of the function that a build generates, " + why + ": choose another name"};
    };
    if (!isIdentifier(name)) refuse("which is no name in C++");
    if (wordsOfCpp().count(name) != 0) refuse("which is a word of C++");
    if (namesOfFunction().count(name) != 0) refuse("which has that name for itself");
    const auto [first, isNew] = names_.emplace(name, who);
    if (!isNew) refuse("as does " + first->second);
  }

  std::string operator_;
  std::map<std::string, std::string> names_;
};

void requireTakenAttribute(const std::string& prefix, const AttrRecord& attr) {
  const std::string name = attr.name.GetString();
  if (namesOfPython().count(name) != 0)
    throw HostError{prefix + "no attribute can be called " + name +
                    ", which has a meaning in the Python of a build: choose another name"};
  const auto* text = std::get_if<std::string>(&attr.value);
  const auto breaksText = [](unsigned char letter) { return letter < 0x20 || letter == '"'; };
  if (!attr.required && text != nullptr && std::any_of(text->begin(), text->end(), breaksText))
    throw HostError{
        prefix + "attribute " + name +
        " has a default with a quote or a line end, which a build writes into C++ as it stands: leave it out"};
  if (attr.version != 0 && attr.required)
    throw HostError{prefix + "attribute " + name + " has a Version, which only OPTIONAL ones can have: leave it out"};
}

void requireTakenInput(const std::string& prefix, const ParamRecord& input) {
  const std::string who = prefix + "input " + input.name;
  if (input.version != 0 && input.type != ops::OPTIONAL)
    throw HostError{who + " has a Version, which only OPTIONAL ones can have: leave it out"};
  if (input.shapeFromKernel)
    throw HostError{who + " has OutputShapeDependOnCompute, which is for outputs: leave it out"};
  if (input.isValueDepend && input.isScalar)
    throw HostError{who + " has ValueDepend and is a Scalar or ScalarList: leave one of them"};
}

void requireOneContiguity(const std::string& prefix, const std::vector<std::unique_ptr<ops::OpParamDef>>& inputs) {
  for (const auto& input : inputs)
    if (input->Record().autoContiguous && input->Record().ignoreContiguous)
      throw HostError{prefix + "input " + input->Record().name +
                      " has AutoContiguous and IgnoreContiguous: leave one of them"};
}

// What a build writes into its configuration as it stands, a line for each.
void requireOneLine(const std::string& prefix, const CoreConfigRecord& config) {
  const auto isOneLine = [](const std::string& text) {
    return std::none_of(text.begin(), text.end(), [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; });
  };
  for (const auto& [key, value] : config.extended)
    if (!isOneLine(key) || !isOneLine(value))
      throw HostError{prefix +
                      "ExtendCfgInfo has a key or a value with a line end or another control character: leave it out"};
}

}  // namespace

void requireInitValue(const std::string& prefix, const ParamRecord& output, const std::vector<ge::DataType>& dtypes) {
  const std::string who = prefix + "InitValue";
  if (output.initNumber != 0)
    throw HostError{who + "(" + std::to_string(output.initNumber) + ") of " + output.name +
                    ": a number can only be 0, give another value as a ScalarVar"};
  const std::string of = who + " of " + output.name;
  if (output.hasInitNumber && !output.initTypes.empty())
    throw HostError{of + " is given as a number and as a ScalarVar: leave one of them"};
  for (const ops::ScalarType type : output.initTypes)
    if (type > ops::ScalarType::FLOAT16) throw HostError{of + " is of no type: give the ScalarVar one"};
  if (!output.hasInitList) return;
  if (output.initValues.size() != dtypes.size())
    throw HostError{of + " lists " + std::to_string(output.initValues.size()) + " values, DataType " +
                    std::to_string(dtypes.size()) + ": give one for each"};
  for (size_t i = 0; i < dtypes.size(); ++i) {
    const auto first = static_cast<size_t>(std::find(dtypes.begin(), dtypes.end(), dtypes[i]) - dtypes.begin());
    // a NaN is the same as itself
    const bool isSameValue = std::memcmp(&output.initValues[first], &output.initValues[i], sizeof(double)) == 0;
    if (output.initTypes[first] != output.initTypes[i] || !isSameValue)
      throw HostError{of + " lists two values for one data type: give equal ones"};
  }
}

void requireGenerated(const OperatorRecord& record) {
  const std::string prefix = std::string("operator ") + record.type.GetString() + ": ";
  for (const auto& attr : record.attrs) requireTakenAttribute(prefix, attr->Record());
  for (const auto& input : record.inputs) requireTakenInput(prefix, input->Record());
  requireOneContiguity(prefix, record.inputs);
  for (const SocConfig& config : record.configs) {
    requireOneContiguity(prefix, config.config->Record().inputs);
    requireOneLine(prefix, config.config->Record());
  }
  for (const auto& output : record.outputs) {
    const ParamRecord& own = output->Record();
    if (own.isScalar)
      throw HostError{prefix + "output " + own.name + " is a Scalar or ScalarList, which is for inputs: leave it out"};
    if (own.version != 0) throw HostError{prefix + "output " + own.name + " has a Version: leave it out"};
    if (own.isValueDepend && !isThere(record.inputs, own.name))
      throw HostError{prefix + "output " + own.name + " has ValueDepend, which is for inputs: leave it out"};
  }
  const GeneratedParameters parameters(record);
}

}  // namespace npu_emu::host
