// Weights of the classes of a classification. The kernel side is samples.h.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
// Weights that every core copies to its unified buffer: all where they are few and a core has more than a few
// samples, which otherwise wait for one weight each.
inline uint64_t LocalWeights(const RowNeeds& needs) {
  constexpr uint64_t MOST = 8192;
  constexpr uint64_t PER_SAMPLE = 16;
  const bool copies = needs.columns <= std::min(MOST, PER_SAMPLE * needs.rows);
  return copies ? needs.columns : 0;
}
}  // namespace optiling
