#include <algorithm>
#include <limits>

#include "gemv_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace {
// Less than this is not worth a core of its own.
constexpr uint64_t MIN_CORE_BYTES = 2048;

bool HasLength(gert::TilingContext* context, size_t input, int64_t length) {
  const auto* shape = context->GetInputShape(input);
  const auto* description = context->GetInputDesc(input);
  return shape != nullptr && description != nullptr && description->GetDataType() == ge::DT_FLOAT &&
         shape->GetStorageShape().GetShapeSize() == length;
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAiv();
  const auto* aShape = context->GetInputShape(0);
  const float* alpha = context->GetAttrs()->GetFloat(0);
  const float* beta = context->GetAttrs()->GetFloat(1);
  if (aShape == nullptr || aShape->GetStorageShape().GetDimNum() != 2 || alpha == nullptr || beta == nullptr ||
      cores == 0) {
    return ge::GRAPH_FAILED;
  }
  const int64_t m = aShape->GetStorageShape().GetDim(0);
  const int64_t n = aShape->GetStorageShape().GetDim(1);
  constexpr int64_t limit = std::numeric_limits<int32_t>::max();
  if (m <= 0 || n <= 0 || m > limit || n > limit || !HasLength(context, 0, m * n) || !HasLength(context, 1, n) ||
      !HasLength(context, 2, m)) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t rows = static_cast<uint64_t>(m);
  const uint64_t rowBytes = static_cast<uint64_t>(n) * sizeof(float);
  const uint64_t leastRows = (MIN_CORE_BYTES + rowBytes - 1) / rowBytes;
  const uint64_t used = std::min(cores, std::max<uint64_t>(1, rows / leastRows));
  GemvTilingData tiling;
  tiling.set_m(static_cast<uint32_t>(m));
  tiling.set_n(static_cast<uint32_t>(n));
  tiling.set_rows(static_cast<uint32_t>(rows / used));
  tiling.set_longCores(static_cast<uint32_t>(rows % used));
  tiling.set_alpha(*alpha);
  tiling.set_beta(*beta);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(static_cast<uint32_t>(used));
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* y = context->GetInputShape(2);
  gert::Shape* out = context->GetOutputShape(0);
  if (y == nullptr || out == nullptr) {
    return GRAPH_FAILED;
  }
  *out = *y;
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}  // namespace ge

namespace ops {
class Gemv : public OpDef {
 public:
  explicit Gemv(const char* name) : OpDef(name) {
    this->Input("a")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Output("out")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND});
    this->Attr("alpha").Float();
    this->Attr("beta").Float();
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(Gemv);
}  // namespace ops
