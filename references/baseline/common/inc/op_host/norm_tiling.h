// Tiling of the norms of row_norm.h.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(NormTiling)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(float, reciprocal);  // 1 / columns
TILING_DATA_FIELD_DEF(float, epsilon);
TILING_DATA_FIELD_DEF(float, factor);   // of the first term
TILING_DATA_FIELD_DEF(uint32_t, bias);  // 0: none, 1: of the shape of x, 2: of the shape of gamma
TILING_DATA_FIELD_DEF(uint32_t, gamma);
TILING_DATA_FIELD_DEF(uint32_t, beta);
TILING_DATA_FIELD_DEF(uint32_t, sum);     // does x itself go out?
TILING_DATA_FIELD_DEF(uint32_t, scales);  // quantisation: bit i for each pair that has scales, zero points
TILING_DATA_FIELD_DEF(uint32_t, zeros);
TILING_DATA_FIELD_DEF(uint32_t, divides);  // by the scales, or multiplies
END_TILING_DATA_DEF;

// Which inputs of an operator are what; NO_INPUT where it has no such.
constexpr size_t NO_INPUT = SIZE_MAX;
struct NormInputs {
  size_t x1 = 0;
  size_t x2 = NO_INPUT;
  size_t bias = NO_INPUT;
  size_t gamma = NO_INPUT;
  size_t beta = NO_INPUT;
};
struct NormOutputs {
  uint64_t columns = 0;   // 0: as many as gamma has elements
  uint64_t bytes = 0;     // of one element of all that has the shape of x
  uint64_t smallest = 0;  // 0: that of the inputs
  bool sum = false;
  uint64_t vectors = 0;  // of an epilogue
  uint64_t vectorBytes = 0;
};

inline uint64_t PresentSize(const gert::TilingContext* context, size_t input) {
  return input == NO_INPUT ? 0 : SizeOf(context, input);
}

inline bool PlanNorm(gert::TilingContext* context, const NormInputs& inputs, const NormOutputs& outputs, float epsilon,
                     float factor, NormTiling& tiling) {
  const uint64_t total = SizeOf(context, inputs.x1);
  const uint64_t columns = outputs.columns != 0 ? outputs.columns : PresentSize(context, inputs.gamma);
  if (total == 0 || columns == 0 || total % columns != 0) {
    return false;
  }
  RowNeeds needs;
  needs.rows = total / columns;
  needs.columns = columns;
  needs.inputBytes = BytesOf(TypeOf(context, inputs.x1));
  needs.smallest = needs.inputBytes;
  if (inputs.x2 != NO_INPUT) {
    const uint64_t bytes = BytesOf(TypeOf(context, inputs.x2));
    if (SizeOf(context, inputs.x2) != total || bytes == 0) {
      return false;
    }
    needs.inputBytes += bytes;
    needs.smallest = std::min(needs.smallest, bytes);
  }
  needs.vectors = outputs.vectors;
  needs.vectorBytes = outputs.vectorBytes;
  const uint64_t biasSize = PresentSize(context, inputs.bias);
  uint32_t bias = 0;
  if (biasSize != 0) {
    const uint64_t bytes = BytesOf(TypeOf(context, inputs.bias));
    if (biasSize != total && biasSize != columns) {
      return false;
    }
    bias = biasSize == total ? 1 : 2;
    needs.inputBytes += bias == 1 ? bytes : 0;
    needs.vectors += bias == 2 ? 1 : 0;
    needs.vectorBytes += bias == 2 ? bytes : 0;
  }
  for (const size_t weight : {inputs.gamma, inputs.beta}) {
    const uint64_t size = PresentSize(context, weight);
    if (size != 0) {
      if (size != columns) {
        return false;
      }
      needs.vectors += 1;
      needs.vectorBytes += BytesOf(TypeOf(context, weight));
    }
  }
  needs.outputBytes = outputs.bytes;
  needs.smallest = outputs.smallest != 0 ? outputs.smallest : needs.smallest;
  needs.works = 2;
  needs.kept = 1;
  tiling.set_reciprocal(1.0f / static_cast<float>(columns));
  tiling.set_epsilon(epsilon);
  tiling.set_factor(factor);
  tiling.set_bias(bias);
  tiling.set_gamma(PresentSize(context, inputs.gamma) != 0 ? 1 : 0);
  tiling.set_beta(PresentSize(context, inputs.beta) != 0 ? 1 : 0);
  tiling.set_sum(outputs.sum ? 1 : 0);
  tiling.set_scales(0);
  tiling.set_zeros(0);
  tiling.set_divides(0);
  return PlanRows(context, needs, tiling.rows);
}
}  // namespace optiling
