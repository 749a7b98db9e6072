#include "apply_fused_ema_adam_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const float* lr = attrs->GetAttrPointer<float>(0);
  const float* emaDecay = attrs->GetAttrPointer<float>(1);
  const float* beta1 = attrs->GetAttrPointer<float>(2);
  const float* beta2 = attrs->GetAttrPointer<float>(3);
  const float* eps = attrs->GetAttrPointer<float>(4);
  const int64_t* mode = attrs->GetAttrPointer<int64_t>(5);
  const bool* corrects = attrs->GetAttrPointer<bool>(6);
  const float* weightDecay = attrs->GetAttrPointer<float>(7);
  if (lr == nullptr || emaDecay == nullptr || beta1 == nullptr || beta2 == nullptr || eps == nullptr ||
      mode == nullptr || corrects == nullptr || weightDecay == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  ApplyFusedEmaAdamTilingData tiling;
  tiling.set_lr(*lr);
  tiling.set_emaDecay(*emaDecay);
  tiling.set_beta1(*beta1);
  tiling.set_beta2(*beta2);
  tiling.set_eps(*eps);
  tiling.set_weightDecay(*weightDecay);
  tiling.set_decoupled(*mode == 1 ? 1 : 0);
  tiling.set_corrects(*corrects ? 1 : 0);
  if (!PlanElements(context, SizeOf(context, 0), 5 * bytes, 4 * bytes, 6, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 1, 0) != GRAPH_SUCCESS || CopyShape(context, 2, 1) != GRAPH_SUCCESS ||
      CopyShape(context, 3, 2) != GRAPH_SUCCESS || CopyShape(context, 4, 3) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(1));
  context->SetOutputDataType(1, context->GetInputDataType(2));
  context->SetOutputDataType(2, context->GetInputDataType(3));
  context->SetOutputDataType(3, context->GetInputDataType(4));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class ApplyFusedEmaAdam : public OpDef {
 public:
  explicit ApplyFusedEmaAdam(const char* name) : OpDef(name) {
    DeclareInput(this->Input("grad"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("var"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("m"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("v"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("s"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("step"), {ge::DT_INT64, ge::DT_INT64, ge::DT_INT64});
    DeclareOutput(this->Output("var"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("m"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("v"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("s"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    this->Attr("lr").AttrType(OPTIONAL).Float(0.001f);
    this->Attr("ema_decay").AttrType(OPTIONAL).Float(0.9999f);
    this->Attr("beta1").AttrType(OPTIONAL).Float(0.9f);
    this->Attr("beta2").AttrType(OPTIONAL).Float(0.999f);
    this->Attr("eps").AttrType(OPTIONAL).Float(1e-8f);
    this->Attr("mode").AttrType(OPTIONAL).Int(1);
    this->Attr("bias_correction").AttrType(OPTIONAL).Bool(true);
    this->Attr("weight_decay").AttrType(OPTIONAL).Float(0.0f);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(ApplyFusedEmaAdam);
}  // namespace ops
