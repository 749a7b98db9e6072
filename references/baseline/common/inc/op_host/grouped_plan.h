// Tiling of products in groups: what hosts of such operators share.
#pragma once

#include "common/inc/op_host/block_plan.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(GroupedTilingData)
TILING_DATA_FIELD_DEF(uint32_t, m);
TILING_DATA_FIELD_DEF(uint32_t, n);
TILING_DATA_FIELD_DEF(uint32_t, k);
TILING_DATA_FIELD_DEF(uint32_t, groups);
TILING_DATA_FIELD_DEF_STRUCT(BlockPlan, plan);
END_TILING_DATA_DEF;
}  // namespace optiling

namespace blocks {

// Which axis of a the groups cut: a[m, k] * b[group, k, n] by rows, a[m, k] * b[k, n] by depth. By depth the memory of
// a
// holds its transpose.
enum class Slices { ROWS, DEPTH };

inline bool ReadGroups(gert::TilingContext* context, Slices slices, ge::DataType type, size_t list, Problem& problem) {
  const auto* aShape = context->GetInputShape(0);
  const auto* bShape = context->GetInputShape(1);
  const auto* listShape = context->GetInputShape(list);
  const auto* aDesc = context->GetInputDesc(0);
  const auto* bDesc = context->GetInputDesc(1);
  const auto* listDesc = context->GetInputDesc(list);
  if (aShape == nullptr || bShape == nullptr || listShape == nullptr || aDesc == nullptr || bDesc == nullptr ||
      listDesc == nullptr) {
    return false;
  }
  const gert::Shape& a = aShape->GetStorageShape();
  const gert::Shape& b = bShape->GetStorageShape();
  const size_t rank = slices == Slices::ROWS ? 3 : 2;
  if (aDesc->GetDataType() != type || bDesc->GetDataType() != type || listDesc->GetDataType() != ge::DT_INT64 ||
      a.GetDimNum() != 2 || b.GetDimNum() != rank || a.GetDim(1) != b.GetDim(rank - 2)) {
    return false;
  }
  const int64_t groups = listShape->GetStorageShape().GetShapeSize();
  if (slices == Slices::ROWS && b.GetDim(0) != groups) {
    return false;
  }
  const int64_t extents[] = {a.GetDim(0), b.GetDim(rank - 1), a.GetDim(1), groups};
  for (const int64_t extent : extents) {
    if (extent <= 0 || extent > std::numeric_limits<int32_t>::max()) {
      return false;
    }
  }
  problem.m = static_cast<uint64_t>(extents[0]);
  problem.n = static_cast<uint64_t>(extents[1]);
  problem.k = static_cast<uint64_t>(extents[2]);
  problem.products = static_cast<uint64_t>(groups);
  return true;
}

// The plan for groups of the same size, which is all that the host knows of them.
inline Plan ChooseForGroups(Problem problem, Slices slices, uint64_t cores,
                            const platform_ascendc::PlatformAscendC& platform) {
  uint64_t& cut = slices == Slices::ROWS ? problem.m : problem.k;
  cut = CeilDiv(cut, problem.products);
  const Memories memory(platform);
  // A transposed block of bytes is made of squares of 32.
  const uint64_t shortest = slices == Slices::DEPTH ? FRACTAL_ROW_BYTES / problem.inBytes : FRACTAL_ROWS;
  Plan best;
  for (const uint64_t baseM : EXTENTS) {
    for (const uint64_t baseN : EXTENTS) {
      if (baseM < shortest || std::max(baseM, baseN) > problem.longestBlock) {
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

// Blocks of all groups, at most: a group of any size may end within a block.
inline uint64_t MostBlocks(const Plan& plan, const Problem& problem, Slices slices) {
  const uint64_t rows = CeilDiv(problem.m, plan.baseM);
  return CeilDiv(problem.n, plan.baseN) *
         (slices == Slices::ROWS ? rows + problem.products - 1 : rows * problem.products);
}

template <typename Tiling>
inline void WriteGroups(const Plan& plan, const Problem& problem, Tiling& tiling) {
  tiling.set_m(static_cast<uint32_t>(problem.m));
  tiling.set_n(static_cast<uint32_t>(problem.n));
  tiling.set_k(static_cast<uint32_t>(problem.k));
  tiling.set_groups(static_cast<uint32_t>(problem.products));
  Write(plan, tiling.plan);
}

inline ge::graphStatus TileGroups(gert::TilingContext* context, Slices slices) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAic();
  Problem problem{};
  if (cores == 0 || !ReadGroups(context, slices, ge::DT_FLOAT16, 2, problem)) {
    return ge::GRAPH_FAILED;
  }
  const Plan plan = ChooseForGroups(problem, slices, cores, platform);
  if (plan.baseM == 0) {
    return ge::GRAPH_FAILED;
  }
  optiling::GroupedTilingData tiling;
  WriteGroups(plan, problem, tiling);
  return Save(context, tiling, std::min(cores, MostBlocks(plan, problem, slices)), 0);
}

// The same for bytes whose products are multiplied by a factor of their row and one of their column.
inline ge::graphStatus TileScaledGroups(gert::TilingContext* context, Slices slices) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAic();
  Problem problem{};
  if (cores == 0 || !ReadGroups(context, slices, ge::DT_INT8, 4, problem)) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t rowFactors = slices == Slices::ROWS ? problem.m : problem.products * problem.m;
  if (!HasLength(context, 2, ge::DT_BF16, problem.products * problem.n) ||
      !HasLength(context, 3, ge::DT_BF16, rowFactors)) {
    return ge::GRAPH_FAILED;
  }
  problem.inBytes = 1;
  problem.outBytes = SUM_BYTES;
  const Plan plan = ChooseForGroups(problem, slices, cores, platform);
  if (plan.baseM == 0) {
    return ge::GRAPH_FAILED;
  }
  optiling::GroupedTilingData tiling;
  WriteGroups(plan, problem, tiling);
  const uint64_t teams = std::min(cores, MostBlocks(plan, problem, slices));
  return Save(context, tiling, teams, MixedWorkspace(platform, plan, teams));
}

// The result is flat.
inline ge::graphStatus InferGroupsShape(gert::InferShapeContext* context, Slices slices, size_t list) {
  const gert::Shape* a = context->GetInputShape(0);
  const gert::Shape* b = context->GetInputShape(1);
  const gert::Shape* groups = context->GetInputShape(list);
  gert::Shape* c = context->GetOutputShape(0);
  if (a == nullptr || b == nullptr || groups == nullptr || c == nullptr || a->GetDimNum() != 2 || b->GetDimNum() < 2) {
    return ge::GRAPH_FAILED;
  }
  const int64_t one = a->GetDim(0) * b->GetDim(b->GetDimNum() - 1);
  c->SetDimNum(1);
  c->SetDim(0, slices == Slices::ROWS ? one : one * groups->GetShapeSize());
  return ge::GRAPH_SUCCESS;
}

// Inputs and the output of such an operator.
inline void DeclareTensor(ops::OpParamDef& parameter, ge::DataType type) {
  parameter.ParamType(ops::REQUIRED).DataType({type}).Format({ge::FORMAT_ND}).UnknownShapeFormat({ge::FORMAT_ND});
}

}  // namespace blocks
