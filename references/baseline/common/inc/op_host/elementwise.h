// The host part of element-wise operators on single tensors: one stretch of elements, cut evenly in units of 512 bytes.
#pragma once

#include "op_host/elementwise_plan.h"
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ElementwiseTilingData)
TILING_DATA_FIELD_DEF(uint64_t, totalLength);   // elements
TILING_DATA_FIELD_DEF(uint64_t, unitsPerCore);  // of the cores after the first `largerCores`, which take one unit more
TILING_DATA_FIELD_DEF(uint32_t, largerCores);
TILING_DATA_FIELD_DEF(uint32_t, unitLength);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);    // elements of one step of the pipeline
TILING_DATA_FIELD_DEF(uint32_t, bufferLength);  // elements one buffer holds
TILING_DATA_FIELD_DEF(uint32_t, workBytes);
TILING_DATA_FIELD_DEF(float, scalar);       // an attribute, where the operator has one
TILING_DATA_FIELD_DEF(int64_t, increment);  // from one element that is read to the next
END_TILING_DATA_DEF;
}  // namespace optiling

namespace elementwise {
// Tiling for `length` elements, cut by units of the input type.
inline ge::graphStatus TileLength(gert::TilingContext* context, const Needs& needs, int64_t length, float scalar = 0,
                                  int64_t increment = 1) {
  const int64_t bytes = BytesOf(needs.inputType);
  if (bytes == 0 || length < 0) {
    return ge::GRAPH_FAILED;
  }
  Plan plan;
  plan.unitLength = UNIT_BYTES / bytes;
  const int64_t units = CeilDiv(length, plan.unitLength);
  if (MakePlan(context, needs, units, units + 1, plan) != ge::GRAPH_SUCCESS) {
    return ge::GRAPH_FAILED;
  }
  optiling::ElementwiseTilingData tiling;
  tiling.set_totalLength(static_cast<uint64_t>(length));
  tiling.set_unitsPerCore(static_cast<uint64_t>(units / plan.cores));
  tiling.set_largerCores(static_cast<uint32_t>(units % plan.cores));
  tiling.set_unitLength(static_cast<uint32_t>(plan.unitLength));
  tiling.set_tileLength(static_cast<uint32_t>(plan.tileLength));
  tiling.set_bufferLength(static_cast<uint32_t>(plan.bufferLength));
  tiling.set_workBytes(static_cast<uint32_t>(plan.workBytes));
  tiling.set_scalar(scalar);
  tiling.set_increment(increment);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());

  context->SetBlockDim(static_cast<uint32_t>(plan.cores));
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}

// The type of a parameter; undefined where it is missing.
inline ge::DataType TypeOf(gert::TilingContext* context, uint32_t parameter = 0) {
  const auto* description = context->GetInputDesc(parameter);
  return description == nullptr ? ge::DT_UNDEFINED : description->GetDataType();
}

// Tiling for the first `needs.inputs` parameters, which have the same length.
inline ge::graphStatus Tile(gert::TilingContext* context, const Needs& needs, float scalar = 0) {
  const auto* first = context->GetInputShape(0);
  if (first == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const int64_t length = first->GetStorageShape().GetShapeSize();
  for (int64_t other = 1; other < needs.inputs; ++other) {
    const auto* shape = context->GetInputShape(other);
    if (shape == nullptr || shape->GetStorageShape().GetShapeSize() != length) {
      return ge::GRAPH_FAILED;
    }
  }
  return TileLength(context, needs, length, scalar);
}

// The whole tiling of operators y = f(x) and the like, whose results have the type of their operands. `slots` are those
// of float32 operands; operands of 16 bits and the result of a library function of them take one more each.
inline ge::graphStatus TileUniform(gert::TilingContext* context, int64_t inputs, int64_t slots = 0,
                                   Library library = {}) {
  const ge::DataType type = TypeOf(context);
  slots += WidenedSlots(type, library.used ? inputs + 1 : inputs);
  return Tile(context, {inputs, type, type, slots, library});
}

// The same for operators that round every step to float16 where that is the type: bfloat16 alone is widened.
inline ge::graphStatus TileInSteps(gert::TilingContext* context, int64_t inputs) {
  const ge::DataType type = TypeOf(context);
  return Tile(context, {inputs, type, type, type == ge::DT_BF16 ? inputs : 0, {}});
}

// The result is shaped like the first parameter.
inline ge::graphStatus InferShape(gert::InferShapeContext* context) { return ge::CopyShape(context, 0, 0); }

inline ge::graphStatus InferSameType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}

inline ge::graphStatus InferBool(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, ge::DT_BOOL);
}

using Types = std::vector<ge::DataType>;

inline ops::OpParamDef& Tensor(ops::OpParamDef& parameter, const Types& types) {
  ops::DeclareInput(parameter, types);
  return parameter;
}

inline void Define(ops::OpDef& definition, gert::OpImplRegisterV2::TilingKernelFunc tiling,
                   gert::OpImplRegisterV2::InferDataTypeKernelFunc inferType = InferSameType) {
  definition.SetInferShape(InferShape).SetInferDataType(inferType);
  OnAtlasA2AndA3(definition, tiling);
}

const Types FLOATS = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16};
}  // namespace elementwise
