#include "gather_v3_tiling.h"
#include "op_host/row_moves.h"

namespace {
constexpr size_t INDICES = 1;  // inputs
constexpr size_t AXIS = 2;
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const int64_t* batchDims = attrs->GetAttrPointer<int64_t>(0);
  const bool* negative = attrs->GetAttrPointer<bool>(1);
  if (batchDims == nullptr || negative == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const auto* shape = context->GetInputShape(0);
  const auto* axisTensor = context->GetInputTensor(AXIS);
  if (shape == nullptr || axisTensor == nullptr || axisTensor->GetData<int64_t>() == nullptr || *batchDims != 0 ||
      *negative) {
    return ge::GRAPH_FAILED;
  }
  const gert::Shape& x = shape->GetStorageShape();
  const int64_t rank = static_cast<int64_t>(x.GetDimNum());
  int64_t axis = axisTensor->GetData<int64_t>()[0];
  axis = axis < 0 ? axis + rank : axis;
  if (axis < 0 || axis >= rank) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t indices = SizeOf(context, INDICES);
  const uint64_t rows = Extents(x, 0, static_cast<size_t>(axis)) * indices;
  const uint64_t rowBytes = Extents(x, static_cast<size_t>(axis) + 1, x.GetDimNum()) * MovedBytes(TypeOf(context, 0));
  GatherV3TilingData tiling;
  tiling.set_extent(static_cast<uint64_t>(x.GetDim(axis)));
  tiling.set_indices(indices);
  if (!PlanMoves(context, rows, rowBytes, tiling.moves)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Tensor* axisTensor = context->GetInputTensor(2);
  const gert::Shape* indices = context->GetInputShape(1);
  if (axisTensor == nullptr || axisTensor->GetData<int64_t>() == nullptr || indices == nullptr ||
      CopyShape(context, 0, 0) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  gert::Shape* y = context->GetOutputShape(0);
  const int64_t rank = static_cast<int64_t>(y->GetDimNum());
  const int64_t given = axisTensor->GetData<int64_t>()[0];
  const int64_t axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank || indices->GetDimNum() != 1) {
    return GRAPH_FAILED;
  }
  y->SetDim(axis, indices->GetDim(0));
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class GatherV3 : public OpDef {
 public:
  explicit GatherV3(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"),
                 {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16,   ge::DT_INT16,  ge::DT_INT32,  ge::DT_INT64,
                  ge::DT_INT8,  ge::DT_BOOL,    ge::DT_UINT16, ge::DT_UINT32, ge::DT_UINT64, ge::DT_UINT8,
                  ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16,   ge::DT_INT16,  ge::DT_INT32,  ge::DT_INT64,
                  ge::DT_INT8,  ge::DT_BOOL,    ge::DT_UINT16, ge::DT_UINT32, ge::DT_UINT64, ge::DT_UINT8});
    DeclareInput(this->Input("indices"),
                 {ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32,
                  ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32,
                  ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64,
                  ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64});
    DeclareInput(this->Input("axis").ValueDepend(OPTIONAL),
                 {ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64,
                  ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64,
                  ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64,
                  ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64});
    DeclareOutput(this->Output("y"),
                  {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16,   ge::DT_INT16,  ge::DT_INT32,  ge::DT_INT64,
                   ge::DT_INT8,  ge::DT_BOOL,    ge::DT_UINT16, ge::DT_UINT32, ge::DT_UINT64, ge::DT_UINT8,
                   ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16,   ge::DT_INT16,  ge::DT_INT32,  ge::DT_INT64,
                   ge::DT_INT8,  ge::DT_BOOL,    ge::DT_UINT16, ge::DT_UINT32, ge::DT_UINT64, ge::DT_UINT8});
    this->Attr("batchDims").AttrType(OPTIONAL).Int(0);
    this->Attr("negativeIndexSupport").AttrType(OPTIONAL).Bool(false);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(GatherV3);
}  // namespace ops
