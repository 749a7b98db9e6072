// Requests of vector cores to the cube core of their group, and its answers.
#include "matmul_channel.h"

#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <new>

#include "cross_core.h"
#include "device_memory.h"
#include "issue.h"

namespace npu_emu {

void matmulUnsupported(const char* instruction, const char* what) {
  trap({Check::Unsupported, instruction, text("%s of Matmul is not supported by the emulator", what), "leave it out"});
}

namespace matmul {

namespace {

LaunchState& launchState() {
  if (device.matmul == nullptr) device.matmul = std::make_shared<LaunchState>();
  return *device.matmul;
}

}  // namespace

Engines& enginesOf(const Core& self) { return launchState().engines[self.number]; }
uint64_t listedBlocks() {
  uint64_t listed = 0;
  for (const auto& [number, engines] : launchState().engines)
    for (const auto& [key, engine] : engines.all) listed += engine.blocks.capacity();
  return listed;
}
Channel& channelOf(const Core& vectorCore) { return launchState().channels[vectorCore.number]; }

void waitUntil(const char* instruction, bool (*come)(const Core& self)) {
  if (come(*core)) return;
  CrossWait wait;
  wait.kind = CrossWait::Message;
  wait.instruction = instruction;
  wait.hasMessage = come;
  waitFor(wait);
}

void sendRequest(Object& object, Request request) {
  Channel& channel = channelOf(*core);
  if (!channel.open) {
    trap({Check::ErrorBuffer0, request.instruction,
          "no cube core answers: REGIST_MATMUL_OBJ was never called, or its scope has ended",
          "call REGIST_MATMUL_OBJ in the kernel function itself, before the first use"});
  }
  request.object = object;
  request.where = core->place;
  request.token = device.nextSyncToken++;
  scalarCycles(requestCycles);
  earnSynchronisations();
  // the request leaves behind what was stored before
  landStores();
  request.released = releaseClock(core->hazards.clockAfter(Pipe::MTE3));
  meet(TraceEntry::CrossSet, Pipe::MTE3, request.token);
  channel.requests.push_back(std::move(request));
  object.fresh = false;
}

void awaitAnswer(const char* instruction) {
  waitUntil(instruction, [](const Core& self) { return !channelOf(self).answers.empty(); });
  Channel& channel = channelOf(*core);
  earnSynchronisations();
  meet(TraceEntry::CrossWait, Pipe::S, channel.answers.front().token);
  acquire(channel.answers.front().released);
  channel.answers.pop_front();
}

namespace {

constexpr uint32_t stagingBytes = 1 << 20, stagingUnit = 512;

void createStaging(Staging& staging) {
  staging.base = mapDeviceMemory(stagingMemoryBegin + uintptr_t(core->number) * stagingBytes * 2, stagingBytes);
  if (staging.base == nullptr) throw std::bad_alloc();
  GmRegion region{staging.base, stagingBytes, Access::InOut, "the workspace of Matmul", GmRegion::Workspace};
  auto place = std::upper_bound(device.regions.begin(), device.regions.end(), staging.base,
                                [](const uint8_t* address, const GmRegion& other) { return address < other.base; });
  device.regions.insert(place, region);
}

}  // namespace

Staging::~Staging() {
  if (base != nullptr) munmap(base, stagingBytes);
}

GmAddress allocateStaging(const char* instruction, uint32_t bytes) {
  Staging& staging = channelOf(*core).staging;
  if (staging.base == nullptr) createStaging(staging);
  const uint32_t length = (bytes + stagingUnit - 1) / stagingUnit * stagingUnit;
  if (length > stagingBytes)
    trap({Check::BufferSize, instruction, text("a matrix of %u bytes does not fit the workspace of Matmul", bytes),
          "use a smaller tensor"});
  if (staging.used + length > stagingBytes) {
    waitUntil(instruction, [](const Core& self) { return channelOf(self).requests.empty(); });
    staging.used = 0;
  }
  const GmAddress place = staging.base + staging.used;
  staging.used += length;
  device.gm.forget(place, place + length);
  return place;
}

}  // namespace matmul
}  // namespace npu_emu
