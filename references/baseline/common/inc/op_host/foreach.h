// The host part that operators on lists of tensors share. The lists are one stretch of elements, in units of 512 bytes
// that start anew with every tensor; each core works on one part of it, given by the tensor and the element where it
// starts, and the tensor and the element where it ends (which is not included).
#pragma once

#include "op_host/elementwise_plan.h"
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ForeachTilingData)
TILING_DATA_FIELD_DEF_ARR(int64_t, 256, tensorLength);  // elements of each tensor
TILING_DATA_FIELD_DEF_ARR(int64_t, 64, startOffset);
TILING_DATA_FIELD_DEF_ARR(int64_t, 64, endOffset);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 64, startTensor);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 64, endTensor);
TILING_DATA_FIELD_DEF(uint32_t, tensors);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);    // elements of one step of the pipeline
TILING_DATA_FIELD_DEF(uint32_t, bufferLength);  // elements one buffer holds
TILING_DATA_FIELD_DEF(uint32_t, workBytes);
END_TILING_DATA_DEF;
}  // namespace optiling

namespace foreach {
constexpr uint32_t MAX_TENSORS = 256;
constexpr int64_t MAX_CORES = 64;

// A place in the concatenated lists that moves forward by units.
struct Cursor {
  uint16_t tensor = 0;
  int64_t unit = 0;
};

// Tiling for `needs.inputs` lists of equal shapes, of which the first is parameter `list`.
inline ge::graphStatus Tile(gert::TilingContext* context, const elementwise::Needs& needs, uint32_t list = 0) {
  const int64_t bytes = elementwise::BytesOf(needs.inputType);
  if (bytes == 0) {
    return ge::GRAPH_FAILED;
  }
  elementwise::Plan plan;
  plan.unitLength = elementwise::UNIT_BYTES / bytes;
  int64_t lengths[MAX_TENSORS] = {};
  int64_t unitsOf[MAX_TENSORS] = {};
  int64_t units = 0;
  uint32_t tensors = 0;
  for (; context->GetDynamicInputShape(list, tensors) != nullptr; ++tensors) {
    if (tensors == MAX_TENSORS) {
      return ge::GRAPH_FAILED;
    }
    lengths[tensors] = context->GetDynamicInputShape(list, tensors)->GetStorageShape().GetShapeSize();
    for (uint32_t other = 1; other < needs.inputs; ++other) {
      const auto* shape = context->GetDynamicInputShape(list + other, tensors);
      if (shape == nullptr || shape->GetStorageShape().GetShapeSize() != lengths[tensors]) {
        return ge::GRAPH_FAILED;
      }
    }
    unitsOf[tensors] = elementwise::CeilDiv(lengths[tensors], plan.unitLength);
    units += unitsOf[tensors];
  }
  if (tensors == 0 || elementwise::MakePlan(context, needs, units, MAX_CORES, plan) != ge::GRAPH_SUCCESS) {
    return ge::GRAPH_FAILED;
  }

  int64_t startOffset[MAX_CORES] = {};
  int64_t endOffset[MAX_CORES] = {};
  uint16_t startTensor[MAX_CORES] = {};
  uint16_t endTensor[MAX_CORES] = {};
  Cursor cursor;
  for (int64_t core = 0; core < plan.cores && units > 0; ++core) {
    int64_t share = units * (core + 1) / plan.cores - units * core / plan.cores;
    while (cursor.unit == unitsOf[cursor.tensor]) {
      cursor = {static_cast<uint16_t>(cursor.tensor + 1), 0};
    }
    startTensor[core] = cursor.tensor;
    startOffset[core] = cursor.unit * plan.unitLength;
    while (cursor.unit + share > unitsOf[cursor.tensor]) {
      share -= unitsOf[cursor.tensor] - cursor.unit;
      cursor = {static_cast<uint16_t>(cursor.tensor + 1), 0};
    }
    cursor.unit += share;
    endTensor[core] = cursor.tensor;
    endOffset[core] = std::min(cursor.unit * plan.unitLength, lengths[cursor.tensor]);
  }

  optiling::ForeachTilingData tiling;
  tiling.set_tensorLength(lengths);
  tiling.set_startOffset(startOffset);
  tiling.set_endOffset(endOffset);
  tiling.set_startTensor(startTensor);
  tiling.set_endTensor(endTensor);
  tiling.set_tensors(tensors);
  tiling.set_tileLength(static_cast<uint32_t>(plan.tileLength));
  tiling.set_bufferLength(static_cast<uint32_t>(plan.bufferLength));
  tiling.set_workBytes(static_cast<uint32_t>(plan.workBytes));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());

  context->SetBlockDim(static_cast<uint32_t>(plan.cores));
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}

// The type of the tensors of a list; undefined for an empty list.
inline ge::DataType TypeOf(gert::TilingContext* context, uint32_t list = 0) {
  const auto* description = context->GetDynamicInputDesc(list, 0);
  return description == nullptr ? ge::DT_UNDEFINED : description->GetDataType();
}

// The whole tiling of operators y[i] = f(x[i]) and the like, whose results have the type of their operands. `slots` are
// those of float32 operands; operands of 16 bits and the result of a library function of them take one more each.
inline ge::graphStatus TileUniform(gert::TilingContext* context, int64_t lists, int64_t slots = 0,
                                   elementwise::Library library = {}, uint32_t list = 0) {
  const ge::DataType type = TypeOf(context, list);
  slots += elementwise::WidenedSlots(type, library.used ? lists + 1 : lists);
  return Tile(context, {lists, type, type, slots, library}, list);
}

// The same for operators that round every step to float16 where that is the type: bfloat16 alone is widened.
inline ge::graphStatus TileInSteps(gert::TilingContext* context, int64_t lists) {
  const ge::DataType type = TypeOf(context);
  return Tile(context, {lists, type, type, type == ge::DT_BF16 ? lists : 0, {}});
}

// Every output has the shape and the type of the tensor beside it in list `LIST`.
template <uint32_t LIST>
ge::graphStatus InferShape(gert::InferShapeContext* context) {
  for (size_t i = 0; i < context->GetComputeNodeOutputNum(); ++i) {
    const gert::Shape* x = context->GetDynamicInputShape(LIST, i);
    gert::Shape* y = context->GetOutputShape(i);
    if (x == nullptr || y == nullptr) {
      return ge::GRAPH_FAILED;
    }
    *y = *x;
  }
  return ge::GRAPH_SUCCESS;
}

template <uint32_t LIST>
ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
  for (size_t i = 0; i < context->GetComputeNodeOutputNum(); ++i) {
    context->SetOutputDataType(i, context->GetDynamicInputDataType(LIST, i));
  }
  return ge::GRAPH_SUCCESS;
}

using Types = std::vector<ge::DataType>;

inline void List(ops::OpParamDef& parameter, const Types& types) { ops::DeclareInput(parameter, types, ops::DYNAMIC); }

inline void Scalar(ops::OpParamDef& parameter, const Types& types) { ops::DeclareInput(parameter, types); }

// `LIST` is the parameter whose tensors the results are shaped like.
template <uint32_t LIST = 0>
void Define(ops::OpDef& definition, gert::OpImplRegisterV2::TilingKernelFunc tiling) {
  definition.SetInferShape(InferShape<LIST>).SetInferDataType(InferDataType<LIST>);
  elementwise::OnAtlasA2AndA3(definition, tiling);
}

// Types of the lists, column by column, and of scalars in device memory and of those that come from the host.
const Types FLOATS = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16};
const Types NUMBERS = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_BF16};
const Types FLOAT_SCALARS = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT};
const Types SCALARS = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_FLOAT};
const Types FLOAT_LIST = {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT};
const Types HOST_SCALARS = {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_INT64, ge::DT_FLOAT};
}  // namespace foreach
