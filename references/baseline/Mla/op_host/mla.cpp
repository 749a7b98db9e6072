#include <cmath>

#include "mla_tiling.h"

namespace {
constexpr int64_t NOPE = 512, ROPE = 64, BLOCK_SIZE = 128;

// The extents of an input of the rank and element type given; nullptr where it is something else.
const gert::Shape* Read(gert::TilingContext* context, size_t input, size_t rank, ge::DataType type) {
  const auto* shape = context->GetInputShape(input);
  const auto* description = context->GetInputDesc(input);
  if (shape == nullptr || description == nullptr || description->GetDataType() != type ||
      shape->GetStorageShape().GetDimNum() != rank) {
    return nullptr;
  }
  return &shape->GetStorageShape();
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t cores = platform.GetCoreNumAic();
  const auto* first = context->GetInputDesc(0);
  const bool isKnown =
      first != nullptr && (first->GetDataType() == ge::DT_FLOAT16 || first->GetDataType() == ge::DT_BF16);
  if (!isKnown || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  const ge::DataType type = first->GetDataType();
  const gert::Shape* nope = Read(context, 0, 3, type);
  const gert::Shape* rope = Read(context, 1, 3, type);
  const gert::Shape* keyNope = Read(context, 2, 4, type);
  const gert::Shape* keyRope = Read(context, 3, 4, type);
  const gert::Shape* table = Read(context, 4, 2, ge::DT_INT32);
  const auto* queries = context->GetAttrs()->GetListInt(0);
  const auto* keys = context->GetAttrs()->GetListInt(1);
  if (nope == nullptr || rope == nullptr || keyNope == nullptr || keyRope == nullptr || table == nullptr ||
      queries == nullptr || keys == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const int64_t heads = nope->GetDim(1);
  const int64_t keyHeads = keyNope->GetDim(2);
  const bool hasParts = nope->GetDim(2) == NOPE && rope->GetDim(2) == ROPE && keyNope->GetDim(3) == NOPE &&
                        keyRope->GetDim(3) == ROPE && keyNope->GetDim(1) == BLOCK_SIZE;
  const bool hasHeads = keyHeads > 0 && heads > 0 && heads % keyHeads == 0;
  const bool hasLengths = queries->GetSize() == keys->GetSize() && queries->GetSize() <= MOST_SEQUENCES &&
                          queries->GetSize() == static_cast<size_t>(table->GetDim(0));
  if (!hasParts || !hasHeads || !hasLengths) {
    return ge::GRAPH_FAILED;
  }

  MlaTilingData tiling;
  uint32_t queryLengths[MOST_SEQUENCES] = {};
  uint32_t keyLengths[MOST_SEQUENCES] = {};
  attention::Shape shape{};
  int64_t tokens = 0;
  for (size_t i = 0; i < queries->GetSize(); ++i) {
    const int64_t own = queries->GetData()[i];
    const int64_t seen = keys->GetData()[i];
    if (own < 0 || seen <= 0 || seen > table->GetDim(1) * BLOCK_SIZE) {
      return ge::GRAPH_FAILED;
    }
    queryLengths[i] = static_cast<uint32_t>(own);
    keyLengths[i] = static_cast<uint32_t>(seen);
    tokens += own;
    shape.keys = std::max(shape.keys, static_cast<uint64_t>(seen));
    // Rows that share keys: all of a sequence where there is one head of keys, those of one token otherwise.
    const int64_t units = keyHeads == 1 ? 1 : own * keyHeads;
    const int64_t rows = keyHeads == 1 ? own * heads : heads / keyHeads;
    shape.tiles += static_cast<uint64_t>(units) * blocks::CeilDiv(static_cast<uint64_t>(rows), attention::TILE_ROWS);
  }
  if (tokens != nope->GetDim(0)) {
    return ge::GRAPH_FAILED;
  }
  shape.depth = shape.resultColumns = NOPE;
  shape.scale = 1 / std::sqrt(static_cast<double>(NOPE + ROPE));
  tiling.set_sequences(static_cast<uint32_t>(queries->GetSize()));
  tiling.set_heads(static_cast<uint32_t>(heads));
  tiling.set_keyHeads(static_cast<uint32_t>(keyHeads));
  tiling.set_tableColumns(static_cast<uint32_t>(table->GetDim(1)));
  tiling.set_tiles(static_cast<uint32_t>(shape.tiles));
  tiling.set_queries(queryLengths);
  tiling.set_keys(keyLengths);
  if (!attention::Write(shape, cores, platform, tiling.plan)) {
    return ge::GRAPH_FAILED;
  }
  return blocks::Save(context, tiling, cores, attention::Workspace(platform, shape, cores));
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* query = context->GetInputShape(0);
  gert::Shape* out = context->GetOutputShape(0);
  if (query == nullptr || out == nullptr) {
    return GRAPH_FAILED;
  }
  *out = *query;
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}  // namespace ge

namespace ops {
class Mla : public OpDef {
 public:
  explicit Mla(const char* name) : OpDef(name) {
    for (const char* input : {"query_nope", "query_rope", "kv_nope_cache", "kv_rope_cache"}) {
      this->Input(input)
          .ParamType(REQUIRED)
          .DataType({ge::DT_FLOAT16, ge::DT_BF16})
          .Format({ge::FORMAT_ND, ge::FORMAT_ND})
          .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND})
          .AutoContiguous();
    }
    this->Input("block_tables")
        .ParamType(REQUIRED)
        .DataType({ge::DT_INT32, ge::DT_INT32})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Output("out")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("q_seqlen_list").AttrType(REQUIRED).ListInt();
    this->Attr("k_seqlen_list").AttrType(REQUIRED).ListInt();
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(Mla);
}  // namespace ops
