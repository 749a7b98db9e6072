// Text to JSON values.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "json.h"

namespace npu_runner {

namespace {

constexpr int maxDepth = 32;
// Of most objects of a request.
constexpr size_t usualMembers = 8;

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
    members.reserve(usualMembers);
    do {
      skipSpace();
      std::string name = parseString();
      expect(':');
      members.emplace_back(std::move(name), parseValue(depth + 1));
    } while (accept(','));
    expect('}');
    requireDifferentNames(members);
    return Json(std::move(members));
  }

  // Of members of one name JavaScript takes the last, and `find` the first.
  void requireDifferentNames(const JsonObject& members) {
    if (members.size() < 2) return;
    std::vector<std::string_view> names;
    for (const auto& [name, value] : members) names.emplace_back(name);
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end()) fail("a name that is there twice");
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
    while (at_ != end_ && *at_ != '\0' && std::strchr("0123456789+-.eE", *at_) != nullptr) ++at_;
    // nearly all
    uint64_t whole = 0;
    const auto [past, error] = std::from_chars(start, at_, whole);
    if (error == std::errc() && past == at_) return Json(whole);
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
    while (true) {
      const char* const plain = at_;
      while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20) ++at_;
      text.append(plain, at_);
      if (at_ == end_) fail("unterminated string");
      if (static_cast<unsigned char>(*at_) < 0x20) fail("control character in a string");
      if (*at_++ == '"') return text;
      parseEscape(text);
    }
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
      case '"':
      case '\\':
      case '/': text += c; return;
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

}  // namespace

Json Json::parse(const std::string& text) { return Parser(text).document(); }

}  // namespace npu_runner
