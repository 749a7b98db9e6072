// Softmax over the last axis of input1 where sel is true and input2 elsewhere, in float32.
#include "kernel_operator.h"
#include "op_kernel/row_softmax.h"

template <typename T>
class KernelSelectReduceMaxDSubExpReduceSumDRealDiv
    : public RowSoftmax<KernelSelectReduceMaxDSubExpReduceSumDRealDiv<T>> {
 public:
  static constexpr uint32_t WORKS = 3;

  __aicore__ inline void Init(GM_ADDR sel, GM_ADDR input1, GM_ADDR input2, GM_ADDR ouput,
                              const SelectReduceMaxDSubExpReduceSumDRealDivTilingData& tiling, AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    this->template AddInput<uint8_t>(sel, tiling.rows.columns);
    this->template AddInput<T>(input1, tiling.rows.columns);
    this->template AddInput<T>(input2, tiling.rows.columns);
    this->template AddOutput<T>(ouput, tiling.rows.columns);
  }

  __aicore__ inline void Widen(const Tile& tile) {
    const Floats x = this->Work(0);
    const int32_t count = tile.Count();
    const uint32_t whole = rows::WholeRepeats(static_cast<uint32_t>(count));
    const AscendC::LocalTensor<half> chosen = this->Work(1).template ReinterpretCast<half>();
    const AscendC::LocalTensor<uint8_t> mask = this->Work(2).template ReinterpretCast<uint8_t>();
    AscendC::Cast(chosen, this->Raw(0), AscendC::RoundMode::CAST_NONE, count);
    AscendC::CompareScalar(mask, chosen, static_cast<half>(0.0f), AscendC::CMPMODE::NE,
                           (whole + rows::LANES) / (2 * rows::LANES) * (2 * rows::LANES));
    const Floats first = this->template Input<T>(1, x, tile);
    const Floats second = this->template Input<T>(2, this->Work(1), tile);
    AscendC::Select(x, mask, first, second, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, static_cast<uint32_t>(count));
  }

  __aicore__ inline void Output(const Tile& tile) {
    rows::Narrow(this->template OutputSlice<T>(0), this->Work(0), tile.Count());
  }
};

extern "C" __global__ __aicore__ void select_reduce_max_d_sub_exp_reduce_sum_d_real_div(GM_ADDR sel, GM_ADDR input1,
                                                                                        GM_ADDR input2, GM_ADDR ouput,
                                                                                        GM_ADDR workspace,
                                                                                        GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelSelectReduceMaxDSubExpReduceSumDRealDiv<DTYPE_INPUT1> op;
  op.Init(sel, input1, input2, ouput, tilingData, &pipe);
  op.Process();
}
