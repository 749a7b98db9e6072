#include "op_host/elementwise.h"

namespace elementwise {
const Types COMPLEX = {ge::DT_COMPLEX64};
}  // namespace elementwise

namespace {
constexpr size_t N = 0;
constexpr size_t INCX = 1;
constexpr size_t INCY = 2;

// An element that is loaded alone takes a block of the unified buffer.
constexpr int64_t BLOCK_FLOATS = 8;

ge::graphStatus InferShape(gert::InferShapeContext* context) {
  const auto* attrs = context->GetAttrs();
  const int64_t* n = attrs == nullptr ? nullptr : attrs->GetAttrPointer<int64_t>(N);
  gert::Shape* y = context->GetOutputShape(0);
  if (n == nullptr || y == nullptr) {
    return ge::GRAPH_FAILED;
  }
  y->SetDimNum(1);
  y->SetDim(0, *n);
  return ge::GRAPH_SUCCESS;
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  const auto* x = context->GetInputShape(0);
  if (attrs == nullptr || x == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const int64_t* n = attrs->GetAttrPointer<int64_t>(N);
  const int64_t* incx = attrs->GetAttrPointer<int64_t>(INCX);
  const int64_t* incy = attrs->GetAttrPointer<int64_t>(INCY);
  if (n == nullptr || incx == nullptr || incy == nullptr || *n < 0 || *incx < 1 || *incy != 1) {
    return ge::GRAPH_FAILED;
  }
  if (*n > 0 && (*n - 1) * *incx >= x->GetStorageShape().GetShapeSize()) {
    return ge::GRAPH_FAILED;
  }
  const int64_t slots = *incx == 1 ? 0 : 2 * BLOCK_FLOATS;
  return elementwise::TileLength(context, {1, ge::DT_COMPLEX64, ge::DT_COMPLEX64, slots, {}}, *n, 0, *incx);
}

REGISTER_TILING_DATA_CLASS(Ccopy, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class Ccopy : public OpDef {
 public:
  explicit Ccopy(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), elementwise::COMPLEX);
    elementwise::Tensor(this->Output("y"), elementwise::COMPLEX);
    this->Attr("n").AttrType(OPTIONAL).Int(0);
    this->Attr("incx").AttrType(OPTIONAL).Int(1);
    this->Attr("incy").AttrType(OPTIONAL).Int(1);
    this->SetInferShape(InferShape).SetInferDataType(elementwise::InferSameType);
    elementwise::OnAtlasA2AndA3(*this, optiling::TilingFunc);
  }
};
OP_ADD(Ccopy);
}  // namespace ops
