// out[i] = start + i * step, without ever adding up steps: each tile is its first number plus the multiples of the
// step. 16-bit floats are computed in float32; int64 in int32 wherever a tile fits, else one by one.
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

// The type of vectors, and that of the first number of a tile.
template <typename T>
struct ArangeTypes {
  using Vector = typename elementwise::ComputedAs<T>::Type;
  using Number = Vector;
};
template <>
struct ArangeTypes<int64_t> {
  using Vector = int32_t;
  using Number = int64_t;
};

template <typename T>
class KernelArange {
  using V = typename ArangeTypes<T>::Vector;
  using N = typename ArangeTypes<T>::Number;

 public:
  __aicore__ inline void Init(GM_ADDR start, GM_ADDR step, GM_ADDR out, const ElementwiseTilingData& tiling,
                              TPipe* pipe) {
    start_ = elementwise::ReadScalar<N, T>(start);
    step_ = elementwise::ReadScalar<N, T>(step);
    out_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(out), tiling.totalLength);
    pipe->InitBuffer(outQueue_, elementwise::BUFFERS, tiling.bufferLength * sizeof(T));
    pipe->InitBuffer(workBuffer_, tiling.workBytes);
    const elementwise::Work work(workBuffer_.Get<uint8_t>(), tiling.bufferLength);
    multiples_ = work.template Slot<V>(0);
    numbers_ = work.template Slot<V>(1);
    CreateVecIndex(multiples_, static_cast<V>(0), tiling.tileLength);
    Muls(multiples_, multiples_, static_cast<V>(step_), static_cast<int32_t>(tiling.tileLength));
  }

  __aicore__ inline void Process(elementwise::Range& range) {
    elementwise::Tile tile;
    while (range.Next(tile)) {
      LocalTensor<T> out = outQueue_.template AllocTensor<T>();
      Compute(out, start_ + static_cast<N>(static_cast<int64_t>(tile.offset)) * step_, tile.count);
      outQueue_.EnQue(out);
      out = outQueue_.template DeQue<T>();
      const DataCopyExtParams copy{1, static_cast<uint32_t>(tile.count * sizeof(T)), 0, 0, 0};
      DataCopyPad(out_[tile.offset], out, copy);
      outQueue_.FreeTensor(out);
    }
  }

 private:
  __aicore__ inline void Compute(const LocalTensor<T>& out, N first, uint32_t count) {
    if constexpr (IsSameType<T, int64_t>::value) {
      if (Fits(first) && Fits(first + static_cast<N>(count) * step_)) {
        Adds(numbers_, multiples_, static_cast<V>(first), static_cast<int32_t>(count));
        Cast(out, numbers_, RoundMode::CAST_NONE, count);
      } else {
        for (uint32_t i = 0; i < count; ++i) {
          out.SetValue(i, first + static_cast<N>(i) * step_);
        }
      }
    } else if constexpr (IsSameType<T, V>::value) {
      Adds(out, multiples_, first, static_cast<int32_t>(count));
    } else {
      Adds(numbers_, multiples_, first, static_cast<int32_t>(count));
      Cast(out, numbers_, RoundMode::CAST_RINT, count);
    }
  }

  __aicore__ static inline bool Fits(int64_t number) { return number == static_cast<int32_t>(number); }

  TQue<QuePosition::VECOUT, elementwise::BUFFERS> outQueue_;
  TBuf<TPosition::VECCALC> workBuffer_;
  LocalTensor<V> multiples_;
  LocalTensor<V> numbers_;
  GlobalTensor<T> out_;
  N start_ = 0;
  N step_ = 0;
};

extern "C" __global__ __aicore__ void arange(GM_ADDR start, GM_ADDR end, GM_ADDR step, GM_ADDR out, GM_ADDR workspace,
                                             GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  elementwise::Range range(tilingData);
  KernelArange<DTYPE_OUT> op;
  op.Init(start, step, out, tilingData, &pipe);
  op.Process(range);
}
