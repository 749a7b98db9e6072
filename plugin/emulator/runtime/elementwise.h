// Element-wise vector instructions: the machinery that turns an element rule of isa.h into an instruction.
#pragma once

#include <tuple>

#include "device.h"
#include "numerics.h"
#include "saturation.h"
#include "staging.h"

namespace npu_emu {
namespace elementwise {

constexpr size_t chunk =
    128;  // elements converted at a time: a repeat of half, as the next may read what this one writes

template <typename T>
constexpr bool isNarrow = !std::is_same_v<T, Wide<T>>;

// What an instruction does to one run of n elements. `scalar` points to its scalar operand in the computing type.
using Rule = void (*)(uint8_t* dst, const uint8_t* src0, const uint8_t* src1, size_t n, const void* scalar);

// clang turns comparisons of converted halves into comparisons of halves, which vectors do not have.
template <typename I>
constexpr bool compares = Types<isa::Max, isa::Min, isa::Maxs, isa::Mins, isa::Relu, isa::LeakyRelu>::has<I>;

// Runs `element` over a run; half and bfloat16 are computed in float and rounded once.
template <typename T, int sources, bool readsDst, bool convertsApart = false, typename Element>
void applyRun(uint8_t* dst, const uint8_t* src0, const uint8_t* src1, size_t n, Element element) {
  T* out = reinterpret_cast<T*>(dst);
  const T* a = reinterpret_cast<const T*>(src0);
  const T* b = reinterpret_cast<const T*>(src1);
  if constexpr (std::is_same_v<T, half> && convertsInLoops && !convertsApart) {
    auto wide = [](half value) { return static_cast<float>(value); };
    NPU_INDEPENDENT
    for (size_t i = 0; i < n; ++i)
      out[i] = static_cast<half>(element(wide(a[i]), sources == 2 ? wide(b[i]) : 0, readsDst ? wide(out[i]) : 0));
  } else if constexpr (isNarrow<T>) {
    float wideA[chunk], wideB[chunk], wideDst[chunk];
    for (size_t i = 0; i < n; i += chunk) {
      size_t m = std::min(chunk, n - i);
      widen(wideA, a + i, m);
      if constexpr (sources == 2) widen(wideB, b + i, m);
      if constexpr (readsDst) widen(wideDst, out + i, m);
      for (size_t j = 0; j < m; ++j)
        wideA[j] = element(wideA[j], sources == 2 ? wideB[j] : 0, readsDst ? wideDst[j] : 0);
      narrow(out + i, wideA, m);
    }
  } else {
    NPU_INDEPENDENT
    for (size_t i = 0; i < n; ++i) out[i] = element(a[i], sources == 2 ? b[i] : T(), readsDst ? out[i] : T());
  }
}

// Whole blocks, worked on where they are: rows of blocks, and the bytes from one to the next.
struct BlockRows {
  uint8_t* at[3];
  size_t rowStep[3], blockStep[3];
  uint32_t rows, blocks;
};

// What an instruction of two sources does to blocks of strided operands, which need not be laid out densely then.
using BlockRule = void (*)(const BlockRows& rows);

struct Rules {
  Rule ofRun;
  BlockRule ofBlocks;  // null: there is none

  Rules(Rule run, BlockRule blocks = nullptr) : ofRun(run), ofBlocks(blocks) {}
};

// clang would take the short loop apart before it could make it one vector.
#if defined(__clang__)
#define NPU_ONE_BLOCK _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define NPU_ONE_BLOCK NPU_INDEPENDENT
#endif

// Not for narrow types, many elements of which are converted at a time.
template <typename T, typename Element>
void applyBlocks(const BlockRows& walk, Element element) {
  const BlockRows rows = walk;  // nothing else points to it
  for (uint32_t row = 0; row < rows.rows; ++row)
    for (uint32_t block = 0; block < rows.blocks; ++block) {
      auto blockOf = [&](int i) {
        return reinterpret_cast<T*>(rows.at[i] + row * rows.rowStep[i] + block * rows.blockStep[i]);
      };
      T* out = blockOf(0);
      const T *a = blockOf(1), *b = blockOf(2);
      NPU_ONE_BLOCK
      for (size_t i = 0; i < blockBytes / sizeof(T); ++i) out[i] = element(a[i], b[i]);
    }
}

struct Elementwise {
  const char* name;
  Cost cost;
  uint32_t elementBytes;
  uint32_t operands;  // destination included
  bool half = false;  // results that saturation mode clamps
  bool readsDst = false;
  Effect effect = Effect::Computes;
  bool ignoresSources = false;   // the result does not depend on what they hold
  bool accumulatesSrc1 = false;  // where dst is src1 and a repeat stride is 0, each repeat goes on from the one before
};

// Checks the operands, records the instruction and applies its rule to every run of elements.
void execute(const Elementwise& instruction, const std::array<Operand, 3>& operands, const Walk& walk, Rules rules,
             const void* scalar);

// Multiplies and adds with one rounding. For narrow types float is too short to hold the sum before it.
template <typename I, typename T>
Wide<T> fused(Wide<T> x, Wide<T> y, Wide<T> d) {
  if constexpr (isNarrow<T>) return roundToOdd(I::template element<double>(x, y, d));
  else return I::template element<T>(x, y, d);
}

template <typename T>
constexpr bool isHalf = std::is_same_v<T, half>;

}  // namespace elementwise
}  // namespace npu_emu
