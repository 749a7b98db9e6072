// For every tensor i of a list whose mask is set: elements start .. start + length - 1 along an axis are replaced by
// the first `length` of updates[i]. Nothing but copies; each core writes rows, or pieces of rows, of its own.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;
constexpr uint64_t BLOCK_BYTES = 32;
constexpr uint64_t STEPS_PER_CORE = 4;         // enough steps to hide the first load and the last store
constexpr uint64_t MIN_STEP_BYTES = 2 * 1024;  // below this the fixed cost of a transfer dominates

__aicore__ inline uint64_t Least(uint64_t a, uint64_t b) { return a < b ? a : b; }
__aicore__ inline uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// A list arrives as the address of a descriptor: its first word is the byte offset of the table of data addresses.
template <typename T>
__aicore__ inline __gm__ T* TensorAddress(GM_ADDR list, uint64_t index) {
  __gm__ uint64_t* descriptor = reinterpret_cast<__gm__ uint64_t*>(list);
  __gm__ uint64_t* addresses = descriptor + descriptor[0] / sizeof(uint64_t);
  return reinterpret_cast<__gm__ T*>(addresses[index]);
}

// One copy: `rows` times `length` elements. Offsets are in elements.
struct Step {
  uint64_t tensor;
  uint64_t from;
  uint64_t to;
  uint64_t rows;
  uint64_t length;
};

template <typename T, typename I>
class KernelScatterList {
 public:
  __aicore__ inline KernelScatterList() {}

  __aicore__ inline void Init(GM_ADDR var, GM_ADDR indice, GM_ADDR updates, GM_ADDR mask,
                              const ScatterListTilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    var_ = var;
    indiceGm_.SetGlobalBuffer(reinterpret_cast<__gm__ I*>(indice));
    updatesGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(updates));
    if (tiling.hasMask != 0) {
      maskGm_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(mask));
    }
    const uint64_t core = GetBlockIdx();
    const uint64_t larger = tiling.largerCores;
    unit_ = core * tiling.unitsPerCore + (core < larger ? core : larger);
    endUnit_ = unit_ + tiling.unitsPerCore + (core < larger ? 1 : 0);
    rowsPerStep_ = CeilDiv(endUnit_ - unit_, STEPS_PER_CORE);
    pipe->InitBuffer(queue_, BUFFER_NUM, tiling.bufferBytes);
  }

  __aicore__ inline void Process() {
    Step next;
    bool more = Advance(next);
    if (more) {
      Load(next);
    }
    while (more) {
      const Step current = next;
      more = Advance(next);
      if (more) {
        Load(next);
      }
      Store(current);
    }
  }

 private:
  // Reads where a tensor is written; false when its mask is off.
  __aicore__ inline bool OpenTensor(uint64_t tensor) {
    if (tiling_->hasMask != 0 && maskGm_.GetValue(tensor) == 0) {
      return false;
    }
    uint64_t length = tiling_->updateLength;
    if (tiling_->hasLengths != 0) {
      start_ = static_cast<uint64_t>(indiceGm_.GetValue(tensor * 2));
      length = static_cast<uint64_t>(indiceGm_.GetValue(tensor * 2 + 1));
    } else {
      start_ = static_cast<uint64_t>(indiceGm_.GetValue(tensor));
    }
    constexpr uint64_t blockLength = BLOCK_BYTES / sizeof(T);
    rowLength_ = length * tiling_->inner;
    pieceLength_ = CeilDiv(CeilDiv(rowLength_, blockLength), tiling_->pieces) * blockLength;
    return true;
  }

  // The next copy of this core; false after the last. A piece longer than a buffer takes several.
  __aicore__ inline bool Advance(Step& step) {
    while (unit_ < endUnit_) {
      const uint64_t row = unit_ / tiling_->pieces;
      const uint64_t tensor = row / tiling_->outer;
      const uint64_t tensorEnd = Least((tensor + 1) * tiling_->outer * tiling_->pieces, endUnit_);
      if (tensor != tensor_) {
        tensor_ = tensor;
        active_ = OpenTensor(tensor);
      }
      if (!active_) {
        unit_ = tensorEnd;
        continue;
      }
      const uint64_t piece = unit_ % tiling_->pieces;
      const uint64_t place = Least(piece * pieceLength_ + done_, rowLength_);
      const uint64_t length = Least((piece + 1) * pieceLength_, rowLength_) - place;
      if (length == 0) {
        done_ = 0;
        ++unit_;
        continue;
      }
      step.tensor = tensor;
      step.from = row * tiling_->updateLength * tiling_->inner + place;
      step.to = ((row - tensor * tiling_->outer) * tiling_->axisLength + start_) * tiling_->inner + place;
      step.length = Least(length, tiling_->bufferBytes / sizeof(T));
      step.rows = tiling_->joinsRows != 0 && step.length == rowLength_ ? RowsAtOnce(tensorEnd - unit_) : 1;
      if (step.length == length) {
        done_ = 0;
        unit_ += step.rows;
      } else {
        done_ += step.length;
      }
      return true;
    }
    return false;
  }

  // How many of `rows` whole rows one copy takes, at least one. Each takes a block or more: a buffer holds fewer than the
  // 4095 that one copy can have.
  __aicore__ inline uint64_t RowsAtOnce(uint64_t rows) {
    const uint64_t rowBytes = CeilDiv(rowLength_ * sizeof(T), BLOCK_BYTES) * BLOCK_BYTES;
    const uint64_t worthwhile = CeilDiv(MIN_STEP_BYTES, rowBytes);
    const uint64_t wanted = rowsPerStep_ < worthwhile ? worthwhile : rowsPerStep_;
    return Least(Least(wanted, tiling_->bufferBytes / rowBytes), rows);
  }

  __aicore__ inline uint32_t GapBytes(const Step& step, uint64_t rowLength) {
    return step.rows == 1 ? 0 : static_cast<uint32_t>((rowLength * tiling_->inner - step.length) * sizeof(T));
  }

  __aicore__ inline void Load(const Step& step) {
    const DataCopyExtParams copy{static_cast<uint16_t>(step.rows), static_cast<uint32_t>(step.length * sizeof(T)),
                                 GapBytes(step, tiling_->updateLength), 0, 0};
    const DataCopyPadExtParams<T> pad{};
    LocalTensor<T> elements = queue_.template AllocTensor<T>();
    DataCopyPad(elements, updatesGm_[step.from], copy, pad);
    queue_.EnQue(elements);
  }

  __aicore__ inline void Store(const Step& step) {
    const DataCopyExtParams copy{static_cast<uint16_t>(step.rows), static_cast<uint32_t>(step.length * sizeof(T)), 0,
                                 GapBytes(step, tiling_->axisLength), 0};
    LocalTensor<T> elements = queue_.template DeQue<T>();
    varGm_.SetGlobalBuffer(TensorAddress<T>(var_, step.tensor));
    DataCopyPad(varGm_[step.to], elements, copy);
    queue_.FreeTensor(elements);
  }

  TQueBind<TPosition::VECIN, TPosition::VECOUT, BUFFER_NUM> queue_;
  GlobalTensor<T> varGm_;
  GlobalTensor<T> updatesGm_;
  GlobalTensor<I> indiceGm_;
  GlobalTensor<uint8_t> maskGm_;
  const ScatterListTilingData* tiling_ = nullptr;
  GM_ADDR var_ = nullptr;
  uint64_t unit_ = 0;
  uint64_t endUnit_ = 0;
  uint64_t done_ = 0;  // elements of this unit already handed out
  uint64_t rowsPerStep_ = 1;
  uint64_t tensor_ = ~0ULL;  // the tensor that the following describe
  bool active_ = false;
  uint64_t start_ = 0;
  uint64_t rowLength_ = 0;    // elements copied per row
  uint64_t pieceLength_ = 0;  // and per piece of a row, the last one less
};

extern "C" __global__ __aicore__ void scatter_list(GM_ADDR var, GM_ADDR indice, GM_ADDR updates, GM_ADDR mask,
                                                   GM_ADDR varOut, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelScatterList<DTYPE_VAR, DTYPE_INDICE> op;
  op.Init(varOut, indice, updates, mask, tilingData, &pipe);
  op.Process();
}
