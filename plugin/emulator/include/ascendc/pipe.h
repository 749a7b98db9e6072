// Resource management: TPipe hands out core-local memory to queues (TQue) and buffers (TBuf).
#pragma once

#include "tensor.h"

namespace AscendC {

// What the fourth template argument of a queue may be instead of bits.
struct TQueConfig {
  bool nd2nz = false;
  bool nz2nd = false;
  bool scmBlockGroup = false;
  uint32_t bufferLen = 0;
  uint32_t bufferNumber = 0;
  uint32_t consumerSize = 0;
  TPosition consumer[8] = {};
  bool enableStaticEvtId = false;
  bool enableLoopQueue = false;
};

// api: TQueBind | S | any | documented
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
 public:
  TQueBind() {}

  static constexpr TPosition srcPosition = src, dstPosition = dst;
  static constexpr int32_t queDepth = depth;

  template <typename T>
  LocalTensor<T> AllocTensor() {
    static_assert(depth != 0, "AllocTensor(): a queue of depth 0 takes AllocTensor(tensor)");
    return allocate<T>();
  }
  template <typename T>
  void AllocTensor(LocalTensor<T>& tensor) {
    static_assert(depth == 0, "AllocTensor(tensor): only a queue of depth 0 allocates in place");
    tensor = allocate<T>();
  }

  template <typename T>
  bool EnQue(const LocalTensor<T>& tensor) {
    npu_emu::enqueTensor(handle_, tensor.npu_emu_buffer(), tensor.npu_emu_bytes(), npu_emu::HandOver::OfQueue);
    return true;
  }
  bool EnQue(TBufHandle buf) {
    npu_emu::enqueTensor(handle_, 0, buf, npu_emu::HandOver::OfQueue);
    return true;
  }
  template <TPosition from, TPosition to, typename T>
  bool EnQue(const LocalTensor<T>& tensor) {
    static_assert(depth != 0, "EnQue: a queue of depth 0 takes no positions");
    constexpr auto handOver = handOverBetween<from, to>();
    npu_emu::enqueTensor(handle_, tensor.npu_emu_buffer(), tensor.npu_emu_bytes(), handOver);
    return true;
  }

  template <typename T>
  LocalTensor<T> DeQue() {
    static_assert(depth != 0, "DeQue(): a queue of depth 0 takes DeQue(tensor)");
    return LocalTensor<T>(npu_emu::dequeTensor(handle_, npu_emu::HandOver::OfQueue), dst);
  }
  TBufHandle DeQue() { return npu_emu::dequeTensor(handle_, npu_emu::HandOver::OfQueue).address; }
  template <typename T>
  void DeQue(LocalTensor<T>& tensor) {
    static_assert(depth == 0, "DeQue(tensor): only a queue of depth 0 takes out in place");
    npu_emu::dequeTensorAt(handle_, tensor.npu_emu_buffer(), tensor.npu_emu_bytes());
  }
  template <TPosition from, TPosition to, typename T>
  LocalTensor<T> DeQue() {
    static_assert(depth != 0, "DeQue(): a queue of depth 0 takes DeQue(tensor)");
    return LocalTensor<T>(npu_emu::dequeTensor(handle_, handOverBetween<from, to>()), to);
  }

  template <typename T>
  void FreeTensor(LocalTensor<T>& tensor) {
    npu_emu::freeTensor(handle_, tensor.npu_emu_buffer(), tensor.npu_emu_bytes());
  }
  template <typename T>
  void FreeTensor(LocalTensor<T>&& tensor) {
    npu_emu::freeTensor(handle_, tensor.npu_emu_buffer(), tensor.npu_emu_bytes());
  }
  template <typename T>
  void FreeTensor(const LocalTensor<T>& tensor) {
    npu_emu::freeTensor(handle_, tensor.npu_emu_buffer(), tensor.npu_emu_bytes());
  }
  void FreeBuffer(TBufHandle buf) { npu_emu::freeTensor(handle_, 0, buf); }

  bool VacantInQue() {
    static_assert(depth != 0, "VacantInQue: a queue of depth 0 has none");
    return npu_emu::queueVacant(handle_);
  }
  bool HasTensorInQue() {
    static_assert(depth != 0, "HasTensorInQue: a queue of depth 0 has none");
    return npu_emu::queueHasTensor(handle_);
  }
  int32_t GetTensorCountInQue() {
    static_assert(depth != 0, "GetTensorCountInQue: a queue of depth 0 has none");
    return npu_emu::queueLength(handle_);
  }
  bool HasIdleBuffer() {
    static_assert(depth != 0, "HasIdleBuffer: a queue of depth 0 has none");
    return npu_emu::queueHasIdleBuffer(handle_);
  }
  void FreeAllEvent() {
    static_assert(depth != 0, "FreeAllEvent: a queue of depth 0 has none");
    npu_emu::freeAllEvents(handle_);
  }

  // What a pool of the kernel's own calls: first for all buffers, then for each.
  void InitStartBufHandle(TBufHandle, uint8_t number, uint32_t bytes) {
    handle_ = npu_emu::openQueue(src, dst, depth, number, bytes);
  }
  template <class Pool>
  void InitBufHandle(Pool* pool, uint32_t index, TBufHandle, uint32_t address, uint32_t bytes) {
    npu_emu::placeBuffer(handle_, index, pool->npu_emu_pool, address, bytes);
  }

 private:
  friend class TPipe;
  template <TPosition position, uint32_t limit>
  friend class TBufPool;
  // With a configuration of one buffer a queue only ever hands out its first, however many InitBuffer makes.
  static constexpr bool usesFirstBufferOnly() {
    if constexpr (std::is_pointer_v<decltype(mask)>) return mask->bufferNumber == 1;
    else return false;
  }

  // Who hands over between positions that EnQue and DeQue name, which may be others than those of their queue.
  template <TPosition from, TPosition to>
  static constexpr npu_emu::HandOver handOverBetween() {
    constexpr auto isAllowed = [](TPosition position) {
      return position == TPosition::GM || position == TPosition::VECIN || position == TPosition::VECOUT ||
             position == TPosition::VECCALC;
    };
    static_assert(isAllowed(from) && isAllowed(to),
                  "EnQue and DeQue take the positions GM, VECIN, VECOUT and VECCALC only");
    static_assert(from != TPosition::GM || to != TPosition::GM, "EnQue and DeQue: one of the positions must be local");
    if (from == TPosition::GM) return npu_emu::HandOver::Loaded;
    return to == TPosition::GM ? npu_emu::HandOver::Computed : npu_emu::HandOver::Copied;
  }

  template <typename T>
  LocalTensor<T> allocate() {
    // a vector core fills its part of L1 as if it were there
    return LocalTensor<T>(npu_emu::allocTensor(handle_, usesFirstBufferOnly()), dst == TPosition::TSCM ? dst : src);
  }
  npu_emu::BufferHandle handle_ = 0;
};

// api: TQue | S | any | documented
template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<position, position, depth, mask> {
 public:
  TQue() {}
};

// A queue whose tensors are in L1.
// api: TSCM | S | any | documented
template <TPosition position, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<position, TPosition::TSCM, depth, mask>;

// api: TBuf | S | any | documented
template <TPosition position = TPosition::LCM>
class TBuf {
 public:
  TBuf() {}

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
  bool EnQue(TBufHandle) { return true; }
  TBufHandle DeQue() { return buffer().address; }
  void FreeBuffer(TBufHandle) {}
  TBuffAddr GetBufferAddr(TBufHandle) const { return {buffer(), position}; }
  void InitStartBufHandle(TBufHandle, uint8_t, uint32_t) {}
  template <class Pool>
  void InitBufHandle(Pool* pool, uint32_t, TBufHandle, uint32_t address, uint32_t bytes) {
    buffer_ = npu_emu::bufferAt(position, pool->npu_emu_pool, address, bytes);
  }

 private:
  friend class TPipe;
  template <TPosition pool, uint32_t limit>
  friend class TBufPool;
  npu_emu::LocalBuffer buffer() const { return buffer_; }
  npu_emu::LocalBuffer buffer_ = npu_emu::neverInitialised;
};

// A part of local memory that several stages of a kernel use in turn.
// api: TBufPool | S | any | documented
template <TPosition position, uint32_t limit = 4>
class TBufPool {
 public:
  static constexpr TPosition poolPos = position;

  template <TPosition src, TPosition dst, int32_t depth, auto mask>
  bool InitBuffer(TQueBind<src, dst, depth, mask>& queue, uint8_t number, uint32_t bytes) {
    queue.handle_ = npu_emu::initQueueIn(npu_emu_pool, src, dst, depth, number, bytes, limit);
    return true;
  }
  template <TPosition where>
  bool InitBuffer(TBuf<where>& buffer, uint32_t bytes) {
    buffer.buffer_ = npu_emu::initBufferIn(npu_emu_pool, where, bytes, limit);
    return true;
  }
  template <class Inner>
  bool InitBufPool(Inner& pool, uint32_t bytes) {
    pool.npu_emu_pool = npu_emu::initPoolIn(npu_emu_pool, Inner::poolPos, bytes);
    return true;
  }
  template <class Inner, class Shared>
  bool InitBufPool(Inner& pool, uint32_t bytes, Shared& shared) {
    pool.npu_emu_pool = npu_emu::initPool(nullptr, Inner::poolPos, bytes, &shared.npu_emu_pool);
    return true;
  }
  void Reset() { npu_emu::resetPool(npu_emu_pool); }

  npu_emu::Pool npu_emu_pool;
};

// What a class needs to hand out the memory of a pool itself. Addresses count from the start of the memory.
// api: EXTERN_IMPL_BUFPOOL | S | any | documented: experimental
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                                            \
 public:                                                                                                  \
  static constexpr AscendC::TPosition poolPos = POSITION;                                                 \
  static constexpr int32_t bufSize = BUFID_SIZE;                                                          \
  __aicore__ inline void Init() { npu_emu_buffers = 0; }                                                  \
  __aicore__ inline void Reset() { npu_emu::resetPool(npu_emu_pool), npu_emu_buffers = 0; }               \
  __aicore__ inline AscendC::TBufHandle GetBufHandle(uint8_t offset) {                                    \
    return npu_emu::bufferHandle(offset, bufSize);                                                        \
  }                                                                                                       \
  __aicore__ inline uint32_t GetCurAddr() { return npu_emu::poolAddress(npu_emu_pool); }                  \
  __aicore__ inline void SetCurAddr(uint32_t curAddr) { npu_emu::setPoolAddress(npu_emu_pool, curAddr); } \
  __aicore__ inline uint8_t GetCurBufSize() { return npu_emu_buffers; }                                   \
  __aicore__ inline void SetCurBufSize(uint8_t curBufSize) { npu_emu_buffers = curBufSize; }              \
  npu_emu::Pool npu_emu_pool;                                                                             \
  uint8_t npu_emu_buffers = 0

// api: TPipe | S | any | documented
class TPipe {
 public:
  __attribute__((visibility("default"))) TPipe();
  __attribute__((visibility("default"))) ~TPipe();
  // copies hand out the same memory, which is reported where both do
  TPipe(const TPipe&) = default;
  TPipe& operator=(const TPipe&) = default;

  template <TPosition src, TPosition dst, int32_t depth, auto mask>
  bool InitBuffer(TQueBind<src, dst, depth, mask>& queue, uint8_t number, uint32_t bytes) {
    queue.handle_ = npu_emu::initQueue(this, src, dst, depth, number, bytes);
    return true;
  }

  template <TPosition position>
  bool InitBuffer(TBuf<position>& buffer, uint32_t bytes) {
    buffer.buffer_ = npu_emu::initBuffer(this, position, bytes);
    return true;
  }
  template <TPosition position>
  bool InitBuffer(TBuf<position>&, uint8_t, uint32_t) {
    static_assert(position == TPosition::MAX,
                  "InitBuffer(buffer, bytes): a TBuf is one buffer and takes no number; only a TQue does");
    return false;
  }

  template <class Pool>
  bool InitBufPool(Pool& pool, uint32_t bytes) {
    pool.npu_emu_pool = npu_emu::initPool(this, Pool::poolPos, bytes, nullptr);
    return true;
  }
  template <class Pool, class Shared>
  bool InitBufPool(Pool& pool, uint32_t bytes, Shared& shared) {
    pool.npu_emu_pool = npu_emu::initPool(this, Pool::poolPos, bytes, &shared.npu_emu_pool);
    return true;
  }

  TEventID AllocEventID(HardEvent event) { return static_cast<TEventID>(npu_emu::allocEventId(event)); }
  void ReleaseEventID(HardEvent event, TEventID id) { npu_emu::releaseEventId(event, id); }
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
  void DestroyWithoutPipeAll() { npu_emu::closePipe(this, false); }
  void Init() { npu_emu::openPipe(this); }
};

// The memory that no queue and no buffer has taken, as a tensor; false when there is none.
// api: PopStackBuffer | S | any | documented
template <typename T, TPosition position>
inline bool PopStackBuffer(LocalTensor<T>& popLocal) {
  npu_emu::LocalBuffer rest = npu_emu::restOfMemory(position);
  popLocal = LocalTensor<T>(rest, position);
  return rest.bytes != 0;
}

// Hands out local memory from its start, by hand instead of by TPipe.
// api: LocalMemAllocator | S | any | documented
template <Hardware hardware = Hardware::UB>
class LocalMemAllocator {
 public:
  uint32_t GetCurAddr() const { return head_; }
  template <TPosition position, typename T, uint32_t elements>
  LocalTensor<T> Alloc() {
    return Alloc<position, T>(elements);
  }
  template <TPosition position, typename T>
  LocalTensor<T> Alloc(uint32_t elements) {
    uint32_t bytes = (elements * static_cast<uint32_t>(sizeof(T)) + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
    LocalTensor<T> tensor(position, head_, elements);
    head_ += bytes;
    return tensor;
  }
  template <typename T, uint32_t elements>
  LocalTensor<T> Alloc() {
    return Alloc<positionOf(), T>(elements);
  }
  template <typename T>
  LocalTensor<T> Alloc(uint32_t elements) {
    return Alloc<positionOf(), T>(elements);
  }

 private:
  static constexpr TPosition positionOf() {
    return hardware == Hardware::L1     ? TPosition::A1
           : hardware == Hardware::L0A  ? TPosition::A2
           : hardware == Hardware::L0B  ? TPosition::B2
           : hardware == Hardware::L0C  ? TPosition::CO1
           : hardware == Hardware::BIAS ? TPosition::C2
                                        : TPosition::VECCALC;
  }
  uint32_t head_ = 0;
};

// api: GetTPipePtr | S | - | documented
inline TPipe* GetTPipePtr() { return static_cast<TPipe*>(npu_emu::currentPipe()); }

}  // namespace AscendC

using AscendC::GetTPipePtr;
