#include "scheduler.h"

#include <algorithm>
#include <cstring>

#include "cross_core.h"
#include "deadlock.h"
#include "device.h"
#include "instruction_stream.h"
#include "issue.h"
#include "late_copies.h"
#include "split_mix.h"

namespace npu_emu {

namespace {

CoreContexts contexts;

const KernelEntry& entryOf(const Core& self) { return self.isCube ? device.request->aic : device.request->aiv; }

void runKernel(void* argument) {
  auto* self = static_cast<Core*>(argument);
  // where the kernel reads its arguments is no memory of the device
  const std::vector<uint8_t*>& given = device.request->args;
  const auto arguments = static_cast<uint8_t**>(__builtin_alloca(given.size() * sizeof(uint8_t*)));
  std::copy(given.begin(), given.end(), arguments);
  entryOf(*self).call(arguments);
  if (isIssuing()) endRecord(beginRecord(CoreEnds, CallPath()));
  scalarCycles(0);  // the code after the last instruction
  if (self->late != nullptr) self->late->landAll();
  landStores();
  self->state = CoreState::Finished;
  leaveFiber(self->fiber);
}

// What a kernel must not leave behind: the next kernel on the core would meet it.
void checkEnd() {
  checkQueuesAtEnd("kernel");
  // the TPipe waits for what its queues have set
  for (Buffer& buffer : core->buffers) dropFlags(buffer);
  for (size_t event = 0; event < eventCount; ++event) {
    for (size_t id = 0; id < eventIds; ++id) {
      if (core->flags[event][id] == 0) continue;
      report({Check::ErrorSync3, "SetFlag",
              text("HardEvent::%s id %zu is still set when the kernel ends", nameOf(static_cast<HardEvent>(event)), id),
              "pair every SetFlag with a WaitFlag", &core->flagsSet[event * eventIds + id]});
    }
  }
  const auto& handedOver = core->cube.handedOver;
  if (std::any_of(handedOver.begin(), handedOver.end(), [](uint32_t product) { return product != 0; }))
    report({Check::ErrorSync3, "Mmad", "a unit flag is still set when the kernel ends: no Fixpipe has taken the sums",
            "take what a product with unitFlag 3 hands over by a Fixpipe with unitFlag 3", &core->cube.handedOverAt});
  cleanDataCache("kernel");  // which the compiler has every kernel do
  core->flagsSet.clear();
}

void start(ScheduledCore& scheduled) {
  Core& self = scheduled.core;
  CoreContext& context = *(scheduled.context = contexts.take());
  context.setAccessible(!device.isDryRun);
  if (!device.isDryRun) context.resetMemories();
  self.memory = context.memory;
  self.capacity = context.capacity;
  self.fiber = context.fiber;
  self.buffers.push_back({});
  self.queues.push_back({});
  self.hazards.begin(context.shadow.get(), device.request->autoSync && !self.isCube);
  if (!device.request->hazards) self.hazards.switchOff();
  else if (device.request->lateCopies) {
    self.hazards.keepCopiesBack((self.late = std::make_shared<LateCopies>()).get());
    self.lateStores = std::make_shared<LateStores>();
  }
  prepareFiber(self.fiber, runKernel, &self);
}

void finish(ScheduledCore& scheduled) {
  scheduled.core.hazards.end();
  scheduled.context->fiber = scheduled.core.fiber;
  contexts.giveBack(scheduled.context);
  scheduled.context = nullptr;
}

// Runs a core until it finishes, waits or traps.
void resume(ScheduledCore& scheduled) {
  Core& self = scheduled.core;
  core = &self;
  const CoreVariables& variables = entryOf(self).variables;
  const uint8_t* held = self.variables.empty() ? variables.image : self.variables.data();
  if (variables.bytes != 0) std::memcpy(variables.data, held, variables.bytes);
  resumeFiber(self.fiber);
  self.hazards.settleRaces();
  if (self.state == CoreState::Waiting) self.variables.assign(variables.data, variables.data + variables.bytes);
  if (!device.trapped && self.state == CoreState::Finished) {
    checkEnd();
    finish(scheduled);
  }
  core = nullptr;
}

// Whether what a waiting core waits for has happened.
bool isRunnable(const Core& self) {
  const CrossWait& wait = self.crossWait;
  switch (wait.kind) {
    case CrossWait::Barrier: return wait.barrier->arrived.size() == wait.cores;
    case CrossWait::Flag: return !self.flagsToWaitFor[wait.flag].empty();
    case CrossWait::SoftBarrier: return haveCome(wait);
    case CrossWait::Word: return *wait.word == wait.value;
    case CrossWait::Count: return *wait.word >= static_cast<int64_t>(wait.target);
    case CrossWait::Turn: return isTurn(wait);
    case CrossWait::Message: return wait.hasMessage(self);
    case CrossWait::Yield: return true;
  }
  return false;
}

// Cores by their turn. Shuffled orders are the same on every machine.
std::vector<ScheduledCore*> inOrder(std::vector<ScheduledCore>& cores, const CoreOrder& order) {
  std::vector<ScheduledCore*> turns;
  for (ScheduledCore& scheduled : cores) turns.push_back(&scheduled);
  if (order.kind == CoreOrder::Reverse) std::reverse(turns.begin(), turns.end());
  if (order.kind != CoreOrder::Shuffled) return turns;
  SplitMix64 chance{order.seed};
  for (size_t left = turns.size(); left > 1; --left) std::swap(turns[left - 1], turns[chance.below(left)]);
  return turns;
}

}  // namespace

void runCores(std::vector<ScheduledCore>& cores, size_t coresAtOnce) {
  const std::vector<ScheduledCore*> turns = inOrder(cores, device.request->coreOrder);
  // by their numbers, whatever their turns
  size_t begun = coresAtOnce;
  for (;;) {
    bool resumed = false, finished = true;
    for (ScheduledCore* next : turns) {
      Core& self = next->core;
      if (self.state == CoreState::Finished) continue;
      finished = false;
      if (self.number >= begun || (self.state == CoreState::Waiting && !isRunnable(self))) continue;
      if (self.state == CoreState::Ready) start(*next);
      self.state = CoreState::Ready;
      resume(*next);
      if (device.trapped) return;
      if (self.state == CoreState::Finished) ++begun;
      resumed = true;
    }
    if (finished) return;
    if (!resumed) return reportDeadlock();
  }
}

void releaseContexts(std::vector<ScheduledCore>& cores) {
  for (ScheduledCore& scheduled : cores)
    if (scheduled.context != nullptr) finish(scheduled);
}

}  // namespace npu_emu
