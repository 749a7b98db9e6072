// printf of a kernel: formatted where the kernel is, since what it prints is in its own memory.
#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "../include/ascendc/runtime_api.h"

namespace npu_emu {

namespace {

// A record of the instruction stream holds so much text.
constexpr size_t lineBytes = 1024;

}  // namespace

void deviceLog(const char* format, ...) {
  char line[lineBytes];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  printText(line);
}

void assertionFailed(const char* condition, const char* format, ...) {
  char message[lineBytes / 2];
  va_list arguments;
  va_start(arguments, format);
  int length = std::min(vsnprintf(message, sizeof message, format, arguments), static_cast<int>(sizeof message) - 1);
  va_end(arguments);
  while (length > 0 && message[length - 1] == '\n') --length;
  message[std::max(length, 0)] = '\0';
  assertionFailedWith(condition, message);
}

}  // namespace npu_emu
