// Matmul objects of vector cores: what they ask of the cube core of their group.
#include <algorithm>

#include "dma.h"
#include "issue.h"
#include "matmul_channel.h"

namespace npu_emu {

using matmul::allocateStaging;
using matmul::answersOneByOne;
using matmul::awaitAnswer;
using matmul::Channel;
using matmul::channelOf;
using matmul::Object;
using matmul::Request;
using matmul::requestCycles;
using matmul::sendRequest;
using matmul::Target;

namespace vec {

namespace {

void requireTiling(const Object& object, const char* instruction) {
  if (object.initialised) return;
  trap({Check::ErrorBuffer0, instruction, "the Matmul object has no tiling",
        "call REGIST_MATMUL_OBJ with the object and its tiling, or Init, before using it"});
}

Request requestOf(Request::Kind kind, const char* instruction) {
  Request request;
  request.kind = kind;
  request.instruction = instruction;
  return request;
}

// The answer to the next of several results: none where the one before told of all the rest.
void awaitNextAnswer(Object& object, const char* instruction) {
  if (object.awaited >= answersOneByOne) return;
  ++object.awaited;
  awaitAnswer(instruction);
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
  const auto axis = [](int32_t length) { return static_cast<uint32_t>(length); };
  const uint32_t heads =
      axis(t.CLayoutInfoN) * axis(t.CLayoutInfoG) * (layout == LayoutMode::SBNGD ? axis(t.CLayoutInfoB) : 1);
  const uint32_t gap = (heads - batches) * row / 32;
  dma::loadGm(local, from, m, batches * row, gap, gap);
}

void copyBack(Operand local, GmAddress from, uint32_t bytes) { dma::loadGm(local, from, 1, bytes / 32 * 32, 0, 0); }

}  // namespace

void matmulBegin() {
  Channel& channel = channelOf(*core);
  if (!device.isMixed()) {
    trap({Check::Unsupported, "REGIST_MATMUL_OBJ", "the kernel has no cube cores, which carry out the work of Matmul",
          "declare KERNEL_TYPE_MIX_AIC_1_1 or KERNEL_TYPE_MIX_AIC_1_2"});
  }
  // where its messages to the cube core lie
  const auto workspace = std::find_if(device.regions.begin(), device.regions.end(),
                                      [](const GmRegion& region) { return region.use == GmRegion::Workspace; });
  if (workspace == device.regions.end() || workspace->bytes < systemWorkspaceBytes)
    trap({Check::BufferSize, "REGIST_MATMUL_OBJ",
          text("the workspace has %llu bytes; Matmul of vector cores takes the first %u for its messages",
               static_cast<unsigned long long>(workspace == device.regions.end() ? 0 : workspace->bytes),
               systemWorkspaceBytes),
          "add GetLibApiWorkSpaceSize() of the platform to the workspace size in the tiling function"});
  channel.open = true;
  channel.opened = core->place;
}

void matmulQuit() {
  Channel& channel = channelOf(*core);
  channel.open = false;
  channel.closed = true;
}

void matmulAttach(Object& object) {
  if (object.number == 0) object.number = ++matmul::enginesOf(*core).objects;
}

void matmulInit(Object& object, const void*) {
  matmul::setTiling(object);
  scalarCycles(requestCycles);
}

void matmulSetHf32(Object& object, bool enables, bool tiesToZero) {
  Request request = requestOf(Request::Hf32, "Matmul::SetHF32");
  request.hf32 = enables;
  request.hf32TiesToZero = tiesToZero;
  const bool fresh = object.fresh;
  sendRequest(object, std::move(request));
  object.fresh = fresh;
}

void matmulStage(Object&, matmul::Source& source, Operand local, uint32_t bytes) {
  const char* name = "Matmul::SetTensor";
  if (bytes == 0)
    trap({Check::ErrorBuffer3, name, "the matrix is a tensor without memory",
          "take the tensor from AllocTensor, DeQue or TBuf::Get"});
  const GmAddress staging = allocateStaging(name, bytes);
  // the queue of what is in L1 orders it before the cube core would take it on
  orderPipes(local.position == TPosition::TSCM ? Pipe::MTE1 : Pipe::V, Pipe::MTE3);
  dma::storeForMatmul(staging, local, bytes / 32 * 32);
  source.place = matmul::Source::Global;
  source.gm = staging;
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
  Request request = requestOf(sync ? Request::Iterate : Request::IntoWorkspace, name);
  request.accumulates = accumulates;
  if (!sync) {
    if (object.workspace == nullptr)
      trap({Check::ParameterRange, name, "an asynchronous iteration has no place for its results",
            "call SetWorkspace before Iterate<false>"});
    request.target.gm = object.workspace;
  }
  sendRequest(object, std::move(request));
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
  Request request = requestOf(Request::Take, name);
  request.target = target;
  request.wantsAnswer = sync;
  if (target.gm == nullptr) request.target.gm = allocateStaging(name, target.bytes);
  else request.target.bytes = 0;
  const GmAddress place = request.target.gm;
  sendRequest(object, std::move(request));
  if (sync) awaitAnswer(name);
  if (target.bytes == 0) return;
  copyBack(target.local, place, target.bytes);
  orderPipes(Pipe::MTE2, Pipe::V);
}

GmAddress matmulTakePlace(Object& object) {
  const char* name = "Matmul::GetTensorC";
  requireTiling(object, name);
  if (object.synchronous || object.workspace == nullptr)
    trap({Check::ParameterRange, name, "there is no asynchronous iteration whose result could be taken",
          "call SetWorkspace and Iterate<false> first"});
  awaitNextAnswer(object, name);
  const GmAddress place = object.workspace + object.taken;
  object.taken += matmul::resultBlockBytes(object);
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
  Request request =
      requestOf(waiting.nothing || (asksForOthers && core->sub != 0) ? Request::Nothing : Request::All, name);
  request.target = target;
  request.wantsAnswer = waiting.sync || waiting.wait;
  object.synchronous = waiting.sync;
  sendRequest(object, std::move(request));
  if (waiting.sync) awaitAnswer(name);
}

void matmulBatch(Object& object, const Target& target, const matmul::Batch& batch, matmul::Waiting waiting) {
  const char* name = "Matmul::IterateBatch";
  requireTiling(object, name);
  if (target.gm == nullptr) matmulUnsupported(name, "a result in local memory");
  Request request = requestOf(Request::Batch, name);
  request.target = target;
  request.batch = batch;
  request.wantsAnswer = waiting.sync || waiting.wait;
  object.synchronous = waiting.sync;
  sendRequest(object, std::move(request));
  if (waiting.sync) awaitAnswer(name);
}

void matmulBatches(Object& object, const matmul::Batch& batch, bool sequential, matmul::Waiting waiting) {
  const char* name = "Matmul::IterateNBatch";
  requireTiling(object, name);
  if (object.workspace == nullptr)
    trap({Check::ParameterRange, name, "the results have no place", "call SetWorkspace before IterateNBatch"});
  Request request = requestOf(Request::Batches, name);
  request.target = {object.workspace, {}, 0, 0, sequential};
  request.batch = batch;
  request.wantsAnswer = waiting.sync || waiting.wait;
  object.synchronous = waiting.sync;
  object.taken = 0;
  object.awaited = object.block = 0;
  sendRequest(object, std::move(request));
  if (waiting.sync) awaitAnswer(name);
}

GmAddress matmulTakeBatch(Object& object, uint32_t batches, const Operand* local) {
  const char* name = "Matmul::GetBatchTensorC";
  requireTiling(object, name);
  if (object.synchronous || object.workspace == nullptr)
    trap({Check::ParameterRange, name, "there are no batches under way whose results could be taken",
          "call SetWorkspace and IterateNBatch<false> first"});
  awaitNextAnswer(object, name);
  const uint32_t loop = object.block++;
  const uint64_t elements = uint64_t(batches) * static_cast<uint32_t>(object.tiling.singleCoreM) *
                            static_cast<uint32_t>(object.tiling.singleCoreN);
  if (local == nullptr) {
    const GmAddress place = object.workspace + object.taken;
    object.taken += elements * matmul::resultBytes(*object.traits);
    return place;
  }
  takeRows(object, batches, *local, object.workspace + matmul::offsetOfLoop(object, batches, loop));
  orderPipes(Pipe::MTE2, Pipe::V);
  return nullptr;
}

void matmulWait(Object&) { awaitAnswer("Matmul::WaitIterateAll"); }
void matmulWaitCopy() { orderPipes(Pipe::MTE2, Pipe::V); }

void matmulEnd(Object& object) {
  if (!object.initialised || !object.synchronous || !channelOf(*core).open) return;
  Request request = requestOf(Request::End, "Matmul::End");
  sendRequest(object, std::move(request));
  object.fresh = true;
}

}  // namespace vec
}  // namespace npu_emu
