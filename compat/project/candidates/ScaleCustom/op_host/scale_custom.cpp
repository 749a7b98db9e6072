#include "scale_custom_tiling.h"

#include "register/op_def_registry.h"

namespace optiling {
constexpr uint32_t CORES = 8;
constexpr uint32_t BLOCK = 8;  // float32 elements in 32 bytes

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const uint32_t length = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  const uint32_t blocks = (length + BLOCK - 1) / BLOCK;
  const uint32_t perCore = (blocks + CORES - 1) / CORES * BLOCK;
  ScaleCustomTilingData tiling;
  tiling.set_length(length);
  tiling.set_lengthPerCore(perCore);
  tiling.set_factor(*context->GetAttrs()->GetFloat(0));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim((length + perCore - 1) / perCore);
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class ScaleCustom : public OpDef {
 public:
  explicit ScaleCustom(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("factor").AttrType(OPTIONAL).Float(2.0f);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(ScaleCustom);
}  // namespace ops
