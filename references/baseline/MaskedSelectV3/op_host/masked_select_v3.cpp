#include <algorithm>

#include "masked_select_v3_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  constexpr uint64_t TILE_LENGTH = 2048;      // all buffers of one step fit whatever the type
  constexpr uint64_t MIN_CORE_LENGTH = 2048;  // meeting costs more than it saves on less
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t total = SizeOf(context, 0);
  if (total == 0 || SizeOf(context, 1) != total || MovedBytes(TypeOf(context, 0)) == 0 ||
      platform.GetCoreNumAiv() == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t cores = std::min<uint64_t>(platform.GetCoreNumAiv(), CeilDiv(total, MIN_CORE_LENGTH));
  const uint64_t perCore = AlignUp(CeilDiv(total, cores), TILE_LENGTH / 4);
  MaskedSelectV3TilingData tiling;
  tiling.set_length(total);
  tiling.set_lengthPerCore(perCore);
  tiling.set_tileLength(static_cast<uint32_t>(TILE_LENGTH));
  context->SetBlockDim(static_cast<uint32_t>(CeilDiv(total, perCore)));
  PlanCoreSums(context);
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  gert::Shape* y = context->GetOutputShape(0);
  if (y == nullptr) {
    return GRAPH_FAILED;
  }
  *y = gert::Shape({-1});  // as many as the mask has true elements
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class MaskedSelectV3 : public OpDef {
 public:
  explicit MaskedSelectV3(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"),
                 {ge::DT_BOOL, ge::DT_INT8, ge::DT_UINT8, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_INT16, ge::DT_UINT16,
                  ge::DT_FLOAT, ge::DT_INT32, ge::DT_UINT32, ge::DT_UINT64, ge::DT_INT64, ge::DT_DOUBLE});
    DeclareInput(this->Input("mask"),
                 {ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL,
                  ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL});
    // how many there are only the kernel knows: the runtime appends an argument where it tells the shape
    DeclareOutput(this->Output("y").OutputShapeDependOnCompute(),
                  {ge::DT_BOOL, ge::DT_INT8, ge::DT_UINT8, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_INT16, ge::DT_UINT16,
                   ge::DT_FLOAT, ge::DT_INT32, ge::DT_UINT32, ge::DT_UINT64, ge::DT_INT64, ge::DT_DOUBLE});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(MaskedSelectV3);
}  // namespace ops
