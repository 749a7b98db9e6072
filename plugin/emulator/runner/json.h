// JSON values, read from and written to one line of text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace npu_runner {

class Json;
using JsonArray = std::vector<Json>;
// In order of appearance.
using JsonObject = std::vector<std::pair<std::string, Json>>;

// A number as written: tiling keys need all 64 bits, which a double does not hold.
struct JsonNumber {
  std::string text;
};

// Thrown by the parser and by accessors that meet another type; the text says what was expected where.
struct JsonError {
  std::string message;
};

class Json {
 public:
  Json() = default;
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(int value) : Json(static_cast<int64_t>(value)) {}
  Json(unsigned value) : Json(static_cast<uint64_t>(value)) {}
  Json(int64_t value) : value_(JsonNumber{std::to_string(value)}) {}
  Json(uint64_t value) : value_(JsonNumber{std::to_string(value)}) {}
  // Not finite: written as null.
  Json(double value);
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(JsonArray items) : value_(std::move(items)) {}
  Json(JsonObject members) : value_(std::move(members)) {}

  // Exactly one value; throws JsonError otherwise.
  static Json parse(const std::string& text);
  // One line without a line break; invalid UTF-8 is replaced.
  std::string dump() const;

  bool isNull() const { return std::holds_alternative<std::monostate>(value_); }
  bool isNumber() const { return std::holds_alternative<JsonNumber>(value_); }
  bool isBool() const { return std::holds_alternative<bool>(value_); }
  bool isString() const { return std::holds_alternative<std::string>(value_); }
  bool isArray() const { return std::holds_alternative<JsonArray>(value_); }
  bool isObject() const { return std::holds_alternative<JsonObject>(value_); }

  // Typed access; throws JsonError naming `what`.
  bool boolean(const char* what) const;
  double number(const char* what) const;
  // A non-negative whole number, also as a decimal string.
  uint64_t unsignedInteger(const char* what) const;
  int64_t integer(const char* what) const;
  const std::string& string(const char* what) const;
  const JsonArray& array(const char* what) const;
  const JsonObject& object(const char* what) const;
  // The members of an object that nobody needs any more.
  JsonObject takeObject(const char* what) &&;

  // A member of an object; nullptr when it is absent.
  const Json* find(const std::string& name) const;
  // A member of an object; throws JsonError when it is absent.
  const Json& at(const char* name) const;

 private:
  void write(std::string& out) const;

  std::variant<std::monostate, bool, JsonNumber, std::string, JsonArray, JsonObject> value_;
};

// An answer: {"ok": true, "result": ...}.
JsonObject answered(Json result);

}  // namespace npu_runner
