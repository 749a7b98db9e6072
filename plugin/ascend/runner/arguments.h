// What an operator is called with: tensors in the memory of the device, attributes, and what aclnn calls make of both.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../emulator/runner/json.h"
#include "aclnn/acl_meta.h"
#include "device_buffer.h"

namespace npu_ascend {

using npu_runner::Json;

// A tensor of the case file.
struct Slot {
  std::string name;
  uint64_t offset, bytes;
  std::vector<int64_t> shape;
  aclDataType dtype;
  // Between: of no file, from one call of an operator to its next
  enum { In, Out, InOut, Between } access;
  // what is seen is the matrix with its axes exchanged
  bool transposed;
};

// The case file as memory of this process.
class CaseFile {
 public:
  // Throws Unable.
  CaseFile(const std::string& path, uint64_t bytes);
  ~CaseFile();
  CaseFile(const CaseFile&) = delete;
  CaseFile& operator=(const CaseFile&) = delete;

  uint8_t* at(const Slot& slot) const { return data_ + slot.offset; }
  uint64_t bytes() const { return bytes_; }

 private:
  uint8_t* data_;
  uint64_t bytes_;
};

// The arguments of one call, in the order of its parameters, on memory of their own.
class Arguments {
 public:
  // Allocates and fills: inputs from the file, outputs with the poison. Throws AclFailure, JsonError.
  Arguments(const Json& described, const CaseFile& file, const std::array<uint8_t, 8>& poison);

  aclTensor* tensor(size_t index) const { return as<aclTensor>(index); }
  aclTensorList* tensorList(size_t index) const { return as<aclTensorList>(index); }
  aclScalar* scalar(size_t index) const { return as<aclScalar>(index); }
  aclScalarList* scalarList(size_t index) const { return as<aclScalarList>(index); }
  aclIntArray* intArray(size_t index) const { return as<aclIntArray>(index); }
  aclFloatArray* floatArray(size_t index) const { return as<aclFloatArray>(index); }
  aclBoolArray* boolArray(size_t index) const { return as<aclBoolArray>(index); }
  int64_t integer(size_t index) const { return given_.at(index).integer; }
  double number(size_t index) const { return given_.at(index).number; }
  aclDataType dataType(size_t index) const { return static_cast<aclDataType>(given_.at(index).integer); }
  bool boolean(size_t index) const { return given_.at(index).integer != 0; }
  char* string(size_t index) const { return const_cast<char*>(given_.at(index).text.c_str()); }

  // Puts what outputs hold into the file.
  void readOutputs(const CaseFile& file) const;
  // Names of inputs that hold something else than the file.
  std::vector<std::string> overwrittenInputs(const CaseFile& file) const;
  // Tensors whose surroundings were written, and where.
  std::vector<std::pair<std::string, Damage>> damages() const;
  // Of all tensors.
  uint64_t bytes() const;

 private:
  struct Given {
    // an object of the operator library; null for attributes that are passed by value, and for what is left out
    std::shared_ptr<void> object;
    int64_t integer = 0;
    double number = 0;
    std::string text;
  };
  struct Placed {
    Slot slot;
    std::shared_ptr<DeviceBuffer> buffer;
  };

  template <typename T>
  T* as(size_t index) const {
    return static_cast<T*>(given_.at(index).object.get());
  }
  Given make(const Json& described, const CaseFile& file, const std::array<uint8_t, 8>& poison);
  aclTensor* place(const Json& slot, const CaseFile& file, const std::array<uint8_t, 8>& poison);

  std::vector<Placed> tensors_;
  std::vector<Given> given_;
};

}  // namespace npu_ascend
