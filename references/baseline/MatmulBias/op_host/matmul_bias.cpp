#include "matmul_bias_tiling.h"

namespace {
constexpr uint64_t BIAS_BYTES = 512;  // of one block in L1
}

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAic();
  blocks::Problem problem{};
  if (!blocks::ReadProduct(context, 2, ge::DT_FLOAT16, problem) || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  if (!blocks::HasLength(context, 2, ge::DT_FLOAT16, problem.n)) {
    return ge::GRAPH_FAILED;
  }
  problem.inBytes = problem.outBytes = 2;
  problem.otherBytes = BIAS_BYTES;
  const blocks::Plan plan = blocks::Choose(problem, cores, platform);
  if (plan.baseM == 0) {
    return ge::GRAPH_FAILED;
  }
  MatmulBiasTilingData tiling;
  tiling.set_m(static_cast<uint32_t>(problem.m));
  tiling.set_n(static_cast<uint32_t>(problem.n));
  tiling.set_k(static_cast<uint32_t>(problem.k));
  blocks::Write(plan, tiling.plan);
  return blocks::Save(context, tiling, std::min(cores, blocks::CountBlocks(plan, problem)), 0);
}
}  // namespace optiling

namespace ge {
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}  // namespace ge

namespace ops {
class MatmulBias : public OpDef {
 public:
  explicit MatmulBias(const char* name) : OpDef(name) {
    this->Input("a")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("b")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("bias")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Output("d")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND});
    this->SetInferShape(blocks::InferProductShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(MatmulBias);
}  // namespace ops
