// The arithmetic of each instruction form as a plain loop over 8192 elements. `list` prints the names, one a line; `next`
// nothing, the number of a form prints the nanoseconds of one pass, the fastest of many.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>

#include "../../plugin/emulator/runtime/functions.cpp"
#include "../../plugin/emulator/runtime/numerics.h"
#include "../instructions/op_kernel/offsets.h"

using namespace AscendC;

namespace {

constexpr unsigned n = 8192;

template <typename T>
T* array() {
  alignas(64) static T values[2 * n];
  return values;
}
template <typename T>
T* second() {
  alignas(64) static T values[n];
  return values;
}
template <typename T>
T* destination() {
  alignas(64) static T values[n];
  return values;
}

template <typename Pass>
double fastest(const Pass& pass) {
  double best = 1e30;
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0; round < 2000; ++round) {
    const auto started = std::chrono::steady_clock::now();
    for (int i = 0; i < 4; ++i) {
      pass();
      asm volatile("" ::: "memory");
    }
    const auto now = std::chrono::steady_clock::now();
    best = std::min(best, std::chrono::duration<double, std::nano>(now - started).count() / 4);
    if (now - begin > std::chrono::milliseconds(100)) break;
  }
  return best;
}

template <typename D, typename S, typename Body>
double time(const Body& body) {
  S *a = array<S>(), *b = second<S>();
  D* d = destination<D>();
  alignas(64) static uint8_t bits[n / 8];
  alignas(64) static uint32_t index[n];
  for (unsigned i = 0; i < n; ++i) {
    a[i] = S(float(i % 37 + 1));
    b[i] = S(float(i % 41 + 1));
    d[i] = D();
    index[i] = offsetOf<S>(i);
    bits[i / 8] = uint8_t(i / 8 * 37);
  }
  // from here on the compiler must take every value as read and changed by others
  asm volatile("" : : "r"(a), "r"(b), "r"(d), "r"(bits), "r"(index) : "memory");
  return fastest([&] { body(d, a, b, bits, index); });
}

}  // namespace

#define NPU_PLAIN(...) __VA_ARGS__
#define FORM(name, D, S, emulated, native)                                                                \
  if (line == "list") std::cout << name << std::endl;                                                     \
  if (line == std::to_string(number++))                                                                   \
    std::cout << time<D, S>([](D* __restrict d, const S* a, const S* b, uint8_t* bits, uint32_t* index) { \
      float sum = 0, best = -3e38f;                                                                       \
      (void)d, (void)a, (void)b, (void)bits, (void)index, (void)sum, (void)best;                          \
      for (unsigned i = 0; i < n; ++i) {                                                                  \
        NPU_PLAIN native                                                                                  \
      }                                                                                                   \
    }) << std::endl;

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    int number = 0;
#include "../instructions/op_kernel/forms.h"
    if (line == "list") std::cout << std::endl;
  }
  return 0;
}
