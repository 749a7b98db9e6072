#include <algorithm>

#include "foreach_add_list_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace {
constexpr uint32_t X1 = 0;
constexpr uint32_t X2 = 1;
constexpr uint32_t ALPHA = 2;

constexpr int64_t UNIT_BYTES = 512;               // full-rate burst of global memory
constexpr uint64_t RESERVED_UB_BYTES = 8 * 1024;  // kept free for the device library
constexpr uint64_t QUEUE_BUFFERS = 3 * 2;         // x1, x2 and y, double-buffered
constexpr uint64_t BANK_SHIFT_BYTES = 128;        // each buffer is longer by this: x1 and x2 start in other banks
constexpr int64_t STEPS_PER_CORE = 4;             // enough steps to hide the first load and the last store
constexpr int64_t MIN_CORE_BYTES = 2 * 1024;      // one core more costs more than it saves on less
constexpr int64_t MIN_TILE_BYTES = 2 * 1024;      // below this the fixed cost of a transfer dominates

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct TypeFacts {
  int64_t bytes;       // of one element; 0 for a type the operator does not take
  uint64_t widened;    // bytes per element of the operands in float32, where the type has no arithmetic
  ge::DataType alpha;  // the type its scalar has
};

TypeFacts FactsOf(ge::DataType type) {
  switch (type) {
    case ge::DT_FLOAT16: return {2, 0, ge::DT_FLOAT16};
    case ge::DT_BF16: return {2, 2 * sizeof(float), ge::DT_FLOAT};
    case ge::DT_FLOAT: return {4, 0, ge::DT_FLOAT};
    case ge::DT_INT32: return {4, 0, ge::DT_INT32};
    default: return {0, 0, ge::DT_UNDEFINED};
  }
}

// A place in the concatenated lists that moves forward by units; every tensor starts a new unit.
struct Cursor {
  uint16_t tensor = 0;
  int64_t unit = 0;
};
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const int64_t cores = std::min<int64_t>(platform.GetCoreNumAiv(), MAX_CORES);
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);

  const auto* x1Desc = context->GetDynamicInputDesc(X1, 0);
  const auto* x2Desc = context->GetDynamicInputDesc(X2, 0);
  if (x1Desc == nullptr || x2Desc == nullptr || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  const TypeFacts type = FactsOf(x1Desc->GetDataType());
  if (type.bytes == 0 || x2Desc->GetDataType() != x1Desc->GetDataType()) {
    return ge::GRAPH_FAILED;
  }
  const auto* alphaDesc = context->GetDynamicInputDesc(ALPHA, 0);
  if (alphaDesc == nullptr || alphaDesc->GetDataType() != type.alpha) {
    return ge::GRAPH_FAILED;
  }

  const int64_t unitLength = UNIT_BYTES / type.bytes;
  int64_t lengths[MAX_TENSORS] = {};
  int64_t unitsOf[MAX_TENSORS] = {};
  int64_t units = 0;
  uint32_t tensors = 0;
  for (;; ++tensors) {
    const auto* x1 = context->GetDynamicInputShape(X1, tensors);
    const auto* x2 = context->GetDynamicInputShape(X2, tensors);
    if (x1 == nullptr && x2 == nullptr) {
      break;
    }
    if (x1 == nullptr || x2 == nullptr || tensors == MAX_TENSORS) {
      return ge::GRAPH_FAILED;
    }
    lengths[tensors] = x1->GetStorageShape().GetShapeSize();
    if (lengths[tensors] < 0 || lengths[tensors] != x2->GetStorageShape().GetShapeSize()) {
      return ge::GRAPH_FAILED;
    }
    unitsOf[tensors] = CeilDiv(lengths[tensors], unitLength);
    units += unitsOf[tensors];
  }
  if (units == 0) {
    return ge::GRAPH_FAILED;
  }

  const int64_t usedCores = std::min(cores, CeilDiv(units * UNIT_BYTES, MIN_CORE_BYTES));
  int64_t startOffset[MAX_CORES] = {};
  int64_t endOffset[MAX_CORES] = {};
  uint16_t startTensor[MAX_CORES] = {};
  uint16_t endTensor[MAX_CORES] = {};
  Cursor cursor;
  for (int64_t core = 0; core < usedCores; ++core) {
    int64_t share = units * (core + 1) / usedCores - units * core / usedCores;
    while (cursor.unit == unitsOf[cursor.tensor]) {
      cursor = {static_cast<uint16_t>(cursor.tensor + 1), 0};
    }
    startTensor[core] = cursor.tensor;
    startOffset[core] = cursor.unit * unitLength;
    while (cursor.unit + share > unitsOf[cursor.tensor]) {
      share -= unitsOf[cursor.tensor] - cursor.unit;
      cursor = {static_cast<uint16_t>(cursor.tensor + 1), 0};
    }
    cursor.unit += share;
    endTensor[core] = cursor.tensor;
    endOffset[core] = std::min(cursor.unit * unitLength, lengths[cursor.tensor]);
  }

  const uint64_t usableBytes = ubBytes - RESERVED_UB_BYTES - (QUEUE_BUFFERS + 1) * BANK_SHIFT_BYTES;
  const uint64_t bytesPerElement = QUEUE_BUFFERS * static_cast<uint64_t>(type.bytes) + type.widened;
  const int64_t bufferUnits = static_cast<int64_t>(usableBytes / bytesPerElement) / unitLength;
  const int64_t stepUnits = std::max(CeilDiv(units / usedCores, STEPS_PER_CORE), MIN_TILE_BYTES / UNIT_BYTES);

  ForeachAddListTilingData tiling;
  tiling.set_tensorLength(lengths);
  tiling.set_startOffset(startOffset);
  tiling.set_endOffset(endOffset);
  tiling.set_startTensor(startTensor);
  tiling.set_endTensor(endTensor);
  tiling.set_tileLength(static_cast<uint32_t>(std::min(stepUnits, bufferUnits) * unitLength));
  tiling.set_bufferLength(static_cast<uint32_t>(bufferUnits * unitLength));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());

  context->SetBlockDim(static_cast<uint32_t>(usedCores));
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const size_t tensors = context->GetComputeNodeOutputNum();
  for (size_t i = 0; i < tensors; ++i) {
    const gert::Shape* x1 = context->GetDynamicInputShape(X1, i);
    gert::Shape* y = context->GetOutputShape(i);
    if (x1 == nullptr || y == nullptr) {
      return GRAPH_FAILED;
    }
    *y = *x1;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  const size_t tensors = context->GetComputeNodeOutputNum();
  for (size_t i = 0; i < tensors; ++i) {
    context->SetOutputDataType(i, context->GetDynamicInputDataType(X1, i));
  }
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class ForeachAddList : public OpDef {
 public:
  explicit ForeachAddList(const char* name) : OpDef(name) {
    this->Input("x1")
        .ParamType(DYNAMIC)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("x2")
        .ParamType(DYNAMIC)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("alpha")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("y")
        .ParamType(DYNAMIC)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(ForeachAddList);
}  // namespace ops
