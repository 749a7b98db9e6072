#include <algorithm>
#include <limits>

#include "basic_matmul_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace {
constexpr uint64_t FRACTAL = 16;  // edge of the smallest matrix the cube multiplies
constexpr uint64_t INPUT_BYTES = 2;
constexpr uint64_t SUM_BYTES = 4;
constexpr uint64_t DOUBLE = 2;
constexpr uint64_t BASES[] = {16, 32, 64, 96, 128, 192, 256};
constexpr uint64_t MAX_BASE_K = 256;
constexpr uint64_t MAX_TILE_K = 512;

// Rough figures of one cube core, for choosing between block shapes only.
constexpr uint64_t LOAD_BYTES_PER_CYCLE = 96;
constexpr uint64_t STORE_BYTES_PER_CYCLE = 96;
constexpr uint64_t CYCLES_PER_STEP = 32;  // issue of one step of L0 loads and multiplication

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
uint64_t AlignUp(uint64_t a, uint64_t b) { return CeilDiv(a, b) * b; }

struct Memories {
  uint64_t l1, l0a, l0b, l0c;
};

struct Blocking {
  uint64_t baseM = 0, baseN = 0, baseK = 0, tileK = 0, l0cBuffers = 1;
  uint64_t cycles = std::numeric_limits<uint64_t>::max();
};

// Fills in the depths for a block shape; `cycles` stays at its maximum when the shape does not fit.
Blocking Consider(uint64_t baseM, uint64_t baseN, uint64_t m, uint64_t n, uint64_t k, uint64_t cores,
                  const Memories& memory) {
  Blocking blocking;
  blocking.baseM = baseM;
  blocking.baseN = baseN;
  const uint64_t l0Depth =
      std::min(memory.l0a / (DOUBLE * INPUT_BYTES * baseM), memory.l0b / (DOUBLE * INPUT_BYTES * baseN));
  const uint64_t neededDepth = AlignUp(k, FRACTAL);
  blocking.baseK = std::min({l0Depth / FRACTAL * FRACTAL, MAX_BASE_K, neededDepth});
  if (blocking.baseK == 0 || baseM * baseN * SUM_BYTES > memory.l0c) {
    return blocking;
  }
  const uint64_t l1Depth = std::min(memory.l1 / (DOUBLE * INPUT_BYTES * (baseM + baseN)), MAX_TILE_K);
  blocking.tileK = l1Depth / blocking.baseK * blocking.baseK;
  if (blocking.tileK == 0) {
    return blocking;
  }
  blocking.l0cBuffers = DOUBLE * baseM * baseN * SUM_BYTES <= memory.l0c ? DOUBLE : 1;

  const uint64_t waves = CeilDiv(CeilDiv(m, baseM) * CeilDiv(n, baseN), cores);
  const uint64_t steps = CeilDiv(k, blocking.baseK);
  const uint64_t multiply = (baseM / FRACTAL) * (baseN / FRACTAL) * CeilDiv(k, FRACTAL) + steps * CYCLES_PER_STEP;
  const uint64_t load = (baseM + baseN) * k * INPUT_BYTES / LOAD_BYTES_PER_CYCLE;
  const uint64_t store = baseM * baseN * INPUT_BYTES / STORE_BYTES_PER_CYCLE;
  // The first tile of a core and, where nothing overlaps it, the store of every block stand alone.
  const uint64_t fill = (baseM + baseN) * std::min(blocking.tileK, k) * INPUT_BYTES / LOAD_BYTES_PER_CYCLE;
  const uint64_t exposedStores = blocking.l0cBuffers == DOUBLE ? 1 : waves;
  blocking.cycles = waves * std::max(multiply, load) + fill + exposedStores * store;
  return blocking;
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAic();
  Memories memory{};
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::L1, memory.l1);
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::L0_A, memory.l0a);
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::L0_B, memory.l0b);
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::L0_C, memory.l0c);

  const auto* aShape = context->GetInputShape(0);
  const auto* bShape = context->GetInputShape(1);
  const auto* aDesc = context->GetInputDesc(0);
  const auto* bDesc = context->GetInputDesc(1);
  if (aShape == nullptr || bShape == nullptr || aDesc == nullptr || bDesc == nullptr || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  const gert::Shape& a = aShape->GetStorageShape();
  const gert::Shape& b = bShape->GetStorageShape();
  if (aDesc->GetDataType() != ge::DT_FLOAT16 || bDesc->GetDataType() != ge::DT_FLOAT16 || a.GetDimNum() != 2 ||
      b.GetDimNum() != 2 || a.GetDim(1) != b.GetDim(0)) {
    return ge::GRAPH_FAILED;
  }
  const int64_t m = a.GetDim(0);
  const int64_t k = a.GetDim(1);
  const int64_t n = b.GetDim(1);
  constexpr int64_t limit = std::numeric_limits<int32_t>::max();
  if (m <= 0 || k <= 0 || n <= 0 || m > limit || k > limit || n > limit) {
    return ge::GRAPH_FAILED;
  }

  Blocking best;
  for (const uint64_t baseM : BASES) {
    for (const uint64_t baseN : BASES) {
      const Blocking blocking = Consider(baseM, baseN, m, n, k, cores, memory);
      if (blocking.cycles < best.cycles) {
        best = blocking;
      }
    }
  }
  if (best.baseM == 0) {
    return ge::GRAPH_FAILED;
  }

  BasicMatmulTilingData tiling;
  tiling.set_m(static_cast<uint32_t>(m));
  tiling.set_n(static_cast<uint32_t>(n));
  tiling.set_k(static_cast<uint32_t>(k));
  tiling.set_baseM(static_cast<uint32_t>(best.baseM));
  tiling.set_baseN(static_cast<uint32_t>(best.baseN));
  tiling.set_baseK(static_cast<uint32_t>(best.baseK));
  tiling.set_tileK(static_cast<uint32_t>(best.tileK));
  tiling.set_l0cBuffers(static_cast<uint32_t>(best.l0cBuffers));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());

  const uint64_t blocks = CeilDiv(m, best.baseM) * CeilDiv(n, best.baseN);
  context->SetBlockDim(static_cast<uint32_t>(std::min(cores, blocks)));
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* a = context->GetInputShape(0);
  const gert::Shape* b = context->GetInputShape(1);
  gert::Shape* c = context->GetOutputShape(0);
  if (a == nullptr || b == nullptr || c == nullptr || a->GetDimNum() != 2 || b->GetDimNum() != 2) {
    return GRAPH_FAILED;
  }
  c->SetDimNum(2);
  c->SetDim(0, a->GetDim(0));
  c->SetDim(1, b->GetDim(1));
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}  // namespace ge

namespace ops {
class BasicMatmul : public OpDef {
 public:
  explicit BasicMatmul(const char* name) : OpDef(name) {
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
    this->Output("c")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(BasicMatmul);
}  // namespace ops
