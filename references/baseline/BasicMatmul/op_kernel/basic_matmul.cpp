// c = a * b on the cube cores, float16 with float32 sums. Each core computes whole blocks of c: panels of a and b
// travel GM -> L1 -> L0, both steps double-buffered, and the finished block L0C -> GM. Flags are raised and awaited in
// pairs: what is free at the start is free again at the end.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t BUFFER_NUM = 2;
constexpr uint32_t FRACTAL = 16;
constexpr uint32_t FRACTAL_LENGTH = FRACTAL * FRACTAL;
constexpr uint32_t MAX_ROW_STRIDE = 65535;    // elements between the rows of one Nd2Nz copy
constexpr uint32_t BLOCK_ROWS_PER_GROUP = 4;  // blocks computed together share rows of a in the L2 cache
constexpr int32_t L0_EVENT = 3;               // of M_MTE1: those before it are flags of the TPipe
constexpr uint32_t MMAD_NEEDS_BARRIER = 10;   // an accumulation over fewer fractals is not ordered by the hardware

__aicore__ inline uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
__aicore__ inline uint32_t AlignUp(uint32_t a, uint32_t b) { return CeilDiv(a, b) * b; }
__aicore__ inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }

class KernelBasicMatmul {
 public:
  __aicore__ inline KernelBasicMatmul() {}

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, const BasicMatmulTilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    aGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a), static_cast<uint64_t>(tiling.m) * tiling.k);
    bGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b), static_cast<uint64_t>(tiling.k) * tiling.n);
    cGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(c), static_cast<uint64_t>(tiling.m) * tiling.n);

    pipe->InitBuffer(l1aBuffer_, BUFFER_NUM * tiling.baseM * tiling.tileK * sizeof(half));
    pipe->InitBuffer(l1bBuffer_, BUFFER_NUM * tiling.tileK * tiling.baseN * sizeof(half));
    pipe->InitBuffer(l0aBuffer_, BUFFER_NUM * tiling.baseM * tiling.baseK * sizeof(half));
    pipe->InitBuffer(l0bBuffer_, BUFFER_NUM * tiling.baseK * tiling.baseN * sizeof(half));
    pipe->InitBuffer(l0cBuffer_, tiling.l0cBuffers * tiling.baseM * tiling.baseN * sizeof(float));
    for (uint32_t i = 0; i < BUFFER_NUM; ++i) {
      l1a_[i] = l1aBuffer_.Get<half>()[i * tiling.baseM * tiling.tileK];
      l1b_[i] = l1bBuffer_.Get<half>()[i * tiling.tileK * tiling.baseN];
      l0a_[i] = l0aBuffer_.Get<half>()[i * tiling.baseM * tiling.baseK];
      l0b_[i] = l0bBuffer_.Get<half>()[i * tiling.baseK * tiling.baseN];
    }
    for (uint32_t i = 0; i < tiling.l0cBuffers; ++i) {
      l0c_[i] = l0cBuffer_.Get<float>()[i * tiling.baseM * tiling.baseN];
    }
  }

  __aicore__ inline void Process() {
    const uint32_t blockRows = CeilDiv(tiling_->m, tiling_->baseM);
    const uint32_t blockColumns = CeilDiv(tiling_->n, tiling_->baseN);
    const uint64_t blocks = static_cast<uint64_t>(blockRows) * blockColumns;
    ReleaseAll();
    for (uint64_t block = GetBlockIdx(); block < blocks; block += GetBlockNum()) {
      const uint64_t groupSize = static_cast<uint64_t>(BLOCK_ROWS_PER_GROUP) * blockColumns;
      const uint32_t firstRow = static_cast<uint32_t>(block / groupSize) * BLOCK_ROWS_PER_GROUP;
      const uint32_t rows = Least(BLOCK_ROWS_PER_GROUP, blockRows - firstRow);
      const uint32_t inGroup = static_cast<uint32_t>(block % groupSize);
      ComputeBlock((firstRow + inGroup % rows) * tiling_->baseM, inGroup / rows * tiling_->baseN);
    }
    AcquireAll();
  }

 private:
  // Declares every buffer free before the first block ...
  __aicore__ inline void ReleaseAll() {
    for (int32_t i = 0; i < static_cast<int32_t>(BUFFER_NUM); ++i) {
      SetFlag<HardEvent::MTE1_MTE2>(i);
      SetFlag<HardEvent::M_MTE1>(L0_EVENT + i);
    }
    for (int32_t i = 0; i < static_cast<int32_t>(tiling_->l0cBuffers); ++i) {
      SetFlag<HardEvent::FIX_M>(i);
    }
  }

  // ... and takes the flags back after the last: a flag left standing would reach the next kernel.
  __aicore__ inline void AcquireAll() {
    for (int32_t i = 0; i < static_cast<int32_t>(BUFFER_NUM); ++i) {
      WaitFlag<HardEvent::MTE1_MTE2>(i);
      WaitFlag<HardEvent::M_MTE1>(L0_EVENT + i);
    }
    for (int32_t i = 0; i < static_cast<int32_t>(tiling_->l0cBuffers); ++i) {
      WaitFlag<HardEvent::FIX_M>(i);
    }
  }

  __aicore__ inline void ComputeBlock(uint32_t row, uint32_t column) {
    const uint32_t m = Least(tiling_->baseM, tiling_->m - row);
    const uint32_t n = Least(tiling_->baseN, tiling_->n - column);
    WaitFlag<HardEvent::FIX_M>(l0cIndex_);
    for (uint32_t depth = 0; depth < tiling_->k;) {
      const uint32_t k = Least(tiling_->tileK, tiling_->k - depth);
      WaitFlag<HardEvent::MTE1_MTE2>(l1Index_);
      LoadPanels(row, column, depth, m, n, k);
      SetFlag<HardEvent::MTE2_MTE1>(l1Index_);
      WaitFlag<HardEvent::MTE2_MTE1>(l1Index_);
      for (uint32_t inner = 0; inner < k; inner += tiling_->baseK) {
        Multiply(inner, depth + inner == 0, m, n, k);
      }
      SetFlag<HardEvent::MTE1_MTE2>(l1Index_);
      l1Index_ = 1 - l1Index_;
      depth += k;
    }
    SetFlag<HardEvent::M_FIX>(l0cIndex_);
    WaitFlag<HardEvent::M_FIX>(l0cIndex_);
    StoreBlock(row, column, m, n);
    SetFlag<HardEvent::FIX_M>(l0cIndex_);
    l0cIndex_ = tiling_->l0cBuffers == BUFFER_NUM ? 1 - l0cIndex_ : 0;
  }

  __aicore__ inline void LoadPanels(uint32_t row, uint32_t column, uint32_t depth, uint32_t m, uint32_t n, uint32_t k) {
    const uint64_t a = static_cast<uint64_t>(row) * tiling_->k + depth;
    const uint64_t b = static_cast<uint64_t>(depth) * tiling_->n + column;
    // One row alone stays a plain vector, which is what the multiplication expects for m == 1.
    const uint32_t rowStride = m == 1 ? 1 : AlignUp(m, FRACTAL);
    LoadPanel(l1a_[l1Index_], aGm_[a], m, k, tiling_->k, rowStride);
    LoadPanel(l1b_[l1Index_], bGm_[b], k, n, tiling_->n, AlignUp(k, FRACTAL));
  }

  // rows x columns of a row-major matrix as columns of fractals (NZ), `panelRows` rows each.
  __aicore__ inline void LoadPanel(const LocalTensor<half>& panel, const GlobalTensor<half>& matrix, uint32_t rows,
                                   uint32_t columns, uint32_t rowLength, uint32_t panelRows) {
    Nd2NzParams params;
    params.ndNum = 1;
    params.dValue = static_cast<uint16_t>(columns);
    params.srcNdMatrixStride = 0;
    params.dstNzC0Stride = static_cast<uint16_t>(panelRows);
    params.dstNzNStride = 1;
    params.dstNzMatrixStride = 0;
    if (rowLength <= MAX_ROW_STRIDE) {
      params.nValue = static_cast<uint16_t>(rows);
      params.srcDValue = static_cast<uint16_t>(rowLength);
      DataCopy(panel, matrix, params);
      return;
    }
    params.nValue = 1;
    params.srcDValue = static_cast<uint16_t>(columns);
    for (uint32_t i = 0; i < rows; ++i) {
      DataCopy(panel[i * FRACTAL], matrix[static_cast<uint64_t>(i) * rowLength], params);
    }
  }

  // Adds the product of one step, `inner` columns of a into the panels of depth k.
  __aicore__ inline void Multiply(uint32_t inner, bool first, uint32_t m, uint32_t n, uint32_t k) {
    const uint32_t stepK = Least(tiling_->baseK, k - inner);
    WaitFlag<HardEvent::M_MTE1>(L0_EVENT + l0Index_);
    LoadA(inner, m, stepK);
    LoadB(inner, n, stepK, k);
    SetFlag<HardEvent::MTE1_M>(l0Index_);
    WaitFlag<HardEvent::MTE1_M>(l0Index_);

    MmadParams params;
    params.m = static_cast<uint16_t>(m);
    params.n = static_cast<uint16_t>(n);
    params.k = static_cast<uint16_t>(stepK);
    params.cmatrixInitVal = first;
    params.cmatrixSource = false;
    Mmad(l0c_[l0cIndex_], l0a_[l0Index_], l0b_[l0Index_], params);
    if ((m / FRACTAL) * (n / FRACTAL) < MMAD_NEEDS_BARRIER) {
      PipeBarrier<PIPE_M>();
    }
    SetFlag<HardEvent::M_MTE1>(L0_EVENT + l0Index_);
    l0Index_ = 1 - l0Index_;
  }

  // NZ -> ZZ: one column of fractals after the other, each spread over the rows of fractals.
  __aicore__ inline void LoadA(uint32_t inner, uint32_t m, uint32_t stepK) {
    LoadData2DParams params;
    if (m == 1) {
      params.repeatTimes = static_cast<uint8_t>(CeilDiv(stepK, FRACTAL_LENGTH));
      params.srcStride = 1;
      LoadData(l0a_[l0Index_], l1a_[l1Index_][inner], params);
      return;
    }
    const uint32_t fractalRows = CeilDiv(m, FRACTAL);
    const uint32_t fractalColumns = CeilDiv(stepK, FRACTAL);
    params.repeatTimes = static_cast<uint8_t>(fractalRows);
    params.srcStride = 1;
    params.dstGap = static_cast<uint16_t>(fractalColumns - 1);
    const LocalTensor<half> panel = l1a_[l1Index_][inner * fractalRows * FRACTAL];
    for (uint32_t i = 0; i < fractalColumns; ++i) {
      LoadData(l0a_[l0Index_][i * FRACTAL_LENGTH], panel[i * fractalRows * FRACTAL_LENGTH], params);
    }
  }

  // NZ -> ZN: every fractal is transposed on its way.
  __aicore__ inline void LoadB(uint32_t inner, uint32_t n, uint32_t stepK, uint32_t k) {
    const uint32_t fractalRows = CeilDiv(stepK, FRACTAL);
    const uint32_t fractalColumns = CeilDiv(n, FRACTAL);
    LoadData2DParams params;
    params.repeatTimes = static_cast<uint8_t>(fractalColumns);
    params.srcStride = static_cast<uint16_t>(CeilDiv(k, FRACTAL));
    params.ifTranspose = true;
    const LocalTensor<half> panel = l1b_[l1Index_][inner * FRACTAL];
    for (uint32_t i = 0; i < fractalRows; ++i) {
      LoadData(l0b_[l0Index_][i * fractalColumns * FRACTAL_LENGTH], panel[i * FRACTAL_LENGTH], params);
    }
  }

  __aicore__ inline void StoreBlock(uint32_t row, uint32_t column, uint32_t m, uint32_t n) {
    FixpipeParamsV220 params;
    params.nSize = static_cast<uint16_t>(n);
    params.mSize = static_cast<uint16_t>(m);
    params.srcStride = static_cast<uint16_t>(AlignUp(m, FRACTAL));
    params.dstStride = tiling_->n;
    params.ndNum = 1;
    params.srcNdStride = 0;
    params.dstNdStride = 0;
    params.quantPre = QuantMode_t::F322F16;
    const uint64_t c = static_cast<uint64_t>(row) * tiling_->n + column;
    Fixpipe<half, float, CFG_ROW_MAJOR>(cGm_[c], l0c_[l0cIndex_], params);
  }

  TBuf<TPosition::A1> l1aBuffer_;
  TBuf<TPosition::B1> l1bBuffer_;
  TBuf<TPosition::A2> l0aBuffer_;
  TBuf<TPosition::B2> l0bBuffer_;
  TBuf<TPosition::CO1> l0cBuffer_;
  LocalTensor<half> l1a_[BUFFER_NUM];
  LocalTensor<half> l1b_[BUFFER_NUM];
  LocalTensor<half> l0a_[BUFFER_NUM];
  LocalTensor<half> l0b_[BUFFER_NUM];
  LocalTensor<float> l0c_[BUFFER_NUM];
  GlobalTensor<half> aGm_;
  GlobalTensor<half> bGm_;
  GlobalTensor<half> cGm_;
  const BasicMatmulTilingData* tiling_ = nullptr;
  int32_t l1Index_ = 0;
  int32_t l0Index_ = 0;
  int32_t l0cIndex_ = 0;
};

extern "C" __global__ __aicore__ void basic_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelBasicMatmul op;
  op.Init(a, b, c, tilingData, &pipe);
  op.Process();
}
