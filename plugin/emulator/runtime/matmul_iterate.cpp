// Matmul objects on a cube core: memory for them, the order of the blocks, and one block after the other.
#include <algorithm>
#include <cstring>

#include "matmul_stages.h"

namespace npu_emu::matmul {

namespace {

LocalBuffer allot(const Job& job, const void* pipe, TPosition position, uint32_t bytes, uint32_t& offset) {
  const uint32_t from = offset;
  offset += alignedUp(bytes, 512);
  return job.shared ? localMemoryOf(position, from, bytes) : initBuffer(pipe, position, bytes);
}

bool takesScales(const Traits& traits) {
  return bytesOf(traits.c.element) == 1 || (isInteger(traits.a.element) && traits.c.element == Element::Half);
}

// Objects share L0 and what else there is once: what the one before has begun ends first.
Engines& activate(const Job& job) {
  Engines& engines = enginesOf(*core);
  if (engines.active == &job.engine) return engines;
  if (engines.active != nullptr) {
    orderPipes(Pipe::MTE1, Pipe::MTE2);
    orderPipes(Pipe::M, Pipe::MTE1);
    orderPipes(Pipe::FIX, Pipe::M);
  }
  engines.active = &job.engine;
  return engines;
}

void forgetPanels(Engine& engine) {
  for (PanelCache* panels : {&engine.a, &engine.b})
    std::fill(panels->slots.begin(), panels->slots.end(), PanelCache::Slot());
}

// More blocks than any result has: it would take hours to list them.
constexpr uint64_t blockLimit = uint64_t(1) << 22;

// All lists of a launch together, at 16 bytes a block: a quarter of a GiB.
constexpr uint64_t listLimit = uint64_t(1) << 24;

// A list keeps its memory for the next one of its object, until the iteration is ended.
void reserveBlocks(const Job& job, uint64_t number) {
  std::vector<Engine::Block>& blocks = job.engine.blocks;
  if (number <= blocks.capacity()) return;
  const uint64_t others = listedBlocks() - blocks.capacity();
  if (others + number > listLimit)
    trap({Check::ParameterRange, job.instruction,
          text("the Matmul objects of this launch are to compute more than %llu blocks at once",
               static_cast<unsigned long long>(listLimit)),
          "check SetSingleShape and SetTail, end objects that are no longer used, and choose larger base blocks"});
  std::vector<Engine::Block>().swap(blocks);
  blocks.reserve(number);
}

uint64_t countBlocks(const Job& job) {
  const Object& o = job.object;
  return uint64_t(ceilOf(o.singleM, o.tiling.baseM)) * ceilOf(o.singleN, o.tiling.baseN) *
         (o.traits->config.isPartialOutput ? ceilOf(o.singleK, o.tiling.baseK) : 1);
}

// Sizes come with every call. Those of the whole matrices say where something lies, which its accesses are asked about.
void checkSizes(const Job& job) {
  const Object& o = job.object;
  for (const int32_t size : {o.singleM, o.singleN, o.singleK}) {
    if (size < 0)
      trap({Check::ParameterRange, job.instruction, text("a size of what is to be computed is %d", size),
            "check SetSingleShape and SetTail"});
  }
  if (countBlocks(job) > blockLimit)
    trap({Check::ParameterRange, job.instruction,
          text("%d x %d x %d are to be computed in blocks of %d x %d", o.singleM, o.singleN, o.singleK, o.tiling.baseM,
               o.tiling.baseN),
          "check SetSingleShape and SetTail, and choose larger base blocks"});
}

// The memory that is there, and how it is divided, follow from the type and the tiling that the object was given.
void requirePrepared(const Job& job) {
  const Engine& engine = job.engine;
  if (!engine.prepared) {
    trap({Check::ErrorBuffer0, job.instruction, "the Matmul object has no tiling",
          "call REGIST_MATMUL_OBJ with the object and its tiling, or Init, before using it"});
  }
  if (engine.traits != job.object.traits ||
      std::memcmp(&engine.tiling, &job.object.tiling, sizeof engine.tiling) != 0) {
    trap({Check::InvalidStream, job.instruction, "the type or the tiling of the Matmul object is not that of its Init",
          "leave the members of a Matmul object alone"});
  }
}

void listBlocks(const Job& job) {
  const Object& o = job.object;
  const AscendC::tiling::TCubeTiling& t = o.tiling;
  const auto rows = static_cast<int32_t>(ceilOf(o.singleM, t.baseM)),
             columns = static_cast<int32_t>(ceilOf(o.singleN, t.baseN));
  std::vector<Engine::Block>& blocks = job.engine.blocks;
  blocks.clear();
  reserveBlocks(job, countBlocks(job));
  // what lies in L1 together is used together: steps of one matrix inside those of the other
  const bool alongM = t.iterateOrder == 0;
  const int32_t outer = alongM ? columns : rows, inner = alongM ? rows : columns,
                outerStep = alongM ? t.stepN : t.stepM, innerStep = alongM ? t.stepM : t.stepN;
  // pairs lie beside each other in the direction that is followed last
  const int32_t pair = takesPairs(*o.traits) ? 2 : 1;
  const auto steps = static_cast<int32_t>(ceilOf(o.singleK, t.baseK));
  const auto add = [&](Engine::Block block) {
    if (!o.traits->config.isPartialOutput) blocks.push_back(block);
    else
      for (block.step = 0; block.step < steps; ++block.step) blocks.push_back(block);
  };
  for (int32_t o0 = 0; o0 < outer; o0 += outerStep)
    for (int32_t i0 = 0; i0 < inner; i0 += innerStep)
      for (int32_t i = i0; i < std::min(inner, i0 + innerStep); ++i)
        for (int32_t o1 = o0; o1 < std::min(outer, o0 + outerStep); o1 += pair) {
          const auto number = static_cast<uint32_t>(std::min(pair, std::min(outer, o0 + outerStep) - o1));
          add(alongM ? Engine::Block{i, o1, -1, number} : Engine::Block{o1, i, -1, number});
        }
}

// What an object needs of L1 and L0C.
struct Needs {
  uint32_t leftBytes, rightBytes, leftSlots, rightSlots;  // B with its index where it is sparse
  uint32_t rightIndexAt;
  uint32_t biasBytes, scaleBytes, accumulatorBytes;  // 0: none

  Needs(const Job& job, const InputMatrix& left, const InputMatrix& right)
      : leftBytes(left.slotBytes()),
        rightBytes(right.slotBytes() + right.indexBytes()),
        leftSlots(left.slotCount()),
        rightSlots(right.slotCount()),
        rightIndexAt(right.slotBytes()) {
    const AscendC::tiling::TCubeTiling& t = job.object.tiling;
    const uint32_t columns = alignedUp(static_cast<uint32_t>(t.baseN), 16);
    biasBytes = t.isBias != 0 ? columns * 4 : 0;
    scaleBytes = takesScales(*job.object.traits) ? columns * 8 : 0;
    accumulatorBytes = alignedUp(static_cast<uint32_t>(t.baseM), 16) * columns * 4;
  }

  uint64_t bytesOfL1() const {
    return uint64_t(leftBytes) * leftSlots + uint64_t(rightBytes) * rightSlots + biasBytes + scaleBytes;
  }
  bool areMetBy(const Engine& engine) const {
    return engine.prepared && engine.a.slotBytes == leftBytes && engine.b.slotBytes == rightBytes &&
           engine.a.slots.size() == leftSlots && engine.b.slots.size() == rightSlots &&
           engine.accumulatorBytes == accumulatorBytes;
  }
};

void preparePanels(PanelCache& panels, uint32_t slots, uint32_t slotBytes, uint32_t firstToken) {
  panels.slots.assign(slots, {});
  panels.slotBytes = slotBytes;
  panels.next = 0;
  panels.firstToken = firstToken;
}

}  // namespace

void prepare(const Job& job, const void* pipe) {
  checkTiling(job);
  checkTraits(job);
  Engine& engine = job.engine;
  const InputMatrix left = leftOf(job), right = rightOf(job);
  const Needs needs(job, left, right);
  requireFit(job, "A and B with depthA1 and depthB1", needs.bytesOfL1(), Memory::L1);
  // set anew with the same needs: the memory is there
  const bool same = needs.areMetBy(engine);
  endIteration(job);
  engine.traits = job.object.traits;
  engine.tiling = job.object.tiling;
  if (same) return;
  preparePanels(engine.a, needs.leftSlots, needs.leftBytes, FirstSlot);
  preparePanels(engine.b, needs.rightSlots, needs.rightBytes, FirstSlot + 2 * needs.leftSlots);
  engine.b.indexAt = needs.rightIndexAt;
  uint32_t l1 = 0, l0c = 0;
  // what a vector core has put into L1 is on its way through global memory
  const auto isInL1 = [&](const InputMatrix& matrix) { return !job.shared && matrix.kind.position == TPosition::TSCM; };
  if (!isInL1(left)) engine.a.buffer = allot(job, pipe, TPosition::A1, needs.leftBytes * needs.leftSlots, l1);
  if (!isInL1(right)) engine.b.buffer = allot(job, pipe, TPosition::B1, needs.rightBytes * needs.rightSlots, l1);
  if (needs.biasBytes != 0) engine.bias = allot(job, pipe, TPosition::C1, needs.biasBytes, l1);
  if (needs.scaleBytes != 0) engine.scales = allot(job, pipe, TPosition::A1, needs.scaleBytes, l1);
  engine.accumulatorBytes = needs.accumulatorBytes;
  engine.accumulator = 0;
  if (job.object.traits->c.position != TPosition::CO1)
    engine.accumulators = allot(job, pipe, TPosition::CO1, needs.accumulatorBytes * accumulatorCount(job), l0c);
  engine.prepared = true;
}

void refuseAllOfParts(const Job& job) {
  trap({Check::ParameterRange, job.instruction,
        "with isPartialOutput, results come one by one, and this would write all parts of a sum to one place",
        "call Iterate and GetTensorC"});
}

uint32_t countResults(const Object& object) {
  const AscendC::tiling::TCubeTiling& t = object.tiling;
  const auto parts = [](int32_t length, int32_t unit) { return unit <= 0 ? 1u : ceilOf(length, unit); };
  return parts(object.singleM, t.baseM) * parts(object.singleN, t.baseN) *
         (object.traits->config.isPartialOutput ? parts(object.singleK, t.baseK) : 1);
}

void beginIteration(const Job& job) {
  const Object& o = job.object;
  requirePrepared(job);
  checkSizes(job);
  checkSource(job, leftOf(job));
  checkSource(job, rightOf(job));
  if (o.usesBias && o.tiling.isBias == 0)
    trap({Check::ParameterRange, job.instruction, "a bias is set, and isBias of the tiling is 0",
          "call EnableBias(true) of the tiling"});
  forgetPanels(job.engine);
  listBlocks(job);
  job.engine.next = 0;
}

bool iterate(const Job& job, bool accumulates, const Operand* accumulator) {
  Engine& engine = job.engine;
  if (engine.next >= engine.blocks.size()) return false;
  requirePrepared(job);
  Engines& engines = activate(job);
  engine.current = engine.blocks[engine.next++];
  if (accumulator != nullptr) {
    multiply(job, engines, accumulates, *accumulator);
    return true;
  }
  if (!accumulates) {
    if (engine.hasResult)
      trap({Check::QueueExhausted, job.instruction, "the block before waits in L0C, and nobody has taken it",
            "call GetTensorC after every Iterate"});
    // a pair takes both
    engine.accumulator =
        takesPairs(*job.object.traits) ? 0 : (engine.accumulator + 1) % static_cast<uint32_t>(job.object.tiling.dbL0C);
  }
  engine.hasResult = true;
  wait(Pipe::M, AccumulatorFree + engine.accumulator);
  multiply(job, engines, accumulates, accumulatorOf(job));
  // with unit flags there is no other
  if (!job.object.traits->config.enUnitFlag)
    requireFlagOfMatmul(job.instruction, AscendC::HardEvent::M_FIX, noEventId, 0);
  set(Pipe::M, AccumulatorReady);
  return true;
}

void takeResult(const Job& job, const Target& target) {
  Engine& engine = job.engine;
  if (!engine.hasResult)
    trap({Check::QueueEmpty, job.instruction, "there is no block of the result to take",
          "call GetTensorC once after an Iterate that has returned true"});
  requirePrepared(job);
  wait(Pipe::FIX, AccumulatorReady);
  Target to = target;
  for (uint32_t part = 0; part < engine.current.number; ++part) {
    const Engine::Block block = blockOfPair(job, part);
    if (isLeftOut(*job.object.traits, block)) continue;
    store(job, to, block, moved(accumulatorOf(job), uint64_t(part) * engine.accumulatorBytes));
    if (to.sequential) to.gm += resultBlockBytes(job.object);
  }
  set(Pipe::FIX, AccumulatorFree + engine.accumulator);
  engine.hasResult = false;
}

void iterateAll(const Job& job, const Target& target) {
  while (iterate(job, false, nullptr)) takeResult(job, target);
}

void iterateSum(const Job& first, const Job& second, bool alone, const Target& target) {
  beginIteration(first);
  if (!alone) beginIteration(second);
  while (iterate(first, false, nullptr)) {
    if (!alone) {
      const Operand accumulator = accumulatorOf(first);
      wait(Pipe::M, AccumulatorReady);
      // both use all of L1
      forgetPanels(second.engine);
      if (!iterate(second, true, &accumulator))
        trap({Check::ParameterRange, second.instruction,
              "the two products of intraBlockPartSum have not as many blocks",
              "give both vector cores of a group parts of K of one product"});
      forgetPanels(first.engine);
      set(Pipe::M, AccumulatorReady);
    }
    takeResult(first, target);
  }
}

void endIteration(const Job& job) {
  std::vector<Engine::Block>().swap(job.engine.blocks);
  job.engine.next = 0;
  job.engine.hasResult = false;
  forgetPanels(job.engine);
}

}  // namespace npu_emu::matmul
