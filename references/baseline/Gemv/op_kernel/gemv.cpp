// out = alpha * a * x + beta * y on the vector cores, float32. Rows are read in tiles; 64 sums of each row are kept
// side by side until the row is complete. x stays in the unified buffer where it fits.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t BUFFER_NUM = 2;
constexpr uint32_t LANES = 64;          // floats of one repeat
constexpr uint32_t BLOCK = 8;           // floats of 32 bytes
constexpr uint32_t TILE_LENGTH = 8192;  // floats of a that are read at a time
constexpr uint32_t TILE_COLUMNS = 1024;
constexpr uint32_t TILE_ROWS = 128;
constexpr uint32_t PANEL_LENGTH = 16384;  // floats of x that are kept

__aicore__ inline uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
__aicore__ inline uint32_t AlignUp(uint32_t a, uint32_t b) { return CeilDiv(a, b) * b; }
__aicore__ inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }

class KernelGemv {
 public:
  __aicore__ inline KernelGemv() {}

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR x, GM_ADDR y, GM_ADDR out, const GemvTilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    aGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(a), static_cast<uint64_t>(tiling.m) * tiling.n);
    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), tiling.n);
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), tiling.m);
    outGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(out), tiling.m);
    pipe->InitBuffer(aQueue_, BUFFER_NUM, TILE_LENGTH * sizeof(float));
    pipe->InitBuffer(xQueue_, 1, Least(AlignUp(tiling.n, BLOCK), PANEL_LENGTH) * sizeof(float));
    pipe->InitBuffer(yQueue_, 1, TILE_ROWS * sizeof(float));
    pipe->InitBuffer(outQueue_, 1, TILE_ROWS * sizeof(float));
    pipe->InitBuffer(sumBuffer_, TILE_ROWS * LANES * sizeof(float));
  }

  __aicore__ inline void Process() {
    const uint32_t core = static_cast<uint32_t>(GetBlockIdx());
    const uint32_t first = core * tiling_->rows + Least(core, tiling_->longCores);
    const uint32_t end = first + tiling_->rows + (core < tiling_->longCores ? 1 : 0);
    const uint32_t widest = AlignUp(Least(tiling_->n, TILE_COLUMNS), BLOCK);
    const uint32_t rowsAtOnce = Least(TILE_LENGTH / widest, TILE_ROWS);
    const bool keepsX = tiling_->n <= PANEL_LENGTH;
    LocalTensor<float> x;
    if (keepsX) {
      x = LoadX(0);
    }
    for (uint32_t row = first; row < end; row += rowsAtOnce) {
      const uint32_t rows = Least(rowsAtOnce, end - row);
      const LocalTensor<float> sums = sumBuffer_.Get<float>();
      Duplicate(sums, 0.0f, rows * LANES);
      for (uint32_t panel = 0; panel < tiling_->n; panel += PANEL_LENGTH) {
        if (!keepsX) {
          x = LoadX(panel);
        }
        const uint32_t columns = Least(PANEL_LENGTH, tiling_->n - panel);
        for (uint32_t column = 0; column < columns; column += TILE_COLUMNS) {
          AddTile(row, rows, panel + column, Least(TILE_COLUMNS, columns - column), x[column]);
        }
        if (!keepsX) {
          xQueue_.FreeTensor(x);
        }
      }
      StoreRows(row, rows, sums);
    }
    if (keepsX) {
      xQueue_.FreeTensor(x);
    }
  }

 private:
  __aicore__ inline LocalTensor<float> LoadX(uint32_t panel) {
    LocalTensor<float> x = xQueue_.AllocTensor<float>();
    CopyIn(x, xGm_[panel], 1, Least(PANEL_LENGTH, tiling_->n - panel), 0);
    xQueue_.EnQue(x);
    return xQueue_.DeQue<float>();
  }

  __aicore__ inline void CopyIn(const LocalTensor<float>& dst, const GlobalTensor<float>& src, uint32_t rows,
                                uint32_t columns, uint32_t gap) {
    DataCopyExtParams params;
    params.blockCount = static_cast<uint16_t>(rows);
    params.blockLen = columns * sizeof(float);
    params.srcStride = gap * sizeof(float);
    params.dstStride = 0;
    DataCopyPad(dst, src, params, DataCopyPadExtParams<float>{false, 0, 0, 0});
  }

  // Multiplies a tile of a with its part of x and adds the products to the 64 sums of each row.
  __aicore__ inline void AddTile(uint32_t row, uint32_t rows, uint32_t column, uint32_t columns,
                                 const LocalTensor<float>& x) {
    LocalTensor<float> a = aQueue_.AllocTensor<float>();
    CopyIn(a, aGm_[static_cast<uint64_t>(row) * tiling_->n + column], rows, columns, tiling_->n - columns);
    aQueue_.EnQue(a);
    a = aQueue_.DeQue<float>();
    const LocalTensor<float> sums = sumBuffer_.Get<float>();
    const uint8_t rowBlocks = static_cast<uint8_t>(CeilDiv(columns, BLOCK));
    const BinaryRepeatParams params(1, 1, 1, LANES / BLOCK, rowBlocks, 0);
    for (uint32_t i = 0; i < columns; i += LANES) {
      MulAddDst(sums, a[i], x[i], static_cast<uint64_t>(Least(LANES, columns - i)), static_cast<uint8_t>(rows), params);
    }
    aQueue_.FreeTensor(a);
  }

  __aicore__ inline void StoreRows(uint32_t row, uint32_t rows, const LocalTensor<float>& sums) {
    LocalTensor<float> y = yQueue_.AllocTensor<float>();
    CopyIn(y, yGm_[row], 1, rows, 0);
    yQueue_.EnQue(y);
    y = yQueue_.DeQue<float>();
    LocalTensor<float> out = outQueue_.AllocTensor<float>();
    WholeReduceSum(out, sums, static_cast<int32_t>(LANES), static_cast<int32_t>(rows), 1, 1, LANES / BLOCK);
    Muls(out, out, tiling_->alpha, rows);
    Muls(y, y, tiling_->beta, rows);
    Add(out, out, y, rows);
    yQueue_.FreeTensor(y);
    outQueue_.EnQue(out);
    out = outQueue_.DeQue<float>();
    DataCopyExtParams params(1, rows * sizeof(float), 0, 0, 0);
    DataCopyPad(outGm_[row], out, params);
    outQueue_.FreeTensor(out);
  }

  TQue<TPosition::VECIN, BUFFER_NUM> aQueue_;
  TQue<TPosition::VECIN, 1> xQueue_;
  TQue<TPosition::VECIN, 1> yQueue_;
  TQue<TPosition::VECOUT, 1> outQueue_;
  TBuf<TPosition::VECCALC> sumBuffer_;
  GlobalTensor<float> aGm_;
  GlobalTensor<float> xGm_;
  GlobalTensor<float> yGm_;
  GlobalTensor<float> outGm_;
  const GemvTilingData* tiling_ = nullptr;
};

extern "C" __global__ __aicore__ void gemv(GM_ADDR a, GM_ADDR x, GM_ADDR y, GM_ADDR out, GM_ADDR workspace,
                                           GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelGemv op;
  op.Init(a, x, y, out, tilingData, &pipe);
  op.Process();
}
