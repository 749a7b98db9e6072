// The instruction form is the tiling key; nothing is tiled.
#include "instruction_bench_tiling.h"

#include <chrono>

#include "../op_kernel/ticks.h"
#include "register/op_def_registry.h"

namespace optiling {

// How long a tick of the processor's clock takes, in nanoseconds.
static float nsPerTick() {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const int64_t first = ticks();
  while (Clock::now() - begin < std::chrono::milliseconds(20)) continue;
  const int64_t passed = ticks() - first;
  return std::chrono::duration<float, std::nano>(Clock::now() - begin).count() / static_cast<float>(passed);
}

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  context->SetTilingKey(static_cast<uint64_t>(*context->GetAttrs()->GetInt(0)));
  context->SetBlockDim(1);
  InstructionBenchTilingData data;
  data.set_nsPerTick(nsPerTick());
  data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(data.GetDataSize());
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class InstructionBench : public OpDef {
 public:
  explicit InstructionBench(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("form").AttrType(REQUIRED).Int();
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(InstructionBench);
}  // namespace ops
