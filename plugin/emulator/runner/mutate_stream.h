// Streams that no kernel issues, for tests of the device: those of a kernel, changed at random.
#pragma once

#include "json.h"

namespace npu_runner {

// From here on records of this process are changed as follows from the seed; null: they stay as they are.
void mutateStream(const Json* seed);

}  // namespace npu_runner
