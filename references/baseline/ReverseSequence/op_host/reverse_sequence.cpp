#include <algorithm>

#include "op_host/row_moves.h"
#include "reverse_sequence_tiling.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const int64_t* seqDim = attrs->GetAttrPointer<int64_t>(0);
  const int64_t* batchDim = attrs->GetAttrPointer<int64_t>(1);
  if (seqDim == nullptr || batchDim == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const auto* shape = context->GetInputShape(0);
  if (shape == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const gert::Shape& x = shape->GetStorageShape();
  const int64_t rank = static_cast<int64_t>(x.GetDimNum());
  const int64_t axis = *seqDim < 0 ? *seqDim + rank : *seqDim;
  const int64_t batch = *batchDim < 0 ? *batchDim + rank : *batchDim;
  if (axis < 0 || axis >= rank || batch < 0 || batch >= rank || axis == batch ||
      SizeOf(context, 1) != static_cast<uint64_t>(x.GetDim(batch))) {
    return ge::GRAPH_FAILED;
  }
  // What lies behind both axes stays together.
  const size_t behind = static_cast<size_t>(std::max(axis, batch)) + 1;
  const uint64_t run = Extents(x, behind, x.GetDimNum());
  ReverseSequenceTilingData tiling;
  tiling.set_inner(Extents(x, static_cast<size_t>(axis) + 1, behind));
  tiling.set_extent(static_cast<uint64_t>(x.GetDim(axis)));
  tiling.set_batchInner(Extents(x, static_cast<size_t>(batch) + 1, behind));
  tiling.set_batch(static_cast<uint64_t>(x.GetDim(batch)));
  if (!PlanMoves(context, Extents(x, 0, behind), run * MovedBytes(TypeOf(context, 0)), tiling.moves)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 0, 0) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class ReverseSequence : public OpDef {
 public:
  explicit ReverseSequence(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8,  ge::DT_UINT8, ge::DT_INT16,
                                    ge::DT_UINT16,  ge::DT_INT32, ge::DT_INT64, ge::DT_BOOL,  ge::DT_COMPLEX64,
                                    ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8,  ge::DT_UINT8, ge::DT_INT16,
                                    ge::DT_UINT16,  ge::DT_INT32, ge::DT_INT64, ge::DT_BOOL,  ge::DT_COMPLEX64});
    DeclareInput(this->Input("seq_lengths"),
                 {ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32,
                  ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64,
                  ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64});
    DeclareOutput(this->Output("y"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8,  ge::DT_UINT8, ge::DT_INT16,
                                      ge::DT_UINT16,  ge::DT_INT32, ge::DT_INT64, ge::DT_BOOL,  ge::DT_COMPLEX64,
                                      ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8,  ge::DT_UINT8, ge::DT_INT16,
                                      ge::DT_UINT16,  ge::DT_INT32, ge::DT_INT64, ge::DT_BOOL,  ge::DT_COMPLEX64});
    this->Attr("seq_dim").AttrType(REQUIRED).Int();
    this->Attr("batch_dim").AttrType(OPTIONAL).Int(0);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(ReverseSequence);
}  // namespace ops
