// Names, sizes and encodings of data types and formats.
#include <cmath>
#include <cstring>

#include "graph/utils/type_utils.h"
#include "host.h"

namespace {

struct TypeFacts {
  ge::DataType type;
  const char* serial;  // the name graph code prints
  const char* name;    // the name this project uses; nullptr: not a kernel argument type
  int bytes;           // 1000 + bits for types narrower than a byte, -1: no size
};

constexpr TypeFacts types[] = {
    {ge::DT_FLOAT, "DT_FLOAT", "float32", 4},
    {ge::DT_FLOAT16, "DT_FLOAT16", "float16", 2},
    {ge::DT_INT8, "DT_INT8", "int8", 1},
    {ge::DT_INT32, "DT_INT32", "int32", 4},
    {ge::DT_UINT8, "DT_UINT8", "uint8", 1},
    {ge::DT_INT16, "DT_INT16", "int16", 2},
    {ge::DT_UINT16, "DT_UINT16", "uint16", 2},
    {ge::DT_UINT32, "DT_UINT32", "uint32", 4},
    {ge::DT_INT64, "DT_INT64", "int64", 8},
    {ge::DT_UINT64, "DT_UINT64", "uint64", 8},
    {ge::DT_DOUBLE, "DT_DOUBLE", "float64", 8},
    {ge::DT_BOOL, "DT_BOOL", "bool", 1},
    {ge::DT_STRING, "DT_STRING", nullptr, -1},
    {ge::DT_DUAL_SUB_INT8, "DT_DUAL_SUB_INT8", nullptr, 1},
    {ge::DT_DUAL_SUB_UINT8, "DT_DUAL_SUB_UINT8", nullptr, 1},
    {ge::DT_COMPLEX64, "DT_COMPLEX64", "complex64", 8},
    {ge::DT_COMPLEX128, "DT_COMPLEX128", nullptr, 16},
    {ge::DT_QINT8, "DT_QINT8", nullptr, 1},
    {ge::DT_QINT16, "DT_QINT16", nullptr, 2},
    {ge::DT_QINT32, "DT_QINT32", nullptr, 4},
    {ge::DT_QUINT8, "DT_QUINT8", nullptr, 1},
    {ge::DT_QUINT16, "DT_QUINT16", nullptr, 2},
    {ge::DT_RESOURCE, "DT_RESOURCE", nullptr, 8},
    {ge::DT_STRING_REF, "DT_STRING_REF", nullptr, -1},
    {ge::DT_DUAL, "DT_DUAL", nullptr, 5},
    {ge::DT_VARIANT, "DT_VARIANT", nullptr, -1},
    {ge::DT_BF16, "DT_BF16", "bfloat16", 2},
    {ge::DT_UNDEFINED, "DT_UNDEFINED", nullptr, -1},
    {ge::DT_INT4, "DT_INT4", nullptr, 1004},
    {ge::DT_UINT1, "DT_UINT1", nullptr, 1001},
    {ge::DT_INT2, "DT_INT2", nullptr, 1002},
    {ge::DT_UINT2, "DT_UINT2", nullptr, 1002},
    {ge::DT_COMPLEX32, "DT_COMPLEX32", nullptr, 4},
    {ge::DT_HIFLOAT8, "DT_HIFLOAT8", nullptr, 1},
    {ge::DT_FLOAT8_E5M2, "DT_FLOAT8_E5M2", nullptr, 1},
    {ge::DT_FLOAT8_E4M3FN, "DT_FLOAT8_E4M3FN", nullptr, 1},
    {ge::DT_FLOAT8_E8M0, "DT_FLOAT8_E8M0", nullptr, 1},
    {ge::DT_FLOAT6_E3M2, "DT_FLOAT6_E3M2", nullptr, 1006},
    {ge::DT_FLOAT6_E2M3, "DT_FLOAT6_E2M3", nullptr, 1006},
    {ge::DT_FLOAT4_E2M1, "DT_FLOAT4_E2M1", nullptr, 1004},
    {ge::DT_FLOAT4_E1M2, "DT_FLOAT4_E1M2", nullptr, 1004},
    {ge::DT_HIFLOAT4, "DT_HIFLOAT4", nullptr, 1004},
};

struct FormatFacts {
  ge::Format format;
  const char* name;
};

constexpr FormatFacts formats[] = {
    {ge::FORMAT_NCHW, "NCHW"},
    {ge::FORMAT_NHWC, "NHWC"},
    {ge::FORMAT_ND, "ND"},
    {ge::FORMAT_NC1HWC0, "NC1HWC0"},
    {ge::FORMAT_FRACTAL_Z, "FRACTAL_Z"},
    {ge::FORMAT_NC1C0HWPAD, "NC1C0HWPAD"},
    {ge::FORMAT_NHWC1C0, "NHWC1C0"},
    {ge::FORMAT_FSR_NCHW, "FSR_NCHW"},
    {ge::FORMAT_FRACTAL_DECONV, "FRACTAL_DECONV"},
    {ge::FORMAT_C1HWNC0, "C1HWNC0"},
    {ge::FORMAT_FRACTAL_DECONV_TRANSPOSE, "FRACTAL_DECONV_TRANSPOSE"},
    {ge::FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS, "FRACTAL_DECONV_SP_STRIDE_TRANS"},
    {ge::FORMAT_NC1HWC0_C04, "NC1HWC0_C04"},
    {ge::FORMAT_FRACTAL_Z_C04, "FRACTAL_Z_C04"},
    {ge::FORMAT_CHWN, "CHWN"},
    {ge::FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS, "FRACTAL_DECONV_SP_STRIDE8_TRANS"},
    {ge::FORMAT_HWCN, "HWCN"},
    {ge::FORMAT_NC1KHKWHWC0, "NC1KHKWHWC0"},
    {ge::FORMAT_BN_WEIGHT, "BN_WEIGHT"},
    {ge::FORMAT_FILTER_HWCK, "FILTER_HWCK"},
    {ge::FORMAT_HASHTABLE_LOOKUP_LOOKUPS, "HASHTABLE_LOOKUP_LOOKUPS"},
    {ge::FORMAT_HASHTABLE_LOOKUP_KEYS, "HASHTABLE_LOOKUP_KEYS"},
    {ge::FORMAT_HASHTABLE_LOOKUP_VALUE, "HASHTABLE_LOOKUP_VALUE"},
    {ge::FORMAT_HASHTABLE_LOOKUP_OUTPUT, "HASHTABLE_LOOKUP_OUTPUT"},
    {ge::FORMAT_HASHTABLE_LOOKUP_HITS, "HASHTABLE_LOOKUP_HITS"},
    {ge::FORMAT_C1HWNCoC0, "C1HWNCoC0"},
    {ge::FORMAT_MD, "MD"},
    {ge::FORMAT_NDHWC, "NDHWC"},
    {ge::FORMAT_FRACTAL_ZZ, "FRACTAL_ZZ"},
    {ge::FORMAT_FRACTAL_NZ, "FRACTAL_NZ"},
    {ge::FORMAT_NCDHW, "NCDHW"},
    {ge::FORMAT_DHWCN, "DHWCN"},
    {ge::FORMAT_NDC1HWC0, "NDC1HWC0"},
    {ge::FORMAT_FRACTAL_Z_3D, "FRACTAL_Z_3D"},
    {ge::FORMAT_CN, "CN"},
    {ge::FORMAT_NC, "NC"},
    {ge::FORMAT_DHWNC, "DHWNC"},
    {ge::FORMAT_FRACTAL_Z_3D_TRANSPOSE, "FRACTAL_Z_3D_TRANSPOSE"},
    {ge::FORMAT_FRACTAL_ZN_LSTM, "FRACTAL_ZN_LSTM"},
    {ge::FORMAT_FRACTAL_Z_G, "FRACTAL_Z_G"},
    {ge::FORMAT_ALL, "ALL"},
    {ge::FORMAT_ND_RNN_BIAS, "ND_RNN_BIAS"},
    {ge::FORMAT_FRACTAL_ZN_RNN, "FRACTAL_ZN_RNN"},
    {ge::FORMAT_NYUV, "NYUV"},
    {ge::FORMAT_NYUV_A, "NYUV_A"},
    {ge::FORMAT_NCL, "NCL"},
    {ge::FORMAT_FRACTAL_Z_WINO, "FRACTAL_Z_WINO"},
    {ge::FORMAT_C1HWC0, "C1HWC0"},
    {ge::FORMAT_FRACTAL_NZ_C0_16, "FRACTAL_NZ_C0_16"},
    {ge::FORMAT_FRACTAL_NZ_C0_32, "FRACTAL_NZ_C0_32"},
    {ge::FORMAT_FRACTAL_NZ_C0_2, "FRACTAL_NZ_C0_2"},
    {ge::FORMAT_FRACTAL_NZ_C0_4, "FRACTAL_NZ_C0_4"},
    {ge::FORMAT_FRACTAL_NZ_C0_8, "FRACTAL_NZ_C0_8"},
};

const TypeFacts* factsOf(ge::DataType type) {
  for (const TypeFacts& facts : types)
    if (facts.type == type) return &facts;
  return nullptr;
}

const char* formatName(ge::Format format) {
  for (const FormatFacts& facts : formats)
    if (facts.format == format) return facts.name;
  return "UNDEFINED";
}

template <class T>
void append(std::vector<uint8_t>& bytes, T value) {
  const size_t end = bytes.size();
  bytes.resize(end + sizeof(T));
  std::memcpy(bytes.data() + end, &value, sizeof(T));
}

uint16_t toBfloat16(double value) {
  const float single = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &single, sizeof bits);
  if (std::isnan(single)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

void appendValue(std::vector<uint8_t>& bytes, ge::DataType type, double value) {
  switch (type) {
    case ge::DT_FLOAT: return append(bytes, static_cast<float>(value));
    case ge::DT_FLOAT16: return append(bytes, static_cast<_Float16>(value));
    case ge::DT_BF16: return append(bytes, toBfloat16(value));
    case ge::DT_DOUBLE: return append(bytes, value);
    case ge::DT_INT8: return append(bytes, static_cast<int8_t>(value));
    case ge::DT_UINT8: return append(bytes, static_cast<uint8_t>(value));
    case ge::DT_INT16: return append(bytes, static_cast<int16_t>(value));
    case ge::DT_UINT16: return append(bytes, static_cast<uint16_t>(value));
    case ge::DT_INT32: return append(bytes, static_cast<int32_t>(value));
    case ge::DT_UINT32: return append(bytes, static_cast<uint32_t>(value));
    case ge::DT_INT64: return append(bytes, static_cast<int64_t>(value));
    case ge::DT_UINT64: return append(bytes, static_cast<uint64_t>(value));
    case ge::DT_BOOL: return append(bytes, static_cast<uint8_t>(value != 0));
    default: throw npu_emu::host::HostError{"values of type " + npu_emu::host::dtypeName(type) + " are not supported"};
  }
}

}  // namespace

namespace ge {

int GetSizeByDataType(DataType type) {
  const TypeFacts* facts = factsOf(type);
  return facts == nullptr ? -1 : facts->bytes;
}

int64_t GetSizeInBytes(int64_t count, DataType type) {
  const int size = GetSizeByDataType(type);
  if (count < 0 || size < 0) return -1;
  return size > 1000 ? (count * (size - 1000) + 7) / 8 : count * size;
}

int32_t GetPrimaryFormat(int32_t format) { return format & 0xff; }
const char* GetFormatName(Format format) { return formatName(format); }

bool TypeUtils::GetDataTypeLength(DataType type, uint32_t& bytes) {
  const int size = GetSizeByDataType(type);
  if (size <= 0) return false;
  bytes = static_cast<uint32_t>(size);
  return true;
}

std::string TypeUtils::DataTypeToSerialString(DataType type) {
  const TypeFacts* facts = factsOf(type);
  return facts == nullptr ? "UNDEFINED" : facts->serial;
}

DataType TypeUtils::SerialStringToDataType(const std::string& name) {
  for (const TypeFacts& facts : types)
    if (name == facts.serial) return facts.type;
  return DT_UNDEFINED;
}

std::string TypeUtils::FormatToSerialString(Format format) { return formatName(format); }
Format TypeUtils::SerialStringToFormat(const std::string& name) {
  for (const FormatFacts& facts : formats)
    if (name == facts.name) return facts.format;
  return FORMAT_RESERVED;
}
AscendString TypeUtils::DataTypeToAscendString(const DataType& type) { return DataTypeToSerialString(type).c_str(); }
AscendString TypeUtils::FormatToAscendString(const Format& format) { return formatName(format); }
bool TypeUtils::IsDataTypeValid(DataType type) { return type != DT_UNDEFINED && factsOf(type) != nullptr; }
bool TypeUtils::IsFormatValid(Format format) { return std::strcmp(formatName(format), "UNDEFINED") != 0; }

}  // namespace ge

namespace npu_emu::host {

ge::DataType dtypeFromName(const std::string& name) {
  for (const TypeFacts& facts : types)
    if (facts.name != nullptr && name == facts.name) return facts.type;
  return ge::DT_UNDEFINED;
}

std::string dtypeName(ge::DataType type) {
  const TypeFacts* facts = factsOf(type);
  if (facts != nullptr && facts->name != nullptr) return facts->name;
  return facts == nullptr ? "dtype " + std::to_string(static_cast<int>(type)) : facts->serial;
}

std::vector<uint8_t> encodeValues(ge::DataType type, const std::vector<double>& values) {
  std::vector<uint8_t> bytes;
  for (const double value : values) appendValue(bytes, type, value);
  return bytes;
}

}  // namespace npu_emu::host
