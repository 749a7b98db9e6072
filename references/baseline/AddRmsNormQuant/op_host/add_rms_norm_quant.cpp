#include "add_rms_norm_quant_tiling.h"
#include "op_host/op_declaration.h"

namespace {
constexpr uint32_t QUANTISATIONS = 2;
constexpr size_t SCALES = 3;  // inputs: the first of each
constexpr size_t ZERO_POINTS = 5;
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const int64_t* axis = attrs->GetAttrPointer<int64_t>(0);
  const float* epsilon = attrs->GetAttrPointer<float>(1);
  const bool* divides = attrs->GetAttrPointer<bool>(2);
  if (axis == nullptr || epsilon == nullptr || divides == nullptr || SizeOf(context, SCALES) == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t columns = SizeOf(context, 2);
  NormInputs inputs;
  inputs.x1 = 0;
  inputs.x2 = 1;
  inputs.gamma = 2;
  NormOutputs outputs;
  uint32_t scales = 0;
  uint32_t zeros = 0;
  for (uint32_t i = 0; i < QUANTISATIONS; ++i) {
    const uint64_t scaleSize = SizeOf(context, SCALES + i);
    const uint64_t zeroSize = SizeOf(context, ZERO_POINTS + i);
    if ((scaleSize != 0 && scaleSize != columns) || (zeroSize != 0 && (scaleSize == 0 || zeroSize != columns))) {
      return ge::GRAPH_FAILED;
    }
    if (scaleSize != 0) {
      scales |= 1u << i;
      outputs.vectors += 1;
      outputs.vectorBytes += BytesOf(TypeOf(context, SCALES + i));
      outputs.bytes += 1;
    }
    if (zeroSize != 0) {
      zeros |= 1u << i;
      outputs.vectors += 1;
      outputs.vectorBytes += BytesOf(TypeOf(context, ZERO_POINTS + i));
    }
  }
  outputs.bytes += BytesOf(TypeOf(context, 0));
  outputs.smallest = 1;
  outputs.sum = true;
  NormTiling tiling;
  if (!PlanNorm(context, inputs, outputs, *epsilon, 1.0f, tiling)) {
    return ge::GRAPH_FAILED;
  }
  tiling.set_scales(scales);
  tiling.set_zeros(zeros);
  tiling.set_divides(*divides ? 1 : 0);
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 0, 0) != GRAPH_SUCCESS || CopyShape(context, 0, 1) != GRAPH_SUCCESS ||
      CopyShape(context, 0, 2) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, DT_INT8);
  context->SetOutputDataType(1, DT_INT8);
  context->SetOutputDataType(2, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class AddRmsNormQuant : public OpDef {
 public:
  explicit AddRmsNormQuant(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x1"), {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_BF16});
    DeclareInput(this->Input("x2"), {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_BF16});
    DeclareInput(this->Input("gamma"), {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_BF16});
    DeclareInput(this->Input("scales1"), {ge::DT_FLOAT, ge::DT_BF16, ge::DT_FLOAT});
    DeclareInput(this->Input("scales2"), {ge::DT_FLOAT, ge::DT_BF16, ge::DT_FLOAT}, OPTIONAL);
    DeclareInput(this->Input("zero_points1"), {ge::DT_INT32, ge::DT_BF16, ge::DT_INT32}, OPTIONAL);
    DeclareInput(this->Input("zero_points2"), {ge::DT_INT32, ge::DT_BF16, ge::DT_INT32}, OPTIONAL);
    DeclareOutput(this->Output("y1"), {ge::DT_INT8, ge::DT_INT8, ge::DT_INT8});
    DeclareOutput(this->Output("y2"), {ge::DT_INT8, ge::DT_INT8, ge::DT_INT8});
    DeclareOutput(this->Output("x"), {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_BF16});
    this->Attr("axis").AttrType(OPTIONAL).Int(-1);
    this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-6f);
    this->Attr("div_mode").AttrType(OPTIONAL).Bool(true);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(AddRmsNormQuant);
}  // namespace ops
