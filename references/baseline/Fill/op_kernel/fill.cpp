// y = value everywhere. One tile is filled by its bits and stored again and again.
#include "op_kernel/elementwise_move.h"
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

constexpr uint32_t REPEAT_WORDS = 64;  // 256 bytes
constexpr uint32_t MAX_REPEATS = 255;
constexpr uint32_t BLOCKS_PER_REPEAT = 8;

__aicore__ inline void FillPattern(const LocalTensor<int8_t>& pattern, int8_t value, uint32_t count) {
  const uint16_t byte = static_cast<uint8_t>(value);
  const uint16_t both = static_cast<uint16_t>(byte << 8 | byte);
  Duplicate(pattern.ReinterpretCast<uint16_t>(), both, static_cast<int32_t>(count / 2));
}

__aicore__ inline void FillPattern(const LocalTensor<int16_t>& pattern, int16_t value, uint32_t count) {
  Duplicate(pattern, value, static_cast<int32_t>(count));
}

__aicore__ inline void FillPattern(const LocalTensor<int32_t>& pattern, int32_t value, uint32_t count) {
  Duplicate(pattern, value, static_cast<int32_t>(count));
}

// The low words everywhere, then the high words at every other place.
__aicore__ inline void FillPattern(const LocalTensor<int64_t>& pattern, int64_t value, uint32_t count) {
  LocalTensor<int32_t> words = pattern.ReinterpretCast<int32_t>();
  Duplicate(words, static_cast<int32_t>(value), static_cast<int32_t>(2 * count));
  uint64_t odd[2] = {0xaaaaaaaaaaaaaaaa, 0};
  uint32_t repeats = 2 * count / REPEAT_WORDS;
  for (uint32_t first = 0; repeats > 0;) {
    const uint32_t part = repeats < MAX_REPEATS ? repeats : MAX_REPEATS;
    Duplicate(words[first], static_cast<int32_t>(value >> 32), odd, static_cast<uint8_t>(part), 1, BLOCKS_PER_REPEAT);
    first += part * REPEAT_WORDS;
    repeats -= part;
  }
}

extern "C" __global__ __aicore__ void fill(GM_ADDR dims, GM_ADDR value, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  using Bits = elementwise::Bits<sizeof(DTYPE_VALUE)>::Type;
  TPipe pipe;
  elementwise::Range range(tilingData);
  elementwise::Spread<Bits, elementwise::Range> spread(range);
  spread.Init(y, tilingData, &pipe);
  FillPattern(spread.Pattern(), elementwise::ReadScalar<Bits, Bits>(value), tilingData.tileLength);
  spread.Process();
}
