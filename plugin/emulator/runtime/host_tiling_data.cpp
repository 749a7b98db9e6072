// Tiling structs: layout, values, and which fields were ever set.
#include <algorithm>
#include <cstring>

#include "host.h"
#include "register/tilingdata_base.h"

namespace optiling {

namespace {

// Structs begin and end at multiples of these.
constexpr size_t blockBytes = 8;

size_t alignUp(size_t value, size_t alignment) { return (value + alignment - 1) / alignment * alignment; }

bool anySet(const TilingDef& data) {
  const auto& fields = data.Fields();
  return std::any_of(fields.begin(), fields.end(), [&](const TilingFieldInfo& field) {
    const TilingDef* nested = data.Nested(field);
    return nested != nullptr ? anySet(*nested) : field.wasSet && !field.isPlaceholder;
  });
}

size_t bytesOf(const TilingFieldInfo& field) { return field.width * (field.count == 0 ? 1 : field.count); }

}  // namespace

TilingField::TilingField(TilingDef& owner, const char* type, const char* name, size_t width, size_t count) : index(0) {
  owner.AddField({type, name, 0, width, count, 0, false, false}, width);
  index = static_cast<uint32_t>(owner.fields_.size() - 1);
}

TilingField::TilingField(TilingDef& owner, const char* name, TilingDef& nested) : index(0) {
  const ptrdiff_t distance = reinterpret_cast<const char*>(&nested) - reinterpret_cast<const char*>(&owner);
  owner.AddField({nested.GetTilingClassName(), name, 0, nested.GetDataSize(), 0, distance, false, false}, blockBytes);
  index = static_cast<uint32_t>(owner.fields_.size() - 1);
}

TilingDef::TilingDef(const char* structName) : name_(structName) {}
TilingDef::TilingDef(const TilingDef& other) { *this = other; }
TilingDef& TilingDef::operator=(const TilingDef& other) {
  if (this == &other) return *this;
  name_ = other.name_;
  fields_ = other.fields_;
  block_.resize(other.block_.size());
  size_ = other.size_;
  if (size_ != 0) std::memcpy(Bytes(), other.Bytes(), size_);
  return *this;
}
TilingDef::~TilingDef() = default;

void TilingDef::AddField(TilingFieldInfo field, size_t alignment) {
  AddPlaceholder(field.name, alignment);
  field.offset = size_;
  size_ += bytesOf(field);
  fields_.push_back(std::move(field));
  block_.resize(alignUp(size_, blockBytes) / blockBytes, 0);
}

void TilingDef::AddPlaceholder(const std::string& before, size_t alignment) {
  const size_t end = alignUp(size_, alignment);
  if (end == size_) return;
  fields_.push_back({"uint8_t", before + "PH", size_, 1, end - size_, 0, true, true});
  size_ = end;
}

void TilingDef::Complete() { AddPlaceholder(name_, blockBytes); }

void TilingDef::ReadFrom(const void* plain, size_t bytes) {
  if (bytes < size_) return;
  std::memcpy(Bytes(), plain, size_);
  for (TilingFieldInfo& field : fields_) field.wasSet = true;
}

void TilingDef::SaveToBuffer(void* buffer, size_t capacity) {
  if (buffer == nullptr || capacity < GetDataSize()) return;
  if (buffer != elsewhere_) {
    std::memset(buffer, 0, GetDataSize());
    WriteTo(static_cast<uint8_t*>(buffer));
  }
  npu_emu::host::noteSaved(*this);
}

void TilingDef::SetDataPtr(void* data) {
  elsewhere_ = static_cast<uint8_t*>(data);
  for (TilingFieldInfo& field : fields_) {
    field.wasSet = field.isPlaceholder;
    if (field.nested != 0)
      reinterpret_cast<TilingDef*>(reinterpret_cast<char*>(this) + field.nested)->SetDataPtr(elsewhere_ + field.offset);
  }
}

uint8_t* TilingDef::Bytes() { return elsewhere_ != nullptr ? elsewhere_ : reinterpret_cast<uint8_t*>(block_.data()); }
const uint8_t* TilingDef::Bytes() const {
  return elsewhere_ != nullptr ? elsewhere_ : reinterpret_cast<const uint8_t*>(block_.data());
}

size_t TilingDef::GetDataSize() const { return size_; }
const char* TilingDef::GetTilingClassName() const { return name_.c_str(); }
const std::vector<TilingFieldInfo>& TilingDef::Fields() const { return fields_; }

const TilingDef* TilingDef::Nested(const TilingFieldInfo& field) const {
  if (field.nested == 0) return nullptr;
  return reinterpret_cast<const TilingDef*>(reinterpret_cast<const char*>(this) + field.nested);
}

void TilingDef::WriteTo(uint8_t* block) const {
  const uint8_t* values = Bytes();
  for (const TilingFieldInfo& field : fields_) {
    if (const TilingDef* nested = Nested(field)) nested->WriteTo(block + field.offset);
    else std::memcpy(block + field.offset, values + field.offset, bytesOf(field));
  }
}

// A nested struct is named as a whole where nothing of it was set: operators have some for what a case does not do.
void TilingDef::CollectUnset(const std::string& prefix, std::vector<std::string>& names) const {
  for (const TilingFieldInfo& field : fields_) {
    const TilingDef* nested = Nested(field);
    if (nested != nullptr && anySet(*nested)) nested->CollectUnset(prefix + field.name + ".", names);
    else if (!field.wasSet) names.push_back(prefix + field.name);
  }
}

void TilingDef::Store(TilingField field, const void* value) {
  std::memcpy(Access(field), value, bytesOf(fields_[field.index]));
}

const void* TilingDef::Load(TilingField field) const { return Bytes() + fields_[field.index].offset; }

void* TilingDef::Access(TilingField field) {
  TilingFieldInfo& info = fields_[field.index];
  info.wasSet = true;
  return Bytes() + info.offset;
}

TilingDataRegistration::TilingDataRegistration(const char* opType, const char* structName, TilingDefFactory make) {
  // a header with the definition registers once per file that includes it
  npu_emu::host::registry().tilingClasses.push_back({opType, structName, make});
}

}  // namespace optiling
