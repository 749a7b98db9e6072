#include "integer_power.h"

#include <algorithm>

#include "library_work.h"

namespace npu_emu {

namespace {

// What the exponents of a piece have the library do. It squares until the highest bit of the longest is used up, and multiplies once more
// for each that is left of the one that is furthest beyond its highest bit.
struct Rounds {
  uint32_t squares = 0, products = 0;

  void take(int32_t exponent) {
    if (exponent == 0) return;
    if (exponent == INT32_MIN)
      trap({Check::ParameterRange, "Power", "an exponent is -2147483648: of its magnitude something is always left",
            "exponents are greater than that: the device goes on for ever"});
    const uint32_t magnitude = exponent < 0 ? -static_cast<uint32_t>(exponent) : static_cast<uint32_t>(exponent);
    const auto highest = static_cast<uint32_t>(31 - __builtin_clz(magnitude));
    squares = std::max(squares, highest);
    products = std::max(products, magnitude - (1u << highest));
  }
};

class PowerWork {
 public:
  PowerWork(Work& work, uint32_t elements) : work_(work), bytes_(uint64_t(elements) * sizeof(int32_t)) {}

  void add(const Rounds& rounds) {
    // magnitudes, what is 0, and the exponents without their lowest bit
    steps(9);
    selections(3);
    loop(rounds.squares, 2);
    steps(2);
    loop(rounds.products, 1);
    // of negative exponents the reciprocals, and 0 of a power that is 0
    steps(5);
    work_.step(bytes_, static_cast<uint32_t>(isa::divisionCost.c32));
    selections(2);
  }

 private:
  Work& work_;
  uint64_t bytes_;

  void steps(uint32_t times) { work_.step(bytes_, 1, times); }
  // The address of the mask is spread over a block, which is loaded into the register of comparisons.
  void selections(uint32_t times) {
    work_.step(blockBytes, 1, 2 * times).step(bytes_, static_cast<uint32_t>(selectCost.c32), times);
  }
  // Whether anything is left is a sum, which the scalar unit reads.
  void loop(uint32_t rounds, uint32_t steps) {
    work_.step(bytes_, 1, rounds + 1).reduction(bytes_, wholeCycles, rounds + 1).endOnScalarUnit(rounds + 1);
    // a product or a square beside the next exponents
    work_.together(rounds, bytes_, uint32_t(0)).step(bytes_, 1, rounds * (1 + steps));
    selections(2 * rounds);
  }
};

}  // namespace

PowerCost costOfIntegerPower(const int32_t* exponents, bool isOneForAll, uint32_t count, uint32_t atATime) {
  Work work;
  if (isOneForAll) work.step(uint64_t(std::min(count, atATime)) * sizeof(int32_t));
  for (uint32_t first = 0; first < count; first += atATime) {
    const uint32_t elements = std::min(count - first, atATime);
    Rounds rounds;
    for (uint32_t i = 0; i < (isOneForAll ? 1 : elements); ++i) rounds.take(exponents[isOneForAll ? 0 : first + i]);
    PowerWork(work, elements).add(rounds);
  }
  return {work.occupancy(), work.tail()};
}

}  // namespace npu_emu
