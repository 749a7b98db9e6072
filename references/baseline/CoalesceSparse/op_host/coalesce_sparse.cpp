#include <algorithm>

#include "coalesce_sparse_tiling.h"
#include "op_host/row_moves.h"

namespace {
constexpr size_t ROWS = 0;  // inputs
constexpr size_t PLACES = 1;
constexpr size_t INDICES = 2;
constexpr size_t VALUES = 3;
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const uint64_t entries = SizeOf(context, PLACES);
  if (entries == 0 || SizeOf(context, INDICES) % entries != 0 || SizeOf(context, VALUES) % entries != 0 ||
      SizeOf(context, ROWS) == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t indexBytes = SizeOf(context, INDICES) / entries * MovedBytes(TypeOf(context, INDICES));
  const uint64_t valueBytes = SizeOf(context, VALUES) / entries * MovedBytes(TypeOf(context, VALUES));
  CoalesceSparseTilingData tiling;
  tiling.set_entries(entries);
  if (!PlanMoves(context, entries, indexBytes, tiling.indices) ||
      !PlanMoves(context, entries, valueBytes, tiling.values)) {
    return ge::GRAPH_FAILED;
  }
  context->SetBlockDim(std::max(tiling.indices.get_cores(), tiling.values.get_cores()));
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* rows = context->GetInputShape(0);
  if (rows == nullptr || CopyShape(context, 2, 0) != GRAPH_SUCCESS || CopyShape(context, 3, 1) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  for (size_t output = 0; output < 2; ++output) {
    context->GetOutputShape(output)->SetDim(0, rows->GetDim(0));
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(2));
  context->SetOutputDataType(1, context->GetInputDataType(3));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class CoalesceSparse : public OpDef {
 public:
  explicit CoalesceSparse(const char* name) : OpDef(name) {
    DeclareInput(this->Input("unique_len"),
                 {ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT32,
                  ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32});
    DeclareInput(this->Input("unique_indices"),
                 {ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT32,
                  ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32});
    DeclareInput(this->Input("indices"),
                 {ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT64,
                  ge::DT_INT64, ge::DT_INT64, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32});
    DeclareInput(this->Input("values"),
                 {ge::DT_FLOAT, ge::DT_INT32, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_FLOAT16, ge::DT_FLOAT,
                  ge::DT_INT32, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_FLOAT16});
    DeclareOutput(this->Output("new_indices"),
                  {ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT64,
                   ge::DT_INT64, ge::DT_INT64, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32});
    DeclareOutput(this->Output("new_values"),
                  {ge::DT_FLOAT, ge::DT_INT32, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_FLOAT16, ge::DT_FLOAT,
                   ge::DT_INT32, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_FLOAT16});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(CoalesceSparse);
}  // namespace ops
