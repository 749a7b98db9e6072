// What the helpers of the high-level API describe tensors by.
#pragma once

#include "graph/shape.h"

namespace AscendC {

using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;

}  // namespace AscendC
