// JSON values to text.
#include <cstdio>

#include "json.h"

namespace npu_runner {

namespace {

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
  const auto isPlain = [](unsigned char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; };
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    while (i < text.size() && isPlain(static_cast<unsigned char>(text[i]))) ++i;
    out.append(text, begin, i - begin);
    if (i == text.size()) break;
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

}  // namespace

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

}  // namespace npu_runner
