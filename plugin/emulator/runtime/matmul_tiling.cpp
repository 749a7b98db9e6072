// What the tiling and the type of a Matmul object ask for, and whether the cube core can do it.
#include <cstddef>

#include "matmul_stages.h"

namespace npu_emu::matmul {

using AscendC::tiling::TCubeTiling;

void setTiling(Object& object) {
  TCubeTiling& t = object.tiling;
  const TCubeTiling& fixed = object.traits->fixed;
  for (int32_t TCubeTiling::*field : {&TCubeTiling::M,           &TCubeTiling::N,           &TCubeTiling::Ka,
                                      &TCubeTiling::Kb,          &TCubeTiling::singleCoreM, &TCubeTiling::singleCoreN,
                                      &TCubeTiling::singleCoreK, &TCubeTiling::baseM,       &TCubeTiling::baseN,
                                      &TCubeTiling::baseK,       &TCubeTiling::depthA1,     &TCubeTiling::depthB1,
                                      &TCubeTiling::stepM,       &TCubeTiling::stepN,       &TCubeTiling::stepKa,
                                      &TCubeTiling::stepKb,      &TCubeTiling::isBias,      &TCubeTiling::iterateOrder,
                                      &TCubeTiling::dbL0A,       &TCubeTiling::dbL0B,       &TCubeTiling::dbL0C})
    if (fixed.*field >= 0) t.*field = fixed.*field;
  object.orgM = t.M;
  object.orgN = t.N;
  object.orgKa = t.Ka;
  object.orgKb = t.Kb;
  object.orgKc = t.N;
  object.singleM = t.singleCoreM;
  object.singleN = t.singleCoreN;
  object.singleK = t.singleCoreK;
  object.usesBias = false;  // until it is set
  object.initialised = true;
  object.fresh = true;
}

uint32_t resultBytes(const Traits& traits) { return bytesOf(traits.c.element); }

uint64_t resultBlockBytes(const Object& object) {
  return uint64_t(static_cast<uint32_t>(object.tiling.baseM)) * static_cast<uint32_t>(object.tiling.baseN) *
         resultBytes(*object.traits);
}

void requireFit(const Job& job, const char* what, uint64_t bytes, Memory memory) {
  const uint32_t capacity = core->capacity[static_cast<size_t>(memory)];
  if (bytes <= capacity) return;
  trap({Check::BufferSize, job.instruction,
        text("%s takes %llu bytes of %s, which has %u", what, static_cast<unsigned long long>(bytes), nameOf(memory),
             capacity),
        "choose smaller base blocks, smaller depths or no double buffers in the tiling"});
}

namespace {

// More blocks than a memory can hold.
constexpr int32_t countLimit = 1 << 15;

void requireFields(const Job& job) {
  const TCubeTiling& t = job.object.tiling;
  const struct {
    const char* name;
    int32_t value;
  } fields[] = {{"M", t.M},
                {"N", t.N},
                {"Ka", t.Ka},
                {"Kb", t.Kb},
                {"singleCoreM", t.singleCoreM},
                {"singleCoreN", t.singleCoreN},
                {"singleCoreK", t.singleCoreK},
                {"baseM", t.baseM},
                {"baseN", t.baseN},
                {"baseK", t.baseK},
                {"depthA1", t.depthA1},
                {"depthB1", t.depthB1},
                {"stepM", t.stepM},
                {"stepN", t.stepN},
                {"stepKa", t.stepKa},
                {"stepKb", t.stepKb},
                {"dbL0A", t.dbL0A},
                {"dbL0B", t.dbL0B},
                {"dbL0C", t.dbL0C}};
  for (const auto& field : fields) {
    if (field.value > 0) continue;
    trap({Check::ParameterRange, job.instruction, text("%s of the tiling is %d", field.name, field.value),
          "compute the tiling with GetTiling and hand it over as it is; every size, depth and step is at least 1"});
  }
  for (const int32_t count : {t.depthA1, t.depthB1, t.stepM, t.stepN, t.stepKa, t.stepKb, t.dbL0A, t.dbL0B, t.dbL0C}) {
    if (count <= countLimit) continue;
    trap({Check::ParameterRange, job.instruction, text("a depth or a step of the tiling is %d", count),
          "compute the tiling with GetTiling and hand it over as it is"});
  }
}

}  // namespace

void checkTiling(const Job& job) {
  requireFields(job);
  const TCubeTiling& t = job.object.tiling;
  const auto m = static_cast<uint64_t>(alignedUp(static_cast<uint32_t>(t.baseM), 16)),
             n = static_cast<uint64_t>(alignedUp(static_cast<uint32_t>(t.baseN), 16));
  const Traits& traits = *job.object.traits;
  const uint64_t k = alignedUp(static_cast<uint32_t>(t.baseK), cube::widthOf(traits.a.element));
  requireFit(job, "baseM * baseK * dbL0A", bytesIn(traits.a.element, m * k) * static_cast<uint32_t>(t.dbL0A),
             Memory::L0A);
  requireFit(job, "baseK * baseN * dbL0B",
             bytesIn(traits.a.element, k * n) / (traits.b.sparse ? 2 : 1) * static_cast<uint32_t>(t.dbL0B),
             Memory::L0B);
  if (t.dbL0C != 1 && t.dbL0C != 2)
    trap({Check::ParameterRange, job.instruction, text("dbL0C of the tiling is %d", t.dbL0C),
          "1 is one accumulator in L0C, 2 are two in turn"});
  requireFit(job, "baseM * baseN * dbL0C", m * n * 4 * accumulatorCount(job), Memory::L0C);
  if (t.isBias != 0) requireFit(job, "the bias of baseN columns", n * 4, Memory::BT);
  if (t.iterateOrder != 0 && t.iterateOrder != 1)
    trap({Check::ParameterRange, job.instruction, text("iterateOrder of the tiling is %d", t.iterateOrder),
          "0 goes along M first, 1 along N"});
}

namespace {

[[noreturn]] void refuse(const Job& job, const char* what, const char* hint) {
  trap({Check::ParameterRange, job.instruction, what, hint});
}

void checkPairs(const Job& job) {
  const Traits& traits = *job.object.traits;
  if (job.shared)
    refuse(job, "ScheduleType::OUTER_PRODUCT is for cube cores that work alone",
           "define ASCENDC_CUBE_ONLY, or take ScheduleType::INNER_PRODUCT");
  if (traits.policy == Policy::Upper || traits.policy == Policy::Lower)
    refuse(job, "ScheduleType::OUTER_PRODUCT computes all blocks", "take MatmulPolicy");
  if (traits.config.doMultiDataLoad && job.object.tiling.singleCoreK > job.object.tiling.baseK)
    refuse(job, "ScheduleType::OUTER_PRODUCT with MDL takes a K of one block", "make baseK as large as singleCoreK");
}

void checkNBuffer33(const Job& job) {
  const TCubeTiling& t = job.object.tiling;
  const auto steps = static_cast<int32_t>(ceilOf(t.singleCoreK, t.baseK));
  if (job.shared || !job.object.traits->config.doMultiDataLoad)
    refuse(job, "NBuffer33MatmulPolicy is for cube cores that work alone, with MDL",
           "define ASCENDC_CUBE_ONLY and take CFG_MDL");
  if (t.stepM > 3 || t.stepKa > 3 || t.stepKa != t.stepKb || t.stepKa != steps)
    refuse(job, "NBuffer33MatmulPolicy takes stepM, stepKa and stepKb of 3 at most, and all of K at once",
           "call SetMatmulConfigParams with ScheduleType::N_BUFFER_33 before GetTiling");
}

}  // namespace

void checkTraits(const Job& job) {
  const Traits& traits = *job.object.traits;
  const MatmulConfig& config = traits.config;
  if (takesPairs(traits)) checkPairs(job);
  if (config.intraBlockPartSum && !job.shared)
    refuse(job, "intraBlockPartSum adds up what two vector cores ask for", "leave ASCENDC_CUBE_ONLY out");
  if (config.isPartialOutput && !config.doMultiDataLoad)
    refuse(job, "isPartialOutput belongs to MDL", "take the configuration of GetMDLConfig");
  if (config.isPartialOutput && job.object.tiling.isBias != 0)
    refuse(job, "isPartialOutput does not take a bias", "add it to the sum of the parts");
  if (traits.policy == Policy::NBuffer33) checkNBuffer33(job);
  if (traits.b.sparse && job.object.tiling.baseK % 64 != 0)
    refuse(job, "base blocks of a sparse matrix are no whole fractals along K", "make baseK a multiple of 64");
  if (traits.b.sparse && (job.shared || !config.doMultiDataLoad))
    refuse(job, "a sparse matrix is for cube cores that work alone, with MDL",
           "define ASCENDC_CUBE_ONLY and take CFG_MDL");
}

}  // namespace npu_emu::matmul
