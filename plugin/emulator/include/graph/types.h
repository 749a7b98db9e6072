// Data types and formats of tensors. The numbers are part of the interface: kernels compare them in `#if`.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"

// api: GE_FUNC_HOST_VISIBILITY, GE_FUNC_DEV_VISIBILITY, GE_FUNC_VISIBILITY, VAR_UNUSED, WEAK_SYMBOL | - | - | documented
#define GE_FUNC_HOST_VISIBILITY
#define GE_FUNC_DEV_VISIBILITY
#define GE_FUNC_VISIBILITY
#if !defined(VAR_UNUSED)
#define VAR_UNUSED __attribute__((unused))
#endif
#if !defined(WEAK_SYMBOL)
#define WEAK_SYMBOL __attribute__((weak))
#endif

#pragma GCC visibility push(default)

namespace ge {

using char_t = char;
using float32_t = float;
using float64_t = double;
using vector_bit_t = std::vector<bool>;
class Operator;

enum DataType : int32_t {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 6,
  DT_UINT16 = 7,
  DT_UINT32 = 8,
  DT_INT64 = 9,
  DT_UINT64 = 10,
  DT_DOUBLE = 11,
  DT_BOOL = 12,
  DT_STRING = 13,
  DT_DUAL_SUB_INT8 = 14,
  DT_DUAL_SUB_UINT8 = 15,
  DT_COMPLEX64 = 16,
  DT_COMPLEX128 = 17,
  DT_QINT8 = 18,
  DT_QINT16 = 19,
  DT_QINT32 = 20,
  DT_QUINT8 = 21,
  DT_QUINT16 = 22,
  DT_RESOURCE = 23,
  DT_STRING_REF = 24,
  DT_DUAL = 25,
  DT_VARIANT = 26,
  DT_BF16 = 27,
  DT_UNDEFINED = 28,
  DT_INT4 = 29,
  DT_UINT1 = 30,
  DT_INT2 = 31,
  DT_UINT2 = 32,
  DT_COMPLEX32 = 33,
  DT_HIFLOAT8 = 34,
  DT_FLOAT8_E5M2 = 35,
  DT_FLOAT8_E4M3FN = 36,
  DT_FLOAT8_E8M0 = 37,
  DT_FLOAT6_E3M2 = 38,
  DT_FLOAT6_E2M3 = 39,
  DT_FLOAT4_E2M1 = 40,
  DT_FLOAT4_E1M2 = 41,
  DT_HIFLOAT4 = 42,
  DT_MAX
};

enum Format : int32_t {
  FORMAT_NCHW = 0,
  FORMAT_NHWC = 1,
  FORMAT_ND = 2,
  FORMAT_NC1HWC0 = 3,
  FORMAT_FRACTAL_Z = 4,
  FORMAT_NC1C0HWPAD = 5,
  FORMAT_NHWC1C0 = 6,
  FORMAT_FSR_NCHW = 7,
  FORMAT_FRACTAL_DECONV = 8,
  FORMAT_C1HWNC0 = 9,
  FORMAT_FRACTAL_DECONV_TRANSPOSE = 10,
  FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS = 11,
  FORMAT_NC1HWC0_C04 = 12,
  FORMAT_FRACTAL_Z_C04 = 13,
  FORMAT_CHWN = 14,
  FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS = 15,
  FORMAT_HWCN = 16,
  FORMAT_NC1KHKWHWC0 = 17,
  FORMAT_BN_WEIGHT = 18,
  FORMAT_FILTER_HWCK = 19,
  FORMAT_HASHTABLE_LOOKUP_LOOKUPS = 20,
  FORMAT_HASHTABLE_LOOKUP_KEYS = 21,
  FORMAT_HASHTABLE_LOOKUP_VALUE = 22,
  FORMAT_HASHTABLE_LOOKUP_OUTPUT = 23,
  FORMAT_HASHTABLE_LOOKUP_HITS = 24,
  FORMAT_C1HWNCoC0 = 25,
  FORMAT_MD = 26,
  FORMAT_NDHWC = 27,
  FORMAT_FRACTAL_ZZ = 28,
  FORMAT_FRACTAL_NZ = 29,
  FORMAT_NCDHW = 30,
  FORMAT_DHWCN = 31,
  FORMAT_NDC1HWC0 = 32,
  FORMAT_FRACTAL_Z_3D = 33,
  FORMAT_CN = 34,
  FORMAT_NC = 35,
  FORMAT_DHWNC = 36,
  FORMAT_FRACTAL_Z_3D_TRANSPOSE = 37,
  FORMAT_FRACTAL_ZN_LSTM = 38,
  FORMAT_FRACTAL_Z_G = 39,
  FORMAT_RESERVED = 40,
  FORMAT_ALL = 41,
  FORMAT_NULL = 42,
  FORMAT_ND_RNN_BIAS = 43,
  FORMAT_FRACTAL_ZN_RNN = 44,
  FORMAT_NYUV = 45,
  FORMAT_NYUV_A = 46,
  FORMAT_NCL = 47,
  FORMAT_FRACTAL_Z_WINO = 48,
  FORMAT_C1HWC0 = 49,
  FORMAT_FRACTAL_NZ_C0_16 = 50,
  FORMAT_FRACTAL_NZ_C0_32 = 51,
  FORMAT_FRACTAL_NZ_C0_2 = 52,
  FORMAT_FRACTAL_NZ_C0_4 = 53,
  FORMAT_FRACTAL_NZ_C0_8 = 54,
  FORMAT_END,
  FORMAT_MAX = 0xff
};

// Extents that inference does not know yet.
constexpr int64_t UNKNOWN_DIM = -1;
constexpr int64_t UNKNOWN_DIM_NUM = -2;
constexpr int64_t SHAPE_RANGE_LOWER_LIMIT = 0;
// Shapes with such an extent, of which not even the rank is known, and of what is not there.
inline const std::vector<int64_t> UNKNOWN_SHAPE = {UNKNOWN_DIM};
inline const std::vector<int64_t> UNKNOWN_RANK = {UNKNOWN_DIM_NUM};
inline const std::vector<int64_t> DUMMY_SHAPE = {-3};

// What GetSizeByDataType adds to the bits of a type that is narrower than a byte.
constexpr int kDataTypeSizeBitOffset = 1000;

// Bytes of one element; types narrower than a byte give 1000 + bits; -1 when the type has no size.
// api: GetSizeByDataType | - | - | inferred: no public reference
int GetSizeByDataType(DataType type);
// Bytes that `count` elements occupy; -1 when count is negative or the type has no size.
// api: GetSizeInBytes | - | - | inferred: no public reference
int64_t GetSizeInBytes(int64_t count, DataType type);
// The primary format is the low byte of a format word.
// api: GetPrimaryFormat | - | - | inferred: no public reference
int32_t GetPrimaryFormat(int32_t format);
// The two bytes above it are a sub-format, the four bits above these one more than the binary logarithm of C0.
// api: GetSubFormat, HasSubFormat, HasC0Format, GetC0Format, GetC0Value, GetFormatFromSub, GetFormatFromC0,
//   GetFormatFromSubAndC0 | - | - | documented
inline int32_t GetSubFormat(int32_t format) { return (format >> 8) & 0xffff; }
inline bool HasSubFormat(int32_t format) { return GetSubFormat(format) > 0; }
inline int32_t GetC0Format(int32_t format) { return (format >> 24) & 0xf; }
inline bool HasC0Format(int32_t format) { return GetC0Format(format) > 0; }
// -1: the format says nothing of it.
inline int64_t GetC0Value(int32_t format) { return HasC0Format(format) ? int64_t{1} << (GetC0Format(format) - 1) : -1; }
inline int32_t GetFormatFromSub(int32_t primary, int32_t sub) { return (primary & 0xff) | (sub & 0xffff) << 8; }
inline int32_t GetFormatFromC0(int32_t format, int32_t c0) { return (format & 0xffffff) | (c0 & 0xf) << 24; }
inline int32_t GetFormatFromSubAndC0(int32_t primary, int32_t sub, int32_t c0) {
  return GetFormatFromC0(GetFormatFromSub(primary, sub), c0);
}

enum UnknowShapeOpType { DEPEND_IN_SHAPE = 1, DEPEND_CONST_VALUE = 2, DEPEND_SHAPE_RANGE = 3, DEPEND_COMPUTE = 4 };
enum DeviceType { NPU = 0, CPU = 1 };
enum Placement { kPlacementHost = 0, kPlacementDevice = 1, kPlacementEnd };
struct TensorDescInfo {
  Format format_ = FORMAT_RESERVED;
  DataType dataType_ = DT_UNDEFINED;
};
// api: GetFormatName | - | - | documented
// `NCHW`; `UNDEFINED` when the format has no name.
const char* GetFormatName(Format format);

}  // namespace ge

#pragma GCC visibility pop
