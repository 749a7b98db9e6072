// Template tiling keys: the values that the template parameters of a kernel may have, and the key that names one
// choice. Host and kernel include the same declarations; a key is the concatenation of its fields, the first one
// lowest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

// api: ASCENDC_TPL_*, GET_TPL_TILING_KEY | - | - | documented
#define ASCENDC_TPL_AIV_ONLY 0
#define ASCENDC_TPL_AIC_ONLY 1
#define ASCENDC_TPL_MIX_AIV_1_0 4
#define ASCENDC_TPL_MIX_AIC_1_0 5
#define ASCENDC_TPL_MIX_AIC_1_1 6
#define ASCENDC_TPL_MIX_AIC_1_2 7
#define ASCENDC_TPL_AICORE 8
#define ASCENDC_TPL_VECTORCORE 9
#define ASCENDC_TPL_MIX_AICORE 10
#define ASCENDC_TPL_MIX_VECTOR_CORE 11

#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_8_BW 8

#define ASCENDC_TPL_UI_RANGE 0
#define ASCENDC_TPL_UI_LIST 1
#define ASCENDC_TPL_UI_MIX 2

#define ASCENDC_TPL_INPUT(x) (100000000 + (x))
#define ASCENDC_TPL_OUTPUT(x) (900000000 + (x))

// Data types and formats by number, as ge::DataType and ge::Format count them.
constexpr int32_t C_DT_FLOAT = 0, C_DT_FLOAT16 = 1, C_DT_INT8 = 2, C_DT_INT32 = 3, C_DT_UINT8 = 4, C_DT_INT16 = 6;
constexpr int32_t C_DT_UINT16 = 7, C_DT_UINT32 = 8, C_DT_INT64 = 9, C_DT_UINT64 = 10, C_DT_DOUBLE = 11, C_DT_BOOL = 12;
constexpr int32_t C_DT_COMPLEX64 = 16, C_DT_BF16 = 27, C_DT_INT4 = 29, C_DT_UINT1 = 30, C_DT_INT2 = 31;
constexpr int32_t C_DT_COMPLEX32 = 33, C_DT_HIFLOAT8 = 34, C_DT_FLOAT8_E5M2 = 35, C_DT_FLOAT8_E4M3FN = 36;
constexpr int32_t C_DT_FLOAT4_E2M1 = 40, C_DT_FLOAT4_E1M2 = 41;
constexpr int32_t C_FORMAT_NCHW = 0, C_FORMAT_NHWC = 1, C_FORMAT_ND = 2, C_FORMAT_NC1HWC0 = 3, C_FORMAT_FRACTAL_Z = 4;
constexpr int32_t C_FORMAT_HWCN = 16, C_FORMAT_NDHWC = 27, C_FORMAT_FRACTAL_NZ = 29, C_FORMAT_NCDHW = 30;
constexpr int32_t C_FORMAT_NDC1HWC0 = 32, C_FORMAT_FRACTAL_Z_3D = 33, C_FORMAT_NCL = 47;

namespace npu_emu::tpl {

enum class Kind : uint8_t { None, Type, Format, Number, Flag, KernelType, Deterministic, SharedKernelType };

// One field as it is written; the first value of a list of numbers says how to read the others.
struct Field {
  static constexpr size_t limit = 48;
  const char* name = nullptr;
  Kind kind = Kind::None;
  uint8_t bits = 0;
  uint8_t count = 0;
  uint64_t values[limit] = {};

  constexpr Field() = default;
  constexpr Field(const char* fieldName, Kind fieldKind, uint8_t width, std::initializer_list<uint64_t> list)
      : name(fieldName), kind(fieldKind), bits(width) {
    for (uint64_t value : list) values[count++] = value;
  }

  // Number of values after ranges are written out.
  constexpr size_t size() const {
    if (kind != Kind::Number) return count;
    if (values[0] == ASCENDC_TPL_UI_LIST) return count - 1u;
    size_t total = 0, ranges = static_cast<size_t>(values[1]);
    for (size_t i = 0; i < ranges; ++i) total += static_cast<size_t>(values[3 + 2 * i] - values[2 + 2 * i] + 1);
    return values[0] == ASCENDC_TPL_UI_MIX ? total + count - (2 + 2 * ranges) : total;
  }
  constexpr uint64_t at(size_t index) const {
    if (kind != Kind::Number) return values[index];
    if (values[0] == ASCENDC_TPL_UI_LIST) return values[1 + index];
    size_t ranges = static_cast<size_t>(values[1]);
    for (size_t i = 0; i < ranges; ++i) {
      size_t length = static_cast<size_t>(values[3 + 2 * i] - values[2 + 2 * i] + 1);
      if (index < length) return values[2 + 2 * i] + index;
      index -= length;
    }
    return values[2 + 2 * ranges + index];
  }
  // What a value contributes to the key: numbers their place among the declared ones, the others themselves.
  constexpr bool encode(uint64_t value, uint64_t& code) const {
    code = value;
    if (kind != Kind::Number) return true;
    for (size_t i = 0; i < size(); ++i) {
      if (at(i) != value) continue;
      code = i;
      return true;
    }
    return false;
  }
};

constexpr bool same(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

struct Group {
  static constexpr size_t limit = 24;
  Field fields[limit];
};

constexpr uint64_t invalidKey = ~uint64_t(0);

// Of several functions that take a turn, the one of the latest turn before it fits best.
template <int number>
struct Turn : Turn<number - 1> {};
template <>
struct Turn<-1> {};

}  // namespace npu_emu::tpl

// A header without a guard may be included twice: each time declares names of its own, and the last ones count.
#define NPU_EMU_TPL_TABLE(type, name, ...) NPU_EMU_TPL_TABLE_OF(type, name, __COUNTER__, __VA_ARGS__)
#define NPU_EMU_TPL_TABLE_OF(type, name, turn, ...) NPU_EMU_TPL_TABLE_IN(type, name, turn, __VA_ARGS__)
#define NPU_EMU_TPL_TABLE_IN(type, name, turn, ...)                      \
  static constexpr ::npu_emu::tpl::type name##_##turn[] = {__VA_ARGS__}; \
  [[maybe_unused]] static constexpr const auto& name(::npu_emu::tpl::Turn<turn>) { return name##_##turn; }

#define NPU_EMU_TPL_FIELD(name, kind, bits, ...) \
  ::npu_emu::tpl::Field(#name, ::npu_emu::tpl::Kind::kind, bits, {__VA_ARGS__})

#define ASCENDC_TPL_DTYPE_DECL(name, ...) NPU_EMU_TPL_FIELD(name, Format, 8, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_DECL(name, ...) NPU_EMU_TPL_FIELD(name, Type, 8, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(name, ...) NPU_EMU_TPL_FIELD(name, Format, 8, __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(name, bits, ...) NPU_EMU_TPL_FIELD(name, Number, bits, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(name, ...) NPU_EMU_TPL_FIELD(name, Flag, 1, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(name, ...) NPU_EMU_TPL_FIELD(name, SharedKernelType, 8, __VA_ARGS__)

#define ASCENDC_TPL_ARGS_DECL(op_type, ...) NPU_EMU_TPL_TABLE(Field, npu_emu_tpl_declaration, __VA_ARGS__)

#if defined(__CCE_AICORE__)
#define ASCENDC_TPL_DTYPE_SEL(name, ...) NPU_EMU_TPL_FIELD(name, Format, 8, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(name, ...) NPU_EMU_TPL_FIELD(name, Type, 8, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(name, ...) NPU_EMU_TPL_FIELD(name, Format, 8, __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(name, ...) NPU_EMU_TPL_FIELD(name, Number, 0, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(name, ...) NPU_EMU_TPL_FIELD(name, Flag, 1, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) NPU_EMU_TPL_FIELD(, KernelType, 0, __VA_ARGS__)
#define ASCENDC_TPL_DETERMINISTIC_SEL(...) NPU_EMU_TPL_FIELD(, Deterministic, 0, __VA_ARGS__)
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(name, ...) NPU_EMU_TPL_FIELD(name, SharedKernelType, 8, __VA_ARGS__)
#define ASCENDC_TPL_TILING_STRUCT_SEL(type, ...) ::npu_emu::tpl::Field()
#define ASCENDC_TPL_ARGS_SEL(...) \
  ::npu_emu::tpl::Group {         \
    { __VA_ARGS__ }               \
  }
#define ASCENDC_TPL_SEL(...) NPU_EMU_TPL_TABLE(Group, npu_emu_tpl_selection, __VA_ARGS__)
#else
#define ASCENDC_TPL_SEL(...)
#endif

#if !defined(__CCE_AICORE__)

#pragma GCC visibility push(default)
namespace npu_emu::tpl {
// The key of the values in the order of the declaration; `invalidKey` with a message where one is not declared.
uint64_t encodeKey(const Field* declared, size_t count, std::initializer_list<uint64_t> values);
template <size_t count>
uint64_t encodeKey(const Field (&declared)[count], std::initializer_list<uint64_t> values) {
  return encodeKey(declared, count, values);
}
}  // namespace npu_emu::tpl
#pragma GCC visibility pop

#define GET_TPL_TILING_KEY(...) \
  ::npu_emu::tpl::encodeKey(npu_emu_tpl_declaration(::npu_emu::tpl::Turn<__COUNTER__>()), {__VA_ARGS__})
#define ASCENDC_TPL_SEL_PARAM(context, ...)                   \
  do {                                                        \
    (context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__)); \
  } while (0)

#endif
