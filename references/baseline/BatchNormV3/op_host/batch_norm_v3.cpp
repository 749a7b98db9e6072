#include <algorithm>

#include "batch_norm_v3_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const float* epsilon = attrs->GetAttrPointer<float>(0);
  const float* momentum = attrs->GetAttrPointer<float>(1);
  const bool* training = attrs->GetAttrPointer<bool>(2);
  if (epsilon == nullptr || momentum == nullptr || training == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const auto* shape = context->GetInputShape(0);
  if (shape == nullptr || shape->GetStorageShape().GetDimNum() < 2 || SizeOf(context, 0) == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  const uint64_t images = static_cast<uint64_t>(shape->GetStorageShape().GetDim(0));
  const uint64_t channels = static_cast<uint64_t>(shape->GetStorageShape().GetDim(1));
  RowNeeds needs;
  needs.rows = images;
  needs.columns = SizeOf(context, 0) / (images * channels);
  needs.inputBytes = bytes;
  needs.outputBytes = bytes;
  needs.works = 2;
  needs.smallest = bytes;
  BatchNormV3TilingData tiling;
  tiling.set_channels(channels);
  tiling.set_spatial(needs.columns);
  tiling.set_reciprocal(1.0f / static_cast<float>(images * needs.columns));
  tiling.set_epsilon(*epsilon);
  tiling.set_momentum(*momentum);
  tiling.set_training(*training ? 1 : 0);
  tiling.set_weighted(SizeOf(context, 1) != 0 ? 1 : 0);
  tiling.set_biased(SizeOf(context, 2) != 0 ? 1 : 0);
  if (bytes == 0 || !PlanRows(context, needs, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  if (tiling.rows.get_mode() == WHOLE_ROWS) {
    // A channel that fits is read once.
    tiling.rows.set_stepRows(tiling.rows.get_bufferElements() / tiling.rows.get_stride());
  }
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  context->SetBlockDim(static_cast<uint32_t>(std::min<uint64_t>(platform.GetCoreNumAiv(), channels)));
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 0, 0) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  const gert::Shape* x = context->GetInputShape(0);
  for (size_t output = 1; output < 5; ++output) {
    gert::Shape* statistics = context->GetOutputShape(output);
    if (statistics == nullptr || x->GetDimNum() < 2) {
      return GRAPH_FAILED;
    }
    *statistics = gert::Shape({x->GetDim(1)});
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, DT_FLOAT);
  context->SetOutputDataType(2, DT_FLOAT);
  context->SetOutputDataType(3, DT_FLOAT);
  context->SetOutputDataType(4, DT_FLOAT);
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class BatchNormV3 : public OpDef {
 public:
  explicit BatchNormV3(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("weight"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT},
                 OPTIONAL);
    DeclareInput(this->Input("bias"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT},
                 OPTIONAL);
    DeclareInput(this->Input("running_mean"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareInput(this->Input("running_var"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("y"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("running_mean"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("running_var"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("save_mean"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("save_rstd"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-5f);
    this->Attr("momentum").AttrType(OPTIONAL).Float(0.1f);
    this->Attr("is_training").AttrType(OPTIONAL).Bool(true);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(BatchNormV3);
}  // namespace ops
