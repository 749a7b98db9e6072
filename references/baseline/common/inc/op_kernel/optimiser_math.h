// Scalars of optimisers.
#pragma once

#include "kernel_operator.h"

namespace optimiser {
// 1 - beta^steps, as (1 - beta) * (1 + beta + ... + beta^(steps - 1)): the difference itself would cancel.
__aicore__ inline float Correction(float beta, int64_t steps) {
  float sum = 0.0f;    // of the first `taken` powers
  float power = 1.0f;  // beta^taken
  for (int32_t bit = 62; bit >= 0; --bit) {
    sum = sum + sum * power;
    power = power * power;
    if ((steps >> bit & 1) != 0) {
      sum = sum + power;
      power = power * beta;
    }
  }
  return (1.0f - beta) * sum;
}
}  // namespace optimiser
