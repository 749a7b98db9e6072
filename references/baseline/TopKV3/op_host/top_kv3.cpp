#include <algorithm>
#include <limits>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "top_kv3_tiling.h"

namespace {
constexpr size_t X = 0;
constexpr size_t K = 1;
constexpr size_t DIM = 1;  // attributes are sorted, dim, largest
constexpr size_t LARGEST = 2;

constexpr uint64_t SHORT_LINES = 1;  // whole lines are sorted
constexpr uint64_t LONG_LINES = 2;   // a line is sorted in pieces
constexpr uint64_t TILE_LENGTH = 4096;
constexpr uint64_t FIRST_LIST = 32;  // what one instruction sorts
constexpr uint64_t MERGED_LISTS = 4;
constexpr uint64_t MAX_KEPT = 8192;
constexpr uint64_t LANES = 16;  // lines that lie side by side and are read together

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

struct Lines {
  uint64_t outer = 1, length = 1, inner = 1;
};

bool ReadLines(const gert::Shape& shape, int64_t dim, Lines& lines) {
  const int64_t rank = static_cast<int64_t>(shape.GetDimNum());
  const int64_t axis = dim < 0 ? dim + rank : dim;
  if (axis < 0 || axis >= rank) {
    return false;
  }
  for (int64_t i = 0; i < rank; ++i) {
    uint64_t& extent = i < axis ? lines.outer : i == axis ? lines.length : lines.inner;
    extent *= static_cast<uint64_t>(shape.GetDim(i));
  }
  constexpr uint64_t limit = std::numeric_limits<int32_t>::max();
  return lines.outer != 0 && lines.length != 0 && lines.inner != 0 && lines.outer <= limit && lines.length <= limit &&
         lines.inner <= limit;
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAiv();
  const auto* xShape = context->GetInputShape(X);
  const auto* xDesc = context->GetInputDesc(X);
  const auto* kTensor = context->GetInputTensor(K);
  const int64_t* dim = context->GetAttrs()->GetInt(DIM);
  const bool* largest = context->GetAttrs()->GetBool(LARGEST);
  if (xShape == nullptr || xDesc == nullptr || kTensor == nullptr || kTensor->GetData<int32_t>() == nullptr ||
      dim == nullptr || largest == nullptr || cores == 0 || xDesc->GetDataType() != ge::DT_FLOAT16) {
    return ge::GRAPH_FAILED;
  }
  Lines lines;
  const int64_t k = *kTensor->GetData<int32_t>();
  if (!ReadLines(xShape->GetStorageShape(), *dim, lines) || k <= 0 || static_cast<uint64_t>(k) > lines.length) {
    return ge::GRAPH_FAILED;
  }
  const bool isLong = lines.length > TILE_LENGTH;
  if (isLong && static_cast<uint64_t>(k) > MAX_KEPT) {
    return ge::GRAPH_FAILED;
  }

  uint64_t listLength = FIRST_LIST;
  while (listLength * MERGED_LISTS < lines.length) {
    listLength *= MERGED_LISTS;
  }
  const uint64_t lists = CeilDiv(lines.length, listLength);
  const uint64_t neighbours = lines.inner == 1 ? lines.outer : std::min(lines.inner, LANES);
  const uint64_t fitting = isLong ? 1 : TILE_LENGTH / (listLength * lists);
  const uint64_t linesAtOnce = std::min({fitting, neighbours, CeilDiv(lines.outer * lines.inner, cores)});
  const uint64_t tiles =
      lines.inner == 1 ? CeilDiv(lines.outer, linesAtOnce) : lines.outer * CeilDiv(lines.inner, linesAtOnce);

  TopKV3TilingData tiling;
  tiling.set_outer(static_cast<uint32_t>(lines.outer));
  tiling.set_length(static_cast<uint32_t>(lines.length));
  tiling.set_inner(static_cast<uint32_t>(lines.inner));
  tiling.set_k(static_cast<uint32_t>(k));
  tiling.set_largest(*largest ? 1 : 0);
  tiling.set_listLength(static_cast<uint32_t>(listLength));
  tiling.set_lists(static_cast<uint32_t>(lists));
  tiling.set_linesAtOnce(static_cast<uint32_t>(linesAtOnce));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetTilingKey(isLong ? LONG_LINES : SHORT_LINES);
  context->SetBlockDim(static_cast<uint32_t>(std::min(cores, tiles)));
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(X);
  const auto* k = context->GetInputTensor(K);
  const int64_t* dim = context->GetAttrs()->GetInt(DIM);
  if (x == nullptr || k == nullptr || k->GetData<int32_t>() == nullptr || dim == nullptr) {
    return GRAPH_FAILED;
  }
  const int64_t rank = static_cast<int64_t>(x->GetDimNum());
  const int64_t axis = *dim < 0 ? *dim + rank : *dim;
  if (axis < 0 || axis >= rank) {
    return GRAPH_FAILED;
  }
  for (size_t i = 0; i < 2; ++i) {
    gert::Shape* out = context->GetOutputShape(i);
    if (out == nullptr) {
      return GRAPH_FAILED;
    }
    *out = *x;
    out->SetDim(static_cast<size_t>(axis), *k->GetData<int32_t>());
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(X));
  return context->SetOutputDataType(1, DT_INT32);
}
}  // namespace ge

namespace ops {
class TopKV3 : public OpDef {
 public:
  explicit TopKV3(const char* name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("k")
        .ParamType(REQUIRED)
        .DataType({ge::DT_INT32})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .ValueDepend(OPTIONAL);
    this->Output("values")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND});
    this->Output("indices")
        .ParamType(REQUIRED)
        .DataType({ge::DT_INT32})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND});
    this->Attr("sorted").AttrType(OPTIONAL).Bool(true);
    this->Attr("dim").AttrType(OPTIONAL).Int(-1);
    this->Attr("largest").AttrType(OPTIONAL).Bool(true);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(TopKV3);
}  // namespace ops
