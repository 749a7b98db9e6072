// What Power of integers takes: it goes by the exponents.
#pragma once

#include <cstdint>

namespace npu_emu {

struct PowerCost {
  uint32_t occupancy, tail;
};

// Of so many elements, of which so many are computed at a time. There is one exponent for all of them, or one for each.
PowerCost costOfIntegerPower(const int32_t* exponents, bool isOneForAll, uint32_t count, uint32_t atATime);

}  // namespace npu_emu
