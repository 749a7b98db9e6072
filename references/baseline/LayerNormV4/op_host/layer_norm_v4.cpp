#include <algorithm>

#include "layer_norm_v4_tiling.h"
#include "op_host/op_declaration.h"

namespace {
// The product of the last extents of x, as many as normalized_shape lists.
uint64_t LastExtents(const gert::TilingContext* context) {
  const gert::Shape& x = context->GetInputShape(0)->GetStorageShape();
  const size_t axes = context->GetInputShape(1)->GetStorageShape().GetShapeSize();
  uint64_t columns = 1;
  for (size_t axis = x.GetDimNum() - std::min(axes, x.GetDimNum()); axis < x.GetDimNum(); ++axis) {
    columns *= static_cast<uint64_t>(x.GetDim(axis));
  }
  return columns;
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr || context->GetInputShape(0) == nullptr || context->GetInputShape(1) == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const float* epsilon = attrs->GetAttrPointer<float>(0);
  if (epsilon == nullptr) {
    return ge::GRAPH_FAILED;
  }
  NormInputs inputs;
  inputs.x1 = 0;
  inputs.gamma = 2;
  inputs.beta = 3;
  NormOutputs outputs;
  outputs.bytes = BytesOf(TypeOf(context, 0));
  outputs.columns = LastExtents(context);
  NormTiling tiling;
  if (!PlanNorm(context, inputs, outputs, *epsilon, 1.0f, tiling)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(0);
  const gert::Shape* normalised = context->GetInputShape(1);
  if (x == nullptr || normalised == nullptr || normalised->GetDimNum() != 1 ||
      static_cast<size_t>(normalised->GetDim(0)) > x->GetDimNum()) {
    return GRAPH_FAILED;
  }
  for (size_t output = 0; output < 3; ++output) {
    gert::Shape* shape = context->GetOutputShape(output);
    if (shape == nullptr) {
      return GRAPH_FAILED;
    }
    *shape = *x;
    for (size_t axis = x->GetDimNum() - normalised->GetDim(0); output > 0 && axis < x->GetDimNum(); ++axis) {
      shape->SetDim(axis, 1);
    }
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, DT_FLOAT);
  context->SetOutputDataType(2, DT_FLOAT);
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class LayerNormV4 : public OpDef {
 public:
  explicit LayerNormV4(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_BF16});
    DeclareInput(this->Input("normalized_shape"),
                 {ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32});
    DeclareInput(this->Input("gamma"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16},
                 OPTIONAL);
    DeclareInput(this->Input("beta"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16},
                 OPTIONAL);
    DeclareOutput(this->Output("y"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_BF16});
    DeclareOutput(this->Output("mean"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("rstd"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-5f);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(LayerNormV4);
}  // namespace ops
