#include "group_norm_swish_tiling.h"
#include "op_host/op_declaration.h"

namespace {
constexpr int64_t MAX_CHANNELS = 8192;  // their weights stay in the unified buffer
constexpr uint64_t CHANNEL_UNIT = 16;
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  const auto* shape = context->GetInputShape(0);
  if (attrs == nullptr || shape == nullptr || shape->GetStorageShape().GetDimNum() < 2 || SizeOf(context, 0) == 0) {
    return ge::GRAPH_FAILED;
  }
  const int64_t* groups = attrs->GetAttrPointer<int64_t>(0);
  const float* epsilon = attrs->GetAttrPointer<float>(2);
  const bool* active = attrs->GetAttrPointer<bool>(3);
  const float* scale = attrs->GetAttrPointer<float>(4);
  if (groups == nullptr || epsilon == nullptr || active == nullptr || scale == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const int64_t images = shape->GetStorageShape().GetDim(0);
  const int64_t channels = shape->GetStorageShape().GetDim(1);
  if (*groups <= 0 || channels % *groups != 0 || channels > MAX_CHANNELS ||
      SizeOf(context, 1) != static_cast<uint64_t>(channels) || SizeOf(context, 2) != static_cast<uint64_t>(channels)) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  RowNeeds needs;
  needs.rows = static_cast<uint64_t>(images * *groups);
  needs.columns = SizeOf(context, 0) / needs.rows;
  needs.inputBytes = bytes;
  needs.outputBytes = bytes;
  needs.works = 4;
  needs.kept = 1;
  needs.smallest = bytes;
  needs.fixedBytes = AlignUp(static_cast<uint64_t>(channels), CHANNEL_UNIT) * (2 * sizeof(float) + sizeof(uint16_t));
  GroupNormSwishTilingData tiling;
  tiling.set_spatial(SizeOf(context, 0) / static_cast<uint64_t>(images * channels));
  tiling.set_groups(static_cast<uint32_t>(*groups));
  tiling.set_channels(static_cast<uint32_t>(channels / *groups));
  tiling.set_reciprocal(1.0f / static_cast<float>(needs.columns));
  tiling.set_epsilon(*epsilon);
  tiling.set_scale(*scale);
  tiling.set_active(*active ? 1 : 0);
  if (!PlanRows(context, needs, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(0);
  const auto* attrs = context->GetAttrs();
  const int64_t* groups = attrs == nullptr ? nullptr : attrs->GetAttrPointer<int64_t>(0);
  if (x == nullptr || groups == nullptr || x->GetDimNum() < 2 || CopyShape(context, 0, 0) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  for (size_t output = 1; output < 3; ++output) {
    gert::Shape* statistics = context->GetOutputShape(output);
    if (statistics == nullptr) {
      return GRAPH_FAILED;
    }
    *statistics = gert::Shape({x->GetDim(0), *groups});
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, context->GetInputDataType(1));
  context->SetOutputDataType(2, context->GetInputDataType(1));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class GroupNormSwish : public OpDef {
 public:
  explicit GroupNormSwish(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("gamma"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("beta"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("y"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("mean"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("rstd"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_BF16});
    this->Attr("num_groups").AttrType(REQUIRED).Int();
    this->Attr("data_format").AttrType(OPTIONAL).String("NCHW");
    this->Attr("eps").AttrType(OPTIONAL).Float(1e-5f);
    this->Attr("activate_swish").AttrType(OPTIONAL).Bool(true);
    this->Attr("swish_scale").AttrType(OPTIONAL).Float(1.0f);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(GroupNormSwish);
}  // namespace ops
