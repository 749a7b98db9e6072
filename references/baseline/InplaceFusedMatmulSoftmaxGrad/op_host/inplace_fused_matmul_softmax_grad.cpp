#include "common/inc/op_host/op_declaration.h"
#include "inplace_fused_matmul_softmax_grad_tiling.h"

namespace {
constexpr uint64_t LONGEST = std::numeric_limits<int32_t>::max();

// The extents of softmaxOutput[..., m, n], gradOutput[..., m, k] and values[..., n, k], all of one element type.
bool ReadProblem(gert::TilingContext* context, blocks::Problem& problem) {
  const gert::Shape* shapes[3];
  for (size_t input = 0; input < 3; ++input) {
    const auto* shape = context->GetInputShape(input);
    const auto* description = context->GetInputDesc(input);
    if (shape == nullptr || description == nullptr ||
        description->GetDataType() != context->GetInputDesc(0)->GetDataType()) {
      return false;
    }
    shapes[input] = &shape->GetStorageShape();
  }
  const gert::Shape& softmax = *shapes[0];
  const size_t rank = softmax.GetDimNum();
  if (rank < 2 || shapes[1]->GetDimNum() != rank || shapes[2]->GetDimNum() != rank) {
    return false;
  }
  problem.products = 1;
  for (size_t i = 0; i + 2 < rank; ++i) {
    if (softmax.GetDim(i) != shapes[1]->GetDim(i) || softmax.GetDim(i) != shapes[2]->GetDim(i)) {
      return false;
    }
    problem.products *= static_cast<uint64_t>(softmax.GetDim(i));
  }
  problem.m = static_cast<uint64_t>(softmax.GetDim(rank - 2));
  problem.n = static_cast<uint64_t>(softmax.GetDim(rank - 1));
  problem.k = static_cast<uint64_t>(shapes[1]->GetDim(rank - 1));
  const bool agree = shapes[1]->GetDim(rank - 2) == softmax.GetDim(rank - 2) &&
                     shapes[2]->GetDim(rank - 2) == softmax.GetDim(rank - 1) &&
                     shapes[2]->GetDim(rank - 1) == shapes[1]->GetDim(rank - 1);
  const bool none = problem.products == 0 || problem.m == 0 || problem.n == 0 || problem.k == 0;
  return agree && !none && std::max({problem.products, problem.m, problem.n, problem.k}) <= LONGEST;
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAic();
  blocks::Problem problem{};
  if (!ReadProblem(context, problem) || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  problem.inBytes = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? sizeof(float) : sizeof(uint16_t);
  problem.outBytes = blocks::SUM_BYTES;
  const blocks::Plan plan = blocks::Choose(problem, cores, platform);
  if (plan.baseM == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t count = blocks::CountBlocks(plan, problem);
  const uint64_t groups = std::min(cores, count);
  const uint64_t blocksPerGroup = blocks::CeilDiv(count, groups);
  if (blocksPerGroup > LONGEST) {
    return ge::GRAPH_FAILED;
  }
  InplaceFusedMatmulSoftmaxGradTilingData tiling;
  tiling.set_batches(static_cast<uint32_t>(problem.products));
  tiling.set_m(static_cast<uint32_t>(problem.m));
  tiling.set_n(static_cast<uint32_t>(problem.n));
  tiling.set_k(static_cast<uint32_t>(problem.k));
  tiling.set_blocksPerGroup(static_cast<uint32_t>(blocksPerGroup));
  blocks::Write(plan, tiling.plan);
  // every product, and the sum of each row of every block
  const uint64_t products = groups * blocksPerGroup * plan.baseM * plan.baseN;
  const uint64_t sums = problem.products * blocks::CeilDiv(problem.n, plan.baseN) * problem.m;
  return blocks::Save(context, tiling, groups,
                      platform.GetLibApiWorkSpaceSize() + (products + sums) * blocks::SUM_BYTES);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) { return CopyShape(context, 0, 0); }

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}  // namespace ge

namespace ops {
class InplaceFusedMatmulSoftmaxGrad : public OpDef {
 public:
  explicit InplaceFusedMatmulSoftmaxGrad(const char* name) : OpDef(name) {
    for (const char* input : {"softmaxOutput", "gradOutput", "values"}) {
      DeclareInput(this->Input(input), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    }
    DeclareOutput(this->Output("softmaxOutput"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(InplaceFusedMatmulSoftmaxGrad);
}  // namespace ops
