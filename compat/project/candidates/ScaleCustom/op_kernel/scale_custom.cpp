#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t TILE = 2048;

extern "C" __global__ __aicore__ void scale_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  const uint32_t first = GetBlockIdx() * data.lengthPerCore;
  const uint32_t rest = data.length - first;
  const uint32_t length = rest < data.lengthPerCore ? rest : data.lengthPerCore;
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x) + first, length);
  to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + first, length);

  TPipe pipe;
  TQue<QuePosition::VECIN, 2> loaded;
  TQue<QuePosition::VECOUT, 2> scaled;
  pipe.InitBuffer(loaded, 2, TILE * sizeof(float));
  pipe.InitBuffer(scaled, 2, TILE * sizeof(float));
  for (uint32_t offset = 0; offset < length; offset += TILE) {
    const uint32_t count = length - offset < TILE ? length - offset : TILE;
    const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
    LocalTensor<float> in = loaded.AllocTensor<float>();
    DataCopyPad(in, from[offset], copy, DataCopyPadExtParams<float>{});
    loaded.EnQue(in);
    in = loaded.DeQue<float>();
    LocalTensor<float> out = scaled.AllocTensor<float>();
    Muls(out, in, data.factor, static_cast<int32_t>(count));
    loaded.FreeTensor(in);
    scaled.EnQue(out);
    out = scaled.DeQue<float>();
    DataCopyPad(to[offset], out, copy);
    scaled.FreeTensor(out);
  }
}
