// What the tiling of every element-wise operator decides: how many cores, how long a step is and what a buffer holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "op_host/op_declaration.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

namespace elementwise {
constexpr int64_t UNIT_BYTES = 512;           // full-rate burst of global memory
constexpr int64_t RESERVED_UB_BYTES = 8192;   // kept free for the device library
constexpr int64_t BUFFERS = 2;                // queues are double-buffered
constexpr int64_t BANK_SHIFT_BYTES = 128;     // operands and slots are longer by this: they start in other banks
constexpr int64_t STEPS_PER_CORE = 4;         // enough steps to hide the first load and the last store
constexpr int64_t MIN_CORE_BYTES = 2 * 1024;  // one core more costs more than it saves on less
constexpr int64_t MIN_TILE_BYTES = 2 * 1024;  // below this the fixed cost of a transfer dominates

inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Temporary memory of a function of the device library: so many float32 numbers for each element, and some bytes.
struct Library {
  bool used = false;
  uint32_t factor = 0;
  uint32_t extraBytes = 0;
};

// Asks one of the functions Get…TmpBufferFactorSize.
inline Library LibraryOf(void (*ask)(uint32_t, uint32_t&, uint32_t&), uint32_t typeBytes = sizeof(float)) {
  Library library{true};
  ask(typeBytes, library.factor, library.extraBytes);
  library.factor = library.factor * typeBytes / sizeof(float);
  return library;
}

// What a kernel keeps in the unified buffer.
struct Needs {
  int64_t inputs = 1;
  ge::DataType inputType = ge::DT_FLOAT;
  ge::DataType outputType = ge::DT_FLOAT;
  int64_t slots = 0;  // float32 vectors as long as a step
  Library library = {};
};

struct Plan {
  int64_t unitLength = 0;  // elements in 512 bytes of an input
  int64_t cores = 0;
  int64_t tileLength = 0;    // one step of the pipeline
  int64_t bufferLength = 0;  // elements that a buffer holds: the unified buffer divided among all of them
  int64_t workBytes = 0;     // slots and memory of the library
};

// 0 for a type that no element-wise operator takes.
inline int64_t BytesOf(ge::DataType type) {
  switch (type) {
    case ge::DT_INT8:
    case ge::DT_UINT8:
    case ge::DT_BOOL: return 1;
    case ge::DT_FLOAT16:
    case ge::DT_BF16:
    case ge::DT_INT16:
    case ge::DT_UINT16: return 2;
    case ge::DT_FLOAT:
    case ge::DT_INT32:
    case ge::DT_UINT32: return 4;
    case ge::DT_INT64:
    case ge::DT_UINT64:
    case ge::DT_DOUBLE:
    case ge::DT_COMPLEX64: return 8;
    default: return 0;
  }
}

// Is this a type that is computed in float32?
inline bool IsWidened(ge::DataType type) { return type == ge::DT_FLOAT16 || type == ge::DT_BF16; }

// Slots of operators that compute in float32: operands of 16 bits are widened there.
inline int64_t WidenedSlots(ge::DataType type, int64_t operands) { return IsWidened(type) ? operands : 0; }

// Plans for `units` units. `plan.unitLength` has been set.
inline ge::graphStatus MakePlan(gert::TilingContext* context, const Needs& needs, int64_t units, int64_t maxCores,
                                Plan& plan) {
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
  const int64_t cores = std::min<int64_t>(platform.GetCoreNumAiv(), maxCores);
  const int64_t inputBytes = BytesOf(needs.inputType);
  const int64_t outputBytes = BytesOf(needs.outputType);
  if (cores == 0 || inputBytes == 0 || outputBytes == 0) {
    return ge::GRAPH_FAILED;
  }
  const int64_t workPerElement = (needs.slots + needs.library.factor) * static_cast<int64_t>(sizeof(float));
  const int64_t perElement = BUFFERS * (needs.inputs * inputBytes + outputBytes) + workPerElement;
  const int64_t fixedBytes =
      (BUFFERS * needs.inputs + needs.slots + 1) * BANK_SHIFT_BYTES + needs.library.extraBytes + RESERVED_UB_BYTES;
  const int64_t bufferUnits = (static_cast<int64_t>(ubBytes) - fixedBytes) / perElement / plan.unitLength;

  plan.cores = std::max<int64_t>(std::min(cores, CeilDiv(units * UNIT_BYTES, MIN_CORE_BYTES)), 1);
  const int64_t stepUnits = std::max(CeilDiv(units / plan.cores, STEPS_PER_CORE), MIN_TILE_BYTES / UNIT_BYTES);
  plan.tileLength = std::min(stepUnits, bufferUnits) * plan.unitLength;
  plan.bufferLength = bufferUnits * plan.unitLength;
  plan.workBytes = plan.bufferLength * workPerElement + needs.slots * BANK_SHIFT_BYTES + needs.library.extraBytes;
  return bufferUnits > 0 ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}

inline void OnAtlasA2AndA3(ops::OpDef& definition, gert::OpImplRegisterV2::TilingKernelFunc tiling) {
  definition.AICore().SetTiling(tiling);
  definition.AICore().AddConfig("ascend910b");
  definition.AICore().AddConfig("ascend910_93");
}
}  // namespace elementwise
