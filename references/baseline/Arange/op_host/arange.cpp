#include <cmath>
#include <cstring>

#include "op_host/elementwise.h"

namespace elementwise {
const Types TYPES = {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32, ge::DT_INT64, ge::DT_BF16};
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* out = context->GetOutputShape(0);
  if (out == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const ge::DataType type = elementwise::TypeOf(context);
  return elementwise::TileLength(context, {1, type, type, 2, {}}, out->GetStorageShape().GetShapeSize());
}

REGISTER_TILING_DATA_CLASS(Arange, ElementwiseTilingData)
}  // namespace optiling

namespace {
float FloatOfHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const float mantissa = static_cast<float>(bits & 0x3ff);
  const float magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024.0f + mantissa, exponent - 25);
  return bits >> 15 == 0 ? magnitude : -magnitude;
}

// The only element of an input that the host knows.
bool ValueOf(const gert::Tensor* tensor, double& value) {
  if (tensor == nullptr || tensor->GetAddr() == nullptr) {
    return false;
  }
  switch (tensor->GetDataType()) {
    case ge::DT_FLOAT: value = *tensor->GetData<float>(); return true;
    case ge::DT_INT32: value = *tensor->GetData<int32_t>(); return true;
    case ge::DT_INT64: value = static_cast<double>(*tensor->GetData<int64_t>()); return true;
    case ge::DT_FLOAT16: value = FloatOfHalf(*tensor->GetData<uint16_t>()); return true;
    case ge::DT_BF16: {
      const uint32_t bits = static_cast<uint32_t>(*tensor->GetData<uint16_t>()) << 16;
      float number = 0;
      std::memcpy(&number, &bits, sizeof number);
      value = number;
      return true;
    }
    default: return false;
  }
}

ge::graphStatus InferShape(gert::InferShapeContext* context) {
  gert::Shape* out = context->GetOutputShape(0);
  double start = 0;
  double end = 0;
  double step = 0;
  if (out == nullptr || !ValueOf(context->GetInputTensor(0), start) || !ValueOf(context->GetInputTensor(1), end) ||
      !ValueOf(context->GetInputTensor(2), step) || step == 0) {
    return ge::GRAPH_FAILED;
  }
  out->SetDimNum(1);
  out->SetDim(0, static_cast<int64_t>(std::ceil((end - start) / step)));
  return ge::GRAPH_SUCCESS;
}
}  // namespace

namespace ops {
class Arange : public OpDef {
 public:
  explicit Arange(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("start"), elementwise::TYPES).ValueDepend(OPTIONAL);
    elementwise::Tensor(this->Input("end"), elementwise::TYPES).ValueDepend(OPTIONAL);
    elementwise::Tensor(this->Input("step"), elementwise::TYPES).ValueDepend(OPTIONAL);
    elementwise::Tensor(this->Output("out"), elementwise::TYPES);
    this->SetInferShape(InferShape).SetInferDataType(elementwise::InferSameType);
    elementwise::OnAtlasA2AndA3(*this, optiling::TilingFunc);
  }
};
OP_ADD(Arange);
}  // namespace ops
