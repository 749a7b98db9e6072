#include "arguments.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "acl_call.h"

namespace npu_ascend {

CaseFile::CaseFile(const std::string& path, uint64_t bytes) : bytes_(bytes) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) throw Unable{"cannot open " + path + ": " + std::strerror(errno)};
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) throw Unable{"cannot map " + path + ": " + std::strerror(errno)};
  data_ = static_cast<uint8_t*>(memory);
}

CaseFile::~CaseFile() { munmap(data_, bytes_); }

namespace {
const std::map<std::string, aclDataType> dataTypes = {
    {"float16", ACL_FLOAT16}, {"bfloat16", ACL_BF16},       {"float32", ACL_FLOAT}, {"float64", ACL_DOUBLE},
    {"int8", ACL_INT8},       {"uint8", ACL_UINT8},         {"int16", ACL_INT16},   {"uint16", ACL_UINT16},
    {"int32", ACL_INT32},     {"uint32", ACL_UINT32},       {"int64", ACL_INT64},   {"uint64", ACL_UINT64},
    {"bool", ACL_BOOL},       {"complex64", ACL_COMPLEX64},
};

Slot readSlot(const Json& json, uint64_t fileBytes) {
  Slot slot;
  slot.name = json.at("name").string("name");
  slot.offset = json.at("offset").unsignedInteger("offset");
  slot.bytes = json.at("bytes").unsignedInteger("bytes");
  for (const Json& extent : json.at("shape").array("shape")) slot.shape.push_back(extent.integer("shape"));
  const auto type = dataTypes.find(json.at("dtype").string("dtype"));
  if (type == dataTypes.end()) throw npu_runner::JsonError{"dtype: there is none of that name"};
  slot.dtype = type->second;
  const std::string& access = json.at("access").string("access");
  slot.access = access == "in"        ? Slot::In
                : access == "out"     ? Slot::Out
                : access == "between" ? Slot::Between
                                      : Slot::InOut;
  const Json* transposed = json.find("transposed");
  slot.transposed = transposed != nullptr && transposed->boolean("transposed") && slot.shape.size() >= 2;
  if (slot.access == Slot::Between) return slot;
  if (slot.offset > fileBytes || slot.bytes > fileBytes - slot.offset)
    throw npu_runner::JsonError{slot.name + ": the file ends before the tensor"};
  return slot;
}

// The numbers of a tensor on the host.
std::vector<double> numbersOf(const Slot& slot, const uint8_t* from) {
  if (slot.dtype != ACL_FLOAT && slot.dtype != ACL_FLOAT16 && slot.dtype != ACL_BF16)
    throw npu_runner::JsonError{slot.name + ": its values cannot be passed as numbers"};
  const uint64_t size = slot.dtype == ACL_FLOAT ? 4 : 2;
  std::vector<double> values;
  for (uint64_t i = 0; i < slot.bytes / size; i++) {
    uint32_t bits = 0;
    std::memcpy(&bits, from + i * size, size);
    if (slot.dtype == ACL_FLOAT16) {
      const double sign = (bits & 0x8000) != 0 ? -1 : 1;
      const int exponent = static_cast<int>(bits >> 10 & 31), rest = static_cast<int>(bits & 1023);
      values.push_back(exponent == 31
                           ? (rest != 0 ? NAN : sign * INFINITY)
                           : sign * std::ldexp(exponent == 0 ? rest : rest + 1024, std::max(exponent, 1) - 25));
      continue;
    }
    const uint32_t single = slot.dtype == ACL_BF16 ? bits << 16 : bits;
    float value = 0;
    std::memcpy(&value, &single, sizeof value);
    values.push_back(value);
  }
  return values;
}

// The whole numbers of a tensor on the host.
std::vector<int64_t> integersOf(const Slot& slot, const uint8_t* from) {
  std::vector<int64_t> values;
  const auto read = [&](auto zero) {
    for (uint64_t i = 0; i < slot.bytes / sizeof(zero); i++) {
      std::memcpy(&zero, from + i * sizeof(zero), sizeof(zero));
      values.push_back(static_cast<int64_t>(zero));
    }
  };
  if (slot.dtype == ACL_INT64) read(int64_t{});
  else if (slot.dtype == ACL_INT32) read(int32_t{});
  else if (slot.dtype == ACL_BOOL) read(uint8_t{});
  else throw npu_runner::JsonError{slot.name + ": its values cannot be passed as an array"};
  return values;
}

template <typename T>
T only(const std::vector<T>& values) {
  if (values.size() != 1) throw npu_runner::JsonError{"value: there has to be one number"};
  return values[0];
}

template <typename T>
std::shared_ptr<void> owned(T* object, aclnnStatus (*destroy)(const T*)) {
  if (object == nullptr) throw AclFailure{"aclCreate", -1, recentMessage()};
  return {object, [destroy](void* each) { (void)destroy(static_cast<T*>(each)); }};
}

// One value of a tensor on the host, or a number: a whole one is passed as such.
aclScalar* scalarOf(const Json& value, const CaseFile& file) {
  if (value.isObject()) {
    const Slot slot = readSlot(value, file.bytes());
    return aclCreateScalar(file.at(slot), slot.dtype);
  }
  if (value.isBool()) {
    bool truth = value.boolean("value");
    return aclCreateScalar(&truth, ACL_BOOL);
  }
  const double number = value.number("value");
  auto whole = static_cast<int64_t>(number);
  if (static_cast<double>(whole) == number) return aclCreateScalar(&whole, ACL_INT64);
  auto single = static_cast<float>(number);
  return aclCreateScalar(&single, ACL_FLOAT);
}

// A scalar for each element of a tensor on the host.
std::vector<aclScalar*> scalarsOf(const Slot& slot, uint8_t* from) {
  uint64_t count = 1;
  for (const int64_t extent : slot.shape) count *= static_cast<uint64_t>(extent);
  std::vector<aclScalar*> scalars;
  for (uint64_t i = 0; i < count; i++) scalars.push_back(aclCreateScalar(from + i * (slot.bytes / count), slot.dtype));
  return scalars;
}

std::shared_ptr<void> arrayOf(const std::vector<int64_t>& values) {
  return owned(aclCreateIntArray(values.data(), values.size()), aclDestroyIntArray);
}
}  // namespace

Arguments::Arguments(const Json& described, const CaseFile& file, const std::array<uint8_t, 8>& poison) {
  for (const Json& each : described.at("args").array("args")) given_.push_back(make(each, file, poison));
}

// What has the slot of another tensor is that tensor: an output that overwrites an input, what several calls are given.
aclTensor* Arguments::place(const Json& json, const CaseFile& file, const std::array<uint8_t, 8>& poison) {
  const Slot slot = readSlot(json, file.bytes());
  const auto same = std::find_if(tensors_.begin(), tensors_.end(), [&](const Placed& placed) {
    if (slot.access == Slot::Between) return placed.slot.access == Slot::Between && placed.slot.name == slot.name;
    return placed.slot.access == slot.access && placed.slot.offset == slot.offset && placed.slot.bytes == slot.bytes;
  });
  std::shared_ptr<DeviceBuffer> buffer;
  if (same != tensors_.end()) {
    buffer = same->buffer;
  } else {
    buffer = std::make_shared<DeviceBuffer>(slot.bytes);
    if (slot.access == Slot::Out || slot.access == Slot::Between) buffer->fill(poison);
    else buffer->write(file.at(slot));
    tensors_.push_back({slot, buffer});
  }
  std::vector<int64_t> shape = slot.shape, strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis > 1; axis--) strides[axis - 2] = strides[axis - 1] * shape[axis - 1];
  if (slot.transposed) {
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    std::swap(strides[strides.size() - 1], strides[strides.size() - 2]);
  }
  aclTensor* tensor = aclCreateTensor(shape.data(), shape.size(), slot.dtype, strides.data(), 0, ACL_FORMAT_ND,
                                      slot.shape.data(), slot.shape.size(), buffer->data());
  if (tensor == nullptr) throw AclFailure{"aclCreateTensor", -1, recentMessage()};
  return tensor;
}

Arguments::Given Arguments::make(const Json& described, const CaseFile& file, const std::array<uint8_t, 8>& poison) {
  Given given;
  const std::string& kind = described.at("kind").string("kind");
  const Json& value = described.at("value");
  const auto host = [&] { return readSlot(value, file.bytes()); };
  const auto list = [&](auto convert) {
    std::vector<decltype(convert(value))> values;
    for (const Json& each : value.array("value")) values.push_back(convert(each));
    return values;
  };
  const auto whole = [](const Json& each) { return each.integer("value"); };
  const auto real = [](const Json& each) { return static_cast<float>(each.number("value")); };
  if (kind == "int" || kind == "dataType") {
    given.integer = value.isNull()     ? 0
                    : value.isObject() ? only(integersOf(host(), file.at(host())))
                                       : value.integer("value");
  } else if (kind == "float") {
    given.number = value.isNull()     ? 0
                   : value.isObject() ? only(numbersOf(host(), file.at(host())))
                                      : value.number("value");
  } else if (kind == "bool") {
    given.integer = !value.isNull() && value.boolean("value") ? 1 : 0;
  } else if (kind == "string") {
    given.text = value.isNull() ? "" : value.string("value");
  } else if (value.isNull()) {
    // an argument that is left out is a null pointer
  } else if (kind == "tensor") {
    given.object = owned(place(value, file, poison), aclDestroyTensor);
  } else if (kind == "tensorList") {
    std::vector<aclTensor*> tensors;
    for (const Json& each : value.array("value")) tensors.push_back(place(each, file, poison));
    // the list owns its tensors
    given.object = owned(aclCreateTensorList(tensors.data(), tensors.size()), aclDestroyTensorList);
  } else if (kind == "scalar") {
    given.object = owned(scalarOf(value, file), aclDestroyScalar);
  } else if (kind == "scalarList") {
    const std::vector<aclScalar*> scalars = scalarsOf(host(), file.at(host()));
    // the list owns its scalars
    given.object = owned(aclCreateScalarList(scalars.data(), scalars.size()), aclDestroyScalarList);
  } else if (kind == "intArray") {
    given.object = arrayOf(value.isArray() ? list(whole) : integersOf(host(), file.at(host())));
  } else if (kind == "floatArray" && value.isArray()) {
    const auto values = list(real);
    given.object = owned(aclCreateFloatArray(values.data(), values.size()), aclDestroyFloatArray);
  } else if (kind == "floatArray") {
    const Slot slot = host();
    if (slot.dtype != ACL_FLOAT) throw npu_runner::JsonError{slot.name + ": only float32 is passed as an array"};
    given.object = owned(aclCreateFloatArray(reinterpret_cast<const float*>(file.at(slot)), slot.bytes / sizeof(float)),
                         aclDestroyFloatArray);
  } else if (kind == "boolArray") {
    const Slot slot = host();
    given.object =
        owned(aclCreateBoolArray(reinterpret_cast<const bool*>(file.at(slot)), slot.bytes), aclDestroyBoolArray);
  } else {
    throw npu_runner::JsonError{"kind: there is no argument of the kind " + kind};
  }
  return given;
}

void Arguments::readOutputs(const CaseFile& file) const {
  for (const auto& [slot, buffer] : tensors_)
    if (slot.access == Slot::Out || slot.access == Slot::InOut) buffer->read(file.at(slot));
}

std::vector<std::string> Arguments::overwrittenInputs(const CaseFile& file) const {
  std::vector<std::string> names;
  for (const auto& [slot, buffer] : tensors_) {
    if (slot.access != Slot::In) continue;
    std::vector<uint8_t> content(slot.bytes);
    buffer->read(content.data());
    if (!std::equal(content.begin(), content.end(), file.at(slot))) names.push_back(slot.name);
  }
  return names;
}

std::vector<std::pair<std::string, Damage>> Arguments::damages() const {
  std::vector<std::pair<std::string, Damage>> found;
  for (const auto& [slot, buffer] : tensors_)
    if (const auto damage = buffer->findDamage()) found.emplace_back(slot.name, *damage);
  return found;
}

uint64_t Arguments::bytes() const {
  uint64_t sum = 0;
  for (const auto& [slot, buffer] : tensors_) sum += slot.bytes;
  return sum;
}

}  // namespace npu_ascend
