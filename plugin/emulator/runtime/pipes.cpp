// TPipe: who hands out the memory of a core.
#include <algorithm>

#include "buffers.h"
#include "issue.h"

namespace npu_emu {

using AscendC::HardEvent;

namespace {

bool isOpen(const void* pipe) {
  return std::find(core->openPipes.begin(), core->openPipes.end(), pipe) != core->openPipes.end();
}

void forgetBuffers() {
  core->used.fill(0);
  for (const Buffer& buffer : core->buffers) leaveFlags(buffer);
  core->buffers.resize(1);
  core->queues.resize(1);
}

// After a pipe that has ended, memory is handed out from its start again.
void forgetEndedPipe() {
  if (core->bufferPipe == nullptr || isOpen(core->bufferPipe)) return;
  checkQueuesAtEnd("TPipe");
  for (Buffer& buffer : core->buffers)
    if (buffer.pool == 0 || buffer.state == BufferState::Queued)
      dropFlags(buffer);  // what is left in a queue is told already
  forgetBuffers();
  core->bufferPipe = nullptr;
}

}  // namespace

void checkPipe(const void* pipe, const char* instruction) {
  if (core->bufferPipe == pipe) return;
  forgetEndedPipe();
  if (core->bufferPipe != nullptr) {
    report({Check::PipeTwice, instruction, "two TPipe objects hand out the same memory",
            "pass the one TPipe of the kernel by pointer"});
  }
  if (!isOpen(pipe)) core->openPipes.push_back(pipe);  // a copy
  core->bufferPipe = pipe;
}

// On cube cores a pipe has flags of its own set from its start to its end: they tell Matmul objects that L0A, L0B and the bias
// table are free. Other pipes know nothing of the ids that one has given out.
static void startEventIds() {
  core->allocatedEvents.fill(0);
  if (!core->isCube) return;
  for (int32_t id = 0; id < flagsOfPipe; ++id) setFlag(HardEvent::M_MTE1, allocEventId(HardEvent::M_MTE1));
}

static void takeFlagsBack() {
  if (!core->isCube) return;
  for (int32_t id = 0; id < flagsOfPipe; ++id) {
    waitForFlagOfPipe(id);
    releaseEventId(HardEvent::M_MTE1, id);
  }
}

void openPipe(void* pipe) {
  forgetEndedPipe();
  // one that has handed nothing out yet is replaced without harm
  if (core->buffers.size() > 1 || core->queues.size() > 1) {
    report({Check::PipeTwice, "TPipe", "a second TPipe is constructed while the first one has buffers",
            "pass the one TPipe of the kernel by pointer"});
  }
  core->pipe = pipe;
  if (!isOpen(pipe)) core->openPipes.push_back(pipe);
  initialiseState();
  startEventIds();
  scalarCycles(200);  // event ids and mask are set up
}

// The buffers stay until another pipe wants their memory. The end of an object that has been asked to end before is none, but
// it can be asked again.
void closePipe(void* pipe, PipeEnd end) {
  auto place = std::find(core->openPipes.begin(), core->openPipes.end(), pipe);
  const bool isOpen = place != core->openPipes.end();
  if (!isOpen && end == PipeEnd::OfObject) return;
  if (isOpen) core->openPipes.erase(place);
  if (core->bufferPipe == pipe) waitForFreedTensors(0);
  takeFlagsBack();
  if (end != PipeEnd::WithoutBarrier) barrierOfAllPipes();
}

// Who fills a queue waits for the tensors that were freed; no other pipes are ordered, as in a TBuf or from one queue
// to another whose place it takes.
void resetPipe() {
  waitForFreedTensors(0);
  forgetBuffers();
  core->allocatedEvents.fill(0);  // those of its own flags too, which stay set
  initialiseState();
  scalarCycles(200);  // event ids and mask are set up
}

void* currentPipe() { return core->pipe; }

}  // namespace npu_emu
