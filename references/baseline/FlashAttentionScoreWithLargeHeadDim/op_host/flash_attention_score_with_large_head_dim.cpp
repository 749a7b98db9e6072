#include "flash_attention_score_with_large_head_dim_tiling.h"

namespace {
constexpr int64_t MOST_DEPTH = 576;

// [batch, length, width] of an input of halves.
bool Read(gert::TilingContext* context, size_t input, int64_t (&extents)[3]) {
  const auto* shape = context->GetInputShape(input);
  const auto* description = context->GetInputDesc(input);
  if (shape == nullptr || description == nullptr || description->GetDataType() != ge::DT_FLOAT16 ||
      shape->GetStorageShape().GetDimNum() != 3) {
    return false;
  }
  for (size_t i = 0; i < 3; ++i) {
    extents[i] = shape->GetStorageShape().GetDim(i);
    if (extents[i] <= 0 || extents[i] > std::numeric_limits<int32_t>::max()) {
      return false;
    }
  }
  return true;
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t cores = platform.GetCoreNumAic();
  int64_t query[3], key[3], value[3];
  if (!Read(context, 0, query) || !Read(context, 1, key) || !Read(context, 2, value)) {
    return ge::GRAPH_FAILED;
  }
  const float* scale = context->GetAttrs()->GetFloat(0);
  const int64_t* heads = context->GetAttrs()->GetInt(1);
  const bool alike =
      key[0] == query[0] && key[2] == query[2] && std::equal(std::begin(key), std::end(key), std::begin(value));
  if (cores == 0 || !alike || scale == nullptr || heads == nullptr || *heads <= 0 || query[2] % *heads != 0 ||
      query[2] / *heads > MOST_DEPTH) {
    return ge::GRAPH_FAILED;
  }
  attention::Shape shape{};
  shape.keys = static_cast<uint64_t>(key[1]);
  shape.depth = shape.resultColumns = static_cast<uint64_t>(query[2] / *heads);
  const uint64_t tilesOfHead = blocks::CeilDiv(static_cast<uint64_t>(query[1]), attention::TILE_ROWS);
  shape.tiles = static_cast<uint64_t>(query[0] * *heads) * tilesOfHead;
  shape.scale = *scale;
  FlashAttentionScoreTilingData tiling;
  tiling.set_batches(static_cast<uint32_t>(query[0]));
  tiling.set_queries(static_cast<uint32_t>(query[1]));
  tiling.set_keys(static_cast<uint32_t>(key[1]));
  tiling.set_heads(static_cast<uint32_t>(*heads));
  tiling.set_depth(static_cast<uint32_t>(shape.depth));
  if (!attention::Write(shape, cores, platform, tiling.plan)) {
    return ge::GRAPH_FAILED;
  }
  return blocks::Save(context, tiling, cores, attention::Workspace(platform, shape, cores));
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* query = context->GetInputShape(0);
  const int64_t* heads = context->GetAttrs()->GetInt(1);
  gert::Shape* outputs[] = {context->GetOutputShape(0), context->GetOutputShape(1), context->GetOutputShape(2)};
  if (query == nullptr || heads == nullptr || outputs[0] == nullptr || outputs[1] == nullptr || outputs[2] == nullptr ||
      query->GetDimNum() != 3) {
    return GRAPH_FAILED;
  }
  for (gert::Shape* statistics : {outputs[0], outputs[1]}) {
    statistics->SetDimNum(4);
    statistics->SetDim(0, query->GetDim(0));
    statistics->SetDim(1, *heads);
    statistics->SetDim(2, query->GetDim(1));
    statistics->SetDim(3, 8);
  }
  *outputs[2] = *query;
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, DT_FLOAT);
  context->SetOutputDataType(1, DT_FLOAT);
  return context->SetOutputDataType(2, DT_FLOAT16);
}
}  // namespace ge

namespace ops {
class FlashAttentionScoreWithLargeHeadDim : public OpDef {
 public:
  explicit FlashAttentionScoreWithLargeHeadDim(const char* name) : OpDef(name) {
    for (const char* input : {"query", "key", "value"}) {
      this->Input(input)
          .ParamType(REQUIRED)
          .DataType({ge::DT_FLOAT16})
          .Format({ge::FORMAT_ND})
          .UnknownShapeFormat({ge::FORMAT_ND})
          .AutoContiguous();
    }
    for (const char* output : {"softmax_max", "softmax_sum"}) {
      this->Output(output)
          .ParamType(REQUIRED)
          .DataType({ge::DT_FLOAT})
          .Format({ge::FORMAT_ND})
          .UnknownShapeFormat({ge::FORMAT_ND});
    }
    this->Output("attention_out")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND});
    this->Attr("scale_value").AttrType(OPTIONAL).Float(1.0);
    this->Attr("head_num").AttrType(REQUIRED).Int();
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(FlashAttentionScoreWithLargeHeadDim);
}  // namespace ops
