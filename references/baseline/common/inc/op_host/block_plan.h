// How a matrix product is cut into blocks for the cube cores, and what hosts of such operators share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(BlockPlan)
TILING_DATA_FIELD_DEF(uint32_t, baseM);
TILING_DATA_FIELD_DEF(uint32_t, baseN);
TILING_DATA_FIELD_DEF(uint32_t, baseK);       // depth of one step in L0A and L0B
TILING_DATA_FIELD_DEF(uint32_t, tileK);       // depth of one step in L1, a multiple of baseK
TILING_DATA_FIELD_DEF(uint32_t, l0cBuffers);  // 2: a block is written out while the next one is computed
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(BlockPlanOp, BlockPlan)
}  // namespace optiling

namespace blocks {

constexpr uint64_t FRACTAL_ROWS = 16;
constexpr uint64_t FRACTAL_ROW_BYTES = 32;
constexpr uint64_t SUM_BYTES = 4;
constexpr uint64_t BUFFERS = 2;
constexpr uint64_t EXTENTS[] = {16, 32, 64, 96, 128, 192, 256};
constexpr uint64_t MAX_BASE_K_BYTES = 512;
constexpr uint64_t MAX_TILE_K_BYTES = 1024;

// Rough figures of one cube core, for choosing between block shapes only.
constexpr uint64_t LOAD_BYTES_PER_CYCLE = 96;
constexpr uint64_t STORE_BYTES_PER_CYCLE = 96;
constexpr uint64_t CYCLES_PER_STEP = 32;  // issue of one step of L0 loads and multiplication

inline uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
inline uint64_t AlignUp(uint64_t a, uint64_t b) { return CeilDiv(a, b) * b; }

struct Memories {
  explicit Memories(const platform_ascendc::PlatformAscendC& platform) {
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::L1, l1);
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::L0_A, l0a);
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::L0_B, l0b);
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::L0_C, l0c);
  }
  uint64_t l1 = 0, l0a = 0, l0b = 0, l0c = 0;
};

// `products` of [m, k] * [k, n], elements of `inBytes`, results that leave L0C with `outBytes`; `otherBytes` of L1 are
// not for the panels.
struct Problem {
  uint64_t m, n, k, products = 1, inBytes = 2, outBytes = 2, otherBytes = 0, longestBlock = EXTENTS[6];
};

struct Plan {
  uint64_t baseM = 0, baseN = 0, baseK = 0, tileK = 0, l0cBuffers = 1;
  uint64_t cycles = std::numeric_limits<uint64_t>::max();
};

// Fills in the depths for a block shape; `cycles` stays at its maximum when the shape does not fit.
inline Plan Consider(uint64_t baseM, uint64_t baseN, const Problem& problem, uint64_t cores, const Memories& memory) {
  const uint64_t bytes = problem.inBytes;
  // Bytes are transposed in squares of 32, floats in squares of 16.
  const uint64_t depthUnit = std::max(FRACTAL_ROWS, FRACTAL_ROW_BYTES / bytes);
  Plan plan;
  plan.baseM = baseM;
  plan.baseN = AlignUp(baseN, depthUnit);
  const uint64_t l0Depth =
      std::min(memory.l0a / (BUFFERS * bytes * baseM), memory.l0b / (BUFFERS * bytes * plan.baseN));
  plan.baseK = std::min({l0Depth / depthUnit * depthUnit, MAX_BASE_K_BYTES / bytes, AlignUp(problem.k, depthUnit)});
  if (plan.baseK == 0 || baseM * plan.baseN * SUM_BYTES > memory.l0c) {
    return plan;
  }
  const uint64_t panelBytes = memory.l1 - problem.otherBytes;
  const uint64_t l1Depth = std::min(panelBytes / (BUFFERS * bytes * (baseM + plan.baseN)), MAX_TILE_K_BYTES / bytes);
  plan.tileK = l1Depth / plan.baseK * plan.baseK;
  if (plan.tileK == 0) {
    return plan;
  }
  plan.l0cBuffers = BUFFERS * baseM * plan.baseN * SUM_BYTES <= memory.l0c ? BUFFERS : 1;

  const uint64_t count = problem.products * CeilDiv(problem.m, baseM) * CeilDiv(problem.n, plan.baseN);
  const uint64_t waves = CeilDiv(count, cores);
  const uint64_t steps = CeilDiv(problem.k, plan.baseK);
  const uint64_t fractals = (baseM / FRACTAL_ROWS) * (plan.baseN / FRACTAL_ROWS);
  const uint64_t multiply = fractals * CeilDiv(problem.k * bytes, FRACTAL_ROW_BYTES) + steps * CYCLES_PER_STEP;
  const uint64_t panel = (baseM + plan.baseN) * bytes;
  const uint64_t load = panel * problem.k / LOAD_BYTES_PER_CYCLE;
  const uint64_t store = baseM * plan.baseN * problem.outBytes / STORE_BYTES_PER_CYCLE;
  // The first tile of a core and, where nothing overlaps it, the store of every block stand alone.
  const uint64_t fill = panel * std::min(plan.tileK, problem.k) / LOAD_BYTES_PER_CYCLE;
  const uint64_t exposedStores = plan.l0cBuffers == BUFFERS ? 1 : waves;
  plan.cycles = waves * std::max(multiply, load) + fill + exposedStores * store;
  return plan;
}

// `baseM` is 0 where nothing fits.
inline Plan Choose(const Problem& problem, uint64_t cores, const platform_ascendc::PlatformAscendC& platform) {
  const Memories memory(platform);
  Plan best;
  for (const uint64_t baseM : EXTENTS) {
    for (const uint64_t baseN : EXTENTS) {
      if (std::max(baseM, baseN) > problem.longestBlock) {
        continue;
      }
      const Plan plan = Consider(baseM, baseN, problem, cores, memory);
      if (plan.cycles < best.cycles) {
        best = plan;
      }
    }
  }
  return best;
}

inline uint64_t CountBlocks(const Plan& plan, const Problem& problem) {
  return problem.products * CeilDiv(problem.m, plan.baseM) * CeilDiv(problem.n, plan.baseN);
}

inline void Write(const Plan& plan, optiling::BlockPlan& tiling) {
  tiling.set_baseM(static_cast<uint32_t>(plan.baseM));
  tiling.set_baseN(static_cast<uint32_t>(plan.baseN));
  tiling.set_baseK(static_cast<uint32_t>(plan.baseK));
  tiling.set_tileK(static_cast<uint32_t>(plan.tileK));
  tiling.set_l0cBuffers(static_cast<uint32_t>(plan.l0cBuffers));
}

// The extents of a[..., m, k] * b[..., k, n] from inputs 0 and 1, of the rank and element type given; false where they
// are no product, empty, or longer than 31 bits.
inline bool ReadProduct(gert::TilingContext* context, size_t rank, ge::DataType type, Problem& problem) {
  const auto* aShape = context->GetInputShape(0);
  const auto* bShape = context->GetInputShape(1);
  const auto* aDesc = context->GetInputDesc(0);
  const auto* bDesc = context->GetInputDesc(1);
  if (aShape == nullptr || bShape == nullptr || aDesc == nullptr || bDesc == nullptr) {
    return false;
  }
  const gert::Shape& a = aShape->GetStorageShape();
  const gert::Shape& b = bShape->GetStorageShape();
  if (aDesc->GetDataType() != type || bDesc->GetDataType() != type || a.GetDimNum() != rank || b.GetDimNum() != rank ||
      a.GetDim(rank - 1) != b.GetDim(rank - 2)) {
    return false;
  }
  problem.products = 1;
  for (size_t i = 0; i + 2 < rank; ++i) {
    if (a.GetDim(i) != b.GetDim(i)) {
      return false;
    }
    problem.products *= static_cast<uint64_t>(a.GetDim(i));
  }
  const int64_t extents[] = {a.GetDim(rank - 2), b.GetDim(rank - 1), a.GetDim(rank - 1)};
  for (const int64_t extent : extents) {
    if (extent <= 0 || extent > std::numeric_limits<int32_t>::max()) {
      return false;
    }
  }
  problem.m = static_cast<uint64_t>(extents[0]);
  problem.n = static_cast<uint64_t>(extents[1]);
  problem.k = static_cast<uint64_t>(extents[2]);
  return problem.products != 0;
}

// Whether an input has the element type and so many elements.
inline bool HasLength(gert::TilingContext* context, size_t input, ge::DataType type, uint64_t length) {
  const auto* shape = context->GetInputShape(input);
  const auto* description = context->GetInputDesc(input);
  return shape != nullptr && description != nullptr && description->GetDataType() == type &&
         static_cast<uint64_t>(shape->GetStorageShape().GetShapeSize()) == length;
}

template <typename Tiling>
inline ge::graphStatus Save(gert::TilingContext* context, Tiling& tiling, uint64_t blockDim, uint64_t workspaceBytes) {
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(static_cast<uint32_t>(blockDim));
  context->GetWorkspaceSizes(1)[0] = workspaceBytes;
  return ge::GRAPH_SUCCESS;
}

// Workspace of a mixed kernel: the system's part, and two blocks of sums for each group of cores.
inline uint64_t MixedWorkspace(const platform_ascendc::PlatformAscendC& platform, const Plan& plan, uint64_t groups) {
  return platform.GetLibApiWorkSpaceSize() + groups * BUFFERS * plan.baseM * plan.baseN * SUM_BYTES;
}

// The result of a product: the shape of a with the columns of b.
inline ge::graphStatus InferProductShape(gert::InferShapeContext* context) {
  const gert::Shape* a = context->GetInputShape(0);
  const gert::Shape* b = context->GetInputShape(1);
  gert::Shape* c = context->GetOutputShape(0);
  if (a == nullptr || b == nullptr || c == nullptr || a->GetDimNum() < 2 || b->GetDimNum() != a->GetDimNum()) {
    return ge::GRAPH_FAILED;
  }
  *c = *a;
  c->SetDim(a->GetDimNum() - 1, b->GetDim(a->GetDimNum() - 1));
  return ge::GRAPH_SUCCESS;
}

}  // namespace blocks
