#include "apply_adam_wv2_tiling.h"
#include "op_host/op_declaration.h"

namespace {
constexpr size_t GRAD = 3;  // inputs
constexpr size_t MAX_GRAD_NORM = 5;
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const float* lr = attrs->GetAttrPointer<float>(0);
  const float* beta1 = attrs->GetAttrPointer<float>(1);
  const float* beta2 = attrs->GetAttrPointer<float>(2);
  const float* weightDecay = attrs->GetAttrPointer<float>(3);
  const float* eps = attrs->GetAttrPointer<float>(4);
  const bool* amsgrad = attrs->GetAttrPointer<bool>(5);
  const bool* maximize = attrs->GetAttrPointer<bool>(6);
  if (lr == nullptr || beta1 == nullptr || beta2 == nullptr || weightDecay == nullptr || eps == nullptr ||
      amsgrad == nullptr || maximize == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t total = SizeOf(context, 0);
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  const uint64_t gradBytes = BytesOf(TypeOf(context, GRAD));
  if (SizeOf(context, GRAD) != total || (*amsgrad && SizeOf(context, MAX_GRAD_NORM) != total)) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t peakBytes = *amsgrad ? gradBytes : 0;
  ApplyAdamWV2TilingData tiling;
  tiling.set_lr(*lr);
  tiling.set_beta1(*beta1);
  tiling.set_beta2(*beta2);
  tiling.set_weightDecay(*weightDecay);
  tiling.set_eps(*eps);
  tiling.set_amsgrad(*amsgrad ? 1 : 0);
  tiling.set_maximize(*maximize ? 1 : 0);
  if (!PlanElements(context, total, 3 * bytes + gradBytes + peakBytes, 3 * bytes + peakBytes, 6, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 0, 0) != GRAPH_SUCCESS || CopyShape(context, 1, 1) != GRAPH_SUCCESS ||
      CopyShape(context, 2, 2) != GRAPH_SUCCESS || CopyShape(context, 5, 3) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, context->GetInputDataType(1));
  context->SetOutputDataType(2, context->GetInputDataType(2));
  context->SetOutputDataType(3, context->GetInputDataType(5));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class ApplyAdamWV2 : public OpDef {
 public:
  explicit ApplyAdamWV2(const char* name) : OpDef(name) {
    DeclareInput(this->Input("var"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT16,
                                      ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareInput(this->Input("m"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT16,
                                    ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareInput(this->Input("v"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT16,
                                    ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareInput(this->Input("grad"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT16,
                                       ge::DT_BF16, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("step"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_INT64, ge::DT_INT64,
                                       ge::DT_INT64, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_INT64, ge::DT_INT64});
    DeclareInput(this->Input("max_grad_norm"),
                 {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT16,
                  ge::DT_BF16, ge::DT_FLOAT16, ge::DT_BF16},
                 OPTIONAL);
    DeclareOutput(this->Output("var"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT16,
                                        ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("m"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT16,
                                      ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("v"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT16,
                                      ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("max_grad_norm"),
                  {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT16,
                   ge::DT_BF16, ge::DT_FLOAT16, ge::DT_BF16},
                  OPTIONAL);
    this->Attr("lr").AttrType(OPTIONAL).Float(0.1f);
    this->Attr("beta1").AttrType(OPTIONAL).Float(0.1f);
    this->Attr("beta2").AttrType(OPTIONAL).Float(0.1f);
    this->Attr("weight_decay").AttrType(OPTIONAL).Float(0.1f);
    this->Attr("eps").AttrType(OPTIONAL).Float(0.1f);
    this->Attr("amsgrad").AttrType(OPTIONAL).Bool(false);
    this->Attr("maximize").AttrType(OPTIONAL).Bool(false);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(ApplyAdamWV2);
}  // namespace ops
