#include <algorithm>
#include <cstring>

#include "dequant_swiglu_quant_tiling.h"
#include "op_host/op_declaration.h"

namespace {
constexpr size_t X = 0;  // inputs
constexpr size_t WEIGHT_SCALE = 1;
constexpr size_t ACTIVATION_SCALE = 2;
constexpr size_t BIAS = 3;
constexpr size_t QUANT_SCALE = 4;
constexpr size_t QUANT_OFFSET = 5;
constexpr size_t GROUP_INDEX = 6;
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const bool* left = attrs->GetAttrPointer<bool>(0);
  const char* mode = attrs->GetStr(1);
  if (left == nullptr || mode == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const auto* shape = context->GetInputShape(X);
  const uint64_t bytes = BytesOf(TypeOf(context, X));
  if (shape == nullptr || shape->GetStorageShape().GetDimNum() < 2 || bytes == 0 || SizeOf(context, X) == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t width =
      static_cast<uint64_t>(shape->GetStorageShape().GetDim(shape->GetStorageShape().GetDimNum() - 1));
  // Only integers are scaled and shifted before the activation.
  const bool whole = TypeOf(context, X) == ge::DT_INT32;
  const bool dynamic = std::strcmp(mode, "dynamic") == 0;
  const bool weighted = whole && SizeOf(context, WEIGHT_SCALE) != 0;
  const bool activated = whole && SizeOf(context, ACTIVATION_SCALE) != 0;
  const bool biased = whole && SizeOf(context, BIAS) != 0;
  const bool shifted = !dynamic && SizeOf(context, QUANT_OFFSET) != 0;
  RowNeeds needs;
  needs.columns = width / 2;
  needs.rows = SizeOf(context, X) / width;
  const uint64_t groups = std::max<uint64_t>(SizeOf(context, GROUP_INDEX), 1);
  if (width % 2 != 0 || SizeOf(context, QUANT_SCALE) != groups * needs.columns ||
      (shifted && SizeOf(context, QUANT_OFFSET) != groups * needs.columns) ||
      (weighted && SizeOf(context, WEIGHT_SCALE) != groups * width) ||
      (activated && SizeOf(context, ACTIVATION_SCALE) != needs.rows) || (biased && SizeOf(context, BIAS) != width)) {
    return ge::GRAPH_FAILED;
  }
  needs.inputBytes = 2 * bytes;
  needs.outputBytes = 1;
  needs.works = 3;
  needs.kept = 1;
  needs.smallest = 1;
  needs.vectors = 1 + (shifted ? 1 : 0) + (weighted ? 2 : 0) + (biased ? 2 : 0);
  needs.vectorBytes = needs.vectors * sizeof(float);
  DequantSwigluQuantTilingData tiling;
  tiling.set_groups(static_cast<uint32_t>(SizeOf(context, GROUP_INDEX)));
  tiling.set_left(*left ? 1 : 0);
  tiling.set_dynamic(dynamic ? 1 : 0);
  tiling.set_weighted(weighted ? 1 : 0);
  tiling.set_activated(activated ? 1 : 0);
  tiling.set_biased(biased ? 1 : 0);
  tiling.set_shifted(shifted ? 1 : 0);
  if (!PlanRows(context, needs, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 0, 0) != GRAPH_SUCCESS || CopyShape(context, 0, 1) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  gert::Shape* y = context->GetOutputShape(0);
  gert::Shape* scale = context->GetOutputShape(1);
  const size_t last = y->GetDimNum() - 1;
  y->SetDim(last, y->GetDim(last) / 2);
  scale->SetDimNum(last);
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, DT_INT8);
  context->SetOutputDataType(1, DT_FLOAT);
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class DequantSwigluQuant : public OpDef {
 public:
  explicit DequantSwigluQuant(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"),
                 {ge::DT_BF16, ge::DT_FLOAT16, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32});
    DeclareInput(this->Input("weight_scale"),
                 {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT},
                 OPTIONAL);
    DeclareInput(this->Input("activation_scale"),
                 {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT},
                 OPTIONAL);
    DeclareInput(this->Input("bias"),
                 {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_FLOAT},
                 OPTIONAL);
    DeclareInput(this->Input("quant_scale"),
                 {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT16},
                 OPTIONAL);
    DeclareInput(this->Input("quant_offset"),
                 {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT},
                 OPTIONAL);
    DeclareInput(this->Input("group_index"),
                 {ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT64},
                 OPTIONAL);
    DeclareOutput(this->Output("y"),
                  {ge::DT_INT8, ge::DT_INT8, ge::DT_INT8, ge::DT_INT8, ge::DT_INT8, ge::DT_INT8, ge::DT_INT8});
    DeclareOutput(this->Output("scale"),
                  {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    this->Attr("activate_left").AttrType(OPTIONAL).Bool(false);
    this->Attr("quant_mode").AttrType(OPTIONAL).String("static");
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(DequantSwigluQuant);
}  // namespace ops
