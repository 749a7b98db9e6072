#include <cstring>

#include "mse_loss_tiling.h"
#include "op_host/op_declaration.h"

namespace {
constexpr uint64_t ELEMENTS = 1;  // tiling keys
constexpr uint64_t SUM = 2;
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const char* reduction = attrs->GetStr(0);
  if (reduction == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const bool none = std::strcmp(reduction, "none") == 0;
  const bool mean = std::strcmp(reduction, "mean") == 0;
  const uint64_t total = SizeOf(context, 0);
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  MseLossTilingData tiling;
  tiling.set_factor(mean ? 1.0f / static_cast<float>(total) : 1.0f);
  if (!PlanElements(context, total, 2 * bytes, none ? bytes : 0, 3, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  context->SetTilingKey(none ? ELEMENTS : SUM);
  if (!none) {
    PlanCoreSums(context);
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const auto* attrs = context->GetAttrs();
  const char* reduction = attrs == nullptr ? nullptr : attrs->GetStr(0);
  if (reduction == nullptr || CopyShape(context, 0, 0) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  if (std::strcmp(reduction, "none") != 0) {
    gert::Shape* y = context->GetOutputShape(0);
    y->SetDimNum(1);
    y->SetDim(0, 1);
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class MseLoss : public OpDef {
 public:
  explicit MseLoss(const char* name) : OpDef(name) {
    DeclareInput(this->Input("predict"), {ge::DT_FLOAT16, ge::DT_FLOAT});
    DeclareInput(this->Input("label"), {ge::DT_FLOAT16, ge::DT_FLOAT});
    DeclareOutput(this->Output("y"), {ge::DT_FLOAT16, ge::DT_FLOAT});
    this->Attr("reduction").AttrType(OPTIONAL).String("mean");
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(MseLoss);
}  // namespace ops
