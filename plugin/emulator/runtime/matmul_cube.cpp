// Matmul objects where the kernel uses them on the cube core itself.
#include "issue.h"
#include "matmul.h"

namespace npu_emu {

namespace cube {

namespace {

using matmul::Job;
using matmul::Object;

Job jobOf(Object& object, const char* instruction) {
  if (!core->isCube)
    trap({Check::Unsupported, instruction, "MatmulImpl works on cube cores, and this is a vector core",
          "declare KERNEL_TYPE_AIC_ONLY, or leave ASCENDC_CUBE_ONLY out and use Matmul in a mixed kernel"});
  if (!object.initialised) {
    trap({Check::ErrorBuffer0, instruction, "the Matmul object has no tiling",
          "call REGIST_MATMUL_OBJ with the object and its tiling, or Init, before using it"});
  }
  return {matmul::enginesOf(*core).all[object.number], object, instruction, false};
}

// An operand was set since the last block, or all blocks are done: the next one is the first.
void beginWhereFresh(const Job& job, Object& object) {
  if (!object.fresh) return;
  matmul::beginIteration(job);
  object.fresh = false;
}

}  // namespace

void matmulInit(Object& object, const void* pipe) {
  matmul::setTiling(object);
  matmul::Engines& engines = matmul::enginesOf(*core);
  if (object.number == 0) object.number = ++engines.objects;
  scalarCycles(60);
  matmul::prepare(jobOf(object, "Matmul::Init"), pipe != nullptr ? pipe : core->bufferPipe);
  // of the pipe, it takes all of L0A and L0B from their start, whoever else has been given of them
  for (const Memory memory : {Memory::L0A, Memory::L0B})
    core->used[static_cast<size_t>(memory)] = core->capacity[static_cast<size_t>(memory)];
}

void matmulAttach(Object& object) {
  matmul::Engines& engines = matmul::enginesOf(*core);
  if (object.number != 0) return;
  object.number = ++engines.objects;
  engines.served.push_back(object.traits);
}

bool matmulIterate(Object& object, bool accumulates, const Operand* accumulator) {
  const Job job = jobOf(object, "Matmul::Iterate");
  beginWhereFresh(job, object);
  return matmul::iterate(job, accumulates, accumulator);
}

void matmulTake(Object& object, const matmul::Target& target) {
  const Job job = jobOf(object, "Matmul::GetTensorC");
  if (target.gm == nullptr || target.bytes != 0)
    matmulUnsupported(job.instruction, "a result in local memory, where the cube core works alone,");
  matmul::takeResult(job, target);
}

void matmulAll(Object& object, const matmul::Target& target) {
  const Job job = jobOf(object, "Matmul::IterateAll");
  if (object.traits->config.isPartialOutput) matmul::refuseAllOfParts(job);
  beginWhereFresh(job, object);
  if (target.gm == nullptr) {
    if (object.traits->c.position != TPosition::CO1)
      matmulUnsupported(job.instruction, "a result in local memory other than CO1");
    Operand accumulator = target.local;
    const auto step =
        uint64_t(4) * static_cast<uint32_t>(object.tiling.baseM) * static_cast<uint32_t>(object.tiling.baseN);
    for (; matmul::iterate(job, false, &accumulator); accumulator.address += step) continue;
    return;
  }
  // on the cube core itself, blocks always go to their place
  matmul::Target placed = target;
  placed.sequential = false;
  matmul::iterateAll(job, placed);
}

void matmulBatch(Object& object, const matmul::Target& target, const matmul::Batch& batch) {
  const Job job = jobOf(object, "Matmul::IterateBatch");
  matmul::iterateBatch(job, target, batch);
}

void matmulEnd(Object& object) {
  if (!object.initialised) return;
  matmul::endIteration(jobOf(object, "Matmul::End"));
  object.fresh = true;
}

}  // namespace cube
}  // namespace npu_emu
