// printf of a kernel: formatted where the kernel is, since what it prints is in its own memory.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "wire.h"

namespace npu_emu {

namespace {

// A copy of a format, which the kernel cannot change any more: what is formatted is what was looked at.
struct Format {
  char text[textLimit];

  explicit Format(const char* format) {
    const size_t length = strnlen(format, sizeof text - 1);
    std::memcpy(text, format, length);
    text[length] = '\0';
    const char* at = text;
    while ((at = std::strchr(at, '%')) != nullptr) {
      at += 1 + std::strspn(at + 1, "0123456789$-+ #'.*hlLqjzt");
      if (*at == '\0') return;
      if (std::strchr("diouxXeEfFgGaAcsp%", *at++) != nullptr) continue;
      refuse();
      return;
    }
  }

 private:
  // `%n` would store where nobody looks, and tell the kernel what the C library has read for it.
  void refuse() {
    reportMisuse(Check::ParameterRange, "printf", "a conversion that the device does not have",
                 "it prints integers, floating point numbers, pointers and text: %d %u %x %f %p %s");
    text[0] = '\0';
  }
};

}  // namespace

void deviceLog(const char* format, ...) {
  const Format checked(format);
  char line[textLimit] = "";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, checked.text, arguments);
  va_end(arguments);
  printText({line});
}

void assertionFailed(const char* condition, const char* format, ...) {
  const Format checked(format);
  char message[textLimit / 2];
  va_list arguments;
  va_start(arguments, format);
  int length =
      std::min(vsnprintf(message, sizeof message, checked.text, arguments), static_cast<int>(sizeof message) - 1);
  va_end(arguments);
  while (length > 0 && message[length - 1] == '\n') --length;
  message[std::max(length, 0)] = '\0';
  assertionFailedWith(condition, message);
}

}  // namespace npu_emu
