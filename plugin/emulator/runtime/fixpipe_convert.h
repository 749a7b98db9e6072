// What Fixpipe makes of sums on their way out of L0C: ReLU, quantisation, another element type.
#pragma once

#include "cube.h"

namespace npu_emu::cube {

// Whether a mode takes the one quantisation parameter of the register.
bool takesScale(QuantMode_t mode);
// Whether a mode takes one quantisation parameter for each column.
bool takesScales(QuantMode_t mode);
// Without a tensor of its own, a conversion takes the one that SetFixPipeConfig has named.
OutputConversion withScales(OutputConversion conversion, QuantMode_t mode);
// Traps where the mode does not fit the types, or has parameters that it does not take.
void requireMode(const char* name, const AscendC::FixpipeParamsV220& p, const OutputConversion& conversion);
// Up to 16 lanes of a row; `scales` are those of their columns, where the conversion has some.
void convertLanes(uint8_t* out, const uint8_t* in, uint32_t n, const uint64_t* scales,
                  const AscendC::FixpipeParamsV220& p, const OutputConversion& conversion);

}  // namespace npu_emu::cube
