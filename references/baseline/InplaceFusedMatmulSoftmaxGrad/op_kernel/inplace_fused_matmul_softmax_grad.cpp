// softmax * (product - sum of softmax * product over the row), product = gradOutput * values^T: the gradient of
// softmax(x) * values with respect to x. Vector cores first add up the rows of their blocks; once all have, each knows
// the sums of whole rows and visits its blocks again.
#include "common/inc/op_kernel/mixed_product.h"
#include "common/inc/op_kernel/row_math.h"

template <typename T>
class KernelMatmulSoftmaxGrad : public MixedProduct<KernelMatmulSoftmaxGrad<T>, T, float> {
 public:
  __aicore__ inline KernelMatmulSoftmaxGrad() {}

  __aicore__ inline void Init(GM_ADDR softmax, GM_ADDR gradient, GM_ADDR values, GM_ADDR out, GM_ADDR workspace,
                              const InplaceFusedMatmulSoftmaxGradTilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    const uint64_t batches = tiling.batches;
    const uint64_t m = tiling.m;
    const uint64_t n = tiling.n;
    const uint64_t k = tiling.k;
    softmax_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(softmax), batches * m * n);
    gradient_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gradient), batches * m * k);
    values_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(values), batches * n * k);
    out_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(out), batches * m * n);
    blockRows_ = CeilDiv(tiling.m, tiling.plan.baseM);
    blockColumns_ = CeilDiv(tiling.n, tiling.plan.baseN);
    blocks_ = batches * blockRows_ * blockColumns_;
    this->InitProduct(tiling.plan, workspace, pipe, tiling.blocksPerGroup);
    if ASCEND_IS_AIV {
      const uint64_t products =
          static_cast<uint64_t>(GetBlockNum()) * tiling.blocksPerGroup * tiling.plan.baseM * tiling.plan.baseN;
      partSums_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace) + products, batches * blockColumns_ * m);
      pipe->InitBuffer(softmaxQueue_, BUFFER_NUM, TILE_LENGTH * sizeof(T));
      pipe->InitBuffer(outQueue_, BUFFER_NUM, TILE_LENGTH * sizeof(T));
      pipe->InitBuffer(wideBuffer_, TILE_LENGTH * sizeof(float));
      pipe->InitBuffer(ownSumQueue_, BUFFER_NUM, MOST_ROWS * sizeof(float));
      pipe->InitBuffer(partSumQueue_, 1, TILE_LENGTH * sizeof(float));
      pipe->InitBuffer(sumBuffer_, MOST_ROWS * sizeof(float));
      pipe->InitBuffer(spreadBuffer_, MOST_ROWS * 32);
    }
  }

  __aicore__ inline void Process() {
    this->ProcessBlocks(blocks_);
    if ASCEND_IS_AIV {
      PipeBarrier<PIPE_ALL>();
      SyncAll();
      sumsKnown_ = true;
      this->RevisitBlocks(blocks_);
    }
  }

  __aicore__ inline LocatedBlock<T> Locate(uint64_t block) const {
    const uint64_t blocksOfOne = static_cast<uint64_t>(blockRows_) * blockColumns_;
    const BlockPosition position = PositionOf(block % blocksOfOne, blockRows_, blockColumns_);
    LocatedBlock<T> located;
    located.group = static_cast<uint32_t>(block / blocksOfOne);
    located.row = position.row * tiling_->plan.baseM;
    located.column = position.column * tiling_->plan.baseN;
    const uint64_t batch = located.group;
    located.a = gradient_[(batch * tiling_->m + located.row) * tiling_->k];
    located.b = values_[(batch * tiling_->n + located.column) * tiling_->k];
    located.extents.m = Least(tiling_->plan.baseM, tiling_->m - located.row);
    located.extents.n = Least(tiling_->plan.baseN, tiling_->n - located.column);
    located.extents.k = tiling_->k;
    located.extents.strideA = tiling_->k;
    located.extents.strideB = tiling_->k;
    located.extents.rowsOfB = true;
    return located;
  }

  // The second time: sums of the rows of the block, each spread over a block of floats.
  __aicore__ inline void StartBlock(const FinishTile& tile) {
    firstRow_ = tile.row;
    if (!sumsKnown_ || (tile.group == sumsGroup_ && tile.row == sumsRow_)) {
      return;
    }
    sumsGroup_ = tile.group;
    sumsRow_ = tile.row;
    const LocalTensor<float> sums = sumBuffer_.template Get<float>();
    Duplicate(sums, 0.0f, static_cast<int32_t>(AlignUp(tile.rows, rows::LANES_PER_BLOCK)));
    FinishTile part;
    part.columns = tile.rows;
    part.stride = AlignUp(tile.rows, FRACTAL_ROWS);
    const uint32_t atOnce = TILE_LENGTH / part.stride;
    for (uint32_t first = 0; first < blockColumns_; first += atOnce) {
      part.rows = Least(atOnce, blockColumns_ - first);
      LocalTensor<float> parts = partSumQueue_.template AllocTensor<float>();
      CopyRowsIn(parts, partSums_[PlaceOf(tile.group, first, tile.row)], part, tiling_->m);
      partSumQueue_.EnQue(parts);
      parts = partSumQueue_.template DeQue<float>();
      rows::AddRows(sums, parts, AsRows(part));
      partSumQueue_.FreeTensor(parts);
    }
    rows::Spread(spreadBuffer_.template Get<float>(), sums, tile.rows);
  }

  __aicore__ inline void FinishRows(const LocalTensor<float>& products, const FinishTile& tile) {
    const int32_t length = static_cast<int32_t>(tile.rows * tile.stride);
    const uint64_t at = (static_cast<uint64_t>(tile.group) * tiling_->m + tile.row) * tiling_->n + tile.column;
    LocalTensor<T> narrow = softmaxQueue_.template AllocTensor<T>();
    CopyRowsIn(narrow, softmax_[at], tile, tiling_->n);
    softmaxQueue_.EnQue(narrow);
    narrow = softmaxQueue_.template DeQue<T>();
    const LocalTensor<float> softmax =
        rows::Widened<T>(narrow.template ReinterpretCast<uint8_t>(), wideBuffer_.template Get<float>(), length);
    if (sumsKnown_) {
      StoreGradient(products, softmax, tile, at);
    } else {
      StoreSums(products, softmax, tile);
    }
    softmaxQueue_.FreeTensor(narrow);
  }

 private:
  static constexpr uint32_t MOST_ROWS = TILE_LENGTH / FRACTAL_ROWS;  // of one tile

  static __aicore__ inline rows::Tile AsRows(const FinishTile& tile) {
    rows::Tile same;
    same.rows = tile.rows;
    same.columns = tile.columns;
    same.stride = tile.stride;
    return same;
  }

  // Where the sums of a column of blocks are, from `row` on.
  __aicore__ inline uint64_t PlaceOf(uint32_t batch, uint32_t blockColumn, uint32_t row) const {
    return (static_cast<uint64_t>(batch) * blockColumns_ + blockColumn) * tiling_->m + row;
  }

  __aicore__ inline void StoreSums(const LocalTensor<float>& products, const LocalTensor<float>& softmax,
                                   const FinishTile& tile) {
    Mul(products, products, softmax, static_cast<int32_t>(tile.rows * tile.stride));
    LocalTensor<float> sums = ownSumQueue_.template AllocTensor<float>();
    rows::Reduce<rows::SumOf>(sums, products, AsRows(tile));
    ownSumQueue_.EnQue(sums);
    sums = ownSumQueue_.template DeQue<float>();
    const DataCopyExtParams copy{1, static_cast<uint32_t>(tile.rows * sizeof(float)), 0, 0, 0};
    DataCopyPad(partSums_[PlaceOf(tile.group, tile.column / tiling_->plan.baseN, tile.row)], sums, copy);
    ownSumQueue_.FreeTensor(sums);
  }

  __aicore__ inline void StoreGradient(const LocalTensor<float>& products, const LocalTensor<float>& softmax,
                                       const FinishTile& tile, uint64_t at) {
    const int32_t length = static_cast<int32_t>(tile.rows * tile.stride);
    const LocalTensor<float> sums = spreadBuffer_.template Get<float>()[(tile.row - firstRow_) * rows::LANES_PER_BLOCK];
    rows::WithScalars(rows::Sub(), products, products, sums, AsRows(tile));
    LocalTensor<T> gradient = outQueue_.template AllocTensor<T>();
    if constexpr (IsSameType<T, float>::value) {
      Mul(gradient, products, softmax, length);
    } else {
      Mul(products, products, softmax, length);
      Cast(gradient, products, RoundMode::CAST_RINT, length);
    }
    outQueue_.EnQue(gradient);
    gradient = outQueue_.template DeQue<T>();
    CopyRowsOut(out_[at], gradient, tile, tiling_->n);
    outQueue_.FreeTensor(gradient);
  }

  const InplaceFusedMatmulSoftmaxGradTilingData* tiling_ = nullptr;
  GlobalTensor<T> softmax_, gradient_, values_, out_;
  GlobalTensor<float> partSums_;
  TQue<TPosition::VECIN, BUFFER_NUM> softmaxQueue_;
  TQue<TPosition::VECIN, 1> partSumQueue_;
  TQue<TPosition::VECOUT, BUFFER_NUM> ownSumQueue_, outQueue_;
  TBuf<TPosition::VECCALC> wideBuffer_, sumBuffer_, spreadBuffer_;
  uint64_t blocks_ = 0;
  uint32_t blockRows_ = 0, blockColumns_ = 0;
  bool sumsKnown_ = false;
  uint32_t firstRow_ = 0;
  uint32_t sumsGroup_ = 0xffffffff, sumsRow_ = 0;  // whose sums are in spreadBuffer_
};

extern "C" __global__ __aicore__ void inplace_fused_matmul_softmax_grad(GM_ADDR softmaxOutput, GM_ADDR gradOutput,
                                                                        GM_ADDR values, GM_ADDR gradient,
                                                                        GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelMatmulSoftmaxGrad<DTYPE_SOFTMAXOUTPUT> op;
  op.Init(softmaxOutput, gradOutput, values, gradient, GetUserWorkspace(workspace), tilingData, &pipe);
  op.Process();
}
