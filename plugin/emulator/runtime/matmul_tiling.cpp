// What the tiling and the type of a Matmul object ask for, and whether the cube core can do it.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

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

[[noreturn]] void refuse(const Job& job, std::string what, const char* hint) {
  trap({Check::ParameterRange, job.instruction, std::move(what), hint});
}

// Blocks of whole fractals: the next one begins where this one ends. A vector has a single row.
void checkFractals(const Job& job) {
  const TCubeTiling& t = job.object.tiling;
  const CubeFormat format = job.object.traits->a.format;
  const bool hasRows = format != CubeFormat::VECTOR && format != CubeFormat::SCALAR;
  if ((hasRows && t.baseM % 16 != 0) || t.baseN % 16 != 0)
    refuse(job, text("base blocks of the tiling are %d x %d", t.baseM, t.baseN),
           "make baseM and baseN multiples of 16");
  const auto width = static_cast<int32_t>(cube::widthOf(job.object.traits->a.element));
  // a fractal of what is transposed has 16 rows; SetFixSplit takes any 32 bytes
  const bool inColumns = leftOf(job).isTransposedInL0() || rightOf(job).isTransposedInL0();
  const int32_t unit = inColumns || job.object.singleK <= t.baseK ? std::min(width, 16) : width;
  if (t.baseK % unit != 0)
    refuse(job, text("baseK of the tiling is %d, where fractals are %d elements along K", t.baseK, unit),
           "make baseK a multiple of 16, and of 32 bytes");
}

void checkBuffers(const Job& job, const char* name, int32_t buffers) {
  if (buffers != 1 && buffers != 2)
    refuse(job, text("%s of the tiling is %d", name, buffers), "1 is one buffer in L0, 2 are two in turn");
}

}  // namespace

void checkTiling(const Job& job) {
  requireFields(job);
  checkFractals(job);
  checkBuffers(job, "dbL0A", job.object.tiling.dbL0A);
  checkBuffers(job, "dbL0B", job.object.tiling.dbL0B);
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

// MDL and SpecialMDL bring stepM * stepKa blocks of A into L1 at once, into one buffer or two in turn.
void checkDepth(const Job& job, const char* name, int32_t depth, int64_t together, const char* hint) {
  if (depth == together || depth == 2 * together) return;
  refuse(job,
         text("%s of the tiling is %d, where %lld blocks come into L1 at once", name, depth,
              static_cast<long long>(together)),
         hint);
}

// MDL follows K in steps of the smaller of stepKa and stepKb: each has to lie within one of the larger.
void checkSteps(const Job& job) {
  const TCubeTiling& t = job.object.tiling;
  checkDepth(job, "depthA1", t.depthA1, int64_t(t.stepM) * t.stepKa, "make depthA1 stepM * stepKa, or twice as many");
  checkDepth(job, "depthB1", t.depthB1, int64_t(t.stepN) * t.stepKb, "make depthB1 stepN * stepKb, or twice as many");
  const auto blocks = static_cast<int32_t>(ceilOf(job.object.singleK, t.baseK));
  const bool isSpecial = job.object.traits->config.doSpecialMDL;
  if (blocks > t.stepKa && t.stepM > 1 && !isSpecial)
    refuse(job, text("stepM of the tiling is %d, and stepKa is not all of K", t.stepM),
           "make stepM 1, or stepKa * baseK as large as K");
  if (blocks > t.stepKb && t.stepN > (isSpecial ? 2 : 1))
    refuse(job, text("stepN of the tiling is %d, and stepKb is not all of K", t.stepN),
           "make stepN 1 (2 with SpecialMDL), or stepKb * baseK as large as K");
  const int32_t larger = std::max(t.stepKa, t.stepKb), smaller = std::min(t.stepKa, t.stepKb);
  const auto timesOf = [&t](int32_t steps) { return ceilOf(t.singleCoreK, t.baseK * steps); };
  const uint32_t often = timesOf(smaller), seldom = timesOf(larger);
  if (often % seldom != 0 || (blocks > larger && larger % smaller != 0))
    refuse(job, text("stepKa and stepKb of the tiling are %d and %d, and K has %d blocks", t.stepKa, t.stepKb, blocks),
           "make one a multiple of the other, and the numbers of steps along K as well");
}

// What the configuration fixes is compiled into the object, beside what the tiling says.
void checkBasicBlock(const Job& job) {
  const TCubeTiling& t = job.object.tiling;
  const MatmulConfig& config = job.object.traits->config;
  const auto agree = [](uint32_t fixed, int32_t value) { return fixed == static_cast<uint32_t>(value); };
  if (agree(config.basicM, t.baseM) && agree(config.basicN, t.baseN) && agree(config.basicK, t.baseK)) return;
  refuse(job,
         text("base blocks of the tiling are %d x %d x %d, and those of the configuration %u x %u x %u", t.baseM,
              t.baseN, t.baseK, config.basicM, config.basicN, config.basicK),
         "pass the baseM, baseN and baseK of the tiling to GetBasicConfig");
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
  if (config.doBasicBlock) checkBasicBlock(job);
  if (traits.policy == Policy::NBuffer33) checkNBuffer33(job);
  else if (loadsBigBlocks(traits)) checkSteps(job);
  if (traits.b.sparse && job.object.tiling.baseK % 64 != 0)
    refuse(job, "base blocks of a sparse matrix are no whole fractals along K", "make baseK a multiple of 64");
  if (traits.b.sparse && (job.shared || !config.doMultiDataLoad))
    refuse(job, "a sparse matrix is for cube cores that work alone, with MDL",
           "define ASCENDC_CUBE_ONLY and take CFG_MDL");
}

}  // namespace npu_emu::matmul
