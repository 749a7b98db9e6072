#include "gemm_tiling.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAic();
  blocks::Problem problem{};
  if (!blocks::ReadProduct(context, 2, ge::DT_FLOAT, problem) || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  if (!blocks::HasLength(context, 2, ge::DT_FLOAT, problem.m * problem.n)) {
    return ge::GRAPH_FAILED;
  }
  const float* alpha = context->GetAttrs()->GetFloat(0);
  const float* beta = context->GetAttrs()->GetFloat(1);
  if (alpha == nullptr || beta == nullptr) {
    return ge::GRAPH_FAILED;
  }
  problem.inBytes = 4;
  problem.outBytes = blocks::SUM_BYTES;
  const blocks::Plan plan = blocks::Choose(problem, cores, platform);
  if (plan.baseM == 0) {
    return ge::GRAPH_FAILED;
  }
  GemmTilingData tiling;
  tiling.set_m(static_cast<uint32_t>(problem.m));
  tiling.set_n(static_cast<uint32_t>(problem.n));
  tiling.set_k(static_cast<uint32_t>(problem.k));
  tiling.set_alpha(*alpha);
  tiling.set_beta(*beta);
  blocks::Write(plan, tiling.plan);
  const uint64_t groups = std::min(cores, blocks::CountBlocks(plan, problem));
  return blocks::Save(context, tiling, groups, blocks::MixedWorkspace(platform, plan, groups));
}
}  // namespace optiling

namespace ops {
class Gemm : public OpDef {
 public:
  explicit Gemm(const char* name) : OpDef(name) {
    this->Input("a")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("b")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("c")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Attr("alpha").Float();
    this->Attr("beta").Float();
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(Gemm);
}  // namespace ops
