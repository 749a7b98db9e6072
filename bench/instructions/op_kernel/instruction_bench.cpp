// Executes one instruction form, whose number is the tiling key, as often as the tiling data says: the device is timed.
#include "kernel_operator.h"
#include "offsets.h"

using namespace AscendC;

constexpr int n = 8192;

// Of whole numbers without a float in between.
template <typename S>
__aicore__ inline S asElement(int value) {
  if constexpr (std::is_integral_v<S>) return static_cast<S>(value);
  else return S(float(value));
}

template <typename D, typename S, typename Body>
__aicore__ inline void execute(TBuf<TPosition::VECCALC>& memory, int executions, Body body) {
  auto a = memory.GetWithOffset<S>(65536 / sizeof(S), 0);
  auto b = memory.GetWithOffset<S>(n, 32768);
  auto d = memory.GetWithOffset<D>(65536 / sizeof(D), 65536);
  auto bits = memory.GetWithOffset<uint8_t>(8192, 131072);
  auto index = memory.GetWithOffset<uint32_t>(n, 139264);
  auto words = bits.template ReinterpretCast<uint32_t>();
  auto scratch = memory.GetWithOffset<D>(8192 / sizeof(D), 172032);
  for (int i = 0; i < n; ++i) {
    a.SetValue(i, asElement<S>(i % 37 + 1));
    index.SetValue(i, offsetOf<S>(i));
    if (i < 8192 / 8) bits.SetValue(i, uint8_t(i * 37));
  }
  for (int i = 0; i < 65536 / int(sizeof(S)); ++i)
    if (i >= n) a.SetValue(i, asElement<S>(i % 41 + 1));
  for (int i = 0; i < executions; ++i) body(d, a, b, bits, words, index, scratch);
}

#define NPU_PLAIN(...) __VA_ARGS__
#define FORM(name, D, S, emulated, native)                                                                        \
  if (form == number++)                                                                                           \
    execute<D, S>(memory, tilingData.executions,                                                                  \
                  [](auto& d, auto& a, auto& b, auto& bits, auto& words, auto& index, auto& scratch) __aicore__ { \
                    (void)d, (void)a, (void)b, (void)bits, (void)index, (void)scratch, (void)words;               \
                    NPU_PLAIN emulated                                                                            \
                  });

extern "C" __global__ __aicore__ void instruction_bench(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> memory;
  pipe.InitBuffer(memory, 180224);
  GET_TILING_DATA(tilingData, tiling);
  int form = int(TILING_KEY_VAR), number = 0;
#include "forms.h"
  GlobalTensor<float> result;
  result.SetGlobalBuffer((__gm__ float*)y, 8);
  result.SetValue(0, 0);
}
