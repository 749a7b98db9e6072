// What transfers between global and local memory share.
#pragma once

#include <algorithm>

#include "device.h"
#include "issue.h"
#include "walk.h"

namespace npu_emu {

// A transfer of rows, for the clock.
inline Instruction transferOf(const char* name, Pipe pipe, uint64_t rows, uint64_t bytes) {
  const auto clipped = [](uint64_t value) { return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX)); };
  return {name, pipe, std::max(copyCycles, clipped(rows * copyRowCycles)), 0, clipped(bytes), copyIssueCycles};
}

// The memory that an operand lies in, whatever its position says.
Memory localMemory(const Operand& operand);

// Where a kernel runs on both core kinds, copies from and to memory that a core does not have do nothing on it.
// A vector core fills the L1 of its TSCM queues as if it were its own, where it has a Matmul object.
bool belongsToOther(const Operand& local);

namespace dma {
// Trap where cores of this kind do not copy between global memory and that of the operand. `isUbOnly`: copies with paddings, and
// those that put fractals back in order, know UB alone.
void requireLoad(const char* name, const Operand& dst, bool isUbOnly);
void requireStore(const char* name, const Operand& src, bool isUbOnly);

// A matrix on its way to the cube core, from UB or from the L1 that was filled for it.
void storeForMatmul(GmAddress dst, Operand src, uint32_t bytes);
}  // namespace dma

// Where rows go that become columns of fractals, `groups` of them.
Reach fractalsOf(const AscendC::Nd2NzParams& p, uint32_t groups);

}  // namespace npu_emu
