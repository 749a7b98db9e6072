#include <cstring>

#include "cross_entropy_loss_tiling.h"
#include "op_host/op_declaration.h"

namespace {
constexpr uint64_t PLAIN = 1;  // tiling keys
constexpr uint64_t SMOOTH = 2;
constexpr size_t WEIGHT = 2;  // input
constexpr uint32_t NONE = 0;  // reductions
constexpr uint32_t MEAN = 1;
constexpr uint32_t SUM = 2;
constexpr uint32_t UNKNOWN = 3;

uint32_t ReductionOf(const char* name) {
  if (std::strcmp(name, "none") == 0) {
    return NONE;
  }
  if (std::strcmp(name, "mean") == 0) {
    return MEAN;
  }
  return std::strcmp(name, "sum") == 0 ? SUM : UNKNOWN;
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const char* reduction = attrs->GetStr(0);
  const int64_t* ignored = attrs->GetAttrPointer<int64_t>(1);
  const float* smoothing = attrs->GetAttrPointer<float>(2);
  const bool* zloss = attrs->GetAttrPointer<bool>(4);
  if (reduction == nullptr || ignored == nullptr || smoothing == nullptr || zloss == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const auto* shape = context->GetInputShape(0);
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  if (shape == nullptr || shape->GetStorageShape().GetDimNum() != 2 || bytes == 0 || SizeOf(context, 0) == 0) {
    return ge::GRAPH_FAILED;
  }
  RowNeeds needs;
  needs.rows = static_cast<uint64_t>(shape->GetStorageShape().GetDim(0));
  needs.columns = static_cast<uint64_t>(shape->GetStorageShape().GetDim(1));
  needs.inputBytes = bytes;
  needs.outputBytes = bytes;
  needs.smallest = bytes;
  if (ReductionOf(reduction) == UNKNOWN || *zloss) {
    return ge::GRAPH_FAILED;
  }
  const bool weighted = SizeOf(context, WEIGHT) != 0;
  const bool smooth = *smoothing != 0.0f;
  needs.works = 2;
  needs.kept = 1;
  needs.vectors = smooth && weighted ? 1 : 0;
  needs.vectorBytes = needs.vectors * sizeof(float);
  const uint64_t localWeights = weighted ? LocalWeights(needs) : 0;
  needs.fixedBytes = AlignUp(localWeights * sizeof(float), 32);
  CrossEntropyLossTilingData tiling;
  tiling.set_localWeights(static_cast<uint32_t>(localWeights));
  tiling.set_ignored(*ignored);
  tiling.set_smoothing(*smoothing);
  tiling.set_weighted(weighted ? 1 : 0);
  tiling.set_reduction(ReductionOf(reduction));
  if (!PlanRows(context, needs, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  context->SetTilingKey(smooth ? SMOOTH : PLAIN);
  PlanCoreSums(context);
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const auto* attrs = context->GetAttrs();
  const char* reduction = attrs == nullptr ? nullptr : attrs->GetStr(0);
  gert::Shape* zloss = context->GetOutputShape(2);
  if (reduction == nullptr || zloss == nullptr || CopyShape(context, 1, 0) != GRAPH_SUCCESS ||
      CopyShape(context, 0, 1) != GRAPH_SUCCESS || CopyShape(context, 1, 3) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  if (std::strcmp(reduction, "none") != 0) {
    context->GetOutputShape(0)->SetDimNum(0);
  }
  zloss->SetDimNum(1);
  zloss->SetDim(0, 1);
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, context->GetInputDataType(0));
  context->SetOutputDataType(2, context->GetInputDataType(0));
  context->SetOutputDataType(3, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class CrossEntropyLoss : public OpDef {
 public:
  explicit CrossEntropyLoss(const char* name) : OpDef(name) {
    DeclareInput(this->Input("input"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("target"), {ge::DT_INT64, ge::DT_INT64, ge::DT_INT64});
    DeclareInput(this->Input("weight"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT}, OPTIONAL);
    DeclareOutput(this->Output("loss"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("log_prob"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("zloss"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("lse_for_zloss"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    this->Attr("reduction").AttrType(OPTIONAL).String("mean");
    this->Attr("ignore_index").AttrType(OPTIONAL).Int(-100);
    this->Attr("label_smoothing").AttrType(OPTIONAL).Float(0.0f);
    this->Attr("lse_square_scale_for_zloss").AttrType(OPTIONAL).Float(0.0f);
    this->Attr("return_zloss").AttrType(OPTIONAL).Bool(false);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(CrossEntropyLoss);
}  // namespace ops
