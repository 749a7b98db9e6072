#include "encoding.h"

#include <charconv>
#include <cstring>

#include "json.h"

namespace npu_runner {

namespace {

constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

uint32_t sextet(char c) {
  const char* found = c == '\0' ? nullptr : std::strchr(alphabet, c);
  if (found == nullptr) throw JsonError{"not base64"};
  return static_cast<uint32_t>(found - alphabet);
}

}  // namespace

std::string toBase64(const std::vector<uint8_t>& bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t left = bytes.size() - i;
    const uint32_t group =
        static_cast<uint32_t>(bytes[i]) << 16 | (left > 1 ? bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
    text += alphabet[group >> 18];
    text += alphabet[group >> 12 & 63];
    text += left > 1 ? alphabet[group >> 6 & 63] : '=';
    text += left > 2 ? alphabet[group & 63] : '=';
  }
  return text;
}

std::vector<uint8_t> fromBase64(const std::string& text) {
  if (text.size() % 4 != 0) throw JsonError{"not base64"};
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const int padding = last && text[i + 3] == '=' ? (text[i + 2] == '=' ? 2 : 1) : 0;
    uint32_t group = sextet(text[i]) << 18 | sextet(text[i + 1]) << 12;
    if (padding < 2) group |= sextet(text[i + 2]) << 6;
    if (padding < 1) group |= sextet(text[i + 3]);
    for (int k = 0; k < 3 - padding; ++k) bytes.push_back(static_cast<uint8_t>(group >> (16 - 8 * k)));
  }
  return bytes;
}

std::vector<uint8_t> stepsOf(const std::vector<uint64_t>& increasing) {
  std::vector<uint8_t> bytes;
  uint64_t before = 0;
  for (const uint64_t number : increasing) {
    uint64_t step = number - before;
    before = number;
    for (; step >= 128; step >>= 7) bytes.push_back(static_cast<uint8_t>(step | 128));
    bytes.push_back(static_cast<uint8_t>(step));
  }
  return bytes;
}

std::string toHex(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (const uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::array<uint8_t, 8> eightBytes(const std::string& text) {
  std::array<uint8_t, 8> bytes{};
  if (text.size() != 16) throw JsonError{"a pattern must be sixteen hexadecimal digits"};
  for (size_t i = 0; i < 8; ++i) {
    const auto [stop, error] = std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, bytes[i], 16);
    if (error != std::errc() || stop != text.data() + 2 * i + 2)
      throw JsonError{"a pattern must be sixteen hexadecimal digits"};
  }
  return bytes;
}

}  // namespace npu_runner
