// How instructions pass on bytes that nothing has written, and where that is reported.
#pragma once

#include <cstdint>
#include <functional>

#include "clock.h"
#include "detector_state.h"
#include "valid_bytes.h"

namespace npu_emu {

struct LaneMap;

struct IssuedInstruction {
  const char* name;
  uint32_t leftPadding;  // of a copy from global memory: bytes in front of each row; else 0
  const LaneMap* lanes;  // null: it does not work lane by lane
};

// Sets the valid bytes of what the instruction writes by those of what it reads: instructions that work element by
// element, and reductions, pass invalid bytes on. Others (sorting, gathering, masks of bits) are taken to leave valid
// bytes where any byte of their operands is valid: lanes that are never used again are no defect. Reports invalid bytes that reach the scalar unit; those that
// are copied to global memory are noted there. The accesses of the instruction are in `state`.
void propagateValidity(Pipe pipe, IssuedInstruction instruction, DetectorState& state, ValidBytes& valid);

// Calls f(begin, end) for bytes of global memory that were invalid when they were stored, and for those that nothing has written
// yet.
void forEachInvalidRange(const uint8_t* begin, const uint8_t* end,
                         const std::function<void(const uint8_t*, const uint8_t*)>& f);

// Global memory that anything else than a copy of a vector core has written is valid.
void forgetOverwritten(const DetectorState& state);

// Reports invalid bytes that are left in outputs when the kernel ends.
void reportInvalidOutputs();

}  // namespace npu_emu
