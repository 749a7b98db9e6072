#include "common/inc/op_host/grouped_plan.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  return blocks::TileScaledGroups(context, blocks::Slices::ROWS);
}

REGISTER_TILING_DATA_CLASS(GroupedMatmulSliceMPerTokenDequant, GroupedTilingData)
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  return blocks::InferGroupsShape(context, blocks::Slices::ROWS, 4);
}
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, ge::DT_BF16);
}
}  // namespace ge

namespace ops {
class GroupedMatmulSliceMPerTokenDequant : public OpDef {
 public:
  explicit GroupedMatmulSliceMPerTokenDequant(const char* name) : OpDef(name) {
    blocks::DeclareTensor(this->Input("a"), ge::DT_INT8);
    blocks::DeclareTensor(this->Input("b"), ge::DT_INT8);
    blocks::DeclareTensor(this->Input("scale"), ge::DT_BF16);
    blocks::DeclareTensor(this->Input("per_token_scale"), ge::DT_BF16);
    blocks::DeclareTensor(this->Input("groupList"), ge::DT_INT64);
    blocks::DeclareTensor(this->Output("c"), ge::DT_BF16);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(GroupedMatmulSliceMPerTokenDequant);
}  // namespace ops
