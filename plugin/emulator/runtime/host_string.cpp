// ge::AscendString and ge::Shape.
#include <functional>

#include "graph/ascend_string.h"
#include "graph/shape.h"

template class std::vector<int64_t>;

namespace ge {

AscendString::AscendString() = default;
AscendString::AscendString(const char* text) : text_(text == nullptr ? nullptr : std::make_shared<std::string>(text)) {}
AscendString::AscendString(const char* text, size_t length)
    : text_(text == nullptr ? nullptr : std::make_shared<std::string>(text, length)) {}
AscendString::AscendString(const AscendString& other) = default;
AscendString& AscendString::operator=(const AscendString& other) = default;
AscendString::~AscendString() = default;

const char* AscendString::GetString() const { return text_ ? text_->c_str() : ""; }
size_t AscendString::GetLength() const { return text_ ? text_->size() : 0; }
size_t AscendString::Find(const AscendString& part) const {
  return text_ && part.text_ ? text_->find(*part.text_) : std::string::npos;
}
size_t AscendString::Hash() const { return std::hash<std::string>()(GetString()); }

bool AscendString::operator<(const AscendString& other) const { return std::string(GetString()) < other.GetString(); }
bool AscendString::operator>(const AscendString& other) const { return other < *this; }
bool AscendString::operator<=(const AscendString& other) const { return !(other < *this); }
bool AscendString::operator>=(const AscendString& other) const { return !(*this < other); }
bool AscendString::operator==(const AscendString& other) const { return *this == other.GetString(); }
bool AscendString::operator!=(const AscendString& other) const { return !(*this == other); }
bool AscendString::operator==(const char* other) const { return other != nullptr && std::string(GetString()) == other; }
bool AscendString::operator!=(const char* other) const { return !(*this == other); }

Shape::Shape() = default;
Shape::Shape(const std::vector<int64_t>& dims) : dims_(dims) {}
size_t Shape::GetDimNum() const { return dims_.size(); }
int64_t Shape::GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
graphStatus Shape::SetDim(size_t index, int64_t extent) {
  if (index >= dims_.size()) return GRAPH_FAILED;
  dims_[index] = extent;
  return GRAPH_SUCCESS;
}
std::vector<int64_t> Shape::GetDims() const { return dims_; }
int64_t Shape::GetShapeSize() const {
  if (dims_.empty()) return 0;
  int64_t size = 1;
  for (const int64_t extent : dims_) {
    if (extent < 0 || __builtin_mul_overflow(size, extent, &size)) return -1;
  }
  return size;
}

}  // namespace ge
