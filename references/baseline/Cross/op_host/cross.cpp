#include "cross_tiling.h"
#include "op_host/op_declaration.h"

namespace {
constexpr int64_t FIRST_OF_THREE = -65530;  // stands for the first axis of extent 3

// x seen as [rows, 3, columns]; false where the axis has another extent.
bool Vectors(const gert::Shape& x, int64_t axis, uint64_t& rows, uint64_t& columns) {
  const int64_t rank = static_cast<int64_t>(x.GetDimNum());
  int64_t at = axis < 0 ? axis + rank : axis;
  if (axis == FIRST_OF_THREE) {
    for (at = 0; at < rank && x.GetDim(at) != 3; ++at) {}
  }
  if (at < 0 || at >= rank || x.GetDim(at) != 3) {
    return false;
  }
  rows = 1;
  columns = 1;
  for (int64_t i = 0; i < rank; ++i) {
    if (i != at) {
      (i < at ? rows : columns) *= static_cast<uint64_t>(x.GetDim(i));
    }
  }
  return rows * columns > 0;
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const int64_t* dim = attrs->GetAttrPointer<int64_t>(0);
  if (dim == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const auto* shape = context->GetInputShape(0);
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  RowNeeds needs;
  if (shape == nullptr || bytes == 0 || !Vectors(shape->GetStorageShape(), *dim, needs.rows, needs.columns)) {
    return ge::GRAPH_FAILED;
  }
  needs.inputBytes = 6 * bytes;
  needs.outputBytes = 3 * bytes;
  needs.works = 8;  // one is a buffer of the kernel
  needs.smallest = bytes;
  needs.reduces = false;
  needs.rowScalars = false;
  CrossTilingData tiling;
  if (!PlanRows(context, needs, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 0, 0) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class Cross : public OpDef {
 public:
  explicit Cross(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x1"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32, ge::DT_INT8});
    DeclareInput(this->Input("x2"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32, ge::DT_INT8});
    DeclareOutput(this->Output("y"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32, ge::DT_INT8});
    this->Attr("dim").AttrType(OPTIONAL).Int(-65530);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(Cross);
}  // namespace ops
