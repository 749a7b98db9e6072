#include "op_host/elementwise.h"

namespace {
// What each type is converted to. Column by column, these are the types of x and y.
struct Conversions {
  ge::DataType from;
  std::vector<ge::DataType> to;
};
const std::vector<Conversions> CONVERSIONS = {
    {ge::DT_FLOAT16, {ge::DT_FLOAT, ge::DT_INT8, ge::DT_INT32, ge::DT_INT16, ge::DT_UINT8, ge::DT_BOOL, ge::DT_BF16}},
    {ge::DT_FLOAT,
     {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_INT32, ge::DT_INT64, ge::DT_BOOL, ge::DT_INT8, ge::DT_UINT8, ge::DT_INT16}},
    {ge::DT_INT32,
     {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_INT8, ge::DT_UINT8, ge::DT_INT16, ge::DT_INT64, ge::DT_BOOL}},
    {ge::DT_INT8,
     {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_UINT8, ge::DT_BOOL, ge::DT_BF16, ge::DT_INT16, ge::DT_INT64}},
    {ge::DT_UINT8, {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_INT8, ge::DT_INT16, ge::DT_BF16, ge::DT_INT64}},
    {ge::DT_BOOL, {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_INT8, ge::DT_UINT8, ge::DT_BF16, ge::DT_INT64}},
    {ge::DT_INT64,
     {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_INT32, ge::DT_UINT8, ge::DT_BOOL, ge::DT_INT16, ge::DT_BF16}},
    {ge::DT_BF16, {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_INT32, ge::DT_UINT8, ge::DT_BOOL}},
    {ge::DT_INT16, {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_INT32, ge::DT_UINT8, ge::DT_INT64}},
};

elementwise::Types TypesOf(bool results) {
  elementwise::Types types;
  for (const Conversions& conversions : CONVERSIONS) {
    for (const ge::DataType to : conversions.to) {
      types.push_back(results ? to : conversions.from);
    }
  }
  return types;
}

ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
  const auto* attrs = context->GetAttrs();
  const int64_t* type = attrs == nullptr ? nullptr : attrs->GetAttrPointer<int64_t>(0);
  return type == nullptr ? ge::GRAPH_FAILED : context->SetOutputDataType(0, static_cast<ge::DataType>(*type));
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  constexpr int64_t slots = 4;  // of the types that a conversion passes through
  const auto* y = context->GetOutputDesc(0);
  if (y == nullptr) {
    return ge::GRAPH_FAILED;
  }
  return elementwise::Tile(context, {1, elementwise::TypeOf(context), y->GetDataType(), slots, {}});
}

REGISTER_TILING_DATA_CLASS(CastMath, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class CastMath : public OpDef {
 public:
  explicit CastMath(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), TypesOf(false));
    elementwise::Tensor(this->Output("y"), TypesOf(true));
    this->Attr("dst_type").AttrType(REQUIRED).Int();
    elementwise::Define(*this, optiling::TilingFunc, InferDataType);
  }
};
OP_ADD(CastMath);
}  // namespace ops
