// An operator of a graph: named descriptions of its tensors, and attributes. There are no graphs here: what code sets
// it finds again, and nothing else is there.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "graph/ge_error_codes.h"
#include "graph/tensor.h"
#include "graph/types.h"

#pragma GCC visibility push(default)

namespace ge {

// The descriptions of one side of an operator, by position and by name.
// api: OperatorSide | - | - | inferred: part of Operator
class OperatorSide {
 public:
  size_t Size() const { return named_.size(); }
  TensorDesc Find(const std::string& name) const {
    for (const auto& [own, desc] : named_)
      if (own == name) return desc;
    return TensorDesc();
  }
  TensorDesc At(size_t index) const { return index < named_.size() ? named_[index].second : TensorDesc(); }
  bool Has(const std::string& name) const {
    for (const auto& entry : named_)
      if (entry.first == name) return true;
    return false;
  }
  graphStatus Set(const std::string& name, const TensorDesc& desc) {
    for (auto& entry : named_)
      if (entry.first == name) return entry.second = desc, GRAPH_SUCCESS;
    named_.emplace_back(name, desc);
    return GRAPH_SUCCESS;
  }
  graphStatus SetAt(size_t index, const TensorDesc& desc) {
    if (index >= named_.size()) return GRAPH_FAILED;
    named_[index].second = desc;
    return GRAPH_SUCCESS;
  }
  // How many of a list there are: `x0`, `x1`, …
  int32_t Count(const std::string& list) const {
    int32_t count = 0;
    while (Has(list + std::to_string(count))) ++count;
    return count;
  }

 private:
  std::vector<std::pair<std::string, TensorDesc>> named_;
};

using OperatorAttribute =
    std::variant<int64_t, float, bool, std::string, DataType, std::vector<int64_t>, std::vector<float>,
                 std::vector<bool>, std::vector<std::string>, std::vector<std::vector<int64_t>>, std::vector<DataType>>;

// api: Operator | - | - | documented
class Operator {
 public:
  using OpInt = int64_t;
  using OpFloat = float;
  using OpString = std::string;
  using OpAscendString = AscendString;
  using OpBool = bool;
  using OpTensor = Tensor;
  using OpType = DataType;
  using OpListInt = std::vector<int64_t>;
  using OpListFloat = std::vector<float>;
  using OpListString = std::vector<std::string>;
  using OpListBool = std::vector<bool>;
  using OpListListInt = std::vector<std::vector<int64_t>>;
  using OpListType = std::vector<DataType>;

  Operator() = default;
  explicit Operator(const std::string& type) : type_(type) {}
  explicit Operator(const char_t* type) : type_(type == nullptr ? "" : type) {}
  Operator(const std::string& name, const std::string& type) : name_(name), type_(type) {}
  Operator(const AscendString& name, const AscendString& type) : Operator(name.GetString(), type.GetString()) {}
  Operator(const char_t* name, const char_t* type) : Operator(std::string(name), std::string(type)) {}
  virtual ~Operator() = default;

  bool IsEmpty() const { return type_.empty(); }
  std::string GetName() const { return name_; }
  graphStatus GetName(AscendString& name) const { return name = AscendString(name_.c_str()), GRAPH_SUCCESS; }
  std::string GetOpType() const { return type_; }
  graphStatus GetOpType(AscendString& type) const { return type = AscendString(type_.c_str()), GRAPH_SUCCESS; }

  size_t GetInputsSize() const { return inputs_.Size(); }
  TensorDesc GetInputDesc(const std::string& name) const { return inputs_.Find(name); }
  TensorDesc GetInputDescByName(const char_t* name) const { return inputs_.Find(name); }
  TensorDesc GetInputDesc(uint32_t index) const { return inputs_.At(index); }
  graphStatus TryGetInputDesc(const std::string& name, TensorDesc& desc) const {
    if (!inputs_.Has(name)) return GRAPH_FAILED;
    return desc = inputs_.Find(name), GRAPH_SUCCESS;
  }
  graphStatus UpdateInputDesc(const std::string& name, const TensorDesc& desc) { return inputs_.Set(name, desc); }
  graphStatus UpdateInputDesc(uint32_t index, const TensorDesc& desc) { return inputs_.SetAt(index, desc); }
  int32_t GetDynamicInputNum(const std::string& list) const { return inputs_.Count(list); }
  TensorDesc GetDynamicInputDesc(const std::string& list, uint32_t index) const {
    return inputs_.Find(list + std::to_string(index));
  }
  graphStatus UpdateDynamicInputDesc(const std::string& list, uint32_t index, const TensorDesc& desc) {
    return inputs_.Set(list + std::to_string(index), desc);
  }

  size_t GetOutputsSize() const { return outputs_.Size(); }
  TensorDesc GetOutputDesc(const std::string& name) const { return outputs_.Find(name); }
  TensorDesc GetOutputDescByName(const char_t* name) const { return outputs_.Find(name); }
  TensorDesc GetOutputDesc(uint32_t index) const { return outputs_.At(index); }
  graphStatus UpdateOutputDesc(const std::string& name, const TensorDesc& desc) { return outputs_.Set(name, desc); }
  graphStatus UpdateOutputDesc(uint32_t index, const TensorDesc& desc) { return outputs_.SetAt(index, desc); }
  int32_t GetDynamicOutputNum(const std::string& list) const { return outputs_.Count(list); }
  TensorDesc GetDynamicOutputDesc(const std::string& list, uint32_t index) const {
    return outputs_.Find(list + std::to_string(index));
  }
  graphStatus UpdateDynamicOutputDesc(const std::string& list, uint32_t index, const TensorDesc& desc) {
    return outputs_.Set(list + std::to_string(index), desc);
  }

  // Constants belong to graphs.
  graphStatus GetInputConstData(const std::string&, Tensor&) const { return GRAPH_NODE_WITHOUT_CONST_INPUT; }
  graphStatus InferShapeAndType() { return GRAPH_SUCCESS; }
  graphStatus VerifyAllAttr(bool = false) { return GRAPH_SUCCESS; }
  Operator& SetInput(const std::string&, const Operator&) { return *this; }
  Operator& SetInput(const std::string&, const Operator&, const std::string&) { return *this; }
  Operator& SetInput(const std::string&, const Operator&, uint32_t) { return *this; }
  Operator& AddControlInput(const Operator&) { return *this; }
  void BreakConnect() const {}

  template <class T>
  Operator& SetAttr(const std::string& name, const T& value) {
    attributes_[name] = stored(value);
    return *this;
  }
  Operator& SetAttr(const std::string& name, std::initializer_list<int64_t> values) {
    attributes_[name] = std::vector<int64_t>(values);
    return *this;
  }
  // GRAPH_FAILED: nobody has set it, or to a value of another type.
  template <class T>
  graphStatus GetAttr(const std::string& name, T& value) const {
    using Stored = decltype(stored(value));
    const auto found = attributes_.find(name);
    if (found == attributes_.end()) return GRAPH_FAILED;
    const Stored* own = std::get_if<Stored>(&found->second);
    if (own == nullptr) return GRAPH_FAILED;
    if constexpr (std::is_same_v<T, AscendString>) value = AscendString(own->c_str());
    else if constexpr (std::is_same_v<T, Stored>) value = *own;
    else if constexpr (std::is_arithmetic_v<T>) value = static_cast<T>(*own);
    else value = T(own->begin(), own->end());
    return GRAPH_SUCCESS;
  }

 private:
  template <class T>
  static auto stored(const T& value) {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, DataType>) return value;
    else if constexpr (std::is_integral_v<T>) return static_cast<int64_t>(value);
    else if constexpr (std::is_floating_point_v<T>) return static_cast<float>(value);
    else if constexpr (std::is_same_v<T, AscendString>) return std::string(value.GetString());
    else if constexpr (std::is_convertible_v<T, std::string>) return std::string(value);
    else return list(value);
  }
  template <class T>
  static auto list(const std::vector<T>& values) {
    if constexpr (std::is_same_v<T, AscendString>) {
      std::vector<std::string> texts;
      for (const AscendString& value : values) texts.emplace_back(value.GetString());
      return texts;
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      return std::vector<int64_t>(values.begin(), values.end());
    } else {
      return values;
    }
  }

  std::string name_, type_;
  OperatorSide inputs_, outputs_;
  std::map<std::string, OperatorAttribute> attributes_;
};

}  // namespace ge

#pragma GCC visibility pop
