// Matmul objects of vector cores: requests to the cube core of the group, and its answers.
#include <algorithm>

#include "cross_core.h"
#include "matmul.h"

namespace npu_emu {

using matmul::desk;
using matmul::Engine;
using matmul::Engines;
using matmul::Job;
using matmul::Mail;
using matmul::Message;
using matmul::Object;
using matmul::Target;

namespace {

// A request travels through global memory, and the cube core polls for it.
constexpr uint32_t requestCycles = 60, pollCycles = 350;
// Asynchronous results are told one by one up to here; the last one tells of all the rest.
constexpr uint32_t answersOneByOne = 14;

Mail& mailOf(const Core& self) { return desk().mail[self.number]; }

template <typename Visit>
void forVectorCores(const Core& cube, const Visit& visit) {
  for (Core* other : device.cores)
    if (!other->isCube && other->group == cube.group) visit(*other);
}

uint64_t engineKey(const Core& asking, const Object& object) { return uint64_t(asking.sub + 1) << 32 | object.number; }

// Whose requests the cube core takes: of one vector core alone while its object is between Iterate and GetTensorC.
const Core* holderOf(const Core& cube) {
  const Core* holder = nullptr;
  const Engines& engines = matmul::enginesOf(cube);
  forVectorCores(cube, [&](const Core& other) {
    for (const auto& [key, engine] : engines.all)
      if (key >> 32 == other.sub + 1 && engine.isUnderWay() && mailOf(other).open) holder = &other;
  });
  return holder;
}

// Where both matrices are shared, all vector cores of a group ask for one product, which the first of them describes; with
// intraBlockPartSum, for the sum of a product each.
bool isJoint(const Message& message) {
  const matmul::Traits& traits = *message.object.traits;
  return (traits.config.intraBlockPartSum || (traits.a.shared && traits.b.shared)) &&
         (message.kind == Message::All || message.kind == Message::Nothing);
}

bool everyoneAsksJointly(const Core& cube) {
  bool all = true;
  forVectorCores(cube, [&](const Core& other) {
    const Mail& mail = mailOf(other);
    all = all && !mail.requests.empty() && isJoint(mail.requests.front());
  });
  return all;
}

Core* nextAsking(const Core& cube) {
  const Core* holder = holderOf(cube);
  Core* asking = nullptr;
  forVectorCores(cube, [&](Core& other) {
    const std::deque<Message>& requests = mailOf(other).requests;
    bool may = (holder == nullptr || holder == &other) && !requests.empty() &&
               (!isJoint(requests.front()) || everyoneAsksJointly(cube));
    if (may && asking == nullptr) asking = &other;
  });
  return asking;
}

bool everyoneHasLeft(const Core& cube) {
  bool left = true;
  forVectorCores(cube, [&](const Core& other) {
    const Mail& mail = mailOf(other);
    left = left && mail.left && mail.requests.empty();
  });
  return left;
}

void stopUntil(const char* instruction, bool (*come)(const Core& self)) {
  if (come(*core)) return;
  CrossWait wait;
  wait.kind = CrossWait::Message;
  wait.instruction = instruction;
  wait.hasMessage = come;
  waitFor(wait);
}

}  // namespace

// ---- the cube core ---------------------------------------------------------------------------------------------------------

namespace {

void answer(Mail& mail) {
  const uint32_t token = device.nextSyncToken++;
  mail.answers.emplace_back(token, releaseClock(core->hazards.clockAfter(Pipe::FIX)));
  recordSync(TraceEntry::CrossSet, Pipe::FIX, token);
}

Message receive(Mail& mail) {
  Message message = std::move(mail.requests.front());
  mail.requests.pop_front();
  recordScalar(pollCycles);
  recordSync(TraceEntry::CrossWait, Pipe::S, message.token);
  acquire(message.released);
  return message;
}

void carryOut(Mail& mail, const Message& message, const Job& job) {
  const bool batches = message.kind == Message::Batch || message.kind == Message::Batches;
  const bool first = batches || message.kind == Message::All || message.kind == Message::IntoWorkspace ||
                     (message.kind == Message::Iterate && message.object.fresh);
  if (first) {
    matmul::prepare(job, nullptr);
    if (!batches) matmul::begin(job);
  }
  const uint64_t blockBytes = uint64_t(static_cast<uint32_t>(job.object.tiling.baseM)) *
                              static_cast<uint32_t>(job.object.tiling.baseN) * matmul::resultBytes(*job.object.traits);
  Target target = message.target;
  switch (message.kind) {
    case Message::Iterate: matmul::iterate(job, message.accumulates, nullptr); break;
    case Message::Take: matmul::take(job, target); break;
    case Message::All:
      if (job.object.traits->config.isPartialOutput) matmul::refuseAllOfParts(job);
      while (matmul::iterate(job, false, nullptr)) {
        matmul::take(job, target);
        if (target.sequential) target.gm += blockBytes;
      }
      break;
    case Message::IntoWorkspace: {
      uint32_t done = 0;
      target.sequential = true;
      while (matmul::iterate(job, message.accumulates, nullptr)) {
        matmul::take(job, target);
        target.gm += blockBytes;
        if (++done < answersOneByOne) answer(mail);
      }
      if (done >= answersOneByOne) answer(mail);
      break;
    }
    case Message::Batch: matmul::batch(job, target, message.batch); break;
    case Message::Batches:
      for (uint32_t loop = 0; loop < message.batch.loops; ++loop) {
        matmul::batch(job, target, message.batch, loop);
        if (!message.answers && loop + 1 < answersOneByOne) answer(mail);
      }
      if (!message.answers && message.batch.loops >= answersOneByOne) answer(mail);
      break;
    case Message::Nothing: break;
    case Message::End: matmul::end(job); break;
  }
  if (message.answers) answer(mail);
}

// The products of the two vector cores of a group, as one.
template <typename JobOf>
void addUp(Mail& mail, const Message& message, const Job& first,
           const std::vector<std::pair<const Core*, Message>>& others, const JobOf& jobOf) {
  if (others.size() != 1)
    trap({Check::Unsupported, message.instruction,
          "intraBlockPartSum adds up what two vector cores ask for, and this group has one",
          "declare KERNEL_TYPE_MIX_AIC_1_2"});
  const auto& [other, request] = others.front();
  const Job second = jobOf(*other, request);
  const bool alone = request.kind == Message::Nothing;
  matmul::prepare(first, nullptr);
  if (!alone) matmul::prepare(second, nullptr);
  matmul::sum(first, second, alone, request.target);
  if (message.answers) answer(mail);
}

}  // namespace

namespace cube {

void matmulServe() {
  const char* name = "REGIST_MATMUL_OBJ";
  for (;;) {
    stopUntil(name, [](const Core& self) { return nextAsking(self) != nullptr || everyoneHasLeft(self); });
    Core* asking = nextAsking(*core);
    if (asking == nullptr) break;
    Mail& mail = mailOf(*asking);
    Message message = receive(mail);
    // functions of the kernel are those that were compiled for this core
    const std::vector<const matmul::Traits*>& served = matmul::enginesOf(*core).served;
    if (message.object.number - 1 < served.size()) message.object.traits = served[message.object.number - 1];
    std::vector<std::pair<const Core*, Message>> others;
    const bool joint = isJoint(message);
    forVectorCores(*core, [&](const Core& other) {
      if (joint && &other != asking) others.emplace_back(&other, receive(mailOf(other)));
    });
    core->asked = &message.where;
    const auto jobOf = [&](const Core& of, const Message& what) {
      return Job{matmul::enginesOf(*core).all[engineKey(of, what.object)], what.object, what.instruction, true};
    };
    if (joint && message.object.traits->config.intraBlockPartSum)
      addUp(mail, message, jobOf(*asking, message), others, jobOf);
    else carryOut(mail, message, jobOf(*asking, message));
    for (const auto& [other, request] : others)
      if (request.answers) answer(mailOf(*other));
    core->asked = nullptr;
  }
  forVectorCores(*core, [](const Core& other) {
    const Mail& mail = mailOf(other);
    if (mail.answers.empty()) return;
    report({Check::ErrorSync3, "WaitIterateAll",
            text("%s has never waited for %zu results of Matmul", other.label().c_str(), mail.answers.size()),
            "call WaitIterateAll once for every IterateAll that asks for it, and GetTensorC for every block",
            &mail.opened});
  });
}

}  // namespace cube

// ---- vector cores -----------------------------------------------------------------------------------------------------------

namespace vec {

namespace {

void requireTiling(const Object& object, const char* instruction) {
  if (object.initialised) return;
  trap({Check::ErrorBuffer0, instruction, "the Matmul object has no tiling",
        "call REGIST_MATMUL_OBJ with the object and its tiling, or Init, before using it"});
}

Message requestOf(Message::Kind kind, const char* instruction) {
  Message message;
  message.kind = kind;
  message.instruction = instruction;
  return message;
}

void post(Object& object, Message message) {
  Mail& mail = mailOf(*core);
  if (!mail.open) {
    trap({Check::ErrorBuffer0, message.instruction,
          "no cube core answers: REGIST_MATMUL_OBJ was never called, or its scope has ended",
          "call REGIST_MATMUL_OBJ in the kernel function itself, before the first use"});
  }
  message.object = object;
  message.where = callPath(core->fiber);
  message.token = device.nextSyncToken++;
  recordScalar(requestCycles);
  // the request leaves behind what was stored before
  message.released = releaseClock(core->hazards.clockAfter(Pipe::MTE3));
  recordSync(TraceEntry::CrossSet, Pipe::MTE3, message.token);
  mail.requests.push_back(std::move(message));
  object.fresh = false;
}

void awaitAnswer(const char* instruction) {
  stopUntil(instruction, [](const Core& self) { return !mailOf(self).answers.empty(); });
  Mail& mail = mailOf(*core);
  recordSync(TraceEntry::CrossWait, Pipe::S, mail.answers.front().first);
  acquire(mail.answers.front().second);
  mail.answers.pop_front();
}

// Global memory for a matrix on its way to the cube core or back. It is used in turn, and only when nobody needs what is there.
GmAddress roomFor(const char* instruction, uint32_t bytes) {
  constexpr uint32_t roomBytes = 1 << 20, unit = 512;
  Mail& mail = mailOf(*core);
  if (mail.room == nullptr) {
    mail.area.resize(roomBytes + unit);
    mail.room = mail.area.data() + (unit - reinterpret_cast<uintptr_t>(mail.area.data()) % unit) % unit;
    GmRegion region{mail.room, roomBytes, Access::InOut, "the workspace of Matmul", true};
    auto place = std::upper_bound(device.regions.begin(), device.regions.end(), mail.room,
                                  [](const uint8_t* address, const GmRegion& other) { return address < other.base; });
    device.regions.insert(place, region);
  }
  const uint32_t length = (bytes + unit - 1) / unit * unit;
  if (length > roomBytes)
    trap({Check::BufferSize, instruction, text("a matrix of %u bytes does not fit the workspace of Matmul", bytes),
          "use a smaller tensor"});
  if (mail.used + length > roomBytes) {
    stopUntil(instruction, [](const Core& self) { return mailOf(self).requests.empty(); });
    mail.used = 0;
  }
  GmAddress room = mail.room + mail.used;
  mail.used += length;
  device.gm.forget(room, room + length);
  return room;
}

// The results of batches to UB: in one piece, or rows of all batches with what lies between them, as in the workspace.
void takeRows(const Object& object, uint32_t batches, Operand local, GmAddress from) {
  const AscendC::tiling::TCubeTiling& t = object.tiling;
  const uint32_t bytes = matmul::resultBytes(*object.traits), m = static_cast<uint32_t>(t.singleCoreM),
                 row = static_cast<uint32_t>(t.singleCoreN) * bytes;
  const LayoutMode layout = object.traits->c.layout;
  if (row % 32 != 0)
    trap({Check::ParameterRange, "Matmul::GetBatchTensorC", text("rows of the result are %u bytes long", row),
          "let them be multiples of 32 bytes, or take the results from the workspace"});
  if (layout == LayoutMode::BNGS1S2) {
    dma::loadGm(local, from, 1, batches * m * row, 0, 0);
    return;
  }
  const auto heads =
      static_cast<uint32_t>(t.CLayoutInfoN * t.CLayoutInfoG * (layout == LayoutMode::SBNGD ? t.CLayoutInfoB : 1));
  const uint32_t gap = (heads - batches) * row / 32;
  dma::loadGm(local, from, m, batches * row, gap, gap);
}

void copyBack(Operand local, GmAddress from, uint32_t bytes) { dma::loadGm(local, from, 1, bytes / 32 * 32, 0, 0); }

}  // namespace

void matmulBegin() {
  Mail& mail = mailOf(*core);
  if (!device.isMixed()) {
    trap({Check::Unsupported, "REGIST_MATMUL_OBJ", "the kernel has no cube cores, which carry out the work of Matmul",
          "declare KERNEL_TYPE_MIX_AIC_1_1 or KERNEL_TYPE_MIX_AIC_1_2"});
  }
  mail.open = true;
  mail.opened = callPath(core->fiber);
}

void matmulQuit() {
  Mail& mail = mailOf(*core);
  mail.open = false;
  mail.left = true;
}

void matmulAttach(Object& object) {
  if (object.number == 0) object.number = ++matmul::enginesOf(*core).objects;
}

void matmulInit(Object& object, const void*) {
  matmul::setTiling(object);
  recordScalar(requestCycles);
}

void matmulStage(Object&, matmul::Source& source, Operand local, uint32_t bytes) {
  const char* name = "Matmul::SetTensor";
  if (bytes == 0)
    trap({Check::ErrorBuffer3, name, "the matrix is a tensor without memory",
          "take the tensor from AllocTensor, DeQue or TBuf::Get"});
  const GmAddress room = roomFor(name, bytes);
  // the queue of what is in L1 orders it before the cube core would take it on
  recordOrder(local.position == TPosition::TSCM ? Pipe::MTE1 : Pipe::V, Pipe::MTE3);
  dma::storeGm(room, local, 1, bytes / 32 * 32, 0, 0);
  source.place = matmul::Source::Global;
  source.gm = room;
  source.alone = true;
}

bool matmulIterate(Object& object, bool accumulates, bool sync) {
  const char* name = "Matmul::Iterate";
  requireTiling(object, name);
  if (object.fresh) {
    object.blocks = matmul::countResults(object);
    object.block = 0;
    object.taken = 0;
    object.awaited = 0;
  } else {
    if (++object.block >= object.blocks) return false;
    if (!sync) return true;
  }
  object.synchronous = sync;
  Message message = requestOf(sync ? Message::Iterate : Message::IntoWorkspace, name);
  message.accumulates = accumulates;
  if (!sync) {
    if (object.workspace == nullptr)
      trap({Check::ParameterRange, name, "an asynchronous iteration has no place for its results",
            "call SetWorkspace before Iterate<false>"});
    message.target.gm = object.workspace;
  }
  post(object, std::move(message));
  return true;
}

void matmulTake(Object& object, const Target& target, bool sync) {
  const char* name = "Matmul::GetTensorC";
  requireTiling(object, name);
  if (target.bytes != 0 && target.atomic != 0)
    trap({Check::ParameterRange, name, "a result in UB cannot be added to what is there", "pass 0 for enAtomic"});
  if (!object.synchronous) {
    if (target.gm != nullptr) matmulUnsupported(name, "a result in global memory after Iterate<false>");
    copyBack(target.local, matmulTakePlace(object), target.bytes);
    return;
  }
  Message message = requestOf(Message::Take, name);
  message.target = target;
  message.answers = sync;
  const bool throughRoom = target.gm == nullptr;
  if (throughRoom) message.target.gm = roomFor(name, target.bytes);
  else message.target.bytes = 0;
  const GmAddress place = message.target.gm;
  post(object, std::move(message));
  if (sync) awaitAnswer(name);
  if (target.bytes == 0) return;
  copyBack(target.local, place, target.bytes);
  recordOrder(Pipe::MTE2, Pipe::V);
}

GmAddress matmulTakePlace(Object& object) {
  const char* name = "Matmul::GetTensorC";
  requireTiling(object, name);
  if (object.synchronous || object.workspace == nullptr)
    trap({Check::ParameterRange, name, "there is no asynchronous iteration whose result could be taken",
          "call SetWorkspace and Iterate<false> first"});
  if (object.awaited < answersOneByOne) {
    ++object.awaited;
    awaitAnswer(name);
  }
  const GmAddress place = object.workspace + object.taken;
  object.taken += uint64_t(static_cast<uint32_t>(object.tiling.baseM)) * static_cast<uint32_t>(object.tiling.baseN) *
                  matmul::resultBytes(*object.traits);
  return place;
}

void matmulAll(Object& object, const Target& target, matmul::Waiting waiting) {
  const char* name = "Matmul::IterateAll";
  requireTiling(object, name);
  if (!object.fresh)
    trap({Check::ParameterRange, name, "no matrix was set since the last one",
          "call SetTensorA or SetTensorB before every IterateAll"});
  if (target.gm == nullptr) matmulUnsupported(name, "a result in local memory");
  const matmul::Traits& traits = *object.traits;
  if (waiting.nothing && !traits.a.shared && !traits.b.shared && !traits.config.intraBlockPartSum)
    trap({Check::ParameterRange, name, "a request without work (fakeMsg) belongs to IBShare and intraBlockPartSum",
          "pass false for fakeMsg"});
  // where both matrices are shared, the first vector core of a group asks for all of it
  const bool asksForOthers = traits.a.shared && traits.b.shared;
  Message message =
      requestOf(waiting.nothing || (asksForOthers && core->sub != 0) ? Message::Nothing : Message::All, name);
  message.target = target;
  message.answers = waiting.sync || waiting.wait;
  object.synchronous = waiting.sync;
  post(object, std::move(message));
  if (waiting.sync) awaitAnswer(name);
}

void matmulBatch(Object& object, const Target& target, const matmul::Batch& batch, matmul::Waiting waiting) {
  const char* name = "Matmul::IterateBatch";
  requireTiling(object, name);
  if (target.gm == nullptr) matmulUnsupported(name, "a result in local memory");
  Message message = requestOf(Message::Batch, name);
  message.target = target;
  message.batch = batch;
  message.answers = waiting.sync || waiting.wait;
  object.synchronous = waiting.sync;
  post(object, std::move(message));
  if (waiting.sync) awaitAnswer(name);
}

void matmulBatches(Object& object, const matmul::Batch& batch, bool sequential, matmul::Waiting waiting) {
  const char* name = "Matmul::IterateNBatch";
  requireTiling(object, name);
  if (object.workspace == nullptr)
    trap({Check::ParameterRange, name, "the results have no place", "call SetWorkspace before IterateNBatch"});
  Message message = requestOf(Message::Batches, name);
  message.target = {object.workspace, {}, 0, 0, sequential};
  message.batch = batch;
  message.answers = waiting.sync || waiting.wait;
  object.synchronous = waiting.sync;
  object.taken = 0;
  object.awaited = object.block = 0;
  post(object, std::move(message));
  if (waiting.sync) awaitAnswer(name);
}

GmAddress matmulTakeBatch(Object& object, uint32_t batches, const Operand* local) {
  const char* name = "Matmul::GetBatchTensorC";
  requireTiling(object, name);
  if (object.synchronous || object.workspace == nullptr)
    trap({Check::ParameterRange, name, "there are no batches under way whose results could be taken",
          "call SetWorkspace and IterateNBatch<false> first"});
  if (object.awaited < answersOneByOne) {
    ++object.awaited;
    awaitAnswer(name);
  }
  const uint32_t loop = object.block++;
  const uint64_t elements = uint64_t(batches) * static_cast<uint32_t>(object.tiling.singleCoreM) *
                            static_cast<uint32_t>(object.tiling.singleCoreN);
  if (local == nullptr) {
    const GmAddress place = object.workspace + object.taken;
    object.taken += elements * matmul::resultBytes(*object.traits);
    return place;
  }
  takeRows(object, batches, *local, object.workspace + matmul::placeOfLoop(object, batches, loop));
  recordOrder(Pipe::MTE2, Pipe::V);
  return nullptr;
}

void matmulWait(Object&) { awaitAnswer("Matmul::WaitIterateAll"); }
void matmulWaitCopy() { recordOrder(Pipe::MTE2, Pipe::V); }

void matmulEnd(Object& object) {
  if (!object.initialised || !object.synchronous || !mailOf(*core).open) return;
  Message message = requestOf(Message::End, "Matmul::End");
  post(object, std::move(message));
  object.fresh = true;
}

}  // namespace vec
}  // namespace npu_emu
