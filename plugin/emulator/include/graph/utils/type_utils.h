// Names and sizes of data types and formats.
#pragma once

#include <cstdint>
#include <string>

#include "graph/types.h"

#pragma GCC visibility push(default)

namespace ge {

// api: TypeUtils | - | - | inferred: no public reference
class TypeUtils {
 public:
  // Bytes of one element; false when the type has no size.
  static bool GetDataTypeLength(DataType type, uint32_t& bytes);
  static std::string DataTypeToSerialString(DataType type);
  static DataType SerialStringToDataType(const std::string& name);
  static std::string FormatToSerialString(Format format);
  static AscendString DataTypeToAscendString(const DataType& type);
  static AscendString FormatToAscendString(const Format& format);
  static Format SerialStringToFormat(const std::string& name);
  static Format DataFormatToFormat(const std::string& name) { return SerialStringToFormat(name); }
  static DataType AscendStringToDataType(const AscendString& name) { return SerialStringToDataType(name.GetString()); }
  static Format AscendStringToFormat(const AscendString& name) { return SerialStringToFormat(name.GetString()); }
  static bool IsDataTypeValid(DataType type);
  static bool IsFormatValid(Format format);
};

}  // namespace ge

#pragma GCC visibility pop
