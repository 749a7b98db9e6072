#include "common/inc/op_host/grouped_plan.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  return blocks::TileGroups(context, blocks::Slices::DEPTH);
}

REGISTER_TILING_DATA_CLASS(GroupedMatmulSliceK, GroupedTilingData)
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  return blocks::InferGroupsShape(context, blocks::Slices::DEPTH, 2);
}
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, ge::DT_FLOAT16);
}
}  // namespace ge

namespace ops {
class GroupedMatmulSliceK : public OpDef {
 public:
  explicit GroupedMatmulSliceK(const char* name) : OpDef(name) {
    blocks::DeclareTensor(this->Input("a"), ge::DT_FLOAT16);
    blocks::DeclareTensor(this->Input("b"), ge::DT_FLOAT16);
    blocks::DeclareTensor(this->Input("groupList"), ge::DT_INT64);
    blocks::DeclareTensor(this->Output("c"), ge::DT_FLOAT16);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(GroupedMatmulSliceK);
}  // namespace ops
