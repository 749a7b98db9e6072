#include <algorithm>
#include <cstring>
#include <vector>

#include "register/op_def_registry.h"
#include "scatter_list_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace {
constexpr uint32_t VAR = 0;
constexpr uint32_t INDICE = 1;
constexpr uint32_t UPDATES = 2;
constexpr uint32_t MASK = 3;
constexpr uint32_t REDUCE = 0;  // attributes
constexpr uint32_t AXIS = 1;

constexpr uint64_t UNIT_BYTES = 512;              // full-rate burst of global memory
constexpr uint64_t RESERVED_UB_BYTES = 8 * 1024;  // kept free for the device library
constexpr uint64_t BUFFERS = 2;
constexpr uint64_t STEPS_PER_CORE = 4;          // enough steps to hide the first load and the last store
constexpr uint64_t MIN_CORE_BYTES = 2 * 1024;   // one core more costs more than it saves on less
constexpr uint64_t MIN_PIECE_BYTES = 2 * 1024;  // a row is not cut into smaller pieces
constexpr uint64_t MAX_GAP_BYTES = 0xFFFFFFFF;  // between the rows of one copy

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// 0 for a type the operator does not take.
uint64_t BytesOf(ge::DataType type) {
  switch (type) {
    case ge::DT_INT8:
    case ge::DT_UINT8: return 1;
    case ge::DT_INT16:
    case ge::DT_UINT16:
    case ge::DT_FLOAT16:
    case ge::DT_BF16: return 2;
    case ge::DT_INT32:
    case ge::DT_UINT32:
    case ge::DT_FLOAT: return 4;
    default: return 0;
  }
}

// The shapes as [outer, axis, inner]; false when they do not fit each other.
bool Flatten(const gert::Shape& var, const gert::Shape& updates, int64_t tensors, int64_t axis,
             optiling::ScatterListTilingData& tiling) {
  const int64_t rank = static_cast<int64_t>(var.GetDimNum());
  if (axis >= 0 || axis < -rank || static_cast<int64_t>(updates.GetDimNum()) != rank + 1 ||
      updates.GetDim(0) != tensors) {
    return false;
  }
  const int64_t at = rank + axis;
  int64_t outer = 1;
  int64_t inner = 1;
  for (int64_t i = 0; i < rank; ++i) {
    if (i != at && updates.GetDim(i + 1) != var.GetDim(i)) {
      return false;
    }
    outer *= i < at ? var.GetDim(i) : 1;
    inner *= i > at ? var.GetDim(i) : 1;
  }
  const int64_t updateLength = updates.GetDim(at + 1);
  if (outer <= 0 || inner <= 0 || updateLength <= 0 || updateLength > var.GetDim(at)) {
    return false;
  }
  tiling.set_outer(static_cast<uint64_t>(outer));
  tiling.set_axisLength(static_cast<uint64_t>(var.GetDim(at)));
  tiling.set_updateLength(static_cast<uint64_t>(updateLength));
  tiling.set_inner(static_cast<uint64_t>(inner));
  return true;
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAiv();
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);

  const auto* varShape = context->GetDynamicInputShape(VAR, 0);
  const auto* varDesc = context->GetDynamicInputDesc(VAR, 0);
  const auto* indiceShape = context->GetDynamicInputShape(INDICE, 0);
  const auto* updatesShape = context->GetDynamicInputShape(UPDATES, 0);
  const auto* updatesDesc = context->GetDynamicInputDesc(UPDATES, 0);
  const auto* attrs = context->GetAttrs();
  if (varShape == nullptr || varDesc == nullptr || indiceShape == nullptr || updatesShape == nullptr ||
      updatesDesc == nullptr || attrs == nullptr || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t elementBytes = BytesOf(varDesc->GetDataType());
  if (elementBytes == 0 || updatesDesc->GetDataType() != varDesc->GetDataType()) {
    return ge::GRAPH_FAILED;
  }
  const char* reduce = attrs->GetAttrPointer<char>(REDUCE);
  const int64_t* axis = attrs->GetAttrPointer<int64_t>(AXIS);
  if (reduce == nullptr || std::strcmp(reduce, "update") != 0 || axis == nullptr) {
    return ge::GRAPH_FAILED;
  }

  const gert::Shape& var = varShape->GetStorageShape();
  int64_t tensors = 1;
  for (;; ++tensors) {
    const auto* other = context->GetDynamicInputShape(VAR, static_cast<size_t>(tensors));
    if (other == nullptr) {
      break;
    }
    if (!(other->GetStorageShape() == var)) {
      return ge::GRAPH_FAILED;
    }
  }
  const gert::Shape& indice = indiceShape->GetStorageShape();
  const bool pairs = indice.GetDimNum() == 2 && indice.GetDim(1) == 2;
  if (indice.GetDimNum() == 0 || indice.GetDim(0) != tensors || (!pairs && indice.GetDimNum() != 1)) {
    return ge::GRAPH_FAILED;
  }
  const auto* maskShape = context->GetOptionalInputShape(MASK);
  if (maskShape != nullptr && maskShape->GetStorageShape().GetShapeSize() != tensors) {
    return ge::GRAPH_FAILED;
  }

  ScatterListTilingData tiling;
  if (!Flatten(var, updatesShape->GetStorageShape(), tensors, *axis, tiling)) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t rows = static_cast<uint64_t>(tensors) * tiling.get_outer();
  const uint64_t rowBytes = tiling.get_updateLength() * tiling.get_inner() * elementBytes;
  const uint64_t wantedPieces = CeilDiv(cores * STEPS_PER_CORE, rows);
  const uint64_t pieces = std::min(wantedPieces, CeilDiv(rowBytes, MIN_PIECE_BYTES));
  const uint64_t units = rows * pieces;
  const uint64_t usedCores = std::min({cores, units, CeilDiv(rows * rowBytes, MIN_CORE_BYTES)});
  tiling.set_unitsPerCore(units / usedCores);
  tiling.set_largerCores(static_cast<uint32_t>(units % usedCores));
  tiling.set_pieces(static_cast<uint32_t>(pieces));
  const bool gapFits = tiling.get_axisLength() * tiling.get_inner() * elementBytes <= MAX_GAP_BYTES;
  tiling.set_joinsRows(pieces == 1 && gapFits ? 1 : 0);
  tiling.set_hasLengths(pairs ? 1 : 0);
  tiling.set_hasMask(maskShape != nullptr ? 1 : 0);
  tiling.set_bufferBytes(static_cast<uint32_t>((ubBytes - RESERVED_UB_BYTES) / BUFFERS / UNIT_BYTES * UNIT_BYTES));
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
    const gert::Shape* var = context->GetDynamicInputShape(VAR, i);
    gert::Shape* out = context->GetOutputShape(i);
    if (var == nullptr || out == nullptr) {
      return GRAPH_FAILED;
    }
    *out = *var;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  const size_t tensors = context->GetComputeNodeOutputNum();
  for (size_t i = 0; i < tensors; ++i) {
    context->SetOutputDataType(i, context->GetDynamicInputDataType(VAR, i));
  }
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class ScatterList : public OpDef {
 public:
  explicit ScatterList(const char* name) : OpDef(name) {
    // Each type of var with 32-bit indices, then the same again with 64-bit ones.
    const std::vector<ge::DataType> elements = {
        ge::DT_INT8,    ge::DT_INT16,  ge::DT_INT32,  ge::DT_UINT8,   ge::DT_UINT16, ge::DT_UINT32,
        ge::DT_FLOAT16, ge::DT_BF16,   ge::DT_FLOAT,  ge::DT_INT8,    ge::DT_INT16,  ge::DT_INT32,
        ge::DT_UINT8,   ge::DT_UINT16, ge::DT_UINT32, ge::DT_FLOAT16, ge::DT_BF16,   ge::DT_FLOAT};
    const std::vector<ge::DataType> indices = {ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32,
                                               ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT64,
                                               ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64,
                                               ge::DT_INT64, ge::DT_INT64, ge::DT_INT64};
    const std::vector<ge::DataType> flags(elements.size(), ge::DT_UINT8);
    const std::vector<ge::Format> formats(elements.size(), ge::FORMAT_ND);
    this->Input("var")
        .ParamType(DYNAMIC)
        .DataType(elements)
        .Format(formats)
        .UnknownShapeFormat(formats)
        .AutoContiguous();
    this->Input("indice")
        .ParamType(REQUIRED)
        .DataType(indices)
        .Format(formats)
        .UnknownShapeFormat(formats)
        .AutoContiguous();
    this->Input("updates")
        .ParamType(REQUIRED)
        .DataType(elements)
        .Format(formats)
        .UnknownShapeFormat(formats)
        .AutoContiguous();
    this->Input("mask")
        .ParamType(OPTIONAL)
        .DataType(flags)
        .Format(formats)
        .UnknownShapeFormat(formats)
        .AutoContiguous();
    this->Output("var").ParamType(DYNAMIC).DataType(elements).Format(formats).UnknownShapeFormat(formats);
    this->Attr("reduce").AttrType(OPTIONAL).String("update");
    this->Attr("axis").AttrType(OPTIONAL).Int(-2);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(ScatterList);
}  // namespace ops
