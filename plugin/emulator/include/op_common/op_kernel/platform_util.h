// Sizes of the vector unit in bytes.
#pragma once

#include "kernel_operator.h"

namespace Ops {
namespace Base {

// api: GetUbBlockSize, GetVRegSize | S | - | inferred: no public reference
constexpr uint32_t GetUbBlockSize() { return 32; }
constexpr uint32_t GetVRegSize() { return 256; }

}  // namespace Base
}  // namespace Ops
