// Arange and ArithProgression need no temporary tensor.
#pragma once

#include <cstdint>

namespace AscendC {

// api: GetArangeMaxMinTmpSize, GetArithProgressionMaxMinTmpSize | - | - | documented
inline void GetArangeMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }
inline void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }

}  // namespace AscendC
