#include "scheduler.h"

#include <algorithm>
#include <cstring>
#include <deque>

#include "cross_core.h"
#include "deadlock.h"
#include "device.h"
#include "instruction_stream.h"
#include "issue.h"
#include "late_copies.h"

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
  for (PoolFlag& each : core->poolFlags) dropQueueFlag(each.flag);
  for (size_t event = 0; event < eventCount; ++event) {
    for (size_t id = 0; id < eventIds; ++id) {
      if (core->flags[event][id] == 0) continue;
      report({Check::ErrorSync3, "SetFlag",
              text("HardEvent::%s id %zu is still set when the kernel ends", nameOf(static_cast<HardEvent>(event)), id),
              "pair every SetFlag with a WaitFlag", &core->flagsSet[event * eventIds + id]});
    }
  }
  const auto& handedOver = core->cube.handedOver;
  if (std::any_of(handedOver.begin(), handedOver.end(), [](uint64_t product) { return product != 0; }))
    report({Check::ErrorSync3, "Mmad", "a unit flag is still set when the kernel ends: no Fixpipe has taken the sums",
            "take what a product with unitFlag 3 hands over by a Fixpipe with unitFlag 3", &core->cube.handedOverAt});
  cleanDataCache("kernel");  // which the compiler has every kernel do
  core->flagsSet.clear();
}

size_t groupsAtOnce() { return std::min(device.groups, device.groupsAtOnce); }
size_t coresPerGroup() { return device.cores.size() / device.groups; }

void start(ScheduledCore& scheduled) {
  Core& self = scheduled.core;
  self.isAhead = device.request->coreOrder.kind == CoreOrder::Shuffled && device.chance.below(2) == 0;
  CoreContext& context = *(scheduled.context = contexts.take(device.chance));
  context.setAccessible(!device.isDryRun);
  // the device has no code of the kernel on its stacks
  if (isIssuing()) emptyStack(context.fiber);
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

bool canGoOn(const Core& self) { return self.state == CoreState::Ready || isRunnable(self); }

// Cores that have begun, in the order of their turns, and groups that begin where one has ended. Shuffled ones are the same on
// every machine.
class Turns {
 public:
  explicit Turns(std::vector<ScheduledCore>& cores);
  bool areOver() const { return turns_.empty(); }
  // Lets each core go on as far as it can, until one traps. False where none can, and none could later.
  bool goRound();

 private:
  const CoreOrder::Kind order_ = device.request->coreOrder.kind;
  std::vector<ScheduledCore>& cores_;
  std::vector<ScheduledCore*> turns_;
  std::deque<uint32_t> groupsToBegin_;
  std::vector<uint32_t> coresLeft_;  // of each group: not finished
  std::vector<uint32_t> rounds_;     // Shuffled: a core goes on in one of so many rounds

  void begin(uint32_t group, size_t turn);
  void beginNext(size_t afterTurn, double cycles);
  bool isLeftOut(const Core& self) const {
    return order_ == CoreOrder::Shuffled && device.chance.below(rounds_[self.number]) != 0;
  }
};

Turns::Turns(std::vector<ScheduledCore>& cores)
    : cores_(cores), coresLeft_(device.groups, static_cast<uint32_t>(coresPerGroup())) {
  for (uint32_t group = 0; group < device.groups; ++group) {
    if (group >= groupsAtOnce()) groupsToBegin_.push_back(group);
    else begin(group, order_ == CoreOrder::Reverse ? 0 : turns_.size());
  }
  if (order_ != CoreOrder::Shuffled) return;
  // some cores are far behind the others
  constexpr uint32_t paces = 4;
  for (size_t i = 0; i < cores.size(); ++i) rounds_.push_back(1u << device.chance.below(paces));
  device.chance.shuffle(groupsToBegin_);
}

void Turns::begin(uint32_t group, size_t turn) {
  std::vector<ScheduledCore*> all;
  for (size_t i = 0; i < coresPerGroup(); ++i) all.push_back(&cores_[group * coresPerGroup() + i]);
  if (order_ == CoreOrder::Reverse) std::reverse(all.begin(), all.end());
  turns_.insert(turns_.begin() + static_cast<ptrdiff_t>(turn), all.begin(), all.end());
}

// By number it comes behind all that have begun before, in reverse order before all that have not had their turn yet.
void Turns::beginNext(size_t afterTurn, double cycles) {
  if (groupsToBegin_.empty()) return;
  const uint32_t group = groupsToBegin_.front();
  groupsToBegin_.pop_front();
  for (size_t i = 0; i < coresPerGroup(); ++i) cores_[group * coresPerGroup() + i].core.ticker.waitUntil(cycles);
  const size_t first = afterTurn + 1, last = turns_.size();
  switch (order_) {
    case CoreOrder::Forward: return begin(group, last);
    case CoreOrder::Reverse: return begin(group, first);
    case CoreOrder::Shuffled: return begin(group, first + device.chance.below(last - first + 1));
  }
}

bool Turns::goRound() {
  if (order_ == CoreOrder::Shuffled) device.chance.shuffle(turns_);
  bool canAny = false;
  for (size_t turn = 0; turn < turns_.size(); ++turn) {
    ScheduledCore& next = *turns_[turn];
    Core& self = next.core;
    if (!canGoOn(self)) continue;
    canAny = true;
    if (isLeftOut(self)) continue;
    if (self.state == CoreState::Ready) start(next);
    self.state = CoreState::Ready;
    resume(next);
    if (device.trapped) break;
    if (self.state == CoreState::Finished && --coresLeft_[self.group] == 0) beginNext(turn, self.ticker.cycles());
  }
  const auto isFinished = [](const ScheduledCore* each) { return each->core.state == CoreState::Finished; };
  turns_.erase(std::remove_if(turns_.begin(), turns_.end(), isFinished), turns_.end());
  return canAny;
}

}  // namespace

void runCores(std::vector<ScheduledCore>& cores) {
  contexts.draw(device.chance, groupsAtOnce() * coresPerGroup());
  Turns turns(cores);
  while (!turns.areOver()) {
    const bool goesOn = turns.goRound();
    if (device.trapped) return;
    if (!goesOn) return reportDeadlock();
  }
}

void releaseContexts(std::vector<ScheduledCore>& cores) {
  for (ScheduledCore& scheduled : cores)
    if (scheduled.context != nullptr) finish(scheduled);
}

}  // namespace npu_emu
