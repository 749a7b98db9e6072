// Plain loops over the same data as the emulated kernels, as a C++ programmer would write them. For each line
// `<loop> <elements>` on stdin one line on stdout: wall-clock nanoseconds of the fastest and the middle one of nine passes.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace {

template <class T, class Body>
void time(size_t count, const Body& body) {
  std::vector<T> a(count), b(count), out(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = static_cast<T>(static_cast<float>(i % 1009) / 64.0f);
    b[i] = static_cast<T>(static_cast<float>(i % 997) / 32.0f);
  }
  std::vector<double> passes;
  for (int pass = 0; pass < 9; ++pass) {
    const auto started = std::chrono::steady_clock::now();
    body(a.data(), b.data(), out.data(), count);
    passes.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - started).count());
  }
  std::sort(passes.begin(), passes.end());
  std::cout << passes.front() << ' ' << passes[passes.size() / 2] << ' ' << static_cast<float>(out[count / 2]) << std::endl;
}

template <class T>
__attribute__((noinline)) void add(const T* a, const T* b, T* out, size_t count) {
  for (size_t i = 0; i < count; ++i) out[i] = a[i] + b[i];
}

template <class T>
__attribute__((noinline)) void root(const T* a, const T*, T* out, size_t count) {
  for (size_t i = 0; i < count; ++i) out[i] = std::sqrt(a[i]);
}

}  // namespace

int main() {
  std::string loop;
  size_t count = 0;
  while (std::cin >> loop >> count) {
    if (loop == "add-float16") time<_Float16>(count, add<_Float16>);
    else if (loop == "sqrt-float32") time<float>(count, root<float>);
    else return 1;
  }
  return 0;
}
