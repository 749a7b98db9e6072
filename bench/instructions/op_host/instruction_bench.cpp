// The instruction form is the tiling key; nothing is tiled.
#include "instruction_bench_tiling.h"

#include "register/op_def_registry.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  context->SetTilingKey(static_cast<uint64_t>(*context->GetAttrs()->GetInt(0)));
  context->SetBlockDim(1);
  InstructionBenchTilingData data;
  data.set_executions(static_cast<int32_t>(*context->GetAttrs()->GetInt(1)));
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
    this->Attr("executions").AttrType(REQUIRED).Int();
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(InstructionBench);
}  // namespace ops
