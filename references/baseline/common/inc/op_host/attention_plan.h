// How attention is cut, and what hosts of such operators share.
#pragma once

#include "common/inc/op_host/block_plan.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(AttentionPlan)
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF(uint32_t, keyStride);  // elements between rows of scores in the workspace
TILING_DATA_FIELD_DEF(uint32_t, resultColumns);
TILING_DATA_FIELD_DEF(uint32_t, resultStride);  // elements between rows of results in the workspace
TILING_DATA_FIELD_DEF(uint32_t, tileLength);    // floats that a vector core works on at a time
TILING_DATA_FIELD_DEF_STRUCT(BlockPlan, block);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(AttentionPlanOp, AttentionPlan)
}  // namespace optiling

namespace attention {

constexpr uint64_t TILE_ROWS = 64;
constexpr uint64_t SLOTS = 2;
constexpr uint64_t MOST_KEYS = 8192;      // a row of scores lies in the unified buffer as a whole
constexpr uint64_t SHORTEST_TILE = 8192;  // floats
constexpr uint64_t BLOCK_COLUMNS = 256;

struct Shape {
  uint64_t keys, depth, resultColumns, tiles;
  double scale;
};

// Whether there is a plan; `cores` become as many as have a tile.
inline bool Write(const Shape& shape, uint64_t& cores, const platform_ascendc::PlatformAscendC& platform,
                  optiling::AttentionPlan& tiling) {
  blocks::Problem problem{};
  problem.m = TILE_ROWS;
  problem.n = BLOCK_COLUMNS;
  problem.k = std::max(shape.keys, shape.depth);
  const blocks::Plan plan = blocks::Consider(TILE_ROWS, BLOCK_COLUMNS, problem, cores, blocks::Memories(platform));
  if (plan.tileK == 0 || shape.keys == 0 || shape.keys > MOST_KEYS || shape.tiles == 0) {
    return false;
  }
  const uint64_t keyStride = blocks::AlignUp(shape.keys, blocks::FRACTAL_ROWS);
  cores = std::min(cores, shape.tiles);
  tiling.set_scale(static_cast<float>(shape.scale));
  tiling.set_keyStride(static_cast<uint32_t>(keyStride));
  tiling.set_resultColumns(static_cast<uint32_t>(shape.resultColumns));
  tiling.set_resultStride(static_cast<uint32_t>(blocks::AlignUp(shape.resultColumns, blocks::FRACTAL_ROWS)));
  tiling.set_tileLength(static_cast<uint32_t>(std::max(SHORTEST_TILE, keyStride)));
  blocks::Write(plan, tiling.block);
  return true;
}

// Scores, exponentials and results of two tiles for each group of cores.
inline uint64_t Workspace(const platform_ascendc::PlatformAscendC& platform, const Shape& shape, uint64_t cores) {
  const uint64_t keys = blocks::AlignUp(shape.keys, blocks::FRACTAL_ROWS);
  const uint64_t columns = blocks::AlignUp(shape.resultColumns, blocks::FRACTAL_ROWS);
  const uint64_t bytes = keys * (blocks::SUM_BYTES + 2) + columns * blocks::SUM_BYTES;
  return platform.GetLibApiWorkSpaceSize() + cores * SLOTS * TILE_ROWS * bytes;
}

}  // namespace attention
