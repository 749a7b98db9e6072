// Typed access to JSON values.
#include "json.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace npu_runner {

namespace {

[[noreturn]] void wrongType(const char* what, const char* type) {
  throw JsonError{std::string(what) + " must be " + type};
}

}  // namespace

Json::Json(double value) {
  if (!std::isfinite(value)) return;
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  value_ = JsonNumber{std::string(text, end)};
}

bool Json::boolean(const char* what) const {
  if (const bool* flag = std::get_if<bool>(&value_)) return *flag;
  wrongType(what, "true or false");
}

double Json::number(const char* what) const {
  if (const JsonNumber* number = std::get_if<JsonNumber>(&value_)) return std::strtod(number->text.c_str(), nullptr);
  wrongType(what, "a number");
}

uint64_t Json::unsignedInteger(const char* what) const {
  const JsonNumber* number = std::get_if<JsonNumber>(&value_);
  const std::string* text = std::get_if<std::string>(&value_);
  const std::string& digits = number ? number->text : text ? *text : std::string();
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (!digits.empty() && error == std::errc() && stop == digits.data() + digits.size()) return value;
  // JavaScript writes large whole numbers as 1e+21, and whole doubles may carry an exponent.
  if (number != nullptr) {
    const double real = std::strtod(number->text.c_str(), nullptr);
    if (real >= 0 && real < 18446744073709551616.0 && real == std::floor(real)) return static_cast<uint64_t>(real);
  }
  wrongType(what, "a non-negative whole number");
}

int64_t Json::integer(const char* what) const {
  const JsonNumber* number = std::get_if<JsonNumber>(&value_);
  if (number == nullptr) wrongType(what, "a whole number");
  int64_t value = 0;
  const std::string& digits = number->text;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && stop == digits.data() + digits.size()) return value;
  const double real = std::strtod(digits.c_str(), nullptr);
  if (real == std::floor(real) && std::fabs(real) < 9.2e18) return static_cast<int64_t>(real);
  wrongType(what, "a whole number");
}

const std::string& Json::string(const char* what) const {
  if (const std::string* text = std::get_if<std::string>(&value_)) return *text;
  wrongType(what, "a string");
}

const JsonArray& Json::array(const char* what) const {
  if (const JsonArray* items = std::get_if<JsonArray>(&value_)) return *items;
  wrongType(what, "an array");
}

const JsonObject& Json::object(const char* what) const {
  if (const JsonObject* members = std::get_if<JsonObject>(&value_)) return *members;
  wrongType(what, "an object");
}

JsonObject Json::takeObject(const char* what) && {
  if (JsonObject* members = std::get_if<JsonObject>(&value_)) return std::move(*members);
  wrongType(what, "an object");
}

const Json* Json::find(const std::string& name) const {
  const JsonObject* members = std::get_if<JsonObject>(&value_);
  if (members == nullptr) return nullptr;
  for (const auto& [key, member] : *members)
    if (key == name) return &member;
  return nullptr;
}

const Json& Json::at(const char* name) const {
  if (const Json* member = find(name)) return *member;
  throw JsonError{std::string("missing ") + name};
}

// Lists in braces are copied, and results are long.
JsonObject answered(Json result) {
  JsonObject answer;
  answer.emplace_back("ok", true);
  answer.emplace_back("result", std::move(result));
  return answer;
}

}  // namespace npu_runner
