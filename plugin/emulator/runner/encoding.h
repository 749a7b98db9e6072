// Bytes as text.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace npu_runner {

std::string toBase64(const std::vector<uint8_t>& bytes);
// Throws JsonError when the text is not base64.
std::vector<uint8_t> fromBase64(const std::string& text);
// Increasing numbers as the steps between them, each in groups of seven bits, the lowest first, as in LEB128.
std::vector<uint8_t> stepsOf(const std::vector<uint64_t>& increasing);
std::string toHex(const std::vector<uint8_t>& bytes);
// Eight bytes from sixteen hexadecimal digits, first byte first. Throws JsonError.
std::array<uint8_t, 8> eightBytes(const std::string& text);

}  // namespace npu_runner
