// Tiling structs declared by macros: typed setters and getters over one serialised block.
//
// Layout: every field at its natural alignment, nested structs at multiples of 8 bytes. Each struct is padded to a
// multiple of 8, also where it is nested. What is between fields are fields as well, of bytes, which kernels get like
// the others.
#pragma once

// api: BEGIN_TILING_DATA_DEF, END_TILING_DATA_DEF, TILING_DATA_FIELD_DEF, TILING_DATA_FIELD_DEF_ARR,
//   TILING_DATA_FIELD_DEF_STRUCT, REGISTER_TILING_DATA_CLASS | - | - | documented
#if defined(__CCE_AICORE__)
// Kernels that include a tiling header of the host: the structs of the same names stand before the kernel's text
// already.
#define BEGIN_TILING_DATA_DEF(class_name) struct class_name##_of_host {
#define TILING_DATA_FIELD_DEF(data_type, field_name) data_type field_name;
#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name) arr_type field_name[arr_size];
#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name) struct_type field_name;
#define END_TILING_DATA_DEF \
  }                         \
  ;
#define REGISTER_TILING_DATA_CLASS(op_type, class_name)
#else

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace optiling {

// Operators use both without std:: in this namespace.
using std::string;
using std::vector;

class TilingDef;

// Where one field lives in the block. Holds no pointers, so that structs can be copied.
struct TilingField {
  // count 0: a plain field, otherwise an array
  TilingField(TilingDef& owner, const char* type, const char* name, size_t width, size_t count);
  // A nested struct, which is a member of `owner`.
  TilingField(TilingDef& owner, const char* name, TilingDef& nested);

  uint32_t index;
};

struct TilingFieldInfo {
  std::string type, name;  // of a placeholder the name is that of the field or struct, and PH
  size_t offset;           // bytes from the start of the block
  size_t width;            // bytes of one element, or of the nested struct
  size_t count;            // 0: a plain field or a struct
  ptrdiff_t nested;        // bytes from the TilingDef of the owner to that of the nested struct; 0: none
  bool wasSet;
  bool isPlaceholder;
};

// api: TilingDef | - | - | documented: what the macros make a struct of
class TilingDef {
 public:
  explicit TilingDef(const char* structName);
  TilingDef(const TilingDef& other);
  TilingDef& operator=(const TilingDef& other);
  virtual ~TilingDef();

  // Takes the fields from a plain struct of the same layout; they all count as set.
  void ReadFrom(const void* plain, size_t bytes);
  // Serialises into `buffer`; nothing is written when `capacity` bytes are not enough.
  void SaveToBuffer(void* buffer, size_t capacity);
  // From here on the values lie at `data`, which holds GetDataSize() bytes: what is set needs no saving.
  void SetDataPtr(void* data);
  // Bytes of the serialised block, a multiple of 8.
  size_t GetDataSize() const;
  const char* GetTilingClassName() const;

  // For the runtime: its fields, its bytes, and the fields never set.
  const std::vector<TilingFieldInfo>& Fields() const;
  const TilingDef* Nested(const TilingFieldInfo& field) const;
  void WriteTo(uint8_t* block) const;
  void CollectUnset(const std::string& prefix, std::vector<std::string>& names) const;

 protected:
  // Behind the last field.
  void Complete();
  void Store(TilingField field, const void* value);
  const void* Load(TilingField field) const;
  // The block may be written through the pointer: the field counts as set.
  void* Access(TilingField field);

 private:
  friend struct TilingField;
  uint8_t* Bytes();
  const uint8_t* Bytes() const;
  // Places the field behind the others; `field.offset` is filled in.
  void AddField(TilingFieldInfo field, size_t alignment);
  // Fills up to a multiple of `alignment`.
  void AddPlaceholder(const std::string& before, size_t alignment);

  std::string name_;
  std::vector<TilingFieldInfo> fields_;
  std::vector<uint64_t> block_;
  uint8_t* elsewhere_ = nullptr;  // where the values lie instead of in the block; never copied
  size_t size_ = 0;
};

using TilingDefFactory = TilingDef* (*)();

struct TilingDataRegistration {
  TilingDataRegistration(const char* opType, const char* structName, TilingDefFactory make);
};

}  // namespace optiling

#pragma GCC visibility pop

#define BEGIN_TILING_DATA_DEF(class_name)           \
  class class_name : public ::optiling::TilingDef { \
   public:                                          \
    class_name() : ::optiling::TilingDef(#class_name) { Complete(); }

#define TILING_DATA_FIELD_DEF(data_type, field_name)                                                 \
 private:                                                                                            \
  ::optiling::TilingField field_name##_field_{*this, #data_type, #field_name, sizeof(data_type), 0}; \
                                                                                                     \
 public:                                                                                             \
  void set_##field_name(data_type value) { Store(field_name##_field_, &value); }                     \
  data_type get_##field_name() const { return *static_cast<const data_type*>(Load(field_name##_field_)); }

#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)                                         \
 private:                                                                                                 \
  ::optiling::TilingField field_name##_field_{*this, #arr_type, #field_name, sizeof(arr_type), arr_size}; \
                                                                                                          \
 public:                                                                                                  \
  void set_##field_name(const arr_type* values) { Store(field_name##_field_, values); }                   \
  arr_type* get_##field_name() { return static_cast<arr_type*>(Access(field_name##_field_)); }            \
  const arr_type* get_##field_name() const { return static_cast<const arr_type*>(Load(field_name##_field_)); }

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name)                  \
 public:                                                                       \
  struct_type field_name;                                                      \
                                                                               \
 private:                                                                      \
  ::optiling::TilingField field_name##_field_{*this, #field_name, field_name}; \
                                                                               \
 public:

#define END_TILING_DATA_DEF \
  }                         \
  ;

#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                              \
  static const ::optiling::TilingDataRegistration g_tilingdata_##op_type##class_name##_registration( \
      #op_type, #class_name, []() -> ::optiling::TilingDef* { return new class_name(); });

#endif
