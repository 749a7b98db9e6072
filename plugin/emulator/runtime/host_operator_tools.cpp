// What operator repositories share on the host: shapes in inference, values of inputs, texts for messages.
#include <algorithm>

#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/utils/type_utils.h"
#include "log/log.h"
#include "op_common/op_host/infershape_broadcast_util.h"
#include "op_common/op_host/infershape_elewise_util.h"
#include "op_common/op_host/infershape_reduce_util.h"
#include "op_common/op_host/tiling_base_util.h"
#include "op_common/op_host/util/const_util.h"

namespace npu_emu::host {

void logInvalid(const char* node, const char* what, std::initializer_list<MessagePart> parts) {
  std::string text;
  for (const MessagePart& part : parts) text += (text.empty() ? "" : ", ") + part.Text();
  logError(node, "invalid %s: %s", what, text.c_str());
}

}  // namespace npu_emu::host

namespace Ops {
namespace Base {

std::string ToString(ge::DataType type) { return ge::TypeUtils::DataTypeToSerialString(type); }
std::string ToString(ge::Format format) { return ge::TypeUtils::FormatToSerialString(format); }
std::string ToString(const gert::Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.GetDimNum(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape.GetDim(i));
  return text + "]";
}
std::string ToString(const std::vector<const gert::Shape*>& shapes) {
  std::string text;
  for (const gert::Shape* shape : shapes)
    text += (text.empty() ? "" : ", ") + (shape == nullptr ? std::string("nil") : ToString(*shape));
  return text;
}

void SetUnknownRank(gert::Shape& shape) { shape = gert::Shape({UNKNOWN_RANK}); }
bool IsUnknownRank(const gert::Shape& shape) { return shape.GetDimNum() == 1 && shape.GetDim(0) == UNKNOWN_RANK; }
void SetUnknownShape(int64_t rank, gert::Shape& shape) {
  shape.SetDimNum(0);
  for (int64_t i = 0; i < rank; ++i) shape.AppendDim(UNKNOWN_DIM);
}
bool IsUnknownShape(const gert::Shape& shape) {
  for (size_t i = 0; i < shape.GetDimNum(); ++i)
    if (shape.GetDim(i) == UNKNOWN_DIM) return true;
  return false;
}

bool ReadInteger(const gert::Tensor* tensor, size_t index, int64_t& value) {
  if (tensor == nullptr || tensor->GetAddr() == nullptr || static_cast<int64_t>(index) >= tensor->GetShapeSize())
    return false;
  switch (tensor->GetDataType()) {
    case ge::DT_INT64:
    case ge::DT_UINT64: value = tensor->GetData<int64_t>()[index]; return true;
    case ge::DT_INT32: value = tensor->GetData<int32_t>()[index]; return true;
    case ge::DT_UINT32: value = tensor->GetData<uint32_t>()[index]; return true;
    default: return false;
  }
}

bool ReadShape(const gert::Tensor* tensor, gert::Shape& shape) {
  if (tensor == nullptr || tensor->GetShapeSize() > static_cast<int64_t>(gert::Shape::kMaxDimNum)) return false;
  gert::Shape result;
  for (int64_t i = 0, extent = 0; i < tensor->GetShapeSize(); ++i) {
    if (!ReadInteger(tensor, static_cast<size_t>(i), extent)) return false;
    result.AppendDim(extent);
  }
  shape = result;
  return true;
}

ge::graphStatus InferShape4Elewise(gert::InferShapeContext* context) {
  const gert::Shape* from = context->GetInputShape(0);
  gert::Shape* to = context->GetOutputShape(0);
  if (from == nullptr || to == nullptr) return ge::GRAPH_FAILED;
  *to = *from;
  return ge::GRAPH_SUCCESS;
}

bool BroadcastShape(const std::vector<const gert::Shape*>& shapes, gert::Shape* result) {
  size_t rank = 0;
  for (const gert::Shape* shape : shapes) {
    if (shape == nullptr) return false;
    rank = std::max(rank, shape->GetDimNum());
  }
  gert::Shape wide;
  for (size_t i = 0; i < rank; ++i) {
    int64_t extent = 1;
    for (const gert::Shape* shape : shapes) {
      if (i + shape->GetDimNum() < rank) continue;
      const int64_t own = shape->GetDim(i + shape->GetDimNum() - rank);
      if (own == 1 || own == extent) continue;
      if (extent != 1) return false;
      extent = own;
    }
    wide.AppendDim(extent);
  }
  *result = wide;
  return true;
}
bool BroadcastShape(const gert::Shape* a, const gert::Shape* b, gert::Shape* result) {
  return BroadcastShape({a, b}, result);
}

ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context, size_t inputs) {
  std::vector<const gert::Shape*> shapes;
  for (size_t i = 0; i < inputs; ++i) shapes.push_back(context->GetInputShape(i));
  gert::Shape* to = context->GetOutputShape(0);
  return to != nullptr && BroadcastShape(shapes, to) ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}
ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context) { return InferShape4Broadcast(context, 2); }

bool ReduceShape(const gert::Shape& from, const std::vector<int64_t>& axes, bool keep, gert::Shape& to) {
  const auto rank = static_cast<int64_t>(from.GetDimNum());
  std::vector<bool> reduced(from.GetDimNum(), false);
  for (const int64_t axis : axes) {
    if (!CheckAxisBounds(rank, axis)) return false;
    if (rank != 0) reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  gert::Shape result;
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i]) result.AppendDim(from.GetDim(i));
    else if (keep) result.AppendDim(1);
  }
  to = result;
  return true;
}

ge::graphStatus InferShape4Reduce(gert::InferShapeContext* context) {
  const gert::Shape* from = context->GetInputShape(0);
  const gert::Tensor* tensor = context->GetInputTensor(1);
  gert::Shape* to = context->GetOutputShape(0);
  const bool* keep = context->GetAttrs() == nullptr ? nullptr : context->GetAttrs()->GetBool(0);
  if (from == nullptr || tensor == nullptr || to == nullptr) return ge::GRAPH_FAILED;
  std::vector<int64_t> axes(static_cast<size_t>(std::max<int64_t>(tensor->GetShapeSize(), 0)));
  for (size_t i = 0; i < axes.size(); ++i)
    if (!ReadInteger(tensor, i, axes[i])) return ge::GRAPH_FAILED;
  return ReduceShape(*from, axes, keep != nullptr && *keep, *to) ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}

bool IsRegbaseSocVersion(const gert::TilingParseContext*) { return false; }
bool IsRegbaseSocVersion(const gert::TilingContext*) { return false; }
const gert::Shape& EnsureNotScalar(const gert::Shape& shape) {
  static const gert::Shape one({1});
  return shape.IsScalar() ? one : shape;
}

}  // namespace Base
}  // namespace Ops
