#include <algorithm>

#include "group_norm_swish_grad_tiling.h"
#include "op_host/op_declaration.h"

namespace {
constexpr size_t X = 3;  // inputs
constexpr size_t GAMMA = 4;
constexpr int64_t MAX_CHANNELS = 4096;  // of one group: their sums stay in the unified buffer
constexpr uint64_t CHANNEL_UNIT = 64;
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  const auto* shape = context->GetInputShape(X);
  if (attrs == nullptr || shape == nullptr || shape->GetStorageShape().GetDimNum() < 2 || SizeOf(context, X) == 0) {
    return ge::GRAPH_FAILED;
  }
  const int64_t* groups = attrs->GetAttrPointer<int64_t>(0);
  const float* scale = attrs->GetAttrPointer<float>(2);
  const bool* dgamma = attrs->GetAttrPointer<bool>(3);
  const bool* dbeta = attrs->GetAttrPointer<bool>(4);
  if (groups == nullptr || scale == nullptr || dgamma == nullptr || dbeta == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const int64_t images = shape->GetStorageShape().GetDim(0);
  const int64_t channels = shape->GetStorageShape().GetDim(1);
  const uint64_t bytes = BytesOf(TypeOf(context, X));
  if (*groups <= 0 || channels % *groups != 0 || SizeOf(context, GAMMA) != static_cast<uint64_t>(channels) ||
      channels / *groups > MAX_CHANNELS || bytes == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t channelsOfGroup = static_cast<uint64_t>(channels / *groups);
  RowNeeds needs;
  needs.rows = channelsOfGroup;
  needs.columns = SizeOf(context, X) / static_cast<uint64_t>(images * channels);
  needs.inputBytes = 2 * bytes;
  needs.outputBytes = bytes;
  needs.works = 4;
  needs.smallest = bytes;
  needs.fixedBytes = 2 * AlignUp(channelsOfGroup, CHANNEL_UNIT) * sizeof(float);
  GroupNormSwishGradTilingData tiling;
  tiling.set_images(static_cast<uint64_t>(images));
  tiling.set_groups(static_cast<uint32_t>(*groups));
  tiling.set_channels(static_cast<uint32_t>(channelsOfGroup));
  tiling.set_reciprocal(1.0f / static_cast<float>(channelsOfGroup * needs.columns));
  tiling.set_scale(*scale);
  tiling.set_dgamma(*dgamma ? 1 : 0);
  tiling.set_dbeta(*dbeta ? 1 : 0);
  if (!PlanRows(context, needs, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  if (tiling.rows.get_mode() == WHOLE_ROWS) {
    // A group that fits is read once.
    tiling.rows.set_stepRows(tiling.rows.get_bufferElements() / tiling.rows.get_stride());
  }
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  context->SetBlockDim(std::min(platform.GetCoreNumAiv(), static_cast<uint32_t>(*groups)));
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 3, 0) != GRAPH_SUCCESS || CopyShape(context, 4, 1) != GRAPH_SUCCESS ||
      CopyShape(context, 4, 2) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(3));
  context->SetOutputDataType(1, context->GetInputDataType(4));
  context->SetOutputDataType(2, context->GetInputDataType(4));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class GroupNormSwishGrad : public OpDef {
 public:
  explicit GroupNormSwishGrad(const char* name) : OpDef(name) {
    DeclareInput(this->Input("dy"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("mean"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("rstd"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("x"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("gamma"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("beta"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("dx"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("dgamma"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("dbeta"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    this->Attr("num_groups").AttrType(REQUIRED).Int();
    this->Attr("data_format").AttrType(OPTIONAL).String("NCHW");
    this->Attr("swish_scale").AttrType(OPTIONAL).Float(1.0f);
    this->Attr("dgamma_is_require").AttrType(OPTIONAL).Bool(true);
    this->Attr("dbeta_is_require").AttrType(OPTIONAL).Bool(true);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(GroupNormSwishGrad);
}  // namespace ops
