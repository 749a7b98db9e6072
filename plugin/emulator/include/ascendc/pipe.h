// Resource management: TPipe hands out core-local memory to queues (TQue) and buffers (TBuf).
#pragma once

#include "tensor.h"

namespace AscendC {

template <TPosition src, TPosition dst, int32_t depth, int32_t mask = 0>
class TQueBind {
 public:
  template <typename T>
  LocalTensor<T> AllocTensor() {
    return LocalTensor<T>(npu_emu::allocTensor(handle_), src);
  }

  template <typename T>
  bool EnQue(const LocalTensor<T>& tensor) {
    npu_emu::enqueTensor(handle_, tensor.bufferId(), tensor.bytes());
    return true;
  }

  template <typename T>
  LocalTensor<T> DeQue() {
    return LocalTensor<T>(npu_emu::dequeTensor(handle_), dst);
  }

  template <typename T>
  void FreeTensor(LocalTensor<T>& tensor) {
    npu_emu::freeTensor(handle_, tensor.bufferId(), tensor.bytes());
  }
  template <typename T>
  void FreeTensor(LocalTensor<T>&& tensor) {
    npu_emu::freeTensor(handle_, tensor.bufferId(), tensor.bytes());
  }

  bool VacantInQue() { return npu_emu::queueVacant(handle_); }
  bool HasTensorInQue() { return npu_emu::queueHasTensor(handle_); }
  int32_t GetTensorCountInQue() { return npu_emu::queueLength(handle_); }
  bool HasIdleBuffer() { return npu_emu::queueVacant(handle_); }
  void FreeAllEvent() {}

 private:
  friend class TPipe;
  npu_emu::BufferHandle handle_ = 0;
};

template <TPosition position, int32_t depth, int32_t mask = 0>
class TQue : public TQueBind<position, position, depth, mask> {};

template <TPosition position = TPosition::LCM>
class TBuf {
 public:
  template <typename T>
  LocalTensor<T> Get() {
    return LocalTensor<T>(buffer(), position);
  }

  template <typename T>
  LocalTensor<T> Get(uint32_t elements) {
    LocalTensor<T> tensor(buffer(), position);
    tensor.SetSize(elements);
    return tensor;
  }

  template <typename T>
  LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t byteOffset) {
    npu_emu::LocalBuffer part = buffer();
    part.address += byteOffset;
    LocalTensor<T> tensor(part, position);
    tensor.SetSize(elements);
    return tensor;
  }

  template <typename T>
  LocalTensor<T> AllocTensor() {
    return Get<T>();
  }
  template <typename T>
  bool EnQue(const LocalTensor<T>&) {
    return true;
  }
  template <typename T>
  LocalTensor<T> DeQue() {
    return Get<T>();
  }
  template <typename T>
  void FreeTensor(LocalTensor<T>&) {}
  uint32_t GetBufLen() const { return buffer_.bytes; }

 private:
  friend class TPipe;
  npu_emu::LocalBuffer buffer() const {
    if (buffer_.address == nullptr) {
      npu_emu::reportMisuse("ErrorBuffer0", "TBuf::Get", "the buffer was never initialised",
                            "call pipe.InitBuffer(buffer, bytes) in Init");
    }
    return buffer_;
  }
  npu_emu::LocalBuffer buffer_;
};

class TPipe {
 public:
  TPipe() { npu_emu::openPipe(this); }
  ~TPipe() { npu_emu::closePipe(this); }
  TPipe(const TPipe&) = delete;
  TPipe& operator=(const TPipe&) = delete;

  template <TPosition src, TPosition dst, int32_t depth, int32_t mask>
  bool InitBuffer(TQueBind<src, dst, depth, mask>& queue, uint8_t number, uint32_t bytes) {
    queue.handle_ = npu_emu::initQueue(src, dst, depth, number, bytes);
    return true;
  }

  template <TPosition position>
  bool InitBuffer(TBuf<position>& buffer, uint32_t bytes) {
    buffer.buffer_ = npu_emu::initBuffer(position, bytes);
    return true;
  }

  TEventID FetchEventID(HardEvent event) { return static_cast<TEventID>(npu_emu::fetchEventId(event)); }
  template <HardEvent event>
  TEventID FetchEventID() {
    return static_cast<TEventID>(npu_emu::fetchEventId(event));
  }
  template <HardEvent event>
  TEventID AllocEventID() {
    return static_cast<TEventID>(npu_emu::allocEventId(event));
  }
  template <HardEvent event>
  void ReleaseEventID(TEventID id) {
    npu_emu::releaseEventId(event, id);
  }

  void Reset() { npu_emu::resetPipe(); }
  void Destroy() { npu_emu::closePipe(this); }
  void Init() { npu_emu::openPipe(this); }
};

inline TPipe* GetTPipePtr() { return static_cast<TPipe*>(npu_emu::currentPipe()); }

}  // namespace AscendC
