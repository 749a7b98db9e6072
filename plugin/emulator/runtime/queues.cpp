// TQue: tensors on their way between two pipes.
#include <algorithm>

#include "buffers.h"
#include "issue.h"

namespace npu_emu {

Queue& queueAt(BufferHandle handle, const char* instruction) {
  if (handle == 0 || handle >= core->queues.size()) {
    trap({Check::ErrorBuffer0, instruction, "the queue was never initialised",
          "call pipe.InitBuffer(queue, number, bytes) in Init"});
  }
  Queue& queue = core->queues[handle];
  if (queue.number == 0) {
    trap({Check::ErrorBuffer0, instruction, "the pool of the queue was reset and has handed out other buffers since",
          "call InitBuffer of the pool again after its Reset"});
  }
  return queue;
}

void dropFlags(Buffer& buffer) {
  if (buffer.queue == 0) return;
  dropQueueFlag(buffer.ready);
  dropQueueFlag(buffer.reuse);
}

static bool hasSetId(const QueueFlag& flag) { return flag.isSet && flag.id != noEventId; }

void waitForFreedTensors(uint32_t pool) {
  const bool givesBack = pool == 0;
  const char* instruction = pool == 0 ? "TPipe" : "TBufPool";
  for (Buffer& buffer : core->buffers) {
    if (buffer.pool != pool || buffer.queue == 0 || buffer.state != BufferState::Free || !hasSetId(buffer.reuse))
      continue;
    waitForQueueFlag(instruction, pipesOfReuse(buffer), buffer.reuse, givesBack);
  }
  const auto isOfPool = [&](const PoolFlag& each) { return each.pool == pool; };
  for (PoolFlag& each : core->poolFlags)
    if (isOfPool(each)) waitForQueueFlag(instruction, each.pipes, each.flag, givesBack);
  core->poolFlags.erase(std::remove_if(core->poolFlags.begin(), core->poolFlags.end(), isOfPool),
                        core->poolFlags.end());
}

void leaveFlags(const Buffer& buffer) {
  if (buffer.queue == 0) return;
  if (hasSetId(buffer.reuse) && buffer.state == BufferState::Free && buffer.pool != 0)
    core->poolFlags.push_back({buffer.pool, pipesOfReuse(buffer), buffer.reuse});
  if (hasSetId(buffer.ready))
    core->flagsSet[static_cast<size_t>(buffer.ready.event) * eventIds + static_cast<size_t>(buffer.ready.id)] =
        buffer.where;
}

EventPipes pipesOfReuse(const Buffer& buffer) {
  return buffer.reuse.event == HardEvent::MAX ? core->queues[buffer.queue].reuse : pipesOf(buffer.reuse.event);
}

namespace {

// Queues between the same positions set and wait for the same flags: one may free or hand on the tensors of the other.
bool isLike(const Queue& queue, uint16_t other) {
  return other != 0 && core->queues[other].src == queue.src && core->queues[other].dst == queue.dst;
}

const char* nameOf(const Queue& queue) { return npu_emu::nameOf(positionOf(queue)); }

// Of the part of L1 that vector cores fill, they know no flags, and whoever frees its tensors only where a cube core loads them:
// what is in order there is the messages to the cube core.
bool hasReadyFlag(const Queue& queue) { return queue.dst != TPosition::TSCM || core->isCube; }
bool hasReuseFlag(const Queue& queue) {
  return queue.dst != TPosition::TSCM || (queue.src == TPosition::GM && core->isCube);
}

void set(const char* instruction, bool hasFlag, EventPipes pipes, QueueFlag& flag) {
  if (hasFlag) return setQueueFlag(instruction, pipes, flag);
  flag.isSet = true;
  setToken(pipes.from, flag.token, 0);
}

void wait(const char* instruction, bool hasFlag, EventPipes pipes, QueueFlag& flag) {
  if (hasFlag) return waitForQueueFlag(instruction, pipes, flag);
  flag.isSet = false;
  waitForToken(pipes.to, flag.token, 0);
}

// The buffer a tensor starts in, from its id or its address.
uint16_t bufferIndex(const Queue& queue, uint16_t id, const uint8_t* address, const char* instruction) {
  const auto holds = [&](uint16_t i) {
    const Buffer& buffer = core->buffers[i];
    if (buffer.base == nullptr) return false;
    return address == buffer.base || (address > buffer.base && address < buffer.base + buffer.bytes);
  };
  const bool isKnown = id != 0 && id < core->buffers.size() && holds(id);
  if (isKnown && isLike(queue, core->buffers[id].queue)) return id;
  if (isKnown && queue.isLoop && core->buffers[id].queue != 0) return id;
  for (uint16_t i = queue.first; i < queue.first + queue.number; ++i)
    if (holds(i)) return i;
  for (uint16_t i = 1; i < core->buffers.size(); ++i)
    if (isLike(queue, core->buffers[i].queue) && holds(i)) return i;
  trap({Check::ErrorBuffer3, instruction, text("the tensor does not come from this %s queue", nameOf(queue)),
        "pass the tensor that AllocTensor or DeQue of the same queue returned"});
}

// Of tensors between two positions, so many can be in use at once: each takes an event id, and there are no more.
constexpr size_t tensorLimit = eventIds;

void requireEventId(const Queue& queue) {
  // those of a pool that was reset are plain memory
  const auto isInUse = [&](const Buffer& buffer) {
    return buffer.queue != 0 && buffer.state != BufferState::Free && buffer.state != BufferState::Plain &&
           positionOf(core->queues[buffer.queue]) == positionOf(queue);
  };
  const auto inUse = static_cast<size_t>(std::count_if(core->buffers.begin(), core->buffers.end(), isInUse));
  if (inUse < tensorLimit) return;
  trap({Check::EventId, "AllocTensor",
        text("%zu tensors of %s queues are in use, and no event id is left: the core waits for ever", inUse,
             nameOf(queue)),
        "free tensors before allocating more, or take memory that no pipe waits for from a TBuf"});
}

// Those that a TPipe initialises have event ids from the start; a pool gives them none, and the library waits for no flag that
// there is.
void requireKeptFlag(const Queue& queue, const Buffer& buffer) {
  const bool isBarrier = queue.reuse.from == queue.reuse.to;
  if (queue.depth != 0 || queue.dst == TPosition::TSCM || isBarrier || buffer.reuse.isKept) return;
  trap(
      {Check::EventId, "AllocTensor",
       text("the %s queue has a depth of 0 and comes from a pool, which gives its buffers no event ids", nameOf(queue)),
       "give the queue a depth of 1, or initialise it with InitBuffer of the TPipe"});
}

EventPipes pipesOf(HandOver handOver, const Queue& queue) {
  switch (handOver) {
    case HandOver::Loaded: return {Pipe::MTE2, Pipe::V};
    case HandOver::Computed: return {Pipe::V, Pipe::MTE3};
    case HandOver::Copied: return {Pipe::MTE2, Pipe::MTE3};
    case HandOver::OfQueue: break;
  }
  return queue.ready;
}

// Whose tensors go through queues of other positions too waits for whoever has freed them last.
void waitInLoop(const Queue& queue, QueueFlag& flag) {
  constexpr const char* instruction = "AllocTensor";
  const HardEvent wanted = eventOf(queue.reuse), set = flag.event;
  if (set == wanted) return waitForQueueFlag(instruction, queue.reuse, flag);
  const bool isStored = wanted == HardEvent::V_MTE2 && set == HardEvent::MTE3_V;
  if (!isStored && (wanted != HardEvent::MTE3_V || set != HardEvent::V_MTE2)) return scalarCycles(4);
  waitForQueueFlag(instruction, npu_emu::pipesOf(set), flag);
  if (isStored) orderByFlag(instruction, HardEvent::MTE3_MTE2);
}

}  // namespace

LocalBuffer allocTensor(BufferHandle handle, bool firstOnly) {
  Queue& queue = queueAt(handle, "AllocTensor");
  const uint16_t number = firstOnly ? 1 : queue.number;
  for (uint16_t i = 0; i < number; ++i) {
    uint16_t slot = static_cast<uint16_t>((queue.next + i) % number);
    Buffer& buffer = core->buffers[queue.first + slot];
    if (buffer.state != BufferState::Free) continue;
    requireEventId(queue);
    requireKeptFlag(queue, buffer);
    queue.next = static_cast<uint16_t>((slot + 1) % number);
    buffer.state = BufferState::Allocated;
    ++queue.inUse;
    buffer.where = core->place;
    if (!buffer.reuse.isSet) scalarCycles(4);
    else if (queue.isLoop) waitInLoop(queue, buffer.reuse);
    else wait("AllocTensor", hasReuseFlag(queue), queue.reuse, buffer.reuse);
    return localOf(static_cast<uint16_t>(queue.first + slot));
  }
  trap({Check::QueueExhausted, "AllocTensor",
        text("all %u buffers of the %s queue are in use: the core waits for ever", number, nameOf(queue)),
        firstOnly ? "free tensors before allocating more, or leave bufferNumber out of the TQueConfig"
                  : "free tensors before allocating more, or give InitBuffer a larger number"});
}

void enqueTensor(BufferHandle handle, uint16_t index, const uint8_t* address, HandOver handOver) {
  Queue& queue = queueAt(handle, "EnQue");
  index = bufferIndex(queue, index, address, "EnQue");
  Buffer& buffer = core->buffers[index];
  if (buffer.state == BufferState::Queued) {
    trap({Check::QueueState, "EnQue", text("the tensor is already in the %s queue", nameOf(queue)),
          "enqueue a tensor once"});
  }
  if (buffer.state == BufferState::Free) {
    trap({Check::QueueState, "EnQue", text("the tensor of the %s queue was freed before", nameOf(queue)),
          "enqueue before FreeTensor"});
  }
  if (static_cast<int64_t>(queue.line.size()) >= (queue.depth == 0 ? queue.number : queue.depth)) {
    trap({Check::QueueOverflow, "EnQue",
          text("the %s queue of depth %d already holds %zu tensors", nameOf(queue), queue.depth, queue.line.size()),
          "DeQue before the next EnQue, or raise the depth of the TQue"});
  }
  buffer.state = BufferState::Queued;
  buffer.where = core->place;
  queue.line.push_back(index);
  set("EnQue", hasReadyFlag(queue), pipesOf(handOver, queue), buffer.ready);
}

LocalBuffer dequeTensor(BufferHandle handle, HandOver handOver) {
  Queue& queue = queueAt(handle, "DeQue");
  if (queue.line.empty()) {
    trap({Check::QueueEmpty, "DeQue", text("the %s queue is empty: the core waits for ever", nameOf(queue)),
          "EnQue a tensor before DeQue; check the order and the loop counts of the stages"});
  }
  uint16_t index = queue.line.front();
  queue.line.erase(queue.line.begin());
  Buffer& buffer = core->buffers[index];
  buffer.state = BufferState::Taken;
  buffer.where = core->place;
  wait("DeQue", hasReadyFlag(queue), pipesOf(handOver, queue), buffer.ready);
  return localOf(index);
}

void dequeTensorAt(BufferHandle handle, uint16_t index, const uint8_t* address) {
  Queue& queue = queueAt(handle, "DeQue");
  index = bufferIndex(queue, index, address, "DeQue");
  auto place = std::find(queue.line.begin(), queue.line.end(), index);
  if (place == queue.line.end()) {
    trap({Check::QueueEmpty, "DeQue", text("the tensor is not in the %s queue: the core waits for ever", nameOf(queue)),
          "EnQue the tensor before DeQue; check the order and the loop counts of the stages"});
  }
  queue.line.erase(place);
  Buffer& buffer = core->buffers[index];
  buffer.state = BufferState::Taken;
  buffer.where = core->place;
  wait("DeQue", hasReadyFlag(queue), queue.ready, buffer.ready);
}

// Waits for everything the consumers of freed tensors have issued.
void freeAllEvents(BufferHandle handle) {
  Queue& queue = queueAt(handle, "FreeAllEvent");
  for (uint16_t i = queue.first; i < queue.first + queue.number; ++i) {
    Buffer& buffer = core->buffers[i];
    if (buffer.state == BufferState::Free && buffer.reuse.isSet)
      waitForQueueFlag("FreeAllEvent", queue.reuse, buffer.reuse);
  }
}

void freeTensor(BufferHandle handle, uint16_t index, const uint8_t* address) {
  Queue& queue = queueAt(handle, "FreeTensor");
  index = bufferIndex(queue, index, address, "FreeTensor");
  Buffer& buffer = core->buffers[index];
  if (buffer.state == BufferState::Free) {
    trap({Check::ErrorFree, "FreeTensor", text("the tensor of the %s queue is freed twice", nameOf(queue)),
          "free a tensor once"});
  }
  if (buffer.state == BufferState::Queued) {
    trap({Check::QueueState, "FreeTensor", text("the tensor is still in the %s queue", nameOf(queue)),
          "DeQue it before FreeTensor"});
  }
  buffer.state = BufferState::Free;
  buffer.everFreed = true;
  --queue.inUse;
  set("FreeTensor", hasReuseFlag(queue), queue.reuse, buffer.reuse);
}

void makeLoop(BufferHandle handle) { queueAt(handle, "InitBuffer").isLoop = true; }

// On a device a tensor in its queue is not told from one that is out of it.
bool isFreeTensor(BufferHandle handle, uint16_t index, const uint8_t* address) {
  Queue& queue = queueAt(handle, "GetState");
  scalarCycles(1);
  return core->buffers[bufferIndex(queue, index, address, "GetState")].state == BufferState::Free;
}

LocalBuffer bufferOfTensor(BufferHandle handle, const uint8_t* address) {
  Queue& queue = queueAt(handle, "GetBufferAddr");
  return localOf(bufferIndex(queue, 0, address, "GetBufferAddr"));
}

bool queueVacant(BufferHandle handle) {
  const Queue& queue = queueAt(handle, "VacantInQue");
  return static_cast<int64_t>(queue.line.size()) < queue.depth;
}

bool queueHasIdleBuffer(BufferHandle handle) {
  const Queue& queue = queueAt(handle, "HasIdleBuffer");
  return queue.inUse < queue.number;
}

bool queueHasTensor(BufferHandle handle) { return !queueAt(handle, "HasTensorInQue").line.empty(); }

int32_t queueLength(BufferHandle handle) {
  return static_cast<int32_t>(queueAt(handle, "GetTensorCountInQue").line.size());
}

void checkQueuesAtEnd(const char* of) {
  for (const Queue& queue : core->queues) {
    if (queue.line.empty()) continue;
    report({Check::ErrorSync3, "EnQue",
            text("%zu tensors are still in a %s queue when the %s ends", queue.line.size(), nameOf(queue), of),
            "take out with DeQue what EnQue puts in", &core->buffers[queue.line.front()].where});
  }
  for (const Buffer& buffer : core->buffers) {
    if (buffer.state != BufferState::Allocated && buffer.state != BufferState::Taken) continue;
    bool taken = buffer.state == BufferState::Taken;
    report({Check::ErrorLeak, taken ? "DeQue" : "AllocTensor", "a tensor is never freed",
            "call FreeTensor after the last use", &buffer.where});
  }
}

}  // namespace npu_emu
