// Cross products along an axis of three elements; integers wrap around.
#include "kernel_operator.h"
#include "op_kernel/row_pipeline.h"

// W is the type of the arithmetic: int8 wraps around in 16 bits, float16 is widened.
template <typename T, typename W>
class KernelCross : public RowPipeline<KernelCross<T, W>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 7;  // six components and one to compute with

  __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const CrossTilingData& tiling, AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    const uint64_t columns = tiling.rows.columns;
    for (GM_ADDR x : {x1, x2}) {
      for (uint32_t component = 0; component < COMPONENTS; ++component) {
        this->template AddInput<T>(x, COMPONENTS * columns, component * columns);
      }
    }
    for (uint32_t component = 0; component < COMPONENTS; ++component) {
      this->template AddOutput<T>(y, COMPONENTS * columns, component * columns);
    }
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    AscendC::LocalTensor<W> x[2 * COMPONENTS];
    for (uint32_t i = 0; i < 2 * COMPONENTS; ++i) {
      x[i] = Component(i, tile);
    }
    const AscendC::LocalTensor<W> other = Working(2 * COMPONENTS);
    for (uint32_t i = 0; i < COMPONENTS; ++i) {
      const uint32_t next = (i + 1) % COMPONENTS;
      const uint32_t last = (i + 2) % COMPONENTS;
      const AscendC::LocalTensor<T> y = this->template OutputSlice<T>(i);
      if constexpr (AscendC::IsSameType<T, W>::value) {
        AscendC::Mul(y, x[next], x[COMPONENTS + last], count);
        AscendC::Mul(other, x[last], x[COMPONENTS + next], count);
        AscendC::Sub(y, y, other, count);
      } else {
        const AscendC::LocalTensor<W> wide = productBuffer_.template Get<W>();
        AscendC::Mul(wide, x[next], x[COMPONENTS + last], count);
        AscendC::Mul(other, x[last], x[COMPONENTS + next], count);
        AscendC::Sub(wide, wide, other, count);
        Narrow(y, wide, other, count);
      }
    }
  }

  __aicore__ inline void Process() {
    if constexpr (!AscendC::IsSameType<T, W>::value) {
      this->pipe_->InitBuffer(productBuffer_, this->tiling_->bufferElements * sizeof(float));
    }
    this->Allocate();
    this->Run();
  }

 private:
  static constexpr uint32_t COMPONENTS = 3;

  __aicore__ inline AscendC::LocalTensor<W> Working(uint32_t work) {
    return this->Work(work).template ReinterpretCast<W>();
  }

  __aicore__ inline AscendC::LocalTensor<W> Component(uint32_t i, const Tile& tile) {
    const AscendC::LocalTensor<T> raw = this->Raw(i).template ReinterpretCast<T>();
    if constexpr (AscendC::IsSameType<T, W>::value) {
      return raw;
    } else {
      const AscendC::LocalTensor<W> wide = Working(i);
      if constexpr (AscendC::IsSameType<T, int8_t>::value) {
        const AscendC::LocalTensor<half> small = Working(2 * COMPONENTS).template ReinterpretCast<half>();
        AscendC::Cast(small, raw, AscendC::RoundMode::CAST_NONE, tile.Count());
        AscendC::Cast(wide, small, AscendC::RoundMode::CAST_RINT, tile.Count());
      } else {
        AscendC::Cast(wide, raw, AscendC::RoundMode::CAST_NONE, tile.Count());
      }
      return wide;
    }
  }

  __aicore__ inline void Narrow(const AscendC::LocalTensor<T>& y, const AscendC::LocalTensor<W>& wide,
                                const AscendC::LocalTensor<W>& scratch, int32_t count) {
    if constexpr (AscendC::IsSameType<T, int8_t>::value) {
      // The low byte, with its sign: then nothing is out of range.
      constexpr W BYTE = 8;
      AscendC::ShiftLeft(wide, wide, BYTE, count);
      AscendC::ShiftRight(wide, wide, BYTE, count);
      const AscendC::LocalTensor<half> small = scratch.template ReinterpretCast<half>();
      AscendC::Cast(small, wide, AscendC::RoundMode::CAST_RINT, count);
      AscendC::Cast(y, small, AscendC::RoundMode::CAST_RINT, count);
    } else {
      AscendC::Cast(y, wide, AscendC::RoundMode::CAST_RINT, count);
    }
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> productBuffer_;
};

template <typename T>
struct Arithmetic {
  using Type = T;
};
template <>
struct Arithmetic<half> {
  using Type = float;
};
template <>
struct Arithmetic<int8_t> {
  using Type = int16_t;
};

extern "C" __global__ __aicore__ void cross(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelCross<DTYPE_X1, Arithmetic<DTYPE_X1>::Type> op;
  op.Init(x1, x2, y, tilingData, &pipe);
  op.Process();
}
