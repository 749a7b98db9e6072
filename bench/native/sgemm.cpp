// The matrix product of OpenBLAS in one thread. For each line `m n k` on stdin one line on stdout: wall-clock nanoseconds of
// the fastest of five passes, and one result.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <vector>

extern "C" void cblas_sgemm(int order, int transposeA, int transposeB, int m, int n, int k, float alpha, const float* a,
                            int lda, const float* b, int ldb, float beta, float* c, int ldc);
extern "C" void openblas_set_num_threads(int threads);

int main() {
  constexpr int rowMajor = 101, plain = 111;
  openblas_set_num_threads(1);
  int m = 0, n = 0, k = 0;
  while (std::cin >> m >> n >> k) {
    std::vector<float> a(size_t(m) * k), b(size_t(k) * n), c(size_t(m) * n);
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 1009) / 1024.0f;
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 997) / 1024.0f;
    double fastest = 1e300;
    for (int i = 0; i < 5; ++i) {
      const auto started = std::chrono::steady_clock::now();
      cblas_sgemm(rowMajor, plain, plain, m, n, k, 1, a.data(), k, b.data(), n, 0, c.data(), n);
      fastest = std::min(fastest,
                         std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - started).count());
    }
    std::cout << fastest << ' ' << c[c.size() / 2] << std::endl;
  }
}
