// How arguments of a call travel from the process that holds the kernel to the one that holds the device.
//
// A parameter that is plain data travels as its bytes; addresses are the same in both processes (device_memory.h). What a
// parameter points to travels with it where the device reads it. What a pointer is to the kernel alone, such as the TPipe
// that a queue belongs to, travels as a number.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "../include/ascendc/runtime_api.h"
#include "legal.h"

namespace npu_emu {

// Longest record of a stream, header included. Texts are cut to fit.
constexpr uint32_t recordLimit = 8192, textLimit = 1024;

// Appends to a record. There is room for `recordLimit` bytes.
class WireWriter {
 public:
  explicit WireWriter(uint8_t* to = nullptr) : at_(to), begin_(to) {}
  void bytes(const void* from, uint32_t count) {
    std::memcpy(at_, from, count);
    at_ += count;
  }
  template <typename T>
  void plain(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>, "only plain data travels as its bytes");
    bytes(&value, sizeof value);
  }
  void text(const char* value) {
    const auto length = static_cast<uint32_t>(value == nullptr ? 0 : strnlen(value, textLimit));
    plain(length);
    bytes(value, length);
  }
  uint32_t length() const { return static_cast<uint32_t>(at_ - begin_); }

 private:
  uint8_t *at_, *begin_;
};

// Reads a record that somebody else has written, who may be hostile: what is not there reads as zeros, and `failed` says
// so, as it does of values that no kernel can issue (legal.h).
class WireReader {
 public:
  WireReader(const uint8_t* from, uint32_t count) : at_(from), left_(count) {}
  void bytes(void* to, uint32_t count) {
    if (count > left_) {
      failed = true;
      std::memset(to, 0, count);
      return;
    }
    std::memcpy(to, at_, count);
    at_ += count;
    left_ -= count;
  }
  template <typename T>
  void plain(T& to) {
    static_assert(std::is_trivially_copyable_v<T>, "only plain data travels as its bytes");
    bytes(&to, sizeof to);
    check(to);
  }
  template <typename T>
  T plain() {
    T value;
    plain(value);
    return value;
  }
  template <typename T>
  void check(const T& value) {
    if (!isLegal(value)) failed = true;
  }
  // Truth values travel as numbers.
  bool truth() {
    const auto byte = plain<uint8_t>();
    if (byte > 1) failed = true;
    return byte == 1;
  }
  std::string text() {
    const auto length = plain<uint32_t>();
    if (length > textLimit || length > left_) {
      failed = true;
      return {};
    }
    std::string value(reinterpret_cast<const char*>(at_), length);
    at_ += length;
    left_ -= length;
    return value;
  }
  bool isAtEnd() const { return left_ == 0; }

  bool failed = false;

 private:
  const uint8_t* at_;
  uint32_t left_;
};

// Where the device has what lies at an address in the process of the kernel: the same address, but for constants.
uint64_t addressOnDevice(const void* address);

// The names in reports outlive the record that they came in.
const char* keptText(std::string text);

// A parameter of type A: how it is written, and how it is read, held and given to the function.
template <typename A, typename = void>
struct Passed {
  static_assert(!std::is_pointer_v<A> && !std::is_lvalue_reference_v<A>, "say how this parameter travels");
  using Held = A;
  static void write(WireWriter& to, const A& value) { to.plain(value); }
  static void read(WireReader& from, Held& held) { from.plain(held); }
  static A give(Held& held) { return held; }
};

template <>
struct Passed<bool> {
  using Held = bool;
  static void write(WireWriter& to, bool value) { to.plain<uint8_t>(value); }
  static void read(WireReader& from, bool& held) { held = from.truth(); }
  static bool give(bool& held) { return held; }
};

// An address in device memory, and what is only a number to the device.
template <>
struct Passed<GmAddress> {
  using Held = uint64_t;
  static void write(WireWriter& to, GmAddress value) { to.plain(addressOnDevice(value)); }
  static void read(WireReader& from, Held& held) { held = from.plain<uint64_t>(); }
  static GmAddress give(Held& held) { return reinterpret_cast<GmAddress>(held); }
};
template <typename T>
struct Passed<T*, std::enable_if_t<std::is_void_v<T>>> {
  using Held = uint64_t;
  static void write(WireWriter& to, const void* value) { to.plain(reinterpret_cast<uint64_t>(value)); }
  static void read(WireReader& from, Held& held) { held = from.plain<uint64_t>(); }
  static T* give(Held& held) { return reinterpret_cast<T*>(held); }
};
template <>
struct Passed<const uint8_t*> : Passed<const void*> {
  static const uint8_t* give(Held& held) { return reinterpret_cast<const uint8_t*>(held); }
};

template <>
struct Passed<const char*> {
  using Held = std::string;
  static void write(WireWriter& to, const char* value) { to.text(value); }
  static void read(WireReader& from, Held& held) { held = from.text(); }
  static const char* give(Held& held) { return keptText(std::move(held)); }
};

template <>
struct Passed<ShownText> {
  using Held = std::string;
  static void write(WireWriter& to, ShownText value) { to.text(value.text); }
  static void read(WireReader& from, Held& held) { held = from.text(); }
  static ShownText give(Held& held) { return {held.c_str()}; }
};

// What is passed by reference and only read, or changed for the kernel alone.
template <typename T>
struct Passed<T&> {
  using Value = std::remove_const_t<T>;
  using Held = typename Passed<Value>::Held;
  static void write(WireWriter& to, const Value& value) { Passed<Value>::write(to, value); }
  static void read(WireReader& from, Held& held) { Passed<Value>::read(from, held); }
  static T& give(Held& held) { return held; }
};
template <typename T, size_t n>
struct Passed<const T (&)[n]> {
  struct Held {
    T values[n];
  };
  static void write(WireWriter& to, const T (&values)[n]) { to.bytes(values, sizeof values); }
  static void read(WireReader& from, Held& held) { from.plain(held.values); }
  static const T (&give(Held& held))[n] { return held.values; }
};

// What may be absent.
template <typename T>
struct Passed<const T*, std::enable_if_t<std::is_class_v<T>>> {
  struct Held {
    bool present = false;
    typename Passed<T>::Held value{};
  };
  static void write(WireWriter& to, const T* value) {
    to.plain<uint8_t>(value != nullptr);
    if (value != nullptr) Passed<T>::write(to, *value);
  }
  static void read(WireReader& from, Held& held) {
    held.present = from.truth();
    if (held.present) Passed<T>::read(from, held.value);
  }
  static const T* give(Held& held) { return held.present ? &held.value : nullptr; }
};

// Plain data with a pointer in it: `pointer` is the member that points to an operand that may be absent.
template <typename T, const Operand* T::*pointer>
struct PassedWithOperand {
  struct Held {
    T value;
    Passed<const Operand*>::Held operand;
  };
  static void write(WireWriter& to, const T& value) {
    to.plain(value);
    Passed<const Operand*>::write(to, value.*pointer);
  }
  static void read(WireReader& from, Held& held) {
    from.bytes(&held.value, sizeof held.value);
    held.value.*pointer = nullptr;
    from.check(held.value);
    Passed<const Operand*>::read(from, held.operand);
  }
  static T& give(Held& held) {
    held.value.*pointer = Passed<const Operand*>::give(held.operand);
    return held.value;
  }
};
template <>
struct Passed<vec::Keeping> : PassedWithOperand<vec::Keeping, &vec::Keeping::pattern> {};
template <>
struct Passed<const vec::Keeping&> : Passed<vec::Keeping> {};
template <>
struct Passed<cube::OutputConversion> : PassedWithOperand<cube::OutputConversion, &cube::OutputConversion::scales> {};
template <>
struct Passed<const cube::OutputConversion&> : Passed<cube::OutputConversion> {};

}  // namespace npu_emu
