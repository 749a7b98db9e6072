// printf of a kernel: formatted where the kernel is, since what it prints is in its own memory.
#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "wire.h"

namespace npu_emu {

void deviceLog(const char* format, ...) {
  char line[textLimit];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  printText(line);
}

void assertionFailed(const char* condition, const char* format, ...) {
  char message[textLimit / 2];
  va_list arguments;
  va_start(arguments, format);
  int length = std::min(vsnprintf(message, sizeof message, format, arguments), static_cast<int>(sizeof message) - 1);
  va_end(arguments);
  while (length > 0 && message[length - 1] == '\n') --length;
  message[std::max(length, 0)] = '\0';
  assertionFailedWith(condition, message);
}

}  // namespace npu_emu
