// Output shapes of operators that broadcast their inputs.
#pragma once

#include <cstddef>
#include <vector>

#include "exe_graph/runtime/infer_shape_context.h"
#include "op_common/op_host/util/shape_util.h"

#pragma GCC visibility push(default)

namespace Ops {
namespace Base {

// Output 0 is what the inputs broadcast to; GRAPH_FAILED when they do not fit.
// api: InferShape4Broadcast, BroadcastShape | - | - | inferred: it compiles and never runs
ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context);
ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context, size_t inputs);
bool BroadcastShape(const gert::Shape* a, const gert::Shape* b, gert::Shape* result);
bool BroadcastShape(const std::vector<const gert::Shape*>& shapes, gert::Shape* result);

}  // namespace Base
}  // namespace Ops

#pragma GCC visibility pop
