// How a matrix product is cut: over cores, into the blocks of one Mmad, and into what L1 keeps.
#pragma once

#include "tiling/matmul_tiling.h"

namespace npu_emu::host {

// Fills `plan`. Returns nullptr, or why there is no tiling; `plan` is as it was then.
const char* planMatmul(const MatmulProblem& problem, AscendC::tiling::TCubeTiling& plan);

int32_t bitsOf(matmul_tiling::DataType type);

constexpr int32_t cubeSide = 16;    // rows and columns of a fractal
constexpr int32_t blockBits = 256;  // the short side of a fractal

}  // namespace npu_emu::host
