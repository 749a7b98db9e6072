// Tensors as graphs describe them: shape, format and type, and the content of constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/ge_error_codes.h"
#include "graph/shape.h"
#include "graph/types.h"

#pragma GCC visibility push(default)

namespace ge {

// api: TensorDesc | - | - | documented
class TensorDesc {
 public:
  TensorDesc() = default;
  explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType type = DT_FLOAT)
      : shape_(shape), originShape_(std::move(shape)), format_(format), originFormat_(format), type_(type) {}

  void Update(const Shape& shape, Format format = FORMAT_ND, DataType type = DT_FLOAT) {
    shape_ = shape;
    format_ = format;
    type_ = type;
  }
  Shape GetShape() const { return shape_; }
  void SetShape(const Shape& shape) { shape_ = shape; }
  graphStatus SetUnknownDimNumShape() {
    shape_ = Shape(UNKNOWN_RANK);
    return GRAPH_SUCCESS;
  }
  graphStatus SetShapeRange(const std::vector<std::pair<int64_t, int64_t>>& range) {
    range_ = range;
    return GRAPH_SUCCESS;
  }
  graphStatus GetShapeRange(std::vector<std::pair<int64_t, int64_t>>& range) const {
    range = range_;
    return GRAPH_SUCCESS;
  }
  Shape GetOriginShape() const { return originShape_; }
  void SetOriginShape(const Shape& shape) { originShape_ = shape; }
  Format GetFormat() const { return format_; }
  void SetFormat(Format format) { format_ = format; }
  Format GetOriginFormat() const { return originFormat_; }
  void SetOriginFormat(Format format) { originFormat_ = format; }
  DataType GetDataType() const { return type_; }
  void SetDataType(DataType type) { type_ = type; }
  std::string GetName() const { return name_; }
  graphStatus GetName(AscendString& name) const {
    name = AscendString(name_.c_str());
    return GRAPH_SUCCESS;
  }
  void SetName(const std::string& name) { name_ = name; }
  void SetName(const char_t* name) { name_ = name == nullptr ? "" : name; }
  int64_t GetSize() const { return size_; }
  void SetSize(int64_t size) { size_ = size; }
  int64_t GetRealDimCnt() const { return realDimensions_; }
  void SetRealDimCnt(int64_t count) { realDimensions_ = count; }
  Placement GetPlacement() const { return placement_; }
  void SetPlacement(Placement placement) { placement_ = placement; }

 private:
  Shape shape_, originShape_;
  Format format_ = FORMAT_ND, originFormat_ = FORMAT_ND;
  DataType type_ = DT_FLOAT;
  Placement placement_ = kPlacementHost;
  std::vector<std::pair<int64_t, int64_t>> range_;
  std::string name_;
  int64_t size_ = 0;
  int64_t realDimensions_ = 0;
};

// api: Tensor | - | - | documented
class Tensor {
 public:
  using DeleteFunc = std::function<void(uint8_t*)>;

  Tensor() = default;
  explicit Tensor(const TensorDesc& desc) : desc_(desc) {}
  Tensor(const TensorDesc& desc, const std::vector<uint8_t>& data) : desc_(desc), data_(data) {}
  Tensor(const TensorDesc& desc, const uint8_t* data, size_t size) : desc_(desc), data_(data, data + size) {}

  TensorDesc GetTensorDesc() const { return desc_; }
  graphStatus SetTensorDesc(const TensorDesc& desc) {
    desc_ = desc;
    return GRAPH_SUCCESS;
  }
  const uint8_t* GetData() const { return data_.data(); }
  uint8_t* GetData() { return data_.data(); }
  size_t GetSize() const { return data_.size(); }
  graphStatus SetData(const std::vector<uint8_t>& data) {
    data_ = data;
    return GRAPH_SUCCESS;
  }
  graphStatus SetData(const uint8_t* data, size_t size) { return SetData(std::vector<uint8_t>(data, data + size)); }
  graphStatus SetData(const std::string& text) {
    return SetData(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  }
  graphStatus IsValid() const { return GRAPH_SUCCESS; }
  Tensor Clone() const { return *this; }
  Format GetFormat() const { return desc_.GetFormat(); }
  graphStatus SetFormat(const Format& format) {
    desc_.SetFormat(format);
    return GRAPH_SUCCESS;
  }
  DataType GetDataType() const { return desc_.GetDataType(); }
  graphStatus SetDataType(const DataType& type) {
    desc_.SetDataType(type);
    return GRAPH_SUCCESS;
  }
  size_t GetShapeDimNum() const { return desc_.GetShape().GetDimNum(); }
  int64_t GetShapeDim(size_t index) const { return desc_.GetShape().GetDim(index); }

 private:
  TensorDesc desc_;
  std::vector<uint8_t> data_;
};

}  // namespace ge

#pragma GCC visibility pop
