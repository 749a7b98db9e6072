// Resource management: TPipe hands out core-local memory to queues (TQue) and buffers (TBuf).
#pragma once

#include "std.h"
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

enum class TBufState : uint8_t { FREE = 0, OCCUPIED, ENQUE, DEQUE };

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
    return LocalTensor<T>(npu_emu::dequeTensor(handle_, npu_emu::HandOver::OfQueue), bufferPosition);
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
    return LocalTensor<T>(npu_emu::dequeTensor(handle_, handOverBetween<from, to>()), bufferPosition);
  }

  template <typename T>
  void FreeTensor(LocalTensor<T>& tensor) {
    npu_emu::freeTensor(handle_, tensor.npu_emu_buffer(), tensor.npu_emu_bytes());
  }
  void FreeBuffer(TBufHandle buf) { npu_emu::freeTensor(handle_, 0, buf); }
  TBuffAddr GetBufferAddr(TBufHandle buf) { return {npu_emu::bufferOfTensor(handle_, buf), bufferPosition}; }
  // A device tells free buffers from others only.
  template <typename T>
  TBufState GetState(const LocalTensor<T>& tensor) const {
    if (tensor.npu_emu_bytes() == nullptr) return TBufState::FREE;
    const bool isFree = npu_emu::isFreeTensor(handle_, tensor.npu_emu_buffer(), tensor.npu_emu_bytes());
    return isFree ? TBufState::FREE : TBufState::OCCUPIED;
  }

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
    open(npu_emu::openQueue(src, dst, depth, number, bytes));
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
    return LocalTensor<T>(npu_emu::allocTensor(handle_, usesFirstBufferOnly()), bufferPosition);
  }
  void open(npu_emu::BufferHandle handle) {
    handle_ = handle;
    if constexpr (std::is_pointer_v<decltype(mask)>)
      if (mask->enableLoopQueue) npu_emu::makeLoop(handle);
  }
  // a vector core fills its part of L1 as if it were there
  static constexpr TPosition bufferPosition = dst == TPosition::GM || dst == TPosition::CO2 ? src : dst;
  npu_emu::BufferHandle handle_ = 0;
};

namespace npu_emu_detail {

// Between what and what a queue of one position lies.
constexpr TPosition sourceOf(TPosition position) {
  switch (position) {
    case TPosition::A1:
    case TPosition::B1:
    case TPosition::C1:
    case TPosition::VECIN: return TPosition::GM;
    case TPosition::A2: return TPosition::A1;
    case TPosition::B2: return TPosition::B1;
    case TPosition::C2: return TPosition::C1;
    case TPosition::C2PIPE2GM: return TPosition::B1;
    case TPosition::SPM: return TPosition::VECOUT;
    default: return position;
  }
}
constexpr TPosition targetOf(TPosition position) {
  switch (position) {
    case TPosition::CO1: return TPosition::CO2;
    case TPosition::CO2:
    case TPosition::VECOUT:
    case TPosition::SPM: return TPosition::GM;
    default: return position;
  }
}

}  // namespace npu_emu_detail

// api: TQue | S | any | documented
template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<npu_emu_detail::sourceOf(position), npu_emu_detail::targetOf(position), depth, mask> {
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
  void EnQue(const LocalTensor<T>&) {}
  template <typename T>
  LocalTensor<T> DeQue() {
    return Get<T>();
  }
  template <typename T>
  void FreeTensor(LocalTensor<T>&) {}
  template <typename T>
  TBufState GetState(const LocalTensor<T>&) const {
    return TBufState::FREE;
  }
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

namespace npu_emu_detail {

constexpr bool canHavePools(TPosition position) {
  switch (position) {
    case TPosition::GM:
    case TPosition::A2:
    case TPosition::B2:
    case TPosition::C2:
    case TPosition::CO1:
    case TPosition::CO2:
    case TPosition::C2PIPE2GM: return false;
    default: return true;
  }
}

// Where a kernel has a buffer: an offset in its memory, and a length in bytes.
template <typename T>
constexpr bool isPlace = false;
template <typename Address, typename Bytes>
constexpr bool isPlace<Std::tuple<Address, Bytes>> = true;

// A pool that is given another place still waits for what it has handed out.
inline void place(npu_emu::Pool& pool, const npu_emu::Pool& fresh) {
  pool.range = fresh.range;
  pool.used = 0;
  if (pool.id == 0) pool.id = fresh.id;
}

}  // namespace npu_emu_detail

// A part of local memory that several stages of a kernel use in turn.
// api: TBufPool | S | any | documented
template <TPosition position, uint32_t limit = 4>
class TBufPool {
 public:
  static constexpr TPosition poolPos = position;
  static_assert(npu_emu_detail::canHavePools(position),
                "a TBufPool is in L1 (A1, B1, C1) or in UB (VECIN, VECOUT, VECCALC)");

  TBufPool() {}
  ~TBufPool() { npu_emu::resetPool(npu_emu_pool, true); }

  template <TPosition src, TPosition dst, int32_t depth, auto mask>
  bool InitBuffer(TQueBind<src, dst, depth, mask>& queue, uint8_t number, uint32_t bytes) {
    queue.open(npu_emu::initQueueIn(npu_emu_pool, src, dst, depth, number, bytes, limit));
    return true;
  }
  template <TPosition where>
  bool InitBuffer(TBuf<where>& buffer, uint32_t bytes) {
    buffer.buffer_ = npu_emu::initBufferIn(npu_emu_pool, where, bytes, limit);
    return true;
  }
  template <class Inner>
  bool InitBufPool(Inner& pool, uint32_t bytes) {
    npu_emu_detail::place(pool.npu_emu_pool, npu_emu::initPoolIn(npu_emu_pool, Inner::poolPos, bytes));
    return true;
  }
  template <class Inner, class Shared>
  bool InitBufPool(Inner& pool, uint32_t bytes, Shared& shared) {
    npu_emu_detail::place(pool.npu_emu_pool, npu_emu::initPool(nullptr, Inner::poolPos, bytes, &shared.npu_emu_pool));
    return true;
  }
  void Reset() { npu_emu::resetPool(npu_emu_pool, true); }

  npu_emu::Pool npu_emu_pool;
};

// What a class needs to hand out the memory of a pool itself. Addresses count from the start of the memory.
// api: EXTERN_IMPL_BUFPOOL | S | any | documented: experimental
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                                            \
 public:                                                                                                  \
  static constexpr AscendC::TPosition poolPos = POSITION;                                                 \
  static constexpr int bufIDSize = BUFID_SIZE;                                                            \
  static constexpr bool isTbufPool = true;                                                                \
  __aicore__ inline ~EXT_BUFPOOL() { Reset(); }                                                           \
  __aicore__ inline void Init() {                                                                         \
    static_assert(AscendC::npu_emu_detail::canHavePools(POSITION), "a pool is in L1 or in UB");           \
    npu_emu_pool.buffers = 0;                                                                             \
  }                                                                                                       \
  __aicore__ inline void Reset() { npu_emu::resetPool(npu_emu_pool, false); }                             \
  __aicore__ inline AscendC::TBufHandle GetBufHandle(uint8_t offset) {                                    \
    return npu_emu::bufferHandle(offset, bufIDSize);                                                      \
  }                                                                                                       \
  __aicore__ inline uint32_t GetCurAddr() { return npu_emu::poolAddress(npu_emu_pool); }                  \
  __aicore__ inline void SetCurAddr(uint32_t curAddr) { npu_emu::setPoolAddress(npu_emu_pool, curAddr); } \
  __aicore__ inline uint8_t GetCurBufSize() { return static_cast<uint8_t>(npu_emu_pool.buffers); }        \
  __aicore__ inline void SetCurBufSize(uint8_t curBufSize) { npu_emu_pool.buffers = curBufSize; }         \
  npu_emu::Pool npu_emu_pool

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
    queue.open(npu_emu::initQueue(this, src, dst, depth, number, bytes));
    return true;
  }
  // Each buffer at an offset in the memory, with its length in bytes, which need not be free.
  template <TPosition src, TPosition dst, int32_t depth, auto mask, typename Address, typename Bytes, typename... Rest>
  bool InitBuffer(TQueBind<src, dst, depth, mask>& queue, const Std::tuple<Address, Bytes>& first,
                  const Rest&... others) {
    static_assert(dst != TPosition::TSCM, "InitBuffer(queue, places...): those of TSCM are not the kernel's to choose");
    static_assert((npu_emu_detail::isPlace<Rest> && ...),
                  "InitBuffer(queue, places...): a place is a tuple of an offset and a length");
    queue.open(npu_emu::initQueueAt(this, src, dst, depth, static_cast<uint8_t>(1 + sizeof...(others))));
    uint32_t index = 0;
    const auto place = [&](const auto& at) {
      npu_emu::placeBufferAt(queue.handle_, index++, static_cast<uint32_t>(std::get<0>(at)),
                             static_cast<uint32_t>(std::get<1>(at)));
    };
    place(first);
    (place(others), ...);
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
    npu_emu_detail::place(pool.npu_emu_pool, npu_emu::initPool(this, Pool::poolPos, bytes, nullptr));
    return true;
  }
  template <class Pool, class Shared>
  bool InitBufPool(Pool& pool, uint32_t bytes, Shared& shared) {
    npu_emu_detail::place(pool.npu_emu_pool, npu_emu::initPool(this, Pool::poolPos, bytes, &shared.npu_emu_pool));
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

  // A place in local memory by its offset.
  template <TPosition position>
  TBuffAddr GetAbsAddr(int32_t offset, int32_t bytes) const {
    return {npu_emu::localMemoryOf(position, static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes)), position};
  }
  template <TPosition position, typename T>
  LocalTensor<T> GetAbsAddr(int32_t offset, int32_t elements) const {
    LocalTensor<T> tensor;
    tensor.SetAddr(GetAbsAddr<position>(offset, elements * static_cast<int32_t>(sizeof(T))));
    return tensor;
  }

  // Room in global memory for what UB has no room for; offsets and sizes in elements.
  template <typename T>
  void InitSpmBuffer(const GlobalTensor<T>& workspace, int32_t) {
    spill_ = (__gm__ void*)workspace.GetPhyAddr();
  }
  template <typename T>
  void WriteSpmBuffer(const LocalTensor<T>& tensor, const DataCopyParams& params, int32_t offset = 0) {
    order(HardEvent::V_MTE3);
    order(HardEvent::MTE2_MTE3);
    DataCopy(spillAt<T>(offset), tensor, params);
    order(HardEvent::MTE3_MTE2);
    order(HardEvent::MTE3_V);
  }
  template <typename T>
  void WriteSpmBuffer(const LocalTensor<T>& tensor, int32_t elements, int32_t offset = 0) {
    WriteSpmBuffer(tensor, inOnePiece(tensor, elements), offset);
  }
  template <typename T>
  void ReadSpmBuffer(const LocalTensor<T>& tensor, const DataCopyParams& params, int32_t offset = 0) {
    order(HardEvent::V_MTE2);
    DataCopy(tensor, spillAt<T>(offset), params);
    order(HardEvent::MTE2_V);
    order(HardEvent::MTE2_MTE3);
  }
  template <typename T>
  void ReadSpmBuffer(const LocalTensor<T>& tensor, int32_t elements, int32_t offset = 0) {
    ReadSpmBuffer(tensor, inOnePiece(tensor, elements), offset);
  }

  void Reset() { npu_emu::resetPipe(); }
  void Destroy() { npu_emu::closePipe(this, npu_emu::PipeEnd::Asked); }
  void DestroyWithoutPipeAll() { npu_emu::closePipe(this, npu_emu::PipeEnd::WithoutBarrier); }
  void Init() { npu_emu::openPipe(this); }

 private:
  static void order(HardEvent event) {
    const int32_t id = npu_emu::fetchEventId(event);
    npu_emu::setFlag(event, id);
    npu_emu::waitFlag(event, id);
  }
  template <typename T>
  GlobalTensor<T> spillAt(int32_t offset) const {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(static_cast<__gm__ T*>(spill_) + offset);
    return tensor;
  }
  // Whole blocks of it: of the shape that the tensor was given where no number is.
  template <typename T>
  static DataCopyParams inOnePiece(const LocalTensor<T>& tensor, int32_t elements) {
    const int32_t count = elements != 0 ? elements : GetShapeSize(tensor.GetShapeInfo());
    return {1, static_cast<uint16_t>(count * static_cast<int32_t>(sizeof(T)) / static_cast<int32_t>(ONE_BLK_SIZE)), 0,
            0};
  }
  __gm__ void* spill_ = nullptr;
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
