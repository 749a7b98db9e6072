// The cube core of a group carries out the Matmul objects of its vector cores, request by request.
#include "cross_core.h"
#include "matmul_channel.h"

namespace npu_emu {

using matmul::answersOneByOne;
using matmul::Channel;
using matmul::channelOf;
using matmul::Engines;
using matmul::Job;
using matmul::Object;
using matmul::Request;
using matmul::Target;

namespace {

template <typename Visit>
void forVectorCores(const Core& cube, const Visit& visit) {
  for (const Core* other : device.cores)
    if (!other->isCube && other->group == cube.group) visit(*other);
}

uint64_t engineKey(const Core& asking, const Object& object) { return uint64_t(asking.sub + 1) << 32 | object.number; }

// Whose requests the cube core takes: of one vector core alone while its object is between Iterate and GetTensorC.
const Core* holderOf(const Core& cube) {
  const Core* holder = nullptr;
  const Engines& engines = matmul::enginesOf(cube);
  forVectorCores(cube, [&](const Core& other) {
    for (const auto& [key, engine] : engines.all)
      if (key >> 32 == other.sub + 1 && engine.isUnderWay() && channelOf(other).open) holder = &other;
  });
  return holder;
}

// Where both matrices are shared, all vector cores of a group ask for one product, which the first of them describes;
// with intraBlockPartSum, for the sum of a product each.
bool isJoint(const Request& request) {
  const matmul::Traits& traits = *request.object.traits;
  return (traits.config.intraBlockPartSum || (traits.a.shared && traits.b.shared)) &&
         (request.kind == Request::All || request.kind == Request::Nothing);
}

bool everyoneAsksJointly(const Core& cube) {
  bool all = true;
  forVectorCores(cube, [&](const Core& other) {
    const Channel& channel = channelOf(other);
    all = all && !channel.requests.empty() && isJoint(channel.requests.front());
  });
  return all;
}

const Core* nextAsking(const Core& cube) {
  const Core* holder = holderOf(cube);
  const Core* asking = nullptr;
  forVectorCores(cube, [&](const Core& other) {
    const std::deque<Request>& requests = channelOf(other).requests;
    bool may = (holder == nullptr || holder == &other) && !requests.empty() &&
               (!isJoint(requests.front()) || everyoneAsksJointly(cube));
    if (may && asking == nullptr) asking = &other;
  });
  return asking;
}

bool everyoneHasLeft(const Core& cube) {
  bool left = true;
  forVectorCores(cube, [&](const Core& other) {
    const Channel& channel = channelOf(other);
    left = left && channel.closed && channel.requests.empty();
  });
  return left;
}

void answer(Channel& channel) {
  const uint32_t token = device.nextSyncToken++;
  landStores();
  channel.answers.push_back({token, releaseClock(core->hazards.clockAfter(Pipe::FIX))});
  meet(TraceEntry::CrossSet, Pipe::FIX, token);
}

Request receive(Channel& channel) {
  Request request = std::move(channel.requests.front());
  channel.requests.pop_front();
  scalarCycles(pollCycles);
  meet(TraceEntry::CrossWait, Pipe::S, request.token);
  acquire(request.released);
  return request;
}

// All blocks of a result in the workspace, one after the other; each is told of.
void computeIntoWorkspace(Channel& channel, const Request& request, const Job& job) {
  uint32_t done = 0;
  Target target = request.target;
  target.sequential = true;
  while (matmul::iterate(job, request.accumulates, nullptr)) {
    matmul::takeResult(job, target);
    target.gm += matmul::resultBlockBytes(job.object);
    if (++done < answersOneByOne) answer(channel);
  }
  if (done >= answersOneByOne) answer(channel);
}

void computeAll(const Request& request, const Job& job) {
  if (job.object.traits->config.isPartialOutput) matmul::refuseAllOfParts(job);
  Target target = request.target;
  while (matmul::iterate(job, false, nullptr)) {
    matmul::takeResult(job, target);
    if (target.sequential) target.gm += matmul::resultBlockBytes(job.object);
  }
}

void computeBatches(Channel& channel, const Request& request, const Job& job) {
  for (uint32_t loop = 0; loop < request.batch.loops; ++loop) {
    matmul::iterateBatch(job, request.target, request.batch, loop);
    if (!request.wantsAnswer && loop + 1 < answersOneByOne) answer(channel);
  }
  if (!request.wantsAnswer && request.batch.loops >= answersOneByOne) answer(channel);
}

void carryOut(Channel& channel, const Request& request, const Job& job) {
  const bool batches = request.kind == Request::Batch || request.kind == Request::Batches;
  const bool isFirst = batches || request.kind == Request::All || request.kind == Request::IntoWorkspace ||
                       (request.kind == Request::Iterate && request.object.fresh);
  if (isFirst) {
    matmul::prepare(job, nullptr);
    if (!batches) matmul::beginIteration(job);
  }
  switch (request.kind) {
    case Request::Iterate: matmul::iterate(job, request.accumulates, nullptr); break;
    case Request::Take: matmul::takeResult(job, request.target); break;
    case Request::All: computeAll(request, job); break;
    case Request::IntoWorkspace: computeIntoWorkspace(channel, request, job); break;
    case Request::Batch: matmul::iterateBatch(job, request.target, request.batch); break;
    case Request::Batches: computeBatches(channel, request, job); break;
    case Request::Nothing: break;
    case Request::Hf32:
      cube::setHf32(request.hf32);
      cube::setHf32TiesToZero(request.hf32TiesToZero);
      break;
    case Request::End: matmul::endIteration(job); break;
  }
  if (request.wantsAnswer) answer(channel);
}

// A request and the vector core that has made it.
struct Asked {
  const Core* by;
  Request request;

  Job job() const {
    const uint64_t key = engineKey(*by, request.object);
    return {matmul::enginesOf(*core).all[key], request.object, request.instruction, true};
  }
};

// The products of the two vector cores of a group, as one.
void addUp(const Asked& asked, const std::vector<Asked>& others) {
  if (others.size() != 1)
    trap({Check::Unsupported, asked.request.instruction,
          "intraBlockPartSum adds up what two vector cores ask for, and this group has one",
          "declare KERNEL_TYPE_MIX_AIC_1_2"});
  const Asked& other = others.front();
  const Job first = asked.job(), second = other.job();
  const bool alone = other.request.kind == Request::Nothing;
  matmul::prepare(first, nullptr);
  if (!alone) matmul::prepare(second, nullptr);
  matmul::iterateSum(first, second, alone, other.request.target);
  if (asked.request.wantsAnswer) answer(channelOf(*asked.by));
}

// What this vector core asks for, together with all the others where it is asked jointly.
void serve(const Core& asking) {
  Asked asked{&asking, receive(channelOf(asking))};
  // functions of the kernel are those that were compiled for this core
  const std::vector<const matmul::Traits*>& served = matmul::enginesOf(*core).served;
  const uint32_t index = asked.request.object.number - 1;
  if (index < served.size()) asked.request.object.traits = served[index];
  std::vector<Asked> others;
  const bool joint = isJoint(asked.request);
  forVectorCores(*core, [&](const Core& other) {
    if (joint && &other != &asking) others.push_back({&other, receive(channelOf(other))});
  });
  core->asked = &asked.request.where;
  if (joint && asked.request.object.traits->config.intraBlockPartSum) addUp(asked, others);
  else carryOut(channelOf(asking), asked.request, asked.job());
  for (const Asked& other : others)
    if (other.request.wantsAnswer) answer(channelOf(*other.by));
  core->asked = nullptr;
}

}  // namespace

namespace cube {

void matmulServe() {
  for (;;) {
    matmul::waitUntil("REGIST_MATMUL_OBJ",
                      [](const Core& self) { return nextAsking(self) != nullptr || everyoneHasLeft(self); });
    const Core* asking = nextAsking(*core);
    if (asking == nullptr) break;
    serve(*asking);
  }
  forVectorCores(*core, [](const Core& other) {
    const Channel& channel = channelOf(other);
    if (channel.answers.empty()) return;
    report({Check::ErrorSync3, "WaitIterateAll",
            text("%s has never waited for %zu results of Matmul", other.label().c_str(), channel.answers.size()),
            "call WaitIterateAll once for every IterateAll that asks for it, and GetTensorC for every block",
            &channel.opened});
  });
}

}  // namespace cube
}  // namespace npu_emu
