#include <algorithm>
#include <cstring>

#include "gelu_quant_tiling.h"
#include "op_host/op_declaration.h"

namespace {
constexpr uint64_t STATIC = 1;  // tiling keys
constexpr uint64_t DYNAMIC = 2;
constexpr size_t SCALE = 1;  // inputs
constexpr size_t OFFSET = 2;
constexpr uint64_t MANY = 2;  // scales: one for each column
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  const char* approximate = attrs == nullptr ? nullptr : attrs->GetStr(0);
  const char* mode = attrs == nullptr ? nullptr : attrs->GetStr(1);
  if (approximate == nullptr || mode == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const bool dynamic = std::strcmp(mode, "dynamic") == 0;
  const auto* shape = context->GetInputShape(0);
  if (shape == nullptr || shape->GetStorageShape().GetDimNum() == 0) {
    return ge::GRAPH_FAILED;
  }
  const gert::Shape& x = shape->GetStorageShape();
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  RowNeeds needs;
  needs.columns = static_cast<uint64_t>(x.GetDim(x.GetDimNum() - 1));
  if (needs.columns == 0 || bytes == 0) {
    return ge::GRAPH_FAILED;
  }
  needs.rows = static_cast<uint64_t>(x.GetShapeSize()) / needs.columns;
  needs.inputBytes = bytes;
  needs.outputBytes = 1;
  needs.works = 5;
  needs.kept = 1;
  needs.smallest = bytes;
  needs.smallest = 1;
  needs.reduces = dynamic;
  needs.rowScalars = dynamic;
  const uint64_t scales = SizeOf(context, SCALE);
  const uint64_t offsets = dynamic ? 0 : SizeOf(context, OFFSET);
  if ((scales > 1 && scales != needs.columns) || (offsets > 1 && offsets != needs.columns)) {
    return ge::GRAPH_FAILED;
  }
  needs.vectors = (scales > 1 ? 1 : 0) + (offsets > 1 ? 1 : 0);
  needs.vectorBytes = needs.vectors * bytes;
  GeluQuantTilingData tiling;
  tiling.set_exact(std::strcmp(approximate, "none") == 0 ? 1 : 0);
  tiling.set_scales(static_cast<uint32_t>(std::min<uint64_t>(scales, MANY)));
  tiling.set_offsets(static_cast<uint32_t>(std::min<uint64_t>(offsets, MANY)));
  context->SetTilingKey(dynamic ? DYNAMIC : STATIC);
  if (!PlanRows(context, needs, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 0, 0) != GRAPH_SUCCESS || CopyShape(context, 0, 1) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  gert::Shape* scale = context->GetOutputShape(1);
  if (scale->GetDimNum() > 0) {
    scale->SetDim(scale->GetDimNum() - 1, 1);
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, DT_INT8);
  context->SetOutputDataType(1, DT_FLOAT);
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class GeluQuant : public OpDef {
 public:
  explicit GeluQuant(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("input_scale"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16}, OPTIONAL);
    DeclareInput(this->Input("input_offset"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16}, OPTIONAL);
    DeclareOutput(this->Output("y"), {ge::DT_INT8, ge::DT_INT8, ge::DT_INT8});
    DeclareOutput(this->Output("out_scale"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    this->Attr("approximate").AttrType(OPTIONAL).String("none");
    this->Attr("quant_mode").AttrType(OPTIONAL).String("dynamic");
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(GeluQuant);
}  // namespace ops
