// Products of two whole float16 matrices: padding of rows, and sharing of K among cores.
#pragma once

#include "common/inc/op_host/block_plan.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(WholeProduct)
TILING_DATA_FIELD_DEF(uint32_t, m);
TILING_DATA_FIELD_DEF(uint32_t, n);
TILING_DATA_FIELD_DEF(uint32_t, k);
TILING_DATA_FIELD_DEF(uint32_t, strideA);  // between rows of a; longer than k: vector cores copy a first
TILING_DATA_FIELD_DEF(uint32_t, strideB);  // between rows of b; longer than n: vector cores copy b first
TILING_DATA_FIELD_DEF(uint32_t, parts);    // of K; more than one: vector cores add their sums
TILING_DATA_FIELD_DEF(uint32_t, partDepth);
TILING_DATA_FIELD_DEF_STRUCT(BlockPlan, plan);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(WholeProductOp, WholeProduct)
}  // namespace optiling

namespace blocks {

constexpr uint64_t HALF_BYTES = 2;
constexpr uint64_t BURST = 256;  // float16 elements of a full-rate burst
constexpr uint64_t MAX_PARTS = 16;
constexpr uint64_t MEETING_CYCLES = 4000;        // all cores wait for each other
constexpr uint64_t VECTOR_BYTES_PER_CYCLE = 48;  // of one cube core's share of vector cores
constexpr uint64_t WHOLE_KEY = 1;                // cube cores alone
constexpr uint64_t ASSISTED_KEY = 2;             // vector cores pad or add

struct Strategy {
  bool pads, splits;
};

struct Division {
  uint64_t parts = 1, depth = 0;
  Plan plan;
};

inline Division Divide(Problem problem, uint64_t mostParts, uint64_t cores,
                       const platform_ascendc::PlatformAscendC& platform) {
  Division best;
  const uint64_t k = problem.k;
  for (uint64_t parts = 1; parts <= mostParts; ++parts) {
    const uint64_t depth = parts == 1 ? k : AlignUp(CeilDiv(k, parts), BURST);
    if (CeilDiv(k, depth) != parts) {
      continue;
    }
    problem.k = depth;
    problem.products = parts;
    problem.outBytes = parts > 1 ? SUM_BYTES : HALF_BYTES;
    Plan plan = Choose(problem, cores, platform);
    if (plan.baseM != 0 && parts > 1) {
      const uint64_t moved = (parts * SUM_BYTES + HALF_BYTES) * problem.m * problem.n;
      plan.cycles += MEETING_CYCLES + moved / (VECTOR_BYTES_PER_CYCLE * cores);
    }
    if (plan.cycles < best.plan.cycles) {
      best = {parts, depth, plan};
    }
  }
  return best;
}

// Rows that start in the middle of a burst are worth a copy when the matrix is read several times.
inline uint64_t PaddedRow(uint64_t row, uint64_t reads) {
  return row % BURST == 0 || reads < 2 ? row : AlignUp(row, BURST);
}

template <typename Tiling>
inline ge::graphStatus TileWholeProduct(gert::TilingContext* context, const Strategy& strategy, Tiling& tiling) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAic();
  Problem problem{};
  if (!ReadProduct(context, 2, ge::DT_FLOAT16, problem) || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  const Division division = Divide(problem, strategy.splits ? MAX_PARTS : 1, cores, platform);
  if (division.plan.baseM == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t readsOfA = CeilDiv(problem.n, division.plan.baseN);
  const uint64_t readsOfB = CeilDiv(problem.m, division.plan.baseM);
  const uint64_t strideA = strategy.pads ? PaddedRow(problem.k, readsOfA) : problem.k;
  const uint64_t strideB = strategy.pads ? PaddedRow(problem.n, readsOfB) : problem.n;
  tiling.product.set_m(static_cast<uint32_t>(problem.m));
  tiling.product.set_n(static_cast<uint32_t>(problem.n));
  tiling.product.set_k(static_cast<uint32_t>(problem.k));
  tiling.product.set_strideA(static_cast<uint32_t>(strideA));
  tiling.product.set_strideB(static_cast<uint32_t>(strideB));
  tiling.product.set_parts(static_cast<uint32_t>(division.parts));
  tiling.product.set_partDepth(static_cast<uint32_t>(division.depth));
  Write(division.plan, tiling.product.plan);

  uint64_t workspace = platform.GetLibApiWorkSpaceSize();
  workspace += strideA != problem.k ? problem.m * strideA * HALF_BYTES : 0;
  workspace += strideB != problem.n ? problem.k * strideB * HALF_BYTES : 0;
  workspace += division.parts > 1 ? division.parts * problem.m * problem.n * SUM_BYTES : 0;
  const bool assisted = strideA != problem.k || strideB != problem.n || division.parts > 1;
  problem.products = division.parts;
  const uint64_t count = std::min(cores, CountBlocks(division.plan, problem));
  context->SetTilingKey(assisted ? ASSISTED_KEY : WHOLE_KEY);
  return Save(context, tiling, assisted ? cores : count, workspace);
}

}  // namespace blocks
