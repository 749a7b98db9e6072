// Plans that a tool has found for shapes, as structs: declared, and of no consequence where there is no such tool.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include "graph/ascend_string.h"
#include "register/register_types.h"

namespace tuningtiling {

struct TilingItem {
  ge::AscendString dtype_;
  ge::AscendString name_;
};

// api: TuningTilingDef, BEGIN_TUNING_TILING_DEF, TUNING_TILING_DATA_FIELD_DEF, END_TUNING_TILING_DEF, DECLARE_SCHEMA, FIELD,
//   REGISTER_TUNING_TILING_CLASS | - | - | inferred: no plans are known
class TuningTilingDef {
 public:
  virtual ~TuningTilingDef() = default;
  ge::AscendString GetClassName() const { return class_name_; }
  std::vector<TilingItem> GetItemInfo() const { return field_info_; }

 protected:
  TuningTilingDef() = default;

  std::vector<TilingItem> field_info_;
  ge::AscendString class_name_;
};
using TuningTilingDefPtr = std::shared_ptr<TuningTilingDef>;

}  // namespace tuningtiling

#ifndef BEGIN_TUNING_TILING_DEF
#define BEGIN_TUNING_TILING_DEF(type)                                                           \
  class type : public ::tuningtiling::TuningTilingDef {                                         \
   public:                                                                                      \
    void Declare(const char* dtype, const char* name) { field_info_.push_back({dtype, name}); } \
    type() { class_name_ = #type; }                                                             \
    struct Field {                                                                              \
      Field(type* self, const char* dtype, const char* name) { self->Declare(dtype, name); }    \
    };
#define TUNING_TILING_DATA_FIELD_DEF(type, name) \
  type name = {};                                \
  Field name##_field_ = Field(this, #type, #name);
#define END_TUNING_TILING_DEF \
  }                           \
  ;
#define FIELD(type, name) &type::name
#define DECLARE_SCHEMA(type, ...) \
  [[maybe_unused]] inline auto SchemaOf(const type*) { return std::make_tuple(__VA_ARGS__); }
#define REGISTER_TUNING_TILING_CLASS(op_type, type) \
  static_assert(std::is_base_of_v<::tuningtiling::TuningTilingDef, type>, #op_type);
#endif
