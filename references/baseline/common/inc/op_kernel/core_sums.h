// A value of every core, added up: each leaves a block in the workspace, and all read them once all are there.
#pragma once

#include "op_kernel/row_math.h"

class CoreSums {
 public:
  __aicore__ inline void Init(GM_ADDR workspace, AscendC::TPipe* pipe) {
    pipe_ = pipe;
    blocks_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(AscendC::GetUserWorkspace(workspace)));
    pipe->InitBuffer(buffer_, (AscendC::GetBlockNum() + 1) * rows::LANES_PER_BLOCK * sizeof(float));
  }

  // The block of this core, to be filled by vector instructions.
  __aicore__ inline rows::Floats Own() { return buffer_.Get<float>(); }

  // Lane by lane the sum of all blocks, in the order of the cores.
  __aicore__ inline rows::Floats Total() {
    const uint32_t cores = static_cast<uint32_t>(AscendC::GetBlockNum());
    const rows::Floats own = Own();
    if (cores == 1) {
      return own;
    }
    const event_t computed = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::V_MTE3));
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(computed);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(computed);
    AscendC::DataCopy(blocks_[AscendC::GetBlockIdx() * rows::LANES_PER_BLOCK], own, rows::LANES_PER_BLOCK);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::SyncAll();
    const rows::Floats all = buffer_.Get<float>()[rows::LANES_PER_BLOCK];
    AscendC::DataCopy(all, blocks_, cores * rows::LANES_PER_BLOCK);
    const event_t loaded = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::MTE2_V));
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(loaded);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(loaded);
    rows::Tile tile;
    tile.rows = cores;
    tile.columns = rows::LANES_PER_BLOCK;
    tile.stride = rows::LANES_PER_BLOCK;
    AscendC::Duplicate(own, 0.0f, static_cast<int32_t>(rows::LANES_PER_BLOCK));
    rows::AddRows(own, all, tile);
    return own;
  }

  // Writes the first `count` elements of a tensor that vector instructions have filled.
  template <typename T>
  __aicore__ inline void Store(GM_ADDR address, const AscendC::LocalTensor<T>& values, uint32_t count) {
    AscendC::GlobalTensor<T> result;
    result.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address), count);
    const event_t computed = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::V_MTE3));
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(computed);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(computed);
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    AscendC::DataCopyPad(result, values, copy);
  }

 private:
  AscendC::TPipe* pipe_ = nullptr;
  AscendC::GlobalTensor<float> blocks_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
};
