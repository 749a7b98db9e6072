// Output shapes of element-wise operators.
#pragma once

#include "exe_graph/runtime/infer_shape_context.h"
#include "op_common/op_host/util/shape_util.h"

#pragma GCC visibility push(default)

namespace Ops {
namespace Base {

// Output 0 has the shape of input 0.
// api: InferShape4Elewise | - | - | inferred: it compiles and never runs
ge::graphStatus InferShape4Elewise(gert::InferShapeContext* context);

}  // namespace Base
}  // namespace Ops

#pragma GCC visibility pop
