// What the kernel does, and on how many cores, is what the attributes say.
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"

BEGIN_TILING_DATA_DEF(ClockFiguresTiling)
TILING_DATA_FIELD_DEF(int64_t, form)
TILING_DATA_FIELD_DEF(int64_t, tiles)
TILING_DATA_FIELD_DEF(int64_t, bytes)
TILING_DATA_FIELD_DEF(int64_t, rows)
TILING_DATA_FIELD_DEF(int64_t, gap)
TILING_DATA_FIELD_DEF(int64_t, offset)
TILING_DATA_FIELD_DEF(int64_t, how)
END_TILING_DATA_DEF
REGISTER_TILING_DATA_CLASS(ClockFigures, ClockFiguresTiling)

static ge::graphStatus tiling(gert::TilingContext* context) {
  ClockFiguresTiling data;
  const auto attribute = [&](size_t index) { return *context->GetAttrs()->GetInt(index); };
  data.set_form(attribute(0));
  data.set_tiles(attribute(2));
  data.set_bytes(attribute(3));
  data.set_rows(attribute(4));
  data.set_gap(attribute(5));
  data.set_offset(attribute(6));
  data.set_how(attribute(7));
  data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(data.GetDataSize());
  context->SetBlockDim(static_cast<uint32_t>(attribute(1)));
  return ge::GRAPH_SUCCESS;
}

namespace ops {

class ClockFigures : public OpDef {
 public:
  explicit ClockFigures(const char* name) : OpDef(name) {
    Input("x").ParamType(REQUIRED).DataType({ge::DT_INT8}).Format({ge::FORMAT_ND});
    Output("y").ParamType(REQUIRED).DataType({ge::DT_INT8}).Format({ge::FORMAT_ND});
    for (const char* attribute : {"form", "blocks", "tiles", "bytes", "rows", "gap", "offset", "how"})
      Attr(attribute).Int();
    AICore().SetTiling(tiling).AddConfig("ascend910b");
  }
};

OP_ADD(ClockFigures);

}  // namespace ops
