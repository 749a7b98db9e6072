#include "expand_v2_tiling.h"
#include "op_host/row_moves.h"

namespace {
constexpr size_t MAX_AXES = 8;
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* shape = context->GetInputShape(0);
  const auto* attrs = context->GetAttrs();
  const auto* list = attrs == nullptr ? nullptr : attrs->GetListInt(0);
  if (shape == nullptr || list == nullptr || list->GetSize() == 0 || list->GetSize() > MAX_AXES) {
    return ge::GRAPH_FAILED;
  }
  const gert::Shape& x = shape->GetStorageShape();
  const size_t rank = list->GetSize();
  if (x.GetDimNum() > rank) {
    return ge::GRAPH_FAILED;
  }
  // Extents of y, and elements of x from one position to the next: 0 where all are the same.
  int64_t extents[MAX_AXES] = {};
  int64_t strides[MAX_AXES] = {};
  int64_t stride = 1;
  uint64_t run = 1;
  bool dense = true;  // up to here both have the same extents
  size_t axes = 0;
  for (size_t i = 0; i < rank; ++i) {
    const size_t axis = rank - 1 - i;
    const int64_t own = i < x.GetDimNum() ? x.GetDim(x.GetDimNum() - 1 - i) : 1;
    const int64_t extent = list->GetData()[axis] < 0 ? own : list->GetData()[axis];
    if (own != extent && own != 1) {
      return ge::GRAPH_FAILED;
    }
    dense = dense && own == extent;
    if (dense) {
      run *= static_cast<uint64_t>(extent);
    } else {
      extents[axes] = extent;
      strides[axes] = own == 1 ? 0 : stride / static_cast<int64_t>(run);
      ++axes;
    }
    stride *= own;
  }
  uint64_t rows = 1;
  for (size_t axis = 0; axis < axes; ++axis) {
    rows *= static_cast<uint64_t>(extents[axis]);
  }
  ExpandV2TilingData tiling;
  tiling.set_axes(static_cast<uint32_t>(axes));
  tiling.set_extents(extents);
  tiling.set_strides(strides);
  if (!PlanMoves(context, rows, run * sizeof(int64_t), tiling.moves)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const auto* attrs = context->GetAttrs();
  const auto* list = attrs == nullptr ? nullptr : attrs->GetListInt(0);
  const gert::Shape* x = context->GetInputShape(0);
  gert::Shape* y = context->GetOutputShape(0);
  if (list == nullptr || x == nullptr || y == nullptr || x->GetDimNum() > list->GetSize()) {
    return GRAPH_FAILED;
  }
  y->SetDimNum(list->GetSize());
  for (size_t axis = 0; axis < list->GetSize(); ++axis) {
    const int64_t extent = list->GetData()[axis];
    const size_t behind = list->GetSize() - axis;
    y->SetDim(axis, extent < 0 && behind <= x->GetDimNum() ? x->GetDim(x->GetDimNum() - behind) : extent);
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class ExpandV2 : public OpDef {
 public:
  explicit ExpandV2(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_INT64});
    DeclareOutput(this->Output("y"), {ge::DT_INT64});
    this->Attr("shape").AttrType(OPTIONAL).ListInt({});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(ExpandV2);
}  // namespace ops
