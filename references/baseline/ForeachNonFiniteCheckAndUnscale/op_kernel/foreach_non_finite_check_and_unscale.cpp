// scaled_grads[i] = scaled_grads[i] * inv_scale in place, in float32 and rounded once; a scale of zero gives zeros.
// found_inf becomes 1 where any element was infinite or NaN. What is not finite gives NaN when multiplied by zero: these
// products are added up lane by lane, and looked at once at the end.
#include "op_kernel/foreach.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

class CheckAndUnscale {
 public:
  __aicore__ inline void Init(float scale, uint32_t length) {
    scale_ = scale;
    length_ = length;
  }

  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x, const Work& work,
                                 const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    LocalTensor<float> product = work.Slot(1);
    if (!started_) {
      started_ = true;
      traces_ = work.Slot(0);
      reduced_ = product;
      Duplicate(traces_, 0.0f, static_cast<int32_t>(length_));
    }
    Muls(product, x, 0.0f, count);
    Add(traces_, traces_, product, count);
    if (scale_ == 0.0f) {
      Duplicate(y, 0.0f, count);
    } else {
      Muls(y, x, scale_, count);
    }
  }

  // Did this core meet anything that is not finite?
  __aicore__ inline bool Found() {
    if (!started_) {
      return false;
    }
    ReduceSum(traces_, traces_, reduced_, static_cast<int32_t>(length_));
    const event_t reduced = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
    SetFlag<HardEvent::V_S>(reduced);
    WaitFlag<HardEvent::V_S>(reduced);
    return traces_.GetValue(0) != 0.0f;
  }

 private:
  LocalTensor<float> traces_;
  LocalTensor<float> reduced_;
  float scale_ = 1;
  uint32_t length_ = 0;
  bool started_ = false;
};

// Cores that write the flag at the same time are told apart by the larger value.
__aicore__ inline void RaiseFlag(GM_ADDR flag, TPipe* pipe) {
  constexpr uint32_t blockFloats = 8;
  TQue<QuePosition::VECOUT, 1> queue;
  pipe->InitBuffer(queue, 1, blockFloats * sizeof(float));
  GlobalTensor<float> flagGm;
  flagGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(flag), 1);
  LocalTensor<float> one = queue.AllocTensor<float>();
  Duplicate(one, 1.0f, static_cast<int32_t>(blockFloats));
  queue.EnQue(one);
  one = queue.DeQue<float>();
  SetAtomicMax<float>();
  DataCopyPad(flagGm, one, DataCopyExtParams{1, sizeof(float), 0, 0, 0});
  SetAtomicNone();
  queue.FreeTensor(one);
}

extern "C" __global__ __aicore__ void foreach_non_finite_check_and_unscale(GM_ADDR scaledGrads, GM_ADDR foundInf,
                                                                           GM_ADDR invScale, GM_ADDR scaledGradsOut,
                                                                           GM_ADDR foundInfOut, GM_ADDR workspace,
                                                                           GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  using Operator = elementwise::Widened<DTYPE_SCALED_GRADS, 1, CheckAndUnscale>;
  TPipe pipe;
  Operator op;
  op.formula.Init(elementwise::ReadScalar<float, float>(invScale), tilingData.tileLength);
  foreach::Walk walk(tilingData);
  elementwise::Pipeline<Operator, foreach::Walk> pipeline(op, walk);
  pipeline.Init(scaledGrads, nullptr, nullptr, scaledGradsOut, tilingData, &pipe);
  pipeline.Process();
  if (op.formula.Found()) {
    RaiseFlag(foundInfOut, &pipe);
  }
}
