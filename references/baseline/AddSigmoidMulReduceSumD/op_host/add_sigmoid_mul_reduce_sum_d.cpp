#include <algorithm>

#include "add_sigmoid_mul_reduce_sum_d_tiling.h"
#include "op_host/op_declaration.h"

namespace {
constexpr size_t BIAS = 1;  // inputs
constexpr size_t WEIGHT = 3;
constexpr size_t OTHER = 4;
constexpr uint64_t SUM_UNIT = 64;
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* shape = context->GetInputShape(0);
  if (shape == nullptr || shape->GetStorageShape().GetDimNum() != 3 || SizeOf(context, 0) == 0) {
    return ge::GRAPH_FAILED;
  }
  const gert::Shape& x = shape->GetStorageShape();
  RowNeeds needs;
  needs.rows = static_cast<uint64_t>(x.GetDim(0) * x.GetDim(1));
  needs.columns = static_cast<uint64_t>(x.GetDim(2));
  if (SizeOf(context, BIAS) != needs.columns || SizeOf(context, WEIGHT) != needs.rows ||
      SizeOf(context, OTHER) != SizeOf(context, 0)) {
    return ge::GRAPH_FAILED;
  }
  needs.inputBytes = 2 * sizeof(uint16_t);
  needs.works = 3;
  needs.vectors = 1;
  needs.vectorBytes = sizeof(uint16_t);
  needs.fixedBytes = AlignUp(needs.columns, SUM_UNIT) * sizeof(float);
  AddSigmoidMulReduceSumDTilingData tiling;
  tiling.set_sums(static_cast<uint64_t>(x.GetDim(0)));
  tiling.set_terms(static_cast<uint64_t>(x.GetDim(1)));
  if (!PlanRows(context, needs, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  // A core computes whole sums.
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  context->SetBlockDim(static_cast<uint32_t>(std::min<uint64_t>(platform.GetCoreNumAiv(), tiling.get_sums())));
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(0);
  gert::Shape* out = context->GetOutputShape(0);
  if (x == nullptr || out == nullptr || x->GetDimNum() != 3) {
    return GRAPH_FAILED;
  }
  *out = gert::Shape({x->GetDim(0), x->GetDim(2)});
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class AddSigmoidMulReduceSumD : public OpDef {
 public:
  explicit AddSigmoidMulReduceSumD(const char* name) : OpDef(name) {
    DeclareInput(this->Input("add_0_input0"), {ge::DT_FLOAT16});
    DeclareInput(this->Input("add_0_input1"), {ge::DT_FLOAT16});
    DeclareInput(this->Input("mul_0_input1"), {ge::DT_FLOAT16});
    DeclareInput(this->Input("mult_1_input1"), {ge::DT_FLOAT16});
    DeclareInput(this->Input("mult_2_input1"), {ge::DT_FLOAT16});
    DeclareOutput(this->Output("out"), {ge::DT_FLOAT16});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(AddSigmoidMulReduceSumD);
}  // namespace ops
