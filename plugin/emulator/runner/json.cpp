#include "json.h"

#include <cerrno>
#include <charconv>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace npu_runner {

namespace {

constexpr int maxDepth = 32;

class Parser {
 public:
  explicit Parser(const std::string& text) : at_(text.data()), end_(text.data() + text.size()) {}

  Json document() {
    Json value = parseValue(0);
    skipSpace();
    if (at_ != end_) fail("text after the value");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) { throw JsonError{"JSON: " + what}; }

  void skipSpace() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
  }

  char peek() { return at_ == end_ ? '\0' : *at_; }

  bool accept(char c) {
    skipSpace();
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(std::string("expected ") + c);
  }

  void word(const char* text) {
    for (; *text; ++text, ++at_)
      if (peek() != *text) fail("unknown word");
  }

  Json parseValue(int depth) {
    if (depth > maxDepth) fail("nested too deeply");
    skipSpace();
    switch (peek()) {
      case '{': return parseObject(depth);
      case '[': return parseArray(depth);
      case '"': return Json(parseString());
      case 't': word("true"); return Json(true);
      case 'f': word("false"); return Json(false);
      case 'n': word("null"); return Json();
      default: return parseNumber();
    }
  }

  Json parseObject(int depth) {
    JsonObject members;
    expect('{');
    if (accept('}')) return Json(std::move(members));
    do {
      skipSpace();
      std::string name = parseString();
      expect(':');
      members.emplace_back(std::move(name), parseValue(depth + 1));
    } while (accept(','));
    expect('}');
    return Json(std::move(members));
  }

  Json parseArray(int depth) {
    JsonArray items;
    expect('[');
    if (accept(']')) return Json(std::move(items));
    do items.push_back(parseValue(depth + 1));
    while (accept(','));
    expect(']');
    return Json(std::move(items));
  }

  Json parseNumber() {
    const char* start = at_;
    while (at_ != end_ && (std::isdigit(static_cast<unsigned char>(*at_)) || *at_ == '-' || *at_ == '+' || *at_ == '.' ||
                           *at_ == 'e' || *at_ == 'E'))
      ++at_;
    const std::string text(start, at_);
    char* stop = nullptr;
    std::strtod(text.c_str(), &stop);
    if (text.empty() || *stop != '\0') fail("not a number");
    return numberOf(text);
  }

  static Json numberOf(const std::string& text) {
    const bool whole = text.find_first_of(".eE") == std::string::npos;
    if (!whole) return Json(std::strtod(text.c_str(), nullptr));
    errno = 0;
    if (text[0] == '-') {
      const long long value = std::strtoll(text.c_str(), nullptr, 10);
      return errno ? Json(std::strtod(text.c_str(), nullptr)) : Json(static_cast<int64_t>(value));
    }
    const unsigned long long value = std::strtoull(text.c_str(), nullptr, 10);
    return errno ? Json(std::strtod(text.c_str(), nullptr)) : Json(static_cast<uint64_t>(value));
  }

  std::string parseString() {
    if (peek() != '"') fail("expected a string");
    ++at_;
    std::string text;
    while (at_ != end_ && *at_ != '"') {
      if (static_cast<unsigned char>(*at_) < 0x20) fail("control character in a string");
      if (*at_ != '\\') {
        text += *at_++;
        continue;
      }
      ++at_;
      parseEscape(text);
    }
    if (at_ == end_) fail("unterminated string");
    ++at_;
    return text;
  }

  unsigned parseUnit() {
    unsigned unit = 0;
    if (end_ - at_ < 4) fail("short escape");
    const auto [stop, error] = std::from_chars(at_, at_ + 4, unit, 16);
    if (error != std::errc() || stop != at_ + 4) fail("bad escape");
    at_ += 4;
    return unit;
  }

  void parseEscape(std::string& text) {
    const char c = peek();
    if (at_ != end_) ++at_;
    switch (c) {
      case 'n': text += '\n'; return;
      case 't': text += '\t'; return;
      case 'r': text += '\r'; return;
      case 'b': text += '\b'; return;
      case 'f': text += '\f'; return;
      case '"': case '\\': case '/': text += c; return;
      case 'u': break;
      default: fail("unknown escape");
    }
    unsigned code = parseUnit();
    if (code >= 0xD800 && code < 0xDC00) {
      if (end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u') fail("lone surrogate");
      at_ += 2;
      const unsigned low = parseUnit();
      if (low < 0xDC00 || low > 0xDFFF) fail("lone surrogate");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    appendUtf8(text, code);
  }

  static void appendUtf8(std::string& text, unsigned code) {
    const auto continuation = [&](int shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) text += static_cast<char>(code);
    else if (code < 0x800) text += static_cast<char>(0xC0 | code >> 6), continuation(0);
    else if (code < 0x10000) text += static_cast<char>(0xE0 | code >> 12), continuation(6), continuation(0);
    else text += static_cast<char>(0xF0 | code >> 18), continuation(12), continuation(6), continuation(0);
  }

  const char* at_;
  const char* end_;
};

// Length of the well-formed UTF-8 sequence at text[i], 0 when there is none.
size_t sequenceLength(const std::string& text, size_t i) {
  const auto byte = [&](size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const auto continues = [&](size_t k) { return (byte(k) & 0xC0) == 0x80; };
  const unsigned lead = byte(i), next = byte(i + 1);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return continues(i + 1) ? 2 : 0;
  if (lead >= 0xE0 && lead < 0xF0) {
    const bool overlong = lead == 0xE0 && next < 0xA0, surrogate = lead == 0xED && next >= 0xA0;
    return continues(i + 1) && continues(i + 2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead < 0xF5) {
    const bool overlong = lead == 0xF0 && next < 0x90, tooLarge = lead == 0xF4 && next >= 0x90;
    return continues(i + 1) && continues(i + 2) && continues(i + 3) && !overlong && !tooLarge ? 4 : 0;
  }
  return 0;
}

void writeString(const std::string& text, std::string& out) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7F) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : escape;
      ++i;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i++];
    } else if (const size_t length = sequenceLength(text, i)) {
      out.append(text, i, length);
      i += length;
    } else {
      out += "\xEF\xBF\xBD";
      ++i;
    }
  }
  out += '"';
}

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

Json Json::parse(const std::string& text) { return Parser(text).document(); }

std::string Json::dump() const {
  std::string out;
  write(out);
  return out;
}

void Json::write(std::string& out) const {
  if (isNull()) out += "null";
  else if (const bool* flag = std::get_if<bool>(&value_)) out += *flag ? "true" : "false";
  else if (const JsonNumber* number = std::get_if<JsonNumber>(&value_)) out += number->text;
  else if (const std::string* text = std::get_if<std::string>(&value_)) writeString(*text, out);
  else if (const JsonArray* items = std::get_if<JsonArray>(&value_)) {
    out += '[';
    for (size_t i = 0; i < items->size(); ++i) {
      if (i) out += ',';
      (*items)[i].write(out);
    }
    out += ']';
  } else {
    out += '{';
    bool first = true;
    for (const auto& [name, member] : std::get<JsonObject>(value_)) {
      if (!first) out += ',';
      first = false;
      writeString(name, out);
      out += ':';
      member.write(out);
    }
    out += '}';
  }
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

}  // namespace npu_runner
