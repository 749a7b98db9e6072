// Plain loops over the same data as the emulated kernels, as a C++ programmer would write them. For each line
// `<loop> <elements>` on stdin one line on stdout: wall-clock nanoseconds of the middle one of nine passes over memory at
// hand, the same where each pass maps and unmaps a shared file as a launch does, and one result.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

template <class Pass>
double middleOfNine(const Pass& pass) {
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    const auto started = std::chrono::steady_clock::now();
    pass();
    times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - started).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <class T, class Body>
bool time(size_t count, const Body& body) {
  std::vector<T> a(count), b(count), out(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = static_cast<T>(static_cast<float>(i % 1009) / 64.0f);
    b[i] = static_cast<T>(static_cast<float>(i % 997) / 32.0f);
  }
  const double atHand = middleOfNine([&] { body(a.data(), b.data(), out.data(), count); });

  const size_t bytes = count * sizeof(T);
  const int file = memfd_create("npu-bench", 0);
  if (file < 0 || ftruncate(file, static_cast<off_t>(3 * bytes)) != 0) return false;
  if (pwrite(file, a.data(), bytes, 0) < 0 || pwrite(file, b.data(), bytes, static_cast<off_t>(bytes)) < 0)
    return false;
  bool good = true;
  const double mapped = middleOfNine([&] {
    void* memory = mmap(nullptr, 3 * bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    if (memory == MAP_FAILED) {
      good = false;
      return;
    }
    T* data = static_cast<T*>(memory);
    body(data, data + count, data + 2 * count, count);
    munmap(memory, 3 * bytes);
  });
  close(file);
  std::cout << atHand << ' ' << mapped << ' ' << static_cast<float>(out[count / 2]) << std::endl;
  return good;
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
    bool good = false;
    if (loop == "add-float16") good = time<_Float16>(count, add<_Float16>);
    if (loop == "sqrt-float32") good = time<float>(count, root<float>);
    if (!good) return 1;
  }
  return 0;
}
