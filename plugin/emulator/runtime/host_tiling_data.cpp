// Tiling structs: layout, values, and which fields were ever set.
#include <cstring>

#include "host.h"
#include "register/tilingdata_base.h"

namespace optiling {

namespace {

size_t alignUp(size_t value, size_t alignment) { return (value + alignment - 1) / alignment * alignment; }

size_t bytesOf(const TilingFieldInfo& field) { return field.width * (field.count == 0 ? 1 : field.count); }

}  // namespace

TilingField::TilingField(TilingDef& owner, const char* type, const char* name, size_t width, size_t count)
    : index(static_cast<uint32_t>(owner.fields_.size())) {
  owner.AddField({type, name, 0, width, count, 0, false}, width);
}

TilingField::TilingField(TilingDef& owner, const char* name, TilingDef& nested)
    : index(static_cast<uint32_t>(owner.fields_.size())) {
  const ptrdiff_t distance = reinterpret_cast<const char*>(&nested) - reinterpret_cast<const char*>(&owner);
  owner.AddField({nested.GetTilingClassName(), name, 0, nested.PlainSize(), 0, distance, false}, nested.Alignment());
}

TilingDef::TilingDef(const char* structName) : name_(structName) {}
TilingDef::TilingDef(const TilingDef& other) = default;
TilingDef& TilingDef::operator=(const TilingDef& other) = default;
TilingDef::~TilingDef() = default;

void TilingDef::AddField(TilingFieldInfo field, size_t alignment) {
  if (alignment == 0) alignment = 1;  // an empty nested struct
  field.offset = alignUp(size_, alignment);
  size_ = field.offset + bytesOf(field);
  if (alignment > alignment_) alignment_ = alignment;
  fields_.push_back(std::move(field));
  block_.resize(alignUp(size_, 8) / 8, 0);
}

void TilingDef::ReadFrom(const void* plain, size_t bytes) {
  if (bytes < size_) return;
  std::memcpy(block_.data(), plain, size_);
  for (TilingFieldInfo& field : fields_) field.wasSet = true;
}

void TilingDef::SaveToBuffer(void* buffer, size_t capacity) {
  if (buffer == nullptr || capacity < GetDataSize()) return;
  std::memset(buffer, 0, GetDataSize());
  WriteTo(static_cast<uint8_t*>(buffer));
  npu_emu::host::noteSaved(*this);
}

size_t TilingDef::GetDataSize() const { return alignUp(size_, 8); }
const char* TilingDef::GetTilingClassName() const { return name_.c_str(); }
size_t TilingDef::PlainSize() const { return alignUp(size_, alignment_); }
size_t TilingDef::Alignment() const { return alignment_; }
const std::vector<TilingFieldInfo>& TilingDef::Fields() const { return fields_; }

const TilingDef* TilingDef::Nested(const TilingFieldInfo& field) const {
  if (field.nested == 0) return nullptr;
  return reinterpret_cast<const TilingDef*>(reinterpret_cast<const char*>(this) + field.nested);
}

void TilingDef::WriteTo(uint8_t* block) const {
  const auto* values = reinterpret_cast<const uint8_t*>(block_.data());
  for (const TilingFieldInfo& field : fields_) {
    if (const TilingDef* nested = Nested(field)) nested->WriteTo(block + field.offset);
    else std::memcpy(block + field.offset, values + field.offset, bytesOf(field));
  }
}

void TilingDef::CollectUnset(const std::string& prefix, std::vector<std::string>& names) const {
  for (const TilingFieldInfo& field : fields_) {
    if (const TilingDef* nested = Nested(field)) nested->CollectUnset(prefix + field.name + ".", names);
    else if (!field.wasSet) names.push_back(prefix + field.name);
  }
}

void TilingDef::Store(TilingField field, const void* value) {
  std::memcpy(Access(field), value, bytesOf(fields_[field.index]));
}

const void* TilingDef::Load(TilingField field) const {
  return reinterpret_cast<const uint8_t*>(block_.data()) + fields_[field.index].offset;
}

void* TilingDef::Access(TilingField field) {
  TilingFieldInfo& info = fields_[field.index];
  info.wasSet = true;
  return reinterpret_cast<uint8_t*>(block_.data()) + info.offset;
}

TilingDataRegistration::TilingDataRegistration(const char* opType, const char* structName, TilingDefFactory make) {
  auto& classes = npu_emu::host::registry().tilingClasses;
  // A header with the definition registers once per file that includes it.
  for (const auto& entry : classes)
    if (entry.opType == opType && entry.structName == structName) return;
  classes.push_back({opType, structName, make});
}

}  // namespace optiling
