// Shapes, formats, tensors, attribute lists and tiling buffers of the gert namespace: plain values.
#include <algorithm>
#include <cstring>

#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/tensor.h"
#include "exe_graph/runtime/tiling_data.h"

namespace gert {

Shape::Shape() : count_(0), dims_() {}
Shape::Shape(const std::initializer_list<int64_t>& dims) : Shape() {
  for (const int64_t extent : dims) AppendDim(extent);
}
bool Shape::operator==(const Shape& other) const {
  return count_ == other.count_ && std::equal(dims_, dims_ + count_, other.dims_);
}
bool Shape::operator!=(const Shape& other) const { return !(*this == other); }
int64_t Shape::GetShapeSize() const {
  int64_t size = 1;
  for (size_t i = 0; i < count_; ++i) {
    if (dims_[i] < 0 || __builtin_mul_overflow(size, dims_[i], &size)) return -1;
  }
  return size;
}
bool Shape::IsScalar() const { return count_ == 0; }
size_t Shape::GetDimNum() const { return count_; }
void Shape::SetDimNum(size_t count) { count_ = std::min(count, kMaxDimNum); }
int64_t Shape::GetDim(size_t index) const { return index < count_ ? dims_[index] : kInvalidDimValue; }
void Shape::SetDim(size_t index, int64_t extent) {
  if (index < kMaxDimNum) dims_[index] = extent;
}
Shape& Shape::AppendDim(int64_t extent) {
  if (count_ < kMaxDimNum) dims_[count_++] = extent;
  return *this;
}
void Shape::SetScalar() { count_ = 0; }
const int64_t& Shape::operator[](size_t index) const { return dims_[index]; }
int64_t& Shape::operator[](size_t index) { return dims_[index]; }

StorageShape::StorageShape() = default;
StorageShape::StorageShape(const std::initializer_list<int64_t>& origin, const std::initializer_list<int64_t>& storage)
    : origin_(origin), storage_(storage) {}
const Shape& StorageShape::GetOriginShape() const { return origin_; }
const Shape& StorageShape::GetStorageShape() const { return storage_; }
Shape& StorageShape::MutableOriginShape() { return origin_; }
Shape& StorageShape::MutableStorageShape() { return storage_; }
bool StorageShape::operator==(const StorageShape& other) const {
  return origin_ == other.origin_ && storage_ == other.storage_;
}
bool StorageShape::operator!=(const StorageShape& other) const { return !(*this == other); }

StorageFormat::StorageFormat() : StorageFormat(ge::FORMAT_ND, ge::FORMAT_ND) {}
StorageFormat::StorageFormat(ge::Format origin, ge::Format storage) : origin_(origin), storage_(storage) {}
ge::Format StorageFormat::GetOriginFormat() const { return origin_; }
ge::Format StorageFormat::GetStorageFormat() const { return storage_; }
void StorageFormat::SetOriginFormat(ge::Format format) { origin_ = format; }
void StorageFormat::SetStorageFormat(ge::Format format) { storage_ = format; }

Tensor::Tensor() : type_(ge::DT_UNDEFINED), data_(nullptr), bytes_(0) {}
Tensor::Tensor(const StorageShape& shape, const StorageFormat& format, ge::DataType type)
    : shape_(shape), format_(format), type_(type), data_(nullptr), bytes_(0) {}
int64_t Tensor::GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
size_t Tensor::GetSize() const {
  if (data_ != nullptr) return bytes_;
  return static_cast<size_t>(std::max<int64_t>(0, ge::GetSizeInBytes(GetShapeSize(), type_)));
}
const StorageShape& Tensor::GetShape() const { return shape_; }
StorageShape& Tensor::GetShape() { return shape_; }
const Shape& Tensor::GetStorageShape() const { return shape_.GetStorageShape(); }
Shape& Tensor::MutableStorageShape() { return shape_.MutableStorageShape(); }
const Shape& Tensor::GetOriginShape() const { return shape_.GetOriginShape(); }
Shape& Tensor::MutableOriginShape() { return shape_.MutableOriginShape(); }
ge::DataType Tensor::GetDataType() const { return type_; }
void Tensor::SetDataType(ge::DataType type) { type_ = type; }
const StorageFormat& Tensor::GetFormat() const { return format_; }
ge::Format Tensor::GetStorageFormat() const { return format_.GetStorageFormat(); }
ge::Format Tensor::GetOriginFormat() const { return format_.GetOriginFormat(); }
TensorPlacement Tensor::GetPlacement() const { return data_ == nullptr ? kOnDeviceHbm : kOnHost; }
const void* Tensor::GetAddr() const { return data_; }
void* Tensor::GetAddr() { return data_; }
void Tensor::SetData(void* data, size_t bytes) {
  data_ = data;
  bytes_ = bytes;
}

// an empty list has an address as well: operators read its first element without looking at the size
static const uint64_t noElements[8] = {};
ContinuousVector::ContinuousVector(const void* data, size_t size) : data_(size == 0 ? noElements : data), size_(size) {}
size_t ContinuousVector::GetSize() const { return size_; }
size_t ContinuousVector::GetCapacity() const { return size_; }
const void* ContinuousVector::GetData() const { return data_; }

TilingData::TilingData(void* data, size_t capacity) : data_(data), capacity_(capacity), size_(0) {}
size_t TilingData::GetCapacity() const { return capacity_; }
size_t TilingData::GetDataSize() const { return size_; }
void TilingData::SetDataSize(size_t bytes) { size_ = bytes; }
void* TilingData::GetData() { return data_; }
const void* TilingData::GetData() const { return data_; }
ge::graphStatus TilingData::AppendBytes(const void* bytes, size_t count) {
  if (size_ > capacity_ || count > capacity_ - size_) return ge::GRAPH_FAILED;
  std::memcpy(static_cast<uint8_t*>(data_) + size_, bytes, count);
  size_ += count;
  return ge::GRAPH_SUCCESS;
}

}  // namespace gert
