// Products of complex numbers, element by element.
#include "kernel_operator.h"
#include "op_kernel/row_pipeline.h"

// Real and imaginary parts lie side by side. With r and i the real and the imaginary part of y, each in both places of
// its number, and s the parts of x exchanged: x * y = x * r + s * i * (-1, +1).
class KernelComplexMatDot : public RowPipeline<KernelComplexMatDot> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 7;

  __aicore__ inline void Init(GM_ADDR matx, GM_ADDR maty, GM_ADDR result, const ComplexMatDotTilingData& tiling,
                              AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    this->AddInput<float>(matx, tiling.rows.columns);
    this->AddInput<float>(maty, tiling.rows.columns);
    this->AddOutput<float>(result, tiling.rows.columns);
  }

  __aicore__ inline void Process() {
    this->Allocate();
    MakeTables(static_cast<int32_t>(this->tiling_->bufferElements));
    this->Run();
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats x = this->Input<float>(0, this->Work(FIRST), tile);
    const Floats y = this->Input<float>(1, this->Work(SECOND), tile);
    const Floats result = this->OutputSlice<float>(0);
    const Floats first = this->Work(FIRST);
    const Floats second = this->Work(SECOND);
    AscendC::Gather(first, y, Offsets(REAL), 0, static_cast<uint32_t>(count));
    AscendC::Mul(result, x, first, count);
    AscendC::Gather(first, y, Offsets(IMAGINARY), 0, static_cast<uint32_t>(count));
    AscendC::Gather(second, x, Offsets(EXCHANGED), 0, static_cast<uint32_t>(count));
    AscendC::Mul(first, first, second, count);
    AscendC::Mul(first, first, this->Work(SIGN), count);
    AscendC::Add(result, result, first, count);
  }

 private:
  static constexpr uint32_t REAL = 0;  // works: byte offsets for each number
  static constexpr uint32_t IMAGINARY = 1;
  static constexpr uint32_t EXCHANGED = 2;
  static constexpr uint32_t SIGN = 3;
  static constexpr uint32_t FIRST = 4;
  static constexpr uint32_t SECOND = 5;
  static constexpr uint32_t INDEX = 6;

  __aicore__ inline AscendC::LocalTensor<int32_t> Integers(uint32_t work) {
    return this->Work(work).ReinterpretCast<int32_t>();
  }
  __aicore__ inline AscendC::LocalTensor<uint32_t> Offsets(uint32_t work) {
    return this->Work(work).ReinterpretCast<uint32_t>();
  }

  __aicore__ inline void MakeTables(int32_t count) {
    const AscendC::LocalTensor<int32_t> index = Integers(INDEX);
    const AscendC::LocalTensor<int32_t> real = Integers(REAL);
    const AscendC::LocalTensor<int32_t> imaginary = Integers(IMAGINARY);
    const AscendC::LocalTensor<int32_t> exchanged = Integers(EXCHANGED);
    const Floats sign = this->Work(SIGN);
    constexpr int32_t BYTES = sizeof(float);
    AscendC::CreateVecIndex(index, 0, static_cast<uint32_t>(count));
    AscendC::ShiftRight(real, index, 1, count);
    AscendC::Muls(real, real, 2, count);  // even index of the number
    AscendC::Sub(exchanged, index, real, count);
    AscendC::Cast(sign, exchanged, AscendC::RoundMode::CAST_RINT, count);
    AscendC::Muls(sign, sign, 2.0f, count);
    AscendC::Adds(sign, sign, -1.0f, count);
    AscendC::Adds(imaginary, real, 1, count);
    AscendC::Sub(exchanged, imaginary, exchanged, count);
    AscendC::Muls(real, real, BYTES, count);
    AscendC::Muls(imaginary, imaginary, BYTES, count);
    AscendC::Muls(exchanged, exchanged, BYTES, count);
  }
};

extern "C" __global__ __aicore__ void complex_mat_dot(GM_ADDR matx, GM_ADDR maty, GM_ADDR result, GM_ADDR workspace,
                                                      GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelComplexMatDot op;
  op.Init(matx, maty, result, tilingData, &pipe);
  op.Process();
}
