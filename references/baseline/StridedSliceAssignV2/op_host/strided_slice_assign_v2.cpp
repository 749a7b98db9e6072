#include <algorithm>

#include "op_host/row_moves.h"
#include "strided_slice_assign_v2_tiling.h"

namespace {
constexpr size_t VAR = 0;  // inputs
constexpr size_t VALUE = 1;
constexpr size_t BEGIN = 2;
constexpr size_t STRIDES = 4;
constexpr size_t AXES = 5;
constexpr size_t MAX_AXES = 8;
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* shape = context->GetInputShape(VAR);
  const auto* begin = context->GetInputTensor(BEGIN);
  const auto* strides = context->GetInputTensor(STRIDES);
  const auto* axes = context->GetOptionalInputTensor(AXES);
  const uint64_t bytes = MovedBytes(TypeOf(context, VAR));
  if (shape == nullptr || begin == nullptr || strides == nullptr || begin->GetData<int64_t>() == nullptr ||
      strides->GetData<int64_t>() == nullptr || context->GetInputShape(VALUE) == nullptr || bytes == 0) {
    return ge::GRAPH_FAILED;
  }
  const gert::Shape& var = shape->GetStorageShape();
  const gert::Shape& value = context->GetInputShape(VALUE)->GetStorageShape();
  const size_t rank = var.GetDimNum();
  const size_t entries = static_cast<size_t>(SizeOf(context, BEGIN));
  if (rank > MAX_AXES || value.GetDimNum() != rank || entries > rank) {
    return ge::GRAPH_FAILED;
  }
  int64_t first[MAX_AXES] = {};
  int64_t step[MAX_AXES] = {};
  std::fill_n(step, MAX_AXES, 1);
  for (size_t entry = 0; entry < entries; ++entry) {
    int64_t axis = axes != nullptr && axes->GetData<int64_t>() != nullptr ? axes->GetData<int64_t>()[entry]
                                                                          : static_cast<int64_t>(entry);
    axis = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
    if (axis < 0 || axis >= static_cast<int64_t>(rank)) {
      return ge::GRAPH_FAILED;
    }
    const int64_t from = begin->GetData<int64_t>()[entry];
    first[axis] = from < 0 ? from + var.GetDim(axis) : from;
    step[axis] = strides->GetData<int64_t>()[entry];
    if (first[axis] < 0 || step[axis] <= 0) {
      return ge::GRAPH_FAILED;
    }
  }
  // Whole axes at the end, and the last one before them that has no stride, make up a row.
  int64_t extents[MAX_AXES] = {};
  int64_t apart[MAX_AXES] = {};
  uint64_t run = 1;
  uint64_t start = 0;
  uint64_t stride = 1;
  size_t listed = 0;
  bool whole = true;
  for (size_t i = 0; i < rank; ++i) {
    const size_t axis = rank - 1 - i;
    const int64_t last = first[axis] + (value.GetDim(axis) - 1) * step[axis];
    if (value.GetDim(axis) <= 0 || last >= var.GetDim(axis)) {
      return ge::GRAPH_FAILED;
    }
    start += static_cast<uint64_t>(first[axis]) * stride;
    if (whole && (step[axis] == 1 || value.GetDim(axis) == 1)) {
      run *= static_cast<uint64_t>(value.GetDim(axis));
      whole = value.GetDim(axis) == var.GetDim(axis);
    } else {
      whole = false;
      extents[listed] = value.GetDim(axis);
      apart[listed] = step[axis] * static_cast<int64_t>(stride);
      ++listed;
    }
    stride *= static_cast<uint64_t>(var.GetDim(axis));
  }
  uint64_t rows = 1;
  for (size_t axis = 0; axis < listed; ++axis) {
    rows *= static_cast<uint64_t>(extents[axis]);
  }
  StridedSliceAssignV2TilingData tiling;
  tiling.set_start(start * bytes);
  tiling.set_axes(static_cast<uint32_t>(listed));
  tiling.set_extents(extents);
  for (size_t axis = 0; axis < listed; ++axis) {
    apart[axis] *= static_cast<int64_t>(bytes);
  }
  tiling.set_strides(apart);
  if (!PlanMoves(context, rows, run * bytes, tiling.moves)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) { return CopyShape(context, 0, 0); }

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class StridedSliceAssignV2 : public OpDef {
 public:
  explicit StridedSliceAssignV2(const char* name) : OpDef(name) {
    DeclareInput(this->Input("var"),
                 {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16, ge::DT_INT32, ge::DT_INT64, ge::DT_DOUBLE, ge::DT_INT8});
    DeclareInput(this->Input("input_value"),
                 {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16, ge::DT_INT32, ge::DT_INT64, ge::DT_DOUBLE, ge::DT_INT8});
    DeclareInput(this->Input("begin").ValueDepend(OPTIONAL),
                 {ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64});
    DeclareInput(this->Input("end").ValueDepend(OPTIONAL),
                 {ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64});
    DeclareInput(this->Input("strides").ValueDepend(OPTIONAL),
                 {ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64});
    DeclareInput(this->Input("axes").ValueDepend(OPTIONAL),
                 {ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64},
                 OPTIONAL);
    DeclareOutput(this->Output("var"),
                  {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16, ge::DT_INT32, ge::DT_INT64, ge::DT_DOUBLE, ge::DT_INT8});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(StridedSliceAssignV2);
}  // namespace ops
