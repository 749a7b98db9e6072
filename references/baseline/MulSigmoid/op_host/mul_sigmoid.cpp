#include "mul_sigmoid_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const float* t1 = attrs->GetAttrPointer<float>(0);
  const float* t2 = attrs->GetAttrPointer<float>(1);
  const float* t3 = attrs->GetAttrPointer<float>(2);
  if (t1 == nullptr || t2 == nullptr || t3 == nullptr) {
    return ge::GRAPH_FAILED;
  }
  RowNeeds needs;
  needs.columns = SizeOf(context, 1);
  if (needs.columns == 0 || SizeOf(context, 0) % needs.columns != 0) {
    return ge::GRAPH_FAILED;
  }
  needs.rows = SizeOf(context, 0) / needs.columns;
  needs.inputBytes = sizeof(uint16_t);
  needs.outputBytes = sizeof(uint16_t);
  needs.vectors = 1;
  needs.vectorBytes = sizeof(uint16_t);
  needs.works = 3;
  needs.reduces = false;
  needs.rowScalars = false;
  MulSigmoidTilingData tiling;
  tiling.set_t1(*t1);
  tiling.set_t2(*t2);
  tiling.set_t3(*t3);
  if (!PlanRows(context, needs, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x1 = context->GetInputShape(0);
  const gert::Shape* out = context->GetOutputShape(0);
  if (x1 == nullptr || out == nullptr || x1->GetDimNum() == 0 || CopyShape(context, 1, 0) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  context->GetOutputShape(0)->SetDim(0, x1->GetDim(0));
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class MulSigmoid : public OpDef {
 public:
  explicit MulSigmoid(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x1"), {ge::DT_FLOAT16});
    DeclareInput(this->Input("x2"), {ge::DT_FLOAT16});
    DeclareOutput(this->Output("out"), {ge::DT_FLOAT16});
    this->Attr("t1").AttrType(REQUIRED).Float(0.0f);
    this->Attr("t2").AttrType(REQUIRED).Float(0.0f);
    this->Attr("t3").AttrType(REQUIRED).Float(0.0f);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(MulSigmoid);
}  // namespace ops
